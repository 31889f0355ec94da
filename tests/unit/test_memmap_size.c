/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How large a namespace must be: known sizes, and that no smaller one would do.
 *
 * APIs covered: pmk_memmap_size_for().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pmk/memmap.h>

#include "base/util.h"
#include "memmap_ns.h"
#include "support/seed.h"

static void size_for__known_sizes(void **state)
{
	static const struct {
		enum pmk_memmap_map map;
		uint64_t align, usable, granule, size;
	} rows[] = {
		{ MEM, M(2), 1071644672, M(2), G(1) },
		{ MEM, K4, 1071644672, K4, G(1) },
		/* up to there 16 MiB are enough in front of the data */
		{ DEV, M(2), 1054867456, M(2), M(1022) },
		{ DEV, M(2), 1054867457, M(2), M(1026) },
		{ MEM, G(1), 1, G(1), G(2) },
		{ MEM, G(1), G(1), G(1), G(2) },
		{ MEM, G(1), G(1) + 1, G(1), G(3) },
		{ DEV, G(1), G(15), G(1), G(16) },
		{ DEV, K4, 1, K4, M(4) },
		{ MEM, K4, 0, K4, M(4) },
		/* six ways of 2 MiB: a multiple of 12 */
		{ MEM, M(2), M(10), M(12), M(12) },
		{ MEM, M(2), M(11), M(12), M(24) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmk_memmap_params p =
			at_4g(0, FSDAX, rows[i].map, rows[i].align);
		uint64_t size = 0;

		assert_int_equal(pmk_memmap_size_for(&p, rows[i].usable,
						     rows[i].granule, &size),
				 0);
		assert_int_equal(size, rows[i].size);
	}
}

/* 3 MiB would be such a one for Linux 6.1. */
static void size_for__no_device_of_no_size(void **state)
{
	struct pmk_memmap_params p = at_4g(0, FSDAX, MEM, M(2));
	uint64_t size = 0;

	(void)state;
	p.kernel = kernel("6.1");
	assert_int_equal(pmk_memmap_size_for(&p, 0, M(3), &size), 0);
	assert_int_equal(size, M(6));
}

static uint64_t usable_of(const struct pmk_memmap_params *ns, uint64_t size)
{
	struct pmk_memmap_params p = *ns;
	struct pmk_memmap_layout l;

	p.size = size;
	return pmk_memmap_predict(&p, &l) ? 0 : l.usable;
}

/* @size gives @usable, and none of the sizes below it does: all that end up to
 * two alignments before it are tried. */
static void check_smallest(const struct pmk_memmap_params *p, uint64_t usable,
			   uint64_t granule)
{
	uint64_t size = 0, span = 2 * (p->align > M(2) ? p->align : M(2));

	assert_int_equal(pmk_memmap_size_for(p, usable, granule, &size), 0);
	assert_int_equal(size % granule, 0);
	assert_true(usable_of(p, size) >= usable);
	for (uint64_t less = granule; less <= span && less < size;
	     less += granule)
		assert_true(usable_of(p, size - less) < usable);
}

static void size_for__no_smaller_one(void **state)
{
	static const unsigned int kept[] = { 0, 80, 96, 128 };
	static const uint64_t granules[] = { K4, M(2), M(6), M(16), G(1) };
	static const uint64_t aligns[] = { K4, M(2), G(1) };

	struct rng rng;

	(void)state;
	rng_init(&rng, "size_for__no_smaller_one");
	for (int i = 0; i < 3000; i++) {
		struct pmk_memmap_params p =
			at_4g(0, rng_below(&rng, 2) ? FSDAX : DEVDAX,
			      rng_below(&rng, 2) ? MEM : DEV,
			      aligns[rng_below(&rng, 3)]);
		uint64_t granule = granules[rng_below(&rng, 5)];
		/* up to 2^55 */
		uint64_t usable = rng_next(&rng) >> (9 + rng_below(&rng, 40));

		/* half a million steps are too many */
		if (p.align == G(1) && granule == K4)
			granule = M(2);
		p.kernel = (unsigned int)rng_below(&rng, kernel(NULL) + 1);
		p.struct_page = kept[rng_below(&rng, 4)];
		p.start += M(2) * rng_below(&rng, 1000);
		if (rng_below(&rng, 4) == 0) /* just what a size gives */
			usable = usable_of(&p, M(2) + usable / M(2) * M(2));
		check_smallest(&p, usable ? usable : 1, granule);
	}
}

static void size_for__errors(void **state)
{
	struct pmk_memmap_params p = at_4g(0, FSDAX, DEV, M(2));
	const struct pmk_memmap_range ram = { G(5), G(6) };
	const uint64_t end = (uint64_t)1 << 63;
	uint64_t size = 77;

	(void)state;
	assert_int_equal(pmk_memmap_size_for(&p, 1, 0, &size), -EINVAL);
	assert_int_equal(pmk_memmap_size_for(&p, 1, 2048, &size), -EINVAL);
	assert_int_equal(pmk_memmap_size_for(&p, 1, 4097, &size), -EINVAL);
	assert_int_equal(pmk_memmap_size_for(&p, end, K4, &size), -EOVERFLOW);
	assert_int_equal(pmk_memmap_size_for(&p, end + 1, K4, &size),
			 -EOVERFLOW);
	assert_int_equal(pmk_memmap_size_for(&p, UINT64_MAX, K4, &size),
			 -EOVERFLOW);
	assert_int_equal(pmk_memmap_size_for(&p, 1, end, &size), -EOVERFLOW);
	assert_int_equal(pmk_memmap_size_for(&p, 1, -K4, &size), -EOVERFLOW);
	p.struct_page = 4096;
	assert_int_equal(pmk_memmap_size_for(&p, G(1), K4, &size), -EINVAL);
	p.struct_page = 0;
	p.align = 8192;
	assert_int_equal(pmk_memmap_size_for(&p, G(1), K4, &size), -EINVAL);
	p.align = M(2);
	p.ram = &ram;
	p.n_ram = 1;
	assert_int_equal(pmk_memmap_size_for(&p, G(1), K4, &size), -EEXIST);
	p.n_ram = 0;
	p.start += 4096;
	assert_int_equal(pmk_memmap_size_for(&p, G(1), K4, &size), -EINVAL);
	p.start = UINT64_MAX - M(2) + 1;
	assert_int_equal(pmk_memmap_size_for(&p, 1, K4, &size), -EOVERFLOW);
	p.start = end - M(2);
	assert_int_equal(pmk_memmap_size_for(&p, 1, K4, &size), -EOVERFLOW);
	assert_int_equal(size, 77);
	p.start = end - M(4);
	assert_int_equal(pmk_memmap_size_for(&p, 1, K4, &size), 0);
	assert_int_equal(size, M(4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_for__known_sizes),
		cmocka_unit_test(size_for__no_device_of_no_size),
		cmocka_unit_test(size_for__no_smaller_one),
		cmocka_unit_test(size_for__errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
