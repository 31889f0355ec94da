/* SPDX-License-Identifier: BSD-3-Clause */
/* The engines: each builds device pages [first, end) of a namespace. */
#ifndef LIB_MEMMAP_BUILD_H
#define LIB_MEMMAP_BUILD_H

#include <stdint.h>

#include "memmap/sim.h"

/*
 * @buf is where the struct page of @first is.  A range begins with a compound
 * and ends with one.  Returns the struct pages written.
 */
typedef int64_t memmap_build_fn(struct pmk_memmap *m, uint64_t first,
				uint64_t end, char *buf);

/* Those that go page by page, as kernels do. */
memmap_build_fn pmk_memmap_build_slow, pmk_memmap_build_template,
	pmk_memmap_build_call, pmk_memmap_build_inline;
/* Whole lines, from registers. */
memmap_build_fn pmk_memmap_build_stream;

#endif /* LIB_MEMMAP_BUILD_H */
