/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills: contents, on guard pages, against memset() of libc and pmem_memset()
 * of libpmem.  What is flushed and fenced: steps.c.
 *
 * APIs covered: pmk_memset(), pmk_set_kernels.
 */
#include <libpmem.h>
#include <stdlib.h>

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

static void memset__zero_bytes_touch_nothing(void **state)
{
	uint8_t *outside = guard_tail(&g, 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flag_sets); i++) {
		assert_ptr_equal(pmk_memset(outside, 1, 0, flag_sets[i]),
				 outside);
		assert_ptr_equal(pmk_memset(outside + 9, 1, 0, flag_sets[i]),
				 outside + 9);
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
		cmocka_unit_test(kernels__set_lines),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
