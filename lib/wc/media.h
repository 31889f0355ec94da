/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files and devices are the same, and what is stored in a cache. */
#ifndef LIB_WC_MEDIA_H
#define LIB_WC_MEDIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wc_image.h>

/* Are they one and the same, or one a loop device on the other? */
bool pmk_wc_media_same(int fd_a, int fd_b);

/* Store @len bytes at @off from the superblock; 0 or -errno.  Not durable
 * before pmk_wc_image_sync(). */
int pmk_wc_image_store(struct pmk_wc_image *img, uint64_t off, const void *buf,
		       size_t len) PMK_MUST_CHECK;

/* Mark entry @i as free, on media and in memory; its sector stays. */
int pmk_wc_image_free_entry(struct pmk_wc_image *img, uint64_t i)
	PMK_MUST_CHECK;

/* Count and sort the entries again, after some were changed; 0 or -ENOMEM. */
int pmk_wc_image_reindex(struct pmk_wc_image *img) PMK_MUST_CHECK;

/* What was stored so far is durable when this returns 0. */
int pmk_wc_image_sync(struct pmk_wc_image *img) PMK_MUST_CHECK;

#endif /* LIB_WC_MEDIA_H */
