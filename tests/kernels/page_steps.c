/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions page copies execute: the stores each variant is named for,
 * and its fences.
 *
 * APIs covered: pmk_copy_page(), pmk_copy_pages(), pmk_copy_pages_from(),
 * pmk_copy_pages_by().
 */
#include <pmk/page.h>

#include "step_test.h"

#define PAGE  4096
#define PAGES 9 /* one more than are copied side by side */
#define LINES (PAGE / 64)

static _Alignas(4096) uint8_t to[PAGES * PAGE];
static _Alignas(4096) uint8_t from[PAGES * PAGE];

static void *dst[PAGES];
static const void *src[PAGES];

static int setup(void **state)
{
	(void)state;
	/* an unchanged byte could not be seen written */
	memset(to, 0x11, sizeof(to));
	memset(from, 0x22, sizeof(from));
	for (size_t i = 0; i < PAGES; i++) {
		dst[i] = to + i * PAGE;
		src[i] = from + i * PAGE;
	}
	pmk_persist(to, 1); /* chooses the kernels, before any trace */
	return 0;
}

/* A call, the number of pages, and the variant of pmk_copy_pages_by(). */
struct page_call {
	struct call call;
	unsigned int variant;
	size_t n;
};

static void call_by(void *arg)
{
	const struct page_call *p = arg;

	if (pmk_copy_pages_by(p->variant, dst, src, p->n, PAGE) < 0)
		*(volatile char *)0; /* the trace says that the child died */
}

static void call_pages(void *arg)
{
	const struct page_call *p = arg;

	pmk_copy_pages(dst, src, p->n);
}

static void call_pages_from(void *arg)
{
	const struct page_call *p = arg;

	pmk_copy_pages_from(dst, src, p->n);
}

static void call_page(void *arg)
{
	(void)arg;
	pmk_copy_page(to, from);
}

static struct step_counts trace_pages(struct page_call *p)
{
	p->call.dst = to;
	p->call.len = p->n * PAGE;
	return trace(&p->call, NULL);
}

/* Stores of kind @kind: so many a page; fences: a page, and at the end. */
static const struct {
	const char *name;
	enum insn_kind kind;
	size_t stores;
	size_t fences_a_page;
	size_t fences;
	uint32_t needs;
} nt[] = {
	/* Kemeng Shi's proposal: 64 rounds of 8 MOVNTI, SFENCE */
	{ "movnti_2021", INSN_MOVNTI8, 8 * 64, 1, 0, 0 },
	{ "movnti_2021_batch", INSN_MOVNTI8, 8 * 64, 0, 1, 0 },
	{ "avx512_nt", INSN_NT_VECTOR, LINES, 0, 1, PMK_CPU_AVX512F },
	{ "movdir64b", INSN_MOVDIR64B, LINES, 0, 1, PMK_CPU_MOVDIR64B },
	{ "sse2_streams", INSN_NT_VECTOR, 4 * LINES, 0, 1, 0 },
	{ "avx512_streams", INSN_NT_VECTOR, LINES, 0, 1, PMK_CPU_AVX512F },
	{ "movdir64b_streams", INSN_MOVDIR64B, LINES, 0, 1, PMK_CPU_MOVDIR64B },
};

static unsigned int number_of(const char *name)
{
	unsigned int i = 0;

	while (strcmp(pmk_page_variant_name(i), name))
		assert_non_null(pmk_page_variant_name(++i));
	return i;
}

static void check_nt(size_t i, size_t n)
{
	struct page_call p = { .call = { .name = nt[i].name, .fn = call_by },
			       .variant = number_of(nt[i].name),
			       .n = n };
	struct step_counts c = trace_pages(&p);

	CHECK_COUNT(&p.call, &c, kinds[nt[i].kind], n * nt[i].stores);
	CHECK_COUNT(&p.call, &c, nt_stores, n * nt[i].stores);
	CHECK_COUNT(&p.call, &c, kinds[INSN_SFENCE],
		    n * nt[i].fences_a_page + nt[i].fences);
	CHECK_COUNT(&p.call, &c, after_fence, 0);
	CHECK_COUNT(&p.call, &c, lines_covered, n * LINES);
	CHECK_COUNT(&p.call, &c, lines_written, 0);
	CHECK_COUNT(&p.call, &c, flushes, 0);
	check_kinds(&p.call, &c);
}

static void nt_variants__execute_what_they_are_named_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nt); i++) {
		if (!CAN_RUN(&nt[i]))
			continue;
		check_nt(i, 0);
		check_nt(i, 1);
		check_nt(i, 3);
#ifdef __OPTIMIZE__
		check_nt(i, PAGES);
#endif
	}
}

/* Steps of one page that are no NT store: an iteration of a rep prefix is one.
 * What lies around them is at most SLACK. */
#define SLACK 400

static void variants__take_the_steps_of_their_loops(void **state)
{
	static const struct {
		const char *name;
		size_t steps;
		bool optimized; /* counts only if the compiler's loop is good */
	} loops[] = {
		{ "rep_movsq", PAGE / 8, false },
		{ "rep_movsb", PAGE, false },
		/* load, store, two pointers, counter, branch */
		{ "mc_loop8", 6 * (PAGE / 8), false },
		/* 8 loads, and 5 for the prefetch and the loop: nothing goes to
		 * the stack in between */
		{ "movnti_2021", LINES * 13, true },
		{ "movnti_2021_batch", LINES * 13, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
		struct page_call p = { .call = { .name = loops[i].name,
						 .fn = call_by },
				       .variant = number_of(loops[i].name),
				       .n = 1 };
		uint64_t got = trace_pages(&p).kinds[INSN_OTHER];

#ifndef __OPTIMIZE__
		if (loops[i].optimized)
			continue;
#endif
		if (got + LINES * 4 < loops[i].steps ||
		    got > loops[i].steps + SLACK)
			fail_msg("%s: %llu steps, expected about %zu",
				 loops[i].name, (unsigned long long)got,
				 loops[i].steps);
	}
}

/* Neither flush nor fence: the caller is told so. */
static void cached_variants__only_store(void **state)
{
	static const struct {
		const char *name;
		uint32_t needs;
	} cached[] = {
		{ "rep_movsq", 0 },
		{ "rep_movsb", 0 },
		{ "mc_loop8", 0 },
		{ "avx512_cached_streams", PMK_CPU_AVX512F },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cached); i++) {
		struct page_call p = {
			.call = { .name = cached[i].name, .fn = call_by },
			.n = 2,
		};
		struct step_counts c;

		if (!CAN_RUN(&cached[i]))
			continue;
		p.variant = number_of(cached[i].name);
		c = trace_pages(&p);
		CHECK_COUNT(&p.call, &c, nt_stores, 0);
		CHECK_COUNT(&p.call, &c, flushes, 0);
		CHECK_COUNT(&p.call, &c, fences, 0);
		CHECK_COUNT(&p.call, &c, lines_written, 2 * LINES);
	}
}

static void check_durable(const char *name, void (*fn)(void *), size_t n)
{
	struct page_call p = { .call = { .name = name, .fn = fn }, .n = n };
	struct step_counts c = trace_pages(&p);

	CHECK_COUNT(&p.call, &c, kinds[INSN_SFENCE], 1);
	CHECK_COUNT(&p.call, &c, after_fence, 0);
	CHECK_COUNT(&p.call, &c, lines_covered, n * LINES);
	CHECK_COUNT(&p.call, &c, lines_unflushed, 0);
	check_kinds(&p.call, &c);
}

static void calls__one_fence_for_all(void **state)
{
	(void)state;
	check_durable("pmk_copy_page", call_page, 1);
	check_durable("pmk_copy_pages", call_pages, 0);
	check_durable("pmk_copy_pages", call_pages, 3);
#ifdef __OPTIMIZE__
	check_durable("pmk_copy_pages", call_pages, PAGES);
#endif
}

static void pages_from__only_stores(void **state)
{
	(void)state;
	for (size_t n = 0; n <= PAGES; n += PAGES / 3) {
		struct page_call p = {
			.call = { .name = "pmk_copy_pages_from",
				  .fn = call_pages_from },
			.n = n,
		};
		struct step_counts c = trace_pages(&p);

		CHECK_COUNT(&p.call, &c, nt_stores, 0);
		CHECK_COUNT(&p.call, &c, flushes, 0);
		CHECK_COUNT(&p.call, &c, fences, 0);
		CHECK_COUNT(&p.call, &c, lines_written, n * LINES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nt_variants__execute_what_they_are_named_for),
		cmocka_unit_test(variants__take_the_steps_of_their_loops),
		cmocka_unit_test(cached_variants__only_store),
		cmocka_unit_test(calls__one_fence_for_all),
		cmocka_unit_test(pages_from__only_stores),
	};
	int status = skip_status();

	return status ? status : cmocka_run_group_tests(tests, setup, NULL);
}
