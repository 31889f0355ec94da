/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checker of page blocks' migration types: which blocks of 512 frames
 * become movable, by kernel, written out here as intervals.
 *
 * Covered: pmk_memmap_verify_pageblocks().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "memmap_rows.h"

#define BLOCKS_MAX 8192U /* 16 GiB */

/* Movable: each @step-th block from @from on. */
static const struct expected {
	unsigned int ns;
	const char *kernel;
	size_t blocks, from, step;
} expected[] = {
	/* the first frame of block 0 is the info block's: never initialised */
	{ ROWS_FSDAX, "6.1", 512, 1, 1 },
	{ ROWS_FSDAX, "6.1.192", 512, 1, 1 },
	{ ROWS_FSDAX, "7.2", 512, 1, 1 },
	{ ROWS_DEVDAX_2M, "6.12", 512, 1, 1 },
	{ ROWS_DEVDAX_2M, "7.1", 512, 1, 1 },
	/* all frames are device pages */
	{ ROWS_DEVDAX_4K, "6.12", 512, 0, 1 },
	{ ROWS_MEM_2M, "6.1", 512, 0, 1 },
	{ ROWS_MEM_2M, "6.12.117", 512, 0, 1 },
	/* 126 of 128 tails lie in the first block of a compound, and no kernel
	 * without the pass goes further: the bug that the pass is for */
	{ ROWS_MEM_1G, "6.1", 8192, 0, 512 },
	{ ROWS_MEM_1G, "6.12", 8192, 0, 512 },
	{ ROWS_MEM_1G, "6.15", 8192, 0, 512 },
	{ ROWS_MEM_1G, "6.18", 8192, 0, 512 },
	{ ROWS_MEM_1G, "6.1.192", 8192, 0, 1 },
	{ ROWS_MEM_1G, "6.12.117", 8192, 0, 1 },
	{ ROWS_MEM_1G, "7.1", 8192, 0, 1 },
	/* all tails are written */
	{ ROWS_DEV_1G, "6.1", 8192, 1, 1 },
	{ ROWS_DEV_1G, "7.2", 8192, 1, 1 },
};

static struct pmk_memmap_sim sim_of(const struct expected *e)
{
	return rows_sim(&rows_ns[e->ns],
			(unsigned int)pmk_memmap_kernel(e->kernel), 0);
}

static void fill(const struct expected *e, uint8_t *types)
{
	memset(types, 0, e->blocks);
	for (size_t i = e->from; i < e->blocks; i += e->step)
		types[i] = 1;
}

static int keep(void *arg, const struct pmk_memmap_fault *f)
{
	*(struct pmk_memmap_fault *)arg = *f;
	return 0;
}

static void blocks__good_by_kernel(void **state)
{
	uint8_t types[BLOCKS_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct pmk_memmap_sim sim = sim_of(&expected[i]);
		struct pmk_memmap_fault f = { 0 };
		int64_t rc;

		fill(&expected[i], types);
		rc = pmk_memmap_verify_pageblocks(&sim, types,
						  expected[i].blocks, keep, &f);
		if (rc)
			fail_msg("%s, kernel %s: %lld faults, frame %llu",
				 rows_ns[expected[i].ns].name,
				 expected[i].kernel, (long long)rc,
				 (unsigned long long)f.frame);
	}
}

static void blocks__each_wrong_one_is_found(void **state)
{
	uint8_t types[BLOCKS_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct expected *e = &expected[i];
		struct pmk_memmap_sim sim = sim_of(e);

		fill(e, types);
		/* not all of 8192: odd steps meet all that differ */
		for (size_t b = 0; b < e->blocks; b += e->blocks / 512) {
			struct pmk_memmap_fault f = { 0 };

			types[b] ^= 1;
			assert_int_equal(
				pmk_memmap_verify_pageblocks(
					&sim, types, e->blocks, keep, &f),
				1);
			types[b] ^= 1;
			assert_int_equal(f.frame, 512 * b);
			assert_string_equal(f.field, "pageblock");
			assert_int_equal(f.found, !types[b]);
			assert_int_equal(f.expected, types[b]);
		}
	}
}

static int stop(void *arg, const struct pmk_memmap_fault *f)
{
	(void)arg;
	(void)f;
	return 1;
}

static void blocks__count_stop_and_bad_input(void **state)
{
	struct pmk_memmap_sim sim = rows_sim(&rows_ns[ROWS_FSDAX], 0, 0);
	uint8_t types[513] = { 0 };

	(void)state;
	assert_int_equal(
		pmk_memmap_verify_pageblocks(&sim, types, 512, NULL, NULL),
		511);
	assert_int_equal(
		pmk_memmap_verify_pageblocks(&sim, types, 512, stop, NULL), 1);
	/* there are types that Linux has, and that are wrong here */
	memset(types, 2, sizeof(types));
	assert_int_equal(
		pmk_memmap_verify_pageblocks(&sim, types, 512, NULL, NULL),
		512);
	assert_int_equal(
		pmk_memmap_verify_pageblocks(&sim, types, 511, NULL, NULL),
		-EINVAL);
	assert_int_equal(
		pmk_memmap_verify_pageblocks(&sim, types, 513, NULL, NULL),
		-EINVAL);
	sim.nid = 1024;
	assert_int_equal(
		pmk_memmap_verify_pageblocks(&sim, types, 512, NULL, NULL),
		-EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks__good_by_kernel),
		cmocka_unit_test(blocks__each_wrong_one_is_found),
		cmocka_unit_test(blocks__count_stop_and_bad_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
