/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions are executed: store counts, flushes, fences and their
 * order.  Contents are checked elsewhere; on DRAM they come out right with no
 * flush and no fence at all.
 *
 * APIs covered: pmk_flush(), pmk_persist(), pmk_drain(), pmk_memcpy(),
 * pmk_memmove(), pmk_memset(), and the kernels of lib/persist/ops.h.
 * pmk_memcpy_flushcache(): flushcache_steps.c.
 */
#include "step_test.h"

#define SPAN 8192

/* Destinations start behind a margin; for overlap the source is here too. */
static _Alignas(64) uint8_t buf[SPAN];
static _Alignas(64) uint8_t other[SPAN];

static int setup(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, "steps");
	/* the two differ in every byte, and both from SET_BYTE */
	rng_fill(&r, buf, SPAN);
	rng_fill(&r, other, SPAN);
	for (size_t i = 0; i < SPAN; i++) {
		buf[i] &= 0x3f;
		other[i] = (other[i] & 0x3f) | 0x40;
	}
	pmk_persist(buf, 1); /* chooses the kernels, before any trace */
	return 0;
}

static void call_flush(void *call)
{
	const struct call *c = call;

	pmk_flush(c->dst, c->len);
}

static void call_persist(void *call)
{
	const struct call *c = call;

	pmk_persist(c->dst, c->len);
}

static const size_t offsets[] = { 0, 1, 7, 8, 32, 56, 60, 63 };
static const size_t lengths[] = { 0,   1,   2,   4,   8,   31,  63,  64,
				  65,  100, 127, 128, 129, 191, 192, 193,
				  255, 256, 257, 384, 511, 512 };

static void flush__one_per_line_and_no_fence(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(lengths); j += STRIDE) {
			struct call c = { .name = "pmk_flush",
					  .fn = call_flush,
					  .dst = buf + 64 + offsets[i],
					  .len = lengths[j] };
			struct step_counts n = trace(&c, NULL);
			size_t lines = lines_of(c.dst, c.len);

			CHECK_COUNT(&c, &n, flushes, lines);
			CHECK_COUNT(&c, &n, lines_covered, lines);
			CHECK_COUNT(&c, &n, nt_stores, 0);
			CHECK_COUNT(&c, &n, fences, 0);
			check_kinds(&c, &n);
		}
	}
}

static void persist__flushes_then_one_sfence(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(lengths); j += STRIDE) {
			struct call c = { .name = "pmk_persist",
					  .fn = call_persist,
					  .dst = buf + 64 + offsets[i],
					  .len = lengths[j] };
			struct step_counts n = trace(&c, NULL);
			size_t lines = lines_of(c.dst, c.len);

			CHECK_COUNT(&c, &n, flushes, lines);
			CHECK_COUNT(&c, &n, lines_covered, lines);
			CHECK_COUNT(&c, &n, nt_stores, 0);
			CHECK_COUNT(&c, &n, kinds[INSN_SFENCE], 1);
			CHECK_COUNT(&c, &n, after_fence, 0);
			check_kinds(&c, &n);
		}
	}
}

static void call_drain(void *call)
{
	(void)call;
	pmk_drain();
}

static void drain__one_sfence_on_every_cpu(void **state)
{
	struct call c = { .name = "pmk_drain", .fn = call_drain, .dst = buf };
	struct step_counts n = trace(&c, NULL);

	(void)state;
	CHECK_COUNT(&c, &n, kinds[INSN_SFENCE], 1);
	CHECK_COUNT(&c, &n, fences, 1);
	CHECK_COUNT(&c, &n, flushes, 0);
	CHECK_COUNT(&c, &n, nt_stores, 0);
}

static void check_nontemporal(const struct call *c, const struct step_counts *n)
{
	/* only the bytes outside whole words may go through the cache */
	bool words = (uintptr_t)c->dst % 8 == 0 && c->len % 8 == 0;

	CHECK_COUNT(c, n, lines_written > (words ? 0 : 2), 0);
	CHECK_COUNT(c, n, flushes > (words ? 0 : 2), 0);
}

/* What the flags promise, whatever the size and alignment. */
static void check_flags(struct call *c)
{
	struct step_counts n = trace(c, NULL);
	size_t lines = lines_of(c->dst, c->len);
	bool drain = !(c->flags & (PMK_F_NODRAIN | PMK_F_NOFLUSH));

	check_kinds(c, &n);
	CHECK_COUNT(c, &n, kinds[INSN_SFENCE], drain);
	if (drain)
		CHECK_COUNT(c, &n, after_fence, 0);
	if (c->flags & PMK_F_NOFLUSH) {
		CHECK_COUNT(c, &n, nt_stores, 0);
		CHECK_COUNT(c, &n, flushes, 0);
		CHECK_COUNT(c, &n, lines_written, lines);
		return;
	}
	CHECK_COUNT(c, &n, lines_unflushed, 0);
	CHECK_COUNT(c, &n, lines_covered, lines);
	if (c->flags & PMK_F_NONTEMPORAL) {
		check_nontemporal(c, &n);
	} else if (c->flags & PMK_F_TEMPORAL) {
		CHECK_COUNT(c, &n, nt_stores, 0);
		CHECK_COUNT(c, &n, flushes, lines);
	}
}

static void check_every_flag_set(struct call *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(step_flags); i++) {
		c->flags = step_flags[i];
		check_flags(c);
	}
}

static const size_t flag_lengths[] = { 0, 1, 8, 24, 61, 64, 72, 130, 256, 320 };
static const size_t flag_offsets[] = { 0, 3, 8, 61 };

static void check_flags_of(const char *name, void (*fn)(void *))
{
	struct call c = { .name = name, .fn = fn, .src = other + 5 };

	for (size_t i = 0; i < ARRAY_SIZE(flag_lengths); i++) {
		for (size_t j = 0; j < 2; j++) {
			c.len = flag_lengths[i];
			c.dst = buf + 64 + flag_offsets[(2 * j + i) % 4];
			check_every_flag_set(&c);
		}
	}
}

static void memcpy__flags(void **state)
{
	(void)state;
	check_flags_of("pmk_memcpy", call_memcpy);
}

static void memset__flags(void **state)
{
	(void)state;
	check_flags_of("pmk_memset", call_memset);
}

/* Lengths around a multi-line loop and a threshold of libpmem's. */
static void copies__flags_of_longer_ranges(void **state)
{
	static const size_t lens[] = { 255, 256, 257, 1000, 4096 };
	struct call c = { .name = "pmk_memmove", .src = other + 5 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		c.len = lens[i];
		c.dst = buf + 64 + flag_offsets[i % ARRAY_SIZE(flag_offsets)];
		for (unsigned int flags = 0; flags < 8; flags += 2) {
			c.flags = flags % 8 == 6 ? PMK_F_NOFLUSH : flags;
			c.fn = call_memmove;
			check_flags(&c);
			c.fn = call_memset;
			check_flags(&c);
		}
	}
}

static void memmove__flags_with_overlap(void **state)
{
	static const struct {
		size_t dst, distance, len;
	} cases[] = {
		{ 64, 8, 200 },   { 64, 64, 320 },  { 67, 1, 130 },
		{ 72, 100, 130 }, { 125, 63, 257 },
	};
	static uint8_t saved[SPAN];
	struct rng r;

	(void)state;
	rng_init(&r, "memmove__flags_with_overlap");
	memcpy(saved, buf, SPAN);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i += STRIDE) {
		struct call c = { .name = "pmk_memmove, overlap",
				  .fn = call_memmove,
				  .len = cases[i].len };

		fill_to_differ(&r, buf, SPAN, cases[i].distance);
		c.dst = buf + 128 + cases[i].dst;
		c.src = c.dst + cases[i].distance;
		check_every_flag_set(&c);
		c.src = c.dst - cases[i].distance;
		check_every_flag_set(&c);
	}
	memcpy(buf, saved, SPAN);
}

/* libpmem 1.12 flushes nothing here. */
static void memmove__onto_itself_flushes(void **state)
{
	struct call c = { .name = "pmk_memmove onto itself",
			  .fn = call_memmove };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flag_lengths); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(step_flags); j++) {
			struct step_counts n;
			size_t lines;

			c.len = flag_lengths[i];
			c.flags = step_flags[j];
			c.dst = buf + 64 + flag_offsets[j % 4];
			c.src = c.dst;
			lines = lines_of(c.dst, c.len);
			n = trace(&c, NULL);
			if (c.flags & PMK_F_NOFLUSH)
				lines = 0;
			CHECK_COUNT(&c, &n, lines_covered, lines);
			CHECK_COUNT(
				&c, &n, kinds[INSN_SFENCE],
				!(c.flags & (PMK_F_NODRAIN | PMK_F_NOFLUSH)));
			if (c.flags == 0)
				CHECK_COUNT(&c, &n, flushes, lines);
			if (n.fences)
				CHECK_COUNT(&c, &n, after_fence, 0);
		}
	}
}

/* A kernel and its arguments. */
struct kernel_call {
	struct call call;
	pmk_copy_lines_fn copy;
	pmk_set_lines_fn set;
	pmk_flush_lines_fn flush;
	size_t lines;
};

static void call_kernel(void *arg)
{
	const struct kernel_call *k = arg;

	if (k->copy)
		k->copy(k->call.dst, k->call.src, k->lines);
	else if (k->set)
		k->set(k->call.dst, 0xc3c3c3c3c3c3c3c3U, k->lines);
	else
		k->flush(k->call.dst, k->lines);
}

/* The instruction that the kernel @name is named for, and how many a line
 * takes. */
static void expected_of(const char *name, enum insn_kind *kind,
			size_t *per_line)
{
	static const struct {
		const char *name;
		enum insn_kind kind;
		size_t per_line;
	} table[] = {
		{ "clwb", INSN_CLWB, 1 },
		{ "clflushopt", INSN_CLFLUSHOPT, 1 },
		{ "clflush", INSN_CLFLUSH, 1 },
		{ "movdir64b", INSN_MOVDIR64B, 1 },
		{ "avx512", INSN_NT_VECTOR, 1 },
		{ "avx", INSN_NT_VECTOR, 2 },
		{ "sse2", INSN_NT_VECTOR, 4 },
	};
	size_t i = 0;

	while (strcmp(table[i].name, name))
		assert_true(++i < ARRAY_SIZE(table));
	*kind = table[i].kind;
	*per_line = table[i].per_line;
}

static void check_kernel(struct kernel_call *k, uint32_t needs,
			 size_t max_lines)
{
	enum insn_kind kind;
	size_t per_line;

	if ((needs & pmk_cpu_features()) != needs)
		return;
	expected_of(k->call.name, &kind, &per_line);
	k->call.fn = call_kernel;
	k->call.dst = buf + 64;
	k->call.src = other + 3;
	for (k->lines = 1; k->lines <= max_lines; k->lines += STRIDE) {
		struct step_counts n;

		k->call.len = 64 * k->lines;
		n = trace(&k->call, NULL);
		CHECK_COUNT(&k->call, &n, kinds[kind], per_line * k->lines);
		CHECK_COUNT(&k->call, &n, nt_stores + n.flushes,
			    per_line * k->lines);
		CHECK_COUNT(&k->call, &n, lines_covered, k->lines);
		CHECK_COUNT(&k->call, &n, lines_written, 0);
		CHECK_COUNT(&k->call, &n, fences, 0);
	}
}

static void check_copy_kernels(const struct pmk_copy_kernel *table, size_t n,
			       size_t max_lines)
{
	for (size_t i = 0; i < n; i++) {
		struct kernel_call k = { .call.name = table[i].name,
					 .copy = table[i].fn };

		check_kernel(&k, table[i].needs, max_lines);
	}
}

static void kernels__execute_what_they_are_named_for(void **state)
{
	(void)state;
	check_copy_kernels(pmk_copy_kernels, pmk_n_copy_kernels, 18);
	check_copy_kernels(pmk_copy_drained_kernels, pmk_n_copy_drained_kernels,
			   18);
	check_copy_kernels(pmk_copy_backward_kernels,
			   pmk_n_copy_backward_kernels, 18);
	check_copy_kernels(pmk_store_line_kernels, pmk_n_store_line_kernels, 1);
	for (size_t i = 0; i < pmk_n_set_kernels; i++) {
		struct kernel_call k = { .call.name = pmk_set_kernels[i].name,
					 .set = pmk_set_kernels[i].fn };

		check_kernel(&k, pmk_set_kernels[i].needs, 18);
	}
	for (size_t i = 0; i < pmk_n_flush_kernels; i++) {
		struct kernel_call k = { .call.name = pmk_flush_kernels[i].name,
					 .flush = pmk_flush_kernels[i].fn };

		check_kernel(&k, pmk_flush_kernels[i].needs, 18);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drain__one_sfence_on_every_cpu),
		cmocka_unit_test(flush__one_per_line_and_no_fence),
		cmocka_unit_test(persist__flushes_then_one_sfence),
		cmocka_unit_test(memcpy__flags),
		cmocka_unit_test(memset__flags),
		cmocka_unit_test(copies__flags_of_longer_ranges),
		cmocka_unit_test(memmove__flags_with_overlap),
		cmocka_unit_test(memmove__onto_itself_flushes),
		cmocka_unit_test(kernels__execute_what_they_are_named_for),
	};
	int status = skip_status();

	return status ? status : cmocka_run_group_tests(tests, setup, NULL);
}
