/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads of storage that may be damaged, which lose no more than that. */
#ifndef LIB_BASE_MEDIA_H
#define LIB_BASE_MEDIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether a code of read(2) is the medium's, so that the next sector may still
 * be read. */
bool pmk_is_medium_error(int code);

/*
 * As pmk_pread_full(); but the page cache reads whole pages, and fails for all
 * of one if a sector of it is bad.  Then only the sectors that are asked for
 * are read, past the page cache, where the file allows that, and no more than
 * 64 KiB are asked for: who wants more halves it anyway to find what is bad.
 */
ssize_t pmk_pread_media(int fd, void *buf, size_t len, uint64_t off);

#endif /* LIB_BASE_MEDIA_H */
