/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clears: contents, on guard pages, by every variant and with every flag.  What
 * is flushed and fenced: clear_steps.c.  Ranges past 32 GiB: clear_33g.c.
 *
 * APIs covered: pmk_clear(), pmk_clear_any(), pmk_clear_by(),
 * pmk_clear_variant_name().
 */
#include <errno.h>
#include <stdlib.h>

#include <pmk/clear.h>

#include "kernel_test.h"

#define BIG       ((1U << 20) + 13)
#define GUARD_LEN (BIG + 4096U)

static struct guard g;
static uint8_t *want;

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

/* What the names promise, written down here. */
static const struct {
	const char *name;
	uint32_t needs;
} variants[] = {
	{ "loop8", 0 },
	{ "unrolled", 0 },
	{ "rep_stosq", 0 },
	{ "rep_stosb", 0 },
	{ "avx512", PMK_CPU_AVX512F },
	{ "memset", 0 },
	{ "nt_movnti", 0 },
	{ "nt_sse2", 0 },
	{ "nt_avx512", PMK_CPU_AVX512F },
	{ "nt_movdir64b", PMK_CPU_MOVDIR64B },
};

static bool can_run(size_t variant)
{
	uint32_t needs = variants[variant].needs;

	return (needs & pmk_cpu_features()) == needs;
}

static void variants__are_those_that_are_documented(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(variants); i++)
		assert_string_equal(pmk_clear_variant_name(i),
				    variants[i].name);
	assert_null(pmk_clear_variant_name(ARRAY_SIZE(variants)));
	assert_null(pmk_clear_variant_name(~0U));
}

static void by__refuses_what_does_not_exist(void **state)
{
	uint8_t byte = 1;

	(void)state;
	assert_int_equal(pmk_clear_by(ARRAY_SIZE(variants), &byte, 1), -ENOENT);
	assert_int_equal(pmk_clear_by(~0U, &byte, 1), -ENOENT);
	for (unsigned int i = 0; i < ARRAY_SIZE(variants); i++)
		if (!can_run(i))
			assert_int_equal(pmk_clear_by(i, &byte, 1),
					 -EOPNOTSUPP);
	assert_int_equal(byte, 1);
}

/* A call, by variant or, from the number of variants on, by flags. */
static void clear(struct what *w, size_t how, uint8_t *dst)
{
	if (how < ARRAY_SIZE(variants)) {
		w->name = variants[how].name;
		if (pmk_clear_by((unsigned int)how, dst, w->len))
			fail_at(w, "refused", 0);
		return;
	}
	w->name = "pmk_clear";
	w->flags = flag_sets[how - ARRAY_SIZE(variants)];
	if (pmk_clear(dst, w->len, w->flags) != dst)
		fail_at(w, "return value is not the destination", 0);
}

#define WAYS (ARRAY_SIZE(variants) + ARRAY_SIZE(flag_sets))

/* On guard pages, or with margins that must stay as they are. */
static void check_clear(struct what w, size_t how, uint8_t *dst)
{
	uint8_t *lo = margin_start(&g, dst);
	uint8_t *hi = margin_end(&g, dst, w.len);

	if (how < ARRAY_SIZE(variants) && !can_run(how))
		return;
	memset(lo, BEFORE, (size_t)(hi - lo));
	memset(want, BEFORE, (size_t)(hi - lo));
	memset(want + (dst - lo), 0, w.len);
	clear(&w, how, dst);
	check_same(&w, lo, want, (size_t)(hi - lo), dst);
}

static void clear__every_offset_and_length(void **state)
{
	struct what w = { 0 };

	(void)state;
	for (w.dst_off = 0; w.dst_off < 64; w.dst_off += OFF_STEP)
		for (w.len = 0; w.len <= 300; w.len++)
			for (size_t how = 0; how < WAYS; how++)
				check_clear(w, how,
					    g.start + MARGIN + w.dst_off);
}

static void clear__at_guard_pages(void **state)
{
	struct what w = { 0 };

	(void)state;
	for (w.len = 0; w.len <= 512; w.len++) {
		for (size_t how = 0; how < WAYS; how++) {
			check_clear(w, how, g.start);
			check_clear(w, how, guard_tail(&g, w.len));
		}
	}
}

/* Around the lengths at which one way takes over from another. */
static void clear__long(void **state)
{
	static const size_t lens[] = { 1000,  2047,  2048,  2049,  4095,
				       4096,  4097,  8191,  8192,  8193,
				       10000, 65535, 65536, 65537, BIG };
	struct what w = { 0 };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		for (size_t how = 0; how < WAYS; how++) {
			w.len = lens[i];
			w.dst_off = n++ * 7 % 64;
			check_clear(w, how, g.start + MARGIN + w.dst_off);
			check_clear(w, how, guard_tail(&g, w.len));
		}
	}
}

/* Lengths that the compiler knows are memset() in line. */
#define CHECK_CONSTANT(n)                                             \
	do {                                                          \
		memset(g.start, BEFORE, 2 * MARGIN + (n));            \
		memset(want, BEFORE, 2 * MARGIN + (n));               \
		memset(want + MARGIN, 0, (n));                        \
		assert_ptr_equal(pmk_clear(g.start + MARGIN, (n), 0), \
				 g.start + MARGIN);                   \
		assert_memory_equal(g.start, want, 2 * MARGIN + (n)); \
	} while (0)

static void clear__constant_lengths(void **state)
{
	(void)state;
	CHECK_CONSTANT(0);
	CHECK_CONSTANT(1);
	CHECK_CONSTANT(8);
	CHECK_CONSTANT(64);
	CHECK_CONSTANT(100);
	CHECK_CONSTANT(2048);
	CHECK_CONSTANT(2049);
	CHECK_CONSTANT(4096);
	CHECK_CONSTANT(100000);
}

static void clear__zero_bytes_touch_nothing(void **state)
{
	uint8_t *outside = guard_tail(&g, 0);
	struct what w = { 0 };

	(void)state;
	for (size_t how = 0; how < WAYS; how++) {
		if (how < ARRAY_SIZE(variants) && !can_run(how))
			continue;
		clear(&w, how, outside);
		clear(&w, how, outside + 9);
	}
	for (size_t i = 0; i < ARRAY_SIZE(flag_sets); i++)
		assert_ptr_equal(pmk_clear_any(outside, 0, flag_sets[i]),
				 outside);
}

/* 128 MiB and more take another way; a part of a huge anonymous mapping is
 * looked at, as ThreadSanitizer would take a minute for the whole. */
static void clear__longer_than_caches(void **state)
{
	const size_t len = (128U << 20) + 4097;
	struct guard big;
	uint8_t *dst;

	(void)state;
	guard_init(&big, len + 64);
	dst = guard_tail(&big, len);
	memset(dst - 16, BEFORE, 16);
	for (size_t i = 0; i < len; i += 509)
		dst[i] = BEFORE;
	dst[len - 1] = BEFORE;
	assert_ptr_equal(pmk_clear(dst, len, 0), dst);
	for (size_t i = 0; i < len; i += 509)
		if (dst[i])
			fail_msg("byte %zu is left", i);
	assert_int_equal(dst[len - 1], 0);
	for (size_t i = 1; i <= 16; i++)
		assert_int_equal(*(dst - i), BEFORE);
	guard_fini(&big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variants__are_those_that_are_documented),
		cmocka_unit_test(by__refuses_what_does_not_exist),
		cmocka_unit_test(clear__every_offset_and_length),
		cmocka_unit_test(clear__at_guard_pages),
		cmocka_unit_test(clear__long),
		cmocka_unit_test(clear__constant_lengths),
		cmocka_unit_test(clear__zero_bytes_touch_nothing),
		cmocka_unit_test(clear__longer_than_caches),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
