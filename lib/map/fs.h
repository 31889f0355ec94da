/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of file systems, and what is known of each for DAX. */
#ifndef LIB_MAP_FS_H
#define LIB_MAP_FS_H

#include <sys/stat.h>
#include <sys/vfs.h>

#include "map/probe.h"

enum pmk_fs_class {
	PMK_FS_UNKNOWN,
	PMK_FS_EXT, /* ext2, ext3, ext4: one magic number */
	PMK_FS_XFS,
	PMK_FS_MEMORY,
	PMK_FS_OVERLAY,
	PMK_FS_FUSE,
	PMK_FS_REMOTE, /* on another machine, or the host of this one */
	PMK_FS_DISK,   /* on block devices, without MAP_SYNC */
	PMK_FS_PSEUDO, /* the kernel's own */
};

struct pmk_fs {
	const char *name; /* "ext4"; NULL: not in the table */
	enum pmk_fs_class class;
};

/* By the magic number of statfs(2). */
struct pmk_fs pmk_fs_of(const struct statfs *fs);

/* What survives a loss of power of a file without MAP_SYNC, after msync(2). */
struct pmk_domain_fact pmk_fs_domain(const char *root, int fd, dev_t dev);

#endif /* LIB_MAP_FS_H */
