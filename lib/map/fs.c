/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of file systems by their magic numbers: linux/magic.h and statfs(2). */
#include <linux/magic.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "map/block.h"
#include "map/fs.h"

static const struct {
	unsigned int magic;
	struct pmk_fs fs;
} table[] = {
	{ EXT4_SUPER_MAGIC, { "ext4", PMK_FS_EXT } },
	{ XFS_SUPER_MAGIC, { "xfs", PMK_FS_XFS } },
	{ TMPFS_MAGIC, { "tmpfs", PMK_FS_MEMORY } },
	{ RAMFS_MAGIC, { "ramfs", PMK_FS_MEMORY } },
	{ HUGETLBFS_MAGIC, { "hugetlbfs", PMK_FS_MEMORY } },
	{ OVERLAYFS_SUPER_MAGIC, { "overlay", PMK_FS_OVERLAY } },
	{ FUSE_SUPER_MAGIC, { "fuse", PMK_FS_FUSE } },
	{ NFS_SUPER_MAGIC, { "nfs", PMK_FS_REMOTE } },
	{ SMB_SUPER_MAGIC, { "smb", PMK_FS_REMOTE } },
	{ CIFS_SUPER_MAGIC, { "cifs", PMK_FS_REMOTE } },
	{ SMB2_SUPER_MAGIC, { "smb3", PMK_FS_REMOTE } },
	{ CEPH_SUPER_MAGIC, { "ceph", PMK_FS_REMOTE } },
	{ V9FS_MAGIC, { "9p", PMK_FS_REMOTE } },
	{ AFS_SUPER_MAGIC, { "afs", PMK_FS_REMOTE } },
	{ 0x786f4256, { "vboxsf", PMK_FS_REMOTE } },
	{ BTRFS_SUPER_MAGIC, { "btrfs", PMK_FS_DISK } },
	{ F2FS_SUPER_MAGIC, { "f2fs", PMK_FS_DISK } },
	{ SQUASHFS_MAGIC, { "squashfs", PMK_FS_DISK } },
	{ EROFS_SUPER_MAGIC_V1, { "erofs", PMK_FS_DISK } },
	{ CRAMFS_MAGIC, { "cramfs", PMK_FS_DISK } },
	{ ISOFS_SUPER_MAGIC, { "iso9660", PMK_FS_DISK } },
	{ UDF_SUPER_MAGIC, { "udf", PMK_FS_DISK } },
	{ MSDOS_SUPER_MAGIC, { "vfat", PMK_FS_DISK } },
	{ EXFAT_SUPER_MAGIC, { "exfat", PMK_FS_DISK } },
	{ 0x7366746e, { "ntfs3", PMK_FS_DISK } },
	{ REISERFS_SUPER_MAGIC, { "reiserfs", PMK_FS_DISK } },
	{ NILFS_SUPER_MAGIC, { "nilfs2", PMK_FS_DISK } },
	{ 0x3153464a, { "jfs", PMK_FS_DISK } },
	{ 0x2fc12fc1, { "zfs", PMK_FS_DISK } },
	{ 0xca451a4e, { "bcachefs", PMK_FS_DISK } },
	{ PROC_SUPER_MAGIC, { "proc", PMK_FS_PSEUDO } },
	{ SYSFS_MAGIC, { "sysfs", PMK_FS_PSEUDO } },
	{ DEBUGFS_MAGIC, { "debugfs", PMK_FS_PSEUDO } },
	{ TRACEFS_MAGIC, { "tracefs", PMK_FS_PSEUDO } },
	{ CGROUP_SUPER_MAGIC, { "cgroup", PMK_FS_PSEUDO } },
	{ CGROUP2_SUPER_MAGIC, { "cgroup2", PMK_FS_PSEUDO } },
};

struct pmk_fs pmk_fs_of(const struct statfs *fs)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].magic == (unsigned int)fs->f_type)
			return table[i].fs;
	return (struct pmk_fs){ NULL, PMK_FS_UNKNOWN };
}

struct pmk_domain_fact pmk_fs_domain(const char *root, int fd, dev_t dev)
{
	static const struct pmk_domain_fact nothing = { PMK_DOMAIN_VOLATILE,
							PMK_WHY_NONE },
					    disk = { PMK_DOMAIN_DEVICE,
						     PMK_WHY_NONE },
					    hidden = { PMK_DOMAIN_UNKNOWN,
						       PMK_WHY_HIDDEN };
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return hidden;
	switch (pmk_fs_of(&fs).class) {
	case PMK_FS_MEMORY:
		return nothing;
	case PMK_FS_EXT:
	case PMK_FS_XFS:
		return pmk_block_domain(root, dev, false);
	case PMK_FS_DISK:
		/* some have several devices, and a number of their own */
		return major(dev) ? pmk_block_domain(root, dev, false) : disk;
	default:
		return hidden;
	}
}
