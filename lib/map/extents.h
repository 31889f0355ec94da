/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a file's data lie on its block device: FIEMAP, Linux
 * Documentation/filesystems/fiemap.rst. */
#ifndef LIB_MAP_EXTENTS_H
#define LIB_MAP_EXTENTS_H

#include <stdint.h>

struct pmk_file_extent {
	uint64_t off;      /* in the file */
	uint64_t physical; /* on the block device of the file system */
	uint64_t len;
	uint32_t flags; /* FIEMAP_EXTENT_* */
};

/* A nonzero result ends the walk. */
typedef int (*pmk_file_extent_fn)(const struct pmk_file_extent *e, void *arg);

/*
 * Call @fn with the extents of @fd in the order of their offsets; nothing is
 * flushed first.  Returns 0; the nonzero result of @fn; -errno; -E2BIG after
 * more extents than anyone wants to wait for.
 */
int pmk_file_extents(int fd, pmk_file_extent_fn fn, void *arg);

#endif /* LIB_MAP_EXTENTS_H */
