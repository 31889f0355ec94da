/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of undo files. */
#ifndef LIB_WC_UNDO_H
#define LIB_WC_UNDO_H

#include <stdint.h>

/* The first line; the number is the version. */
#define WC_UNDO_HEAD "pmk-wc-undo 1"

struct pmk_wc_repair;

/* Of all changes, with their offsets in the file: @base is added to those. */
uint64_t pmk_wc_undo_sum(const struct pmk_wc_repair *list, uint64_t base);

/* The sum of @len bytes at @off of the cache, on media, without the places of
 * the list: the same before and after those are changed. */
uint64_t pmk_wc_undo_kept(const struct pmk_wc_image *img,
			  const struct pmk_wc_repair *list, uint64_t off,
			  uint64_t len);

#endif /* LIB_WC_UNDO_H */
