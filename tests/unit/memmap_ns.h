/* SPDX-License-Identifier: BSD-3-Clause */
/* Namespaces, for the tests of what becomes of them; behind <cmocka.h>. */
#ifndef TESTS_UNIT_MEMMAP_NS_H
#define TESTS_UNIT_MEMMAP_NS_H

#include <pmk/memmap.h>

#define K4     ((uint64_t)4096)
#define M(n)   ((uint64_t)(n) << 20)
#define G(n)   ((uint64_t)(n) << 30)
#define FSDAX  PMK_MODE_FSDAX
#define DEVDAX PMK_MODE_DEVDAX
#define DEV    PMK_MEMMAP_DEV
#define MEM    PMK_MEMMAP_MEM

static inline unsigned int kernel(const char *name)
{
	int k = pmk_memmap_kernel(name);

	assert_true(k >= 0);
	return (unsigned int)k;
}

static inline struct pmk_memmap_params at_4g(uint64_t size, enum pmk_mode mode,
					     enum pmk_memmap_map map,
					     uint64_t align)
{
	return (struct pmk_memmap_params){
		.start = G(4),
		.size = size,
		.align = align,
		.mode = mode,
		.map = map,
		.kernel = kernel(NULL),
	};
}

#endif /* TESTS_UNIT_MEMMAP_NS_H */
