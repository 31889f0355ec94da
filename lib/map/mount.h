/* SPDX-License-Identifier: BSD-3-Clause */
/* The mount that a file is on, from /proc/self/mountinfo. */
#ifndef LIB_MAP_MOUNT_H
#define LIB_MAP_MOUNT_H

#include <stdbool.h>
#include <sys/types.h>

/* Which inodes have DAX, of ext4 and xfs: Documentation/filesystems/dax.rst. */
enum pmk_dax_option {
	PMK_DAX_OPTION_UNKNOWN, /* the mount is not known */
	PMK_DAX_OPTION_NONE,    /* no option, which is as INODE */
	PMK_DAX_OPTION_INODE,
	PMK_DAX_OPTION_ALWAYS,
	PMK_DAX_OPTION_NEVER,
};

struct pmk_mount {
	char fs_type[32];
	char point[256];
	char options[256];    /* of this mount, by comma */
	char fs_options[256]; /* of the file system, which all its mounts share
			       */
	/* from all of the file system's options, however long they are */
	enum pmk_dax_option dax;
	bool data_journal; /* data=journal */
	bool no_delalloc;  /* nodelalloc */
};

/* Look up the mount of an open file.  False, and empty strings, if the kernel
 * does not tell (statx without mount ids: before 5.8) or /proc is not there. */
bool pmk_mount_of(int fd, struct pmk_mount *mount_ret);
/* The same for the first mount of a block device. */
bool pmk_mount_of_device(dev_t dev, struct pmk_mount *mount_ret);

/* What the options of a file system, by comma, say of DAX. */
enum pmk_dax_option pmk_dax_option(const char *options);

#endif /* LIB_MAP_MOUNT_H */
