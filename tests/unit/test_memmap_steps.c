/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the engines execute: the stores that each is named for, and fences where
 * the series of 2026 has them, before the head of a compound is stored to
 * again, before it is prepared, and at the end.  What they write says nothing
 * of that.
 *
 * Covered: pmk_memmap_build().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pmk/cpu.h>
#include <pmk/memmap.h>

#include "base/util.h"
#include "support/steptrace.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* 4 MiB: 512 pages in front of the data, and one compound. */
#define FRAMES    1024U
#define FRONT     512U
#define COMPOUND  512U
#define MOVNTI_64 8U /* of 8 bytes, for a struct page of 64 */

static _Alignas(64) char buf[FRAMES * 96];

struct build {
	struct pmk_memmap *map;
	unsigned int engine;
};

static void run(void *arg)
{
	const struct build *b = arg;

	if (pmk_memmap_build(b->map, b->engine, 0, FRAMES, buf) < 0)
		abort();
}

static struct step_counts trace(enum pmk_mode mode, const char *kernel,
				unsigned int engine, unsigned int bytes)
{
	struct pmk_memmap_sim sim = {
		.ns = { .start = 4 * GIB,
			.size = 4 * MIB,
			.align = 2 * MIB,
			.mode = mode,
			.map = PMK_MEMMAP_DEV,
			.kernel = (unsigned int)pmk_memmap_kernel(kernel) },
		.page_bytes = bytes,
		.zone = PMK_MEMMAP_ZONE_DEVICE,
		.vmemmap_base = PMK_MEMMAP_VMEMMAP_BASE,
	};
	struct build b = { .engine = engine };
	struct step_counts c;

	assert_int_equal(pmk_memmap_new(&sim, &b.map), 0);
	assert_int_equal(pmk_memmap_frames(b.map), FRAMES);
	assert_int_equal(steptrace_run(run, &b, NULL, &c), 0);
	pmk_memmap_free(b.map);
	return c;
}

static void engine__without_nt_stores_has_no_fence(void **state)
{
	static const unsigned int engines[] = { PMK_MEMMAP_SLOW,
						PMK_MEMMAP_TEMPLATE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		struct step_counts c =
			trace(PMK_MODE_DEVDAX, "7.2", engines[i], 64);

		assert_int_equal(c.nt_stores, 0);
		assert_int_equal(c.fences, 0);
		assert_int_equal(c.flushes, 0);
	}
}

/* One fence, behind the last page; 8, 10 or 12 stores a page. */
static void fsdax__is_one_page_after_the_other(void **state)
{
	static const unsigned int engines[] = { PMK_MEMMAP_CALL,
						PMK_MEMMAP_INLINE };
	static const unsigned int sizes[] = { 64, 80, 96 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			struct step_counts c = trace(PMK_MODE_FSDAX, "7.2",
						     engines[i], sizes[s]);
			uint64_t stores = (FRAMES - FRONT) * sizes[s] / 8;

			assert_int_equal(c.kinds[INSN_MOVNTI8], stores);
			assert_int_equal(c.nt_stores, stores);
			assert_int_equal(c.fences, 1);
			assert_int_equal(c.nt_before[0], stores);
			assert_int_equal(c.flushes, 0);
		}
}

/* The tail behind which each kernel prepares the head. */
static const struct {
	const char *kernel;
	uint64_t behind;
} kernels[] = {
	{ "6.1", 2 },  { "6.1.192", 2 }, { "6.12", 1 },
	{ "6.15", 1 }, { "6.18", 511 },  { "7.2", 511 },
};

static void check_compound(const char *kernel, uint64_t behind,
			   unsigned int engine)
{
	struct step_counts c = trace(PMK_MODE_DEVDAX, kernel, engine, 64);

	/* behind the head; where it is prepared; at the end */
	assert_int_equal(c.fences, 3);
	assert_int_equal(c.nt_before[0], MOVNTI_64);
	assert_int_equal(c.nt_before[1], (behind + 1) * MOVNTI_64);
	assert_int_equal(c.nt_before[2], COMPOUND * MOVNTI_64);
	assert_int_equal(c.nt_stores, COMPOUND * MOVNTI_64);
}

static void compound__has_fences_where_the_kernel_has(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++)
		check_compound(kernels[k].kernel, kernels[k].behind,
			       PMK_MEMMAP_INLINE);
	check_compound("6.1", 2, PMK_MEMMAP_CALL);
	check_compound("7.2", 511, PMK_MEMMAP_CALL);
}

/* Every line once, around the cache, and one fence. */
static void stream__stores_each_line_once(void **state)
{
	static const enum pmk_mode modes[] = { PMK_MODE_FSDAX,
					       PMK_MODE_DEVDAX };
	static const unsigned int sizes[] = { 64, 80 };

	(void)state;
	for (size_t m = 0; m < ARRAY_SIZE(modes); m++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			struct step_counts c = trace(
				modes[m], "7.2", PMK_MEMMAP_STREAM, sizes[s]);

			assert_int_equal(c.nt_bytes,
					 (FRAMES - FRONT) * sizes[s]);
			assert_int_equal(c.kinds[INSN_MOVNTI8], 0);
			assert_int_equal(c.fences, 1);
			assert_int_equal(c.after_fence, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine__without_nt_stores_has_no_fence),
		cmocka_unit_test(fsdax__is_one_page_after_the_other),
		cmocka_unit_test(compound__has_fences_where_the_kernel_has),
		cmocka_unit_test(stream__stores_each_line_once),
	};
	const char *why = steptrace_unavailable();

	if (why) {
		printf("skipped: %s\n", why);
		return 77;
	}
	pmk_cpu_features(); /* before any trace */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
