/* SPDX-License-Identifier: BSD-3-Clause */
/* Struct pages by whole lines around the cache: one kernel for each width. */
#ifndef LIB_MEMMAP_STREAM_H
#define LIB_MEMMAP_STREAM_H

#include <stddef.h>
#include <stdint.h>

#define MEMMAP_LINE 64U
/* Struct pages of all sizes begin anew with a line after four: 4, 5 or 6. */
#define MEMMAP_GROUP     4U
#define MEMMAP_GROUP_MAX 6U

/*
 * Store @lines (4, 5 or 6) lines from @group, @n times over, from the aligned
 * @dst on, around the cache.  No fence.
 */
typedef void memmap_stream_fn(char *dst, const char *group, unsigned int lines,
			      uint64_t n);

struct memmap_stream_kernel {
	const char *name;
	uint32_t needs; /* enum pmk_cpu_feature, a set */
	memmap_stream_fn *fn;
};

/* Best first; the last needs nothing. */
extern const struct memmap_stream_kernel pmk_memmap_stream_kernels[];
extern const size_t pmk_memmap_n_stream_kernels;

/* The best of this CPU. */
const struct memmap_stream_kernel *pmk_memmap_stream_kernel(void);

#endif /* LIB_MEMMAP_STREAM_H */
