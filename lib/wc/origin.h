/* SPDX-License-Identifier: BSD-3-Clause */
/* An opened origin. */
#ifndef LIB_WC_ORIGIN_H
#define LIB_WC_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/wc_writeback.h>

struct pmk_wc_origin {
	int fd;
	bool writable;
	uint64_t size;
};

/* What NULL and zeros stand for. */
struct pmk_wc_copy_params pmk_wc_copy_defaults(
	const struct pmk_wc_copy_params *params);

#endif /* LIB_WC_ORIGIN_H */
