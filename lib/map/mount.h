/* SPDX-License-Identifier: BSD-3-Clause */
/* The mount that a file is on, from /proc/self/mountinfo. */
#ifndef LIB_MAP_MOUNT_H
#define LIB_MAP_MOUNT_H

#include <stdbool.h>

struct pmk_mount {
	char fs_type[32];
	char point[256];
	char options[256];    /* of this mount, by comma */
	char fs_options[256]; /* of the file system, which all its mounts share
			       */
};

/* Look up the mount of an open file.  False, and empty strings, if the kernel
 * does not tell (statx without mount ids: before 5.8) or /proc is not there. */
bool pmk_mount_of(int fd, struct pmk_mount *mount_ret);

#endif /* LIB_MAP_MOUNT_H */
