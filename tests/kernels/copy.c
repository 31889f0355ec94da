/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies: contents, on guard pages, against memcpy() and memmove() of libc and
 * pmem_memmove() of libpmem.  What is flushed and fenced: steps.c; kernels by
 * themselves: copy_kernels.c; long copies: thresholds.c.
 *
 * APIs covered: pmk_memcpy(), pmk_memmove(), pmk_memmove_tuned(),
 * pmk_memcpy_flushcache_any().
 */
#include <libpmem.h>

#include <pmk/tune.h>

#include "copy_test.h"

#define BIG       ((1U << 20) + 13)
#define GUARD_LEN (BIG + 4096U)

typedef void *(*copy_fn)(void *dst, const void *src, size_t len,
			 unsigned int flags);

static void *flushcache_any(void *dst, const void *src, size_t len,
			    unsigned int flags)
{
	(void)flags;
	pmk_memcpy_flushcache_any(dst, src, len);
	return dst;
}

static int setup(void **state)
{
	(void)state;
	return setup_copies("copy", GUARD_LEN);
}

/* One copy without overlap. */
static void check_copy(copy_fn fn, const struct what *w, uint8_t *dst,
		       const uint8_t *src)
{
	before_copy(w, dst, src);
	if (fn(dst, src, w->len, w->flags) != dst)
		fail_at(w, "return value is not the destination", 0);
	after_copy(w, dst);
}

/* Source @which: against the guard behind, against the guard before, or at
 * some offset in between. */
static const uint8_t *source(size_t which, size_t len)
{
	switch (which) {
	case 0:
		return guard_tail(&src_g, len);
	case 1:
		return src_g.start;
	case 2:
		return src_g.start + 4096; /* line aligned */
	default:
		return src_g.start + 4096 + which;
	}
}

#define N_SOURCES 8

/* Every offset and length with every flag set, and every source with some
 * flag set. */
static void check_offsets_and_lengths(const char *name, copy_fn fn)
{
	struct what w = { .name = name };
	uint8_t *base = dst_g.start + MARGIN;
	size_t n = 0;

	for (w.dst_off = 0; w.dst_off < 64; w.dst_off += OFF_STEP) {
		for (w.len = 0; w.len <= 512; w.len++) {
			for (size_t i = 0; i < ARRAY_SIZE(flag_sets); i++) {
				w.flags = flag_sets[i];
				w.src_off = n++ % N_SOURCES;
				check_copy(fn, &w, base + w.dst_off,
					   source(w.src_off, w.len));
			}
			for (size_t i = 0; i < N_SOURCES; i++) {
				w.src_off = i;
				w.flags =
					flag_sets[n++ % ARRAY_SIZE(flag_sets)];
				check_copy(fn, &w, base + w.dst_off,
					   source(i, w.len));
			}
		}
	}
	check_source_unchanged();
}

static void memcpy__every_offset_and_length(void **state)
{
	(void)state;
	check_offsets_and_lengths("pmk_memcpy", pmk_memcpy);
}

static void memmove__every_offset_and_length(void **state)
{
	(void)state;
	check_offsets_and_lengths("pmk_memmove", pmk_memmove);
}

static void flushcache_any__every_offset_and_length(void **state)
{
	struct what w = { .name = "pmk_memcpy_flushcache_any" };

	(void)state;
	for (w.dst_off = 0; w.dst_off < 64; w.dst_off += OFF_STEP)
		for (w.len = 0; w.len <= 512; w.len++)
			for (w.src_off = 0; w.src_off < N_SOURCES; w.src_off++)
				check_copy(flushcache_any, &w,
					   dst_g.start + MARGIN + w.dst_off,
					   source(w.src_off, w.len));
	check_source_unchanged();
}

/* The destination against the guard on either side. */
static void check_destination_edges(const char *name, copy_fn fn)
{
	struct what w = { .name = name };

	for (w.len = 0; w.len <= 512; w.len++) {
		for (size_t i = 0; i < ARRAY_SIZE(flag_sets); i++) {
			const uint8_t *src = source(i % 2, w.len);
			uint8_t *tail = guard_tail(&dst_g, w.len);

			w.flags = flag_sets[i];
			w.src_off = i % 2;
			w.dst_off = 0;
			check_copy(fn, &w, dst_g.start, src);
			w.dst_off = (uintptr_t)tail % 64;
			check_copy(fn, &w, tail, src);
		}
	}
}

static void copies__destination_at_guard_pages(void **state)
{
	(void)state;
	check_destination_edges("pmk_memcpy", pmk_memcpy);
	check_destination_edges("pmk_memmove", pmk_memmove);
	check_destination_edges("pmk_memcpy_flushcache_any", flushcache_any);
}

static const size_t large_lens[] = { 513,  767,   1000,  2048,  4095,  4096,
				     4097, 16384, 65535, 65536, 65537, BIG };

static void check_large(const char *name, copy_fn fn)
{
	static const size_t offs[] = { 0, 1, 7, 8, 31, 32, 63 };
	static const unsigned int flags[] = { 0, 2, 4, 0x20, 3 };
	struct what w = { .name = name };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(large_lens); i++) {
		w.len = large_lens[i];
		for (size_t j = 0; j < 2 * ARRAY_SIZE(offs); j++) {
			w.dst_off = offs[j / 2];
			w.src_off = j % 2;
			w.flags = flags[n++ % ARRAY_SIZE(flags)];
			check_copy(fn, &w, dst_g.start + MARGIN + w.dst_off,
				   source(w.src_off, w.len));
		}
		w.dst_off = 64;
		check_copy(fn, &w, guard_tail(&dst_g, w.len), source(0, w.len));
	}
	check_source_unchanged();
}

static void copies__large(void **state)
{
	(void)state;
	check_large("pmk_memcpy", pmk_memcpy);
	check_large("pmk_memmove", pmk_memmove);
	check_large("pmk_memcpy_flushcache_any", flushcache_any);
}

static void check_move(const struct what *w, size_t span)
{
	uint8_t *dst = dst_g.start + w->dst_off;

	before_move(w, span);
	if (pmk_memmove(dst, dst_g.start + w->src_off, w->len, w->flags) != dst)
		fail_at(w, "return value is not the destination", 0);
	after_move(w, span);
}

static void memmove__every_short_overlap(void **state)
{
	static const size_t offs[] = { 0, 5, 8, 40, 63 };
	struct what w = { .name = "pmk_memmove" };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offs); i++) {
		for (w.len = 0; w.len <= 300; w.len++) {
			for (size_t d = 0; d <= 260; d += OFF_STEP) {
				w.dst_off = 256 + offs[i];
				w.src_off = w.dst_off + 130 - d;
				w.flags =
					flag_sets[n++ % ARRAY_SIZE(flag_sets)];
				check_move(&w, 768);
			}
		}
	}
}

static void memmove__long_overlap(void **state)
{
	static const size_t distances[] = { 1,   2,   7,   8,    9,    16,
					    63,  64,  65,  127,  128,  129,
					    255, 256, 511, 1000, 4095, 4096 };
	struct what w = { .name = "pmk_memmove" };
	struct rng r;

	(void)state;
	rng_init(&r, "memmove__long_overlap");
	for (size_t i = 0; i < ARRAY_SIZE(distances); i++) {
		for (size_t j = 0; j < 200; j++) {
			size_t lo = 4200 + rng_below(&r, 64);

			w.len = j % 2 ? 301 + rng_below(&r, 5000)
				      : large_lens[j / 2 % 11];
			w.dst_off = j % 3 ? lo : lo + distances[i];
			w.src_off = j % 3 ? lo + distances[i] : lo;
			w.flags =
				flag_sets[rng_below(&r, ARRAY_SIZE(flag_sets))];
			check_move(&w, lo + distances[i] + w.len + MARGIN);
		}
	}
}

/* Both ends of the union of source and destination touch a guard page. */
static void memmove__overlap_between_guard_pages(void **state)
{
	struct what w = { .name = "pmk_memmove" };
	struct guard g;

	(void)state;
	guard_init(&g, 1);
	for (size_t d = 1; d <= 200; d += OFF_STEP) {
		for (size_t i = 0; i < ARRAY_SIZE(flag_sets); i++) {
			w.len = g.len - d;
			w.flags = flag_sets[i];
			for (int down = 0; down < 2; down++) {
				w.dst_off = down ? 0 : d;
				w.src_off = down ? d : 0;
				memcpy(g.start, pristine, g.len);
				memcpy(want, pristine, g.len);
				memmove(want + w.dst_off, want + w.src_off,
					w.len);
				pmk_memmove(g.start + w.dst_off,
					    g.start + w.src_off, w.len,
					    w.flags);
				check_same(&w, g.start, want, g.len,
					   g.start + w.dst_off);
			}
		}
	}
	guard_fini(&g);
}

static void memmove__onto_itself(void **state)
{
	struct what w = { .name = "pmk_memmove onto itself" };

	(void)state;
	for (w.dst_off = 0; w.dst_off < 64; w.dst_off += 7) {
		for (w.len = 0; w.len <= 300; w.len++) {
			w.src_off = w.dst_off;
			w.flags = flag_sets[w.len % ARRAY_SIZE(flag_sets)];
			check_move(&w, 512);
		}
	}
}

/* Nothing at these may be touched: guard pages, no address at all, the ends of
 * the address space. */
static void check_zero_bytes(uint8_t *dst, const uint8_t *src)
{
	static const struct pmk_tuning zero;

	for (size_t i = 0; i < ARRAY_SIZE(flag_sets); i++) {
		unsigned int flags = flag_sets[i];

		assert_ptr_equal(pmk_memcpy(dst, src, 0, flags), dst);
		assert_ptr_equal(pmk_memmove(dst, src, 0, flags), dst);
		assert_ptr_equal(pmk_memmove_tuned(dst, src, 0, flags, &zero),
				 dst);
	}
	pmk_memcpy_flushcache_any(dst, src, 0);
	pmk_memcpy_flushcache(dst, src, 0);
}

static void copies__zero_bytes_touch_nothing(void **state)
{
	uint8_t *const wild[] = {
		NULL,
		(uint8_t *)1,
		(uint8_t *)63,
		guard_tail(&dst_g, 0),
		guard_tail(&dst_g, 0) + 5,
		guard_tail(&src_g, 0),
		(uint8_t *)UINTPTR_MAX,
		(uint8_t *)(UINTPTR_MAX - 63),
		(uint8_t *)((uintptr_t)1 << 47), /* not canonical */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wild); i++)
		for (size_t j = 0; j < ARRAY_SIZE(wild); j++)
			check_zero_bytes(wild[i], wild[j]);
}

/* The same call to both libraries, with the same flag values. */
static void memmove__agrees_with_libpmem(void **state)
{
	enum {
		SPAN = 4096
	};
	uint8_t *ours = dst_g.start, *theirs = dst_g.start + SPAN;
	struct what w = { .name = "pmk_memmove" };
	struct rng r;

	(void)state;
	rng_init(&r, "memmove__agrees_with_libpmem");
	for (size_t i = 0; i < 20000; i++) {
		w.len = rng_below(&r, i % 2 ? 1500 : 200);
		w.dst_off = rng_below(&r, SPAN - w.len);
		/* near enough to overlap, half of the time */
		w.src_off =
			i % 4 < 2 ? rng_below(&r, SPAN - w.len) : w.dst_off / 2;
		w.flags = flag_sets[rng_below(&r, ARRAY_SIZE(flag_sets))];
		/* both at once is undefined in libpmem */
		if (w.flags & PMK_F_NONTEMPORAL)
			w.flags &= ~PMK_F_TEMPORAL;
		memcpy(ours, pristine, SPAN);
		memcpy(theirs, pristine, SPAN);
		pmk_memmove(ours + w.dst_off, ours + w.src_off, w.len, w.flags);
		pmem_memmove(theirs + w.dst_off, theirs + w.src_off, w.len,
			     w.flags);
		check_same(&w, ours, theirs, SPAN, ours + w.dst_off);
	}
}

static void flags__have_the_values_of_libpmem(void **state)
{
	(void)state;
	assert_int_equal(PMK_F_NODRAIN, PMEM_F_MEM_NODRAIN);
	assert_int_equal(PMK_F_NONTEMPORAL, PMEM_F_MEM_NONTEMPORAL);
	assert_int_equal(PMK_F_TEMPORAL, PMEM_F_MEM_TEMPORAL);
	assert_int_equal(PMK_F_NOFLUSH, PMEM_F_MEM_NOFLUSH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memcpy__every_offset_and_length),
		cmocka_unit_test(memmove__every_offset_and_length),
		cmocka_unit_test(flushcache_any__every_offset_and_length),
		cmocka_unit_test(copies__destination_at_guard_pages),
		cmocka_unit_test(copies__large),
		cmocka_unit_test(copies__zero_bytes_touch_nothing),
		cmocka_unit_test(memmove__every_short_overlap),
		cmocka_unit_test(memmove__long_overlap),
		cmocka_unit_test(memmove__overlap_between_guard_pages),
		cmocka_unit_test(memmove__onto_itself),
		cmocka_unit_test(memmove__agrees_with_libpmem),
		cmocka_unit_test(flags__have_the_values_of_libpmem),
	};

	return cmocka_run_group_tests(tests, setup, teardown_copies);
}
