/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills: contents, on guard pages, against memset() of libc and pmem_memset()
 * of libpmem.  What is flushed and fenced: steps.c.
 *
 * APIs covered: pmk_memset(), pmk_memset_tuned(), pmk_set_kernels.
 */
#include <libpmem.h>
#include <stdlib.h>

#include <pmk/tune.h>

#include "kernel_test.h"

#define BIG       ((1U << 20) + 13)
#define GUARD_LEN (BIG + 4096U)

static struct guard g;
static uint8_t *want;

/* memset(3) takes the low byte, whatever the rest. */
static const int bytes[] = { 0, 0x5a, 0xff, 0x80, 1, -1, -128, 0x15a, 0x7f00 };

static int setup(void **state)
{
	(void)state;
	guard_init(&g, GUARD_LEN);
	want = malloc(g.len);
	return want ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(want);
	guard_fini(&g);
	return 0;
}

static void check_set(const struct what *w, uint8_t *dst, int c)
{
	uint8_t *lo = margin_start(&g, dst);
	uint8_t *hi = margin_end(&g, dst, w->len);

	memset(lo, BEFORE, (size_t)(hi - lo));
	memset(want, BEFORE, (size_t)(hi - lo));
	memset(want + (dst - lo), c, w->len);
	if (pmk_memset(dst, c, w->len, w->flags) != dst)
		fail_at(w, "return value is not the destination", 0);
	check_same(w, lo, want, (size_t)(hi - lo), dst);
}

static void memset__every_offset_and_length(void **state)
{
	struct what w = { .name = "pmk_memset" };
	size_t n = 0;

	(void)state;
	for (w.dst_off = 0; w.dst_off < 64; w.dst_off += OFF_STEP) {
		for (w.len = 0; w.len <= 512; w.len++) {
			for (size_t i = 0; i < ARRAY_SIZE(flag_sets); i++) {
				w.flags = flag_sets[i];
				check_set(&w, g.start + MARGIN + w.dst_off,
					  bytes[n++ % ARRAY_SIZE(bytes)]);
			}
		}
	}
}

static void memset__at_guard_pages(void **state)
{
	struct what w = { .name = "pmk_memset" };

	(void)state;
	for (w.len = 0; w.len <= 512; w.len++) {
		for (size_t i = 0; i < ARRAY_SIZE(flag_sets); i++) {
			int c = bytes[(w.len + i) % ARRAY_SIZE(bytes)];

			w.flags = flag_sets[i];
			check_set(&w, g.start, c);
			check_set(&w, guard_tail(&g, w.len), c);
		}
	}
}

static void memset__large(void **state)
{
	static const size_t lens[] = { 1000,  4095,  4096,  4097,
				       65535, 65536, 65537, BIG };
	struct what w = { .name = "pmk_memset" };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		w.len = lens[i];
		for (w.dst_off = 0; w.dst_off < 64; w.dst_off += 7) {
			w.flags = flag_sets[n++ % ARRAY_SIZE(flag_sets)];
			check_set(&w, g.start + MARGIN + w.dst_off,
				  bytes[n % ARRAY_SIZE(bytes)]);
		}
		check_set(&w, guard_tail(&g, w.len), 0x5a);
	}
}

static void memset__every_byte(void **state)
{
	struct what w = { "pmk_memset", 3, 0, 200, 0 };

	(void)state;
	for (int c = 0; c < 256; c++)
		check_set(&w, g.start + MARGIN + w.dst_off, c);
}

static void memset__agrees_with_libpmem(void **state)
{
	enum {
		SPAN = 4096
	};
	uint8_t *ours = g.start, *theirs = g.start + SPAN;
	struct what w = { .name = "pmk_memset" };
	struct rng r;

	(void)state;
	rng_init(&r, "memset__agrees_with_libpmem");
	for (size_t i = 0; i < 20000; i++) {
		int c = (int)rng_next(&r);

		w.len = rng_below(&r, i % 2 ? 1500 : 200);
		w.dst_off = rng_below(&r, SPAN - w.len);
		w.flags = flag_sets[rng_below(&r, ARRAY_SIZE(flag_sets))];
		/* both at once is undefined in libpmem */
		if (w.flags & PMK_F_NONTEMPORAL)
			w.flags &= ~PMK_F_TEMPORAL;
		memset(ours, ~c, 2 * (size_t)SPAN);
		pmk_memset(ours + w.dst_off, c, w.len, w.flags);
		pmem_memset(theirs + w.dst_off, c, w.len, w.flags);
		check_same(&w, ours, theirs, SPAN, ours + w.dst_off);
	}
}

/* Nothing at these may be touched: a guard page, no address at all, the ends of
 * the address space. */
static void memset__zero_bytes_touch_nothing(void **state)
{
	static const struct pmk_tuning zero;
	uint8_t *const wild[] = {
		NULL,
		(uint8_t *)1,
		guard_tail(&g, 0),
		guard_tail(&g, 0) + 9,
		(uint8_t *)UINTPTR_MAX,
		(uint8_t *)((uintptr_t)1 << 47), /* not canonical */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wild); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(flag_sets); j++) {
			assert_ptr_equal(
				pmk_memset(wild[i], 1, 0, flag_sets[j]),
				wild[i]);
			assert_ptr_equal(pmk_memset_tuned(wild[i], 1, 0,
							  flag_sets[j], &zero),
					 wild[i]);
		}
	}
}

/* At the ends of each threshold: all past the cache, nothing of it. */
static void memset__tuned(void **state)
{
	static const struct pmk_tuning always;
	const struct pmk_tuning never = { .nt_lines = SIZE_MAX,
					  .nt_edges = SIZE_MAX };
	struct what w = { .name = "pmk_memset_tuned" };

	(void)state;
	for (w.dst_off = 0; w.dst_off < 64; w.dst_off += 5) {
		for (w.len = 0; w.len <= 400; w.len++) {
			uint8_t *dst = g.start + MARGIN + w.dst_off;
			const struct pmk_tuning *t =
				w.len % 2 ? &always : &never;

			w.flags = flag_sets[w.len % ARRAY_SIZE(flag_sets)];
			memset(g.start, BEFORE, 640);
			memset(want, BEFORE, 640);
			memset(want + MARGIN + w.dst_off, 0x5a, w.len);
			pmk_memset_tuned(dst, 0x5a, w.len, w.flags, t);
			check_same(&w, g.start, want, 640, dst);
		}
	}
}

static void check_kernel_at(const struct pmk_set_kernel *k, uint8_t *dst,
			    size_t lines)
{
	const uint64_t word = 0x8877665544332211U;
	struct what w = { k->name, 0, 0, lines * 64, 0 };
	uint8_t *lo = margin_start(&g, dst);
	uint8_t *hi = margin_end(&g, dst, w.len);

	memset(lo, BEFORE, (size_t)(hi - lo));
	memset(want, BEFORE, (size_t)(hi - lo));
	for (size_t i = 0; i < w.len; i += 8)
		memcpy(want + (dst - lo) + i, &word, 8);
	k->fn(dst, word, lines);
	check_same(&w, lo, want, (size_t)(hi - lo), dst);
}

static void check_kernel(const struct pmk_set_kernel *k, size_t lines)
{
	check_kernel_at(k, g.start + MARGIN, lines);
	check_kernel_at(k, guard_tail(&g, lines * 64), lines);
}

static void kernels__set_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < pmk_n_set_kernels; i++) {
		if (!CAN_RUN(&pmk_set_kernels[i]))
			continue;
		for (size_t lines = 1; lines <= 70; lines++)
			check_kernel(&pmk_set_kernels[i], lines);
		check_kernel(&pmk_set_kernels[i], 16384);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memset__every_offset_and_length),
		cmocka_unit_test(memset__at_guard_pages),
		cmocka_unit_test(memset__large),
		cmocka_unit_test(memset__every_byte),
		cmocka_unit_test(memset__agrees_with_libpmem),
		cmocka_unit_test(memset__zero_bytes_touch_nothing),
		cmocka_unit_test(memset__tuned),
		cmocka_unit_test(kernels__set_lines),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
