/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Page copies: contents, on guard pages and with pages all over a room whose
 * other pages must stay as they were; what is refused.  What is executed:
 * page_steps.c.
 *
 * APIs covered: pmk_copy_page(), pmk_copy_pages(), pmk_copy_pages_from(),
 * pmk_copy_pages_by(), pmk_page_variant_name().
 */
#include <errno.h>

#include <pmk/page.h>

#include "kernel_test.h"

#define PAGE     4096U
#define HUGE     (2U << 20)
#define PAGES    64U /* of the room for pages of 4 to 32 KiB */
#define ROOM_LEN (PAGES * 32768U)

/* By what a caller must do, as <pmk/page.h> says it. */
static const struct {
	const char *name;
	int result; /* 1: the copy is in the cache */
	uint32_t needs;
} variants[] = {
	{ "rep_movsq", 1, 0 },
	{ "rep_movsb", 1, 0 },
	{ "mc_loop8", 1, 0 },
	{ "movnti_2021", 0, 0 },
	{ "movnti_2021_batch", 0, 0 },
	{ "avx512_nt", 0, PMK_CPU_AVX512F },
	{ "movdir64b", 0, PMK_CPU_MOVDIR64B },
	{ "sse2_streams", 0, 0 },
	{ "avx512_streams", 0, PMK_CPU_AVX512F },
	{ "movdir64b_streams", 0, PMK_CPU_MOVDIR64B },
	{ "avx512_cached_streams", 1, PMK_CPU_AVX512F },
};

static struct guard to, from;

static int setup(void **state)
{
	struct rng r;

	(void)state;
	guard_init(&to, ROOM_LEN);
	guard_init(&from, ROOM_LEN);
	rng_init(&r, "page");
	rng_fill(&r, from.start, ROOM_LEN);
	/* every byte differs from BEFORE */
	for (size_t i = 0; i < ROOM_LEN; i++)
		from.start[i] &= 0x7f;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	guard_fini(&to);
	guard_fini(&from);
	return 0;
}

static bool can_run(unsigned int variant)
{
	uint32_t needs = variants[variant].needs;

	return (needs & pmk_cpu_features()) == needs;
}

static void names__are_those_of_the_manual(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(variants); i++)
		assert_string_equal(pmk_page_variant_name(i), variants[i].name);
	assert_null(pmk_page_variant_name(ARRAY_SIZE(variants)));
	assert_null(pmk_page_variant_name(~0U));
}

/* Which pages are copied where: parts of two permutations. */
struct pages {
	void *dst[PAGES];
	const void *src[PAGES];
	size_t at[PAGES]; /* page numbers: of the room that is written */
	size_t n;
	size_t size;
};

static void shuffle(struct rng *r, size_t *v, size_t n)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = rng_below(r, i + 1), t = v[i];

		v[i] = v[j];
		v[j] = t;
	}
}

static void scatter(struct pages *p, struct rng *r, size_t n, size_t size)
{
	size_t other[PAGES], total = ROOM_LEN / size;

	if (total > PAGES)
		total = PAGES;
	for (size_t i = 0; i < total; i++)
		p->at[i] = other[i] = i;
	shuffle(r, p->at, total);
	shuffle(r, other, total);
	p->n = n;
	p->size = size;
	for (size_t i = 0; i < n; i++) {
		p->dst[i] = to.start + p->at[i] * size;
		p->src[i] = from.start + other[i] * size;
	}
	memset(to.start, BEFORE, ROOM_LEN);
}

/* All of [@p, @p + @len) is as it was. */
static bool is_before(const uint8_t *p, size_t len)
{
	return p[0] == BEFORE && !memcmp(p, p + 1, len - 1);
}

static void check_rest(const struct pages *p, const char *name)
{
	bool copied[ROOM_LEN / PAGE] = { false };

	for (size_t i = 0; i < p->n; i++)
		copied[p->at[i]] = true;
	for (size_t i = 0; i < ROOM_LEN / p->size; i++)
		if (!copied[i] && !is_before(to.start + i * p->size, p->size))
			fail_msg("%s, %zu pages of %zu: page %zu of the room "
				 "has been written",
				 name, p->n, p->size, i);
}

static void check_copied(const struct pages *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (memcmp(p->dst[i], p->src[i], p->size))
			fail_msg("%s, %zu pages of %zu: page %zu is wrong",
				 name, p->n, p->size, i);
	check_rest(p, name);
}

static void by__every_variant_and_count(void **state)
{
	/* around one and two groups of eight */
	static const size_t counts[] = { 0, 1, 2, 3, 7, 8, 9, 16, 17, 23 };
	static const size_t sizes[] = { PAGE, 2 * PAGE, 7 * PAGE, 8 * PAGE };
	struct pages p;
	struct rng r;

	(void)state;
	rng_init(&r, "by__every_variant_and_count");
	for (unsigned int v = 0; v < ARRAY_SIZE(variants); v++) {
		if (!can_run(v))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
			scatter(&p, &r, counts[i],
				sizes[(i + v) % ARRAY_SIZE(sizes)]);
			assert_int_equal(
				pmk_copy_pages_by(v, p.dst, p.src, p.n, p.size),
				variants[v].result);
			check_copied(&p, variants[v].name);
		}
	}
}

/* The room is one page: a byte outside faults. */
static void by__huge_page_between_guards(void **state)
{
	void *const dst[] = { to.start };
	const void *const src[] = { from.start };

	(void)state;
	assert_int_equal(ROOM_LEN, HUGE);
	for (unsigned int v = 0; v < ARRAY_SIZE(variants); v++) {
		if (!can_run(v))
			continue;
		memset(to.start, BEFORE, HUGE);
		assert_int_equal(pmk_copy_pages_by(v, dst, src, 1, HUGE),
				 variants[v].result);
		assert_memory_equal(to.start, from.start, HUGE);
	}
}

static void by__one_page_between_guards(void **state)
{
	struct guard d, s;
	void *dst[1];
	const void *src[1];

	(void)state;
	guard_init(&d, PAGE);
	guard_init(&s, PAGE);
	dst[0] = d.start;
	src[0] = s.start;
	memcpy(s.start, from.start, PAGE);
	for (unsigned int v = 0; v < ARRAY_SIZE(variants); v++) {
		if (!can_run(v))
			continue;
		memset(d.start, BEFORE, PAGE);
		assert_int_equal(pmk_copy_pages_by(v, dst, src, 1, PAGE),
				 variants[v].result);
		assert_memory_equal(d.start, s.start, PAGE);
	}
	memset(d.start, BEFORE, PAGE);
	pmk_copy_page(d.start, s.start);
	assert_memory_equal(d.start, s.start, PAGE);
	guard_fini(&d);
	guard_fini(&s);
}

static void calls__copy_all_and_nothing_else(void **state)
{
	struct pages p;
	struct rng r;

	(void)state;
	rng_init(&r, "calls__copy_all_and_nothing_else");
	for (size_t n = 0; n <= PAGES; n += n < 20 ? 1 : 11) {
		scatter(&p, &r, n, PAGE);
		pmk_copy_pages(p.dst, p.src, n);
		check_copied(&p, "pmk_copy_pages");
		scatter(&p, &r, n, PAGE);
		pmk_copy_pages_from(p.dst, p.src, n);
		check_copied(&p, "pmk_copy_pages_from");
	}
	/* the lists are not looked at */
	pmk_copy_pages(NULL, NULL, 0);
	pmk_copy_pages_from(NULL, NULL, 0);
}

/* @rc comes back and nothing is written. */
static void check_refused(int rc, unsigned int variant, const struct pages *p,
			  size_t page_size)
{
	assert_int_equal(
		pmk_copy_pages_by(variant, p->dst, p->src, p->n, page_size),
		rc);
	assert_true(is_before(to.start, ROOM_LEN));
}

static void by__refuses_page_sizes(void **state)
{
	static const size_t sizes[] = { 0,    1,    64,          2048,
					4095, 4097, 4096 + 2048, SIZE_MAX };
	struct pages p;
	struct rng r;

	(void)state;
	rng_init(&r, "by__refuses_page_sizes");
	scatter(&p, &r, 3, PAGE);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		check_refused(-EINVAL, i % 2, &p, sizes[i]);
	/* also if there is nothing to copy */
	p.n = 0;
	check_refused(-EINVAL, 0, &p, 0);
}

static void by__refuses_misaligned_pages(void **state)
{
	static const size_t offs[] = { 1, 8, 64, 2048, 4095 };
	struct pages p;
	struct rng r;

	(void)state;
	rng_init(&r, "by__refuses_misaligned_pages");
	for (unsigned int v = 0; v < ARRAY_SIZE(variants); v++) {
		size_t off = offs[v % ARRAY_SIZE(offs)];

		if (!can_run(v))
			continue;
		/* the last one: no page before it is copied either */
		scatter(&p, &r, 5, PAGE);
		p.dst[4] = to.start + off;
		check_refused(PMK_E_ALIGNMENT, v, &p, PAGE);
		scatter(&p, &r, 5, PAGE);
		p.src[4] = from.start + off;
		check_refused(PMK_E_ALIGNMENT, v, &p, PAGE);
	}
}

static void by__refuses_unknown_variants(void **state)
{
	struct pages p;
	struct rng r;

	(void)state;
	rng_init(&r, "by__refuses_unknown_variants");
	scatter(&p, &r, 2, PAGE);
	check_refused(-ENOENT, ARRAY_SIZE(variants), &p, PAGE);
	check_refused(-ENOENT, ~0U, &p, PAGE);
}

/* With all features there is nothing to refuse: the reruns disable them. */
static void by__refuses_what_the_cpu_cannot(void **state)
{
	struct pages p;
	struct rng r;

	(void)state;
	rng_init(&r, "by__refuses_what_the_cpu_cannot");
	scatter(&p, &r, 2, PAGE);
	for (unsigned int v = 0; v < ARRAY_SIZE(variants); v++)
		if (!can_run(v))
			check_refused(-EOPNOTSUPP, v, &p, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names__are_those_of_the_manual),
		cmocka_unit_test(by__every_variant_and_count),
		cmocka_unit_test(by__huge_page_between_guards),
		cmocka_unit_test(by__one_page_between_guards),
		cmocka_unit_test(calls__copy_all_and_nothing_else),
		cmocka_unit_test(by__refuses_page_sizes),
		cmocka_unit_test(by__refuses_misaligned_pages),
		cmocka_unit_test(by__refuses_unknown_variants),
		cmocka_unit_test(by__refuses_what_the_cpu_cannot),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
