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

#endif /* LIB_WC_FORMAT_H */
