/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flushes on guard pages: no line outside the range is touched, memory stays
 * as it was.  Which lines are flushed: steps.c.
 *
 * APIs covered: pmk_flush(), pmk_persist(), pmk_drain(), pmk_flush_kernels.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "kernel_test.h"

#define GUARD_LEN (1U << 20)

static struct guard g;
static uint8_t *want;

static int setup(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, "flush");
	guard_init(&g, GUARD_LEN);
	want = malloc(g.len);
	if (!want)
		return -1;
	rng_fill(&r, g.start, g.len);
	memcpy(want, g.start, g.len);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(want);
	guard_fini(&g);
	return 0;
}

static void check_unchanged(void **state)
{
	(void)state;
	assert_memory_equal(g.start, want, g.len);
}

/* A range of one line too many at either side would fault. */
static void flush__every_offset_and_length(void **state)
{
	for (size_t off = 0; off < 64; off++) {
		for (size_t len = 0; len <= 512; len++) {
			pmk_flush(g.start + off, len);
			pmk_flush(guard_tail(&g, len + off), len);
			pmk_persist(g.start + off, len);
			pmk_persist(guard_tail(&g, len + off), len);
		}
	}
	check_unchanged(state);
}

static void flush__large(void **state)
{
	static const size_t lens[] = { 4095, 4096, 4097, 65537, GUARD_LEN };

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		pmk_flush(g.start, lens[i]);
		pmk_persist(guard_tail(&g, lens[i]), lens[i]);
	}
	check_unchanged(state);
}

static void flush__zero_bytes_touch_nothing(void **state)
{
	(void)state;
	for (size_t off = 0; off < 64; off++) {
		pmk_flush(guard_tail(&g, 0) + off, 0);
		pmk_persist(g.start - 64 + off, 0);
	}
	pmk_flush(NULL, 0);
	pmk_persist(NULL, 0);
	/* the last bytes of the address space */
	pmk_flush((void *)UINTPTR_MAX, 0);
}

/* A reader may flush what it sees before it relies on it. */
static void flush__read_only_memory(void **state)
{
	assert_int_equal(mprotect(g.start, g.len, PROT_READ), 0);
	pmk_persist(g.start + 5, 1000);
	assert_int_equal(mprotect(g.start, g.len, PROT_READ | PROT_WRITE), 0);
	check_unchanged(state);
}

static void kernels__flush_lines(void **state)
{
	for (size_t i = 0; i < pmk_n_flush_kernels; i++) {
		const struct pmk_flush_kernel *k = &pmk_flush_kernels[i];

		if (!CAN_RUN(k))
			continue;
		for (size_t lines = 1; lines <= 70; lines++) {
			k->fn(g.start, lines);
			k->fn(guard_tail(&g, lines * 64), lines);
		}
	}
	pmk_drain();
	check_unchanged(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flush__every_offset_and_length),
		cmocka_unit_test(flush__large),
		cmocka_unit_test(flush__zero_bytes_touch_nothing),
		cmocka_unit_test(flush__read_only_memory),
		cmocka_unit_test(kernels__flush_lines),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
