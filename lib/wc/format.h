/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of the format for the rest of the layer: it says nothing. */
#ifndef LIB_WC_FORMAT_H
#define LIB_WC_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/wc_format.h>

/* A power of two from 512 to 65536. */
bool pmk_wc_block_size_ok(uint32_t block_size);

/* pmk_wc_geometry_of() and _for() for a block size that is one. */
int pmk_wc_layout_of(uint64_t n, uint32_t bs, struct pmk_wc_geometry *geo_ret);
int pmk_wc_layout_for(uint64_t bytes, uint32_t bs,
		      struct pmk_wc_geometry *geo_ret);

/* Of a table that does not say, and has no superblock to take it from. */
#define WC_DEFAULT_BLOCK 4096U
/* LVM zeroes as many before it attaches a cache. */
#define WC_WIPED_BYTES 4096U

/* The block size that the kernel is asked for: the table's, or else that of a
 * superblock of version 1. */
uint32_t pmk_wc_block_size_asked(const struct pmk_wc_table *table,
				 enum pmk_wc_layout layout,
				 const struct pmk_wc_superblock *sb);

#endif /* LIB_WC_FORMAT_H */
