/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a path is, or is not, persistent memory.  Ask the kernel for the verdict
 * (a trial mapping), and only then look for the reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <pmk/map.h>

#include "base/cleanup.h"
#include "base/export.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "map/mount.h"
#include "map/probe.h"

static void explain_error(struct pmk_map_report *r, int error,
			  enum pmk_map_reason reason)
{
	r->error = error;
	r->reason = reason;
	snprintf(r->detail, sizeof(r->detail), "%s", pmk_strerror(error));
}

static void explain_type(struct pmk_map_report *r, const char *what)
{
	explain_error(r, PMK_E_FILE_TYPE, PMK_REASON_FILE_TYPE);
	snprintf(r->detail, sizeof(r->detail), "the path is %s", what);
}

static enum pmk_granularity pmem_granularity(enum pmk_domain domain)
{
	return domain == PMK_DOMAIN_CPU_CACHE ? PMK_GRANULARITY_BYTE
					      : PMK_GRANULARITY_CACHE_LINE;
}

static void explain_devdax(struct pmk_map_report *r, const struct stat *st)
{
	_cleanup_free_ char *region = NULL;
	struct pmk_devdax_facts f;
	int rc = pmk_probe_devdax(NULL, st->st_rdev, &f);

	if (rc == PMK_E_FILE_TYPE) {
		explain_type(r, "a character device, but not devdax");
		return;
	}
	if (rc) {
		explain_error(r, rc, PMK_REASON_UNKNOWN);
		return;
	}
	r->size_bytes = f.size;
	r->align_bytes = f.align;
	snprintf(r->device, sizeof(r->device), "%s", f.name);
	if (!strcmp(f.driver, "kmem") || !f.driver[0]) {
		explain_error(r, PMK_E_DEVDAX_MODE,
			      f.driver[0] ? PMK_REASON_SYSTEM_RAM
					  : PMK_REASON_DEVICE_OFF);
		return;
	}
	region = pmk_probe_region(f.dir);
	r->kind = PMK_MAP_KIND_DEVDAX;
	r->domain = pmk_probe_domain(region);
	r->granularity = pmem_granularity(r->domain);
	r->reason = PMK_REASON_DEVDAX;
	snprintf(r->detail, sizeof(r->detail),
		 region ? "%s is in devdax mode"
			: "%s is in devdax mode, outside any nvdimm region",
		 f.name);
}

/* Map one page of @fd with MAP_SYNC: 0, or -errno if that is refused. */
static int try_map_sync(int fd)
{
	size_t len = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, len, PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC, fd,
		       0);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, len);
	return 0;
}

/* 0, or -errno if the file cannot be mapped in any way. */
static int try_map(int fd)
{
	size_t len = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, len);
	return 0;
}

static bool fs_can_dax(const char *type)
{
	return !strcmp(type, "ext4") || !strcmp(type, "xfs") ||
	       !strcmp(type, "ext2");
}

/* File systems that are known never to grant MAP_SYNC. */
static bool fs_never_dax(const char *type)
{
	static const char *const types[] = {
		"btrfs", "f2fs",   "ext3", "vfat",     "exfat",    "ntfs3",
		"nfs",   "nfs4",   "cifs", "smb3",     "9p",       "ceph",
		"jfs",   "zfs",    "proc", "sysfs",    "squashfs", "iso9660",
		"udf",   "rootfs", "ntfs", "bcachefs", "reiserfs",
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static bool inode_is_dax(int fd)
{
	struct statx stx;

	return !statx(fd, "", AT_EMPTY_PATH, 0, &stx) &&
	       (stx.stx_attributes & STATX_ATTR_DAX);
}

/* A file system that can do DAX refused MAP_SYNC: what is below it? */
static enum pmk_map_reason reason_below(int fd, dev_t dev,
					struct pmk_map_report *r)
{
	struct pmk_block_facts b;

	pmk_probe_block(NULL, dev, &b);
	if (!b.name[0])
		return PMK_REASON_UNKNOWN;
	snprintf(r->device, sizeof(r->device), "%s", b.name);
	if (inode_is_dax(fd))
		return PMK_REASON_ASYNC_FLUSH;
	if (b.dax)
		return PMK_REASON_MOUNT_OPTION;
	return b.nvdimm ? PMK_REASON_SECTOR_MODE : PMK_REASON_BLOCK_NOT_DAX;
}

static enum pmk_map_reason reason_for_file(int fd, const struct stat *st,
					   int sync_error,
					   struct pmk_map_report *r)
{
	struct statfs fs;

	if (sync_error == -EINVAL)
		return PMK_REASON_OLD_KERNEL;
	if (sync_error != -EOPNOTSUPP || fstatfs(fd, &fs))
		return PMK_REASON_UNKNOWN;
	switch (fs.f_type) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case HUGETLBFS_MAGIC:
		return PMK_REASON_VOLATILE_FS;
	case OVERLAYFS_SUPER_MAGIC:
		return PMK_REASON_OVERLAYFS;
	}
	if (fs_can_dax(r->fs_type))
		return reason_below(fd, st->st_dev, r);
	return fs_never_dax(r->fs_type) ? PMK_REASON_FS_WITHOUT_DAX
					: PMK_REASON_UNKNOWN;
}

static void explain_fsdax(struct pmk_map_report *r, dev_t dev)
{
	_cleanup_free_ char *region = NULL;
	struct pmk_block_facts b;

	pmk_probe_block(NULL, dev, &b);
	region = pmk_probe_region(b.dir);
	snprintf(r->device, sizeof(r->device), "%s", b.name);
	r->kind = PMK_MAP_KIND_FSDAX;
	r->domain = pmk_probe_domain(region);
	r->granularity = pmem_granularity(r->domain);
	r->reason = PMK_REASON_DAX;
}

static void explain_file(struct pmk_map_report *r, int fd,
			 const struct stat *st)
{
	struct pmk_mount m;
	int rc, sync_rc;

	r->size_bytes = (uint64_t)st->st_size;
	r->align_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	pmk_mount_of(fd, &m);
	memcpy(r->fs_type, m.fs_type, sizeof(r->fs_type));
	memcpy(r->mount, m.point, sizeof(r->mount));
	memcpy(r->options, m.options, sizeof(r->options));
	memcpy(r->fs_options, m.fs_options, sizeof(r->fs_options));
	if (!st->st_size) {
		explain_error(r, -EINVAL, PMK_REASON_EMPTY);
		snprintf(r->detail, sizeof(r->detail), "nothing to map");
		return;
	}
	sync_rc = try_map_sync(fd);
	rc = sync_rc ? try_map(fd) : 0;
	if (rc) {
		explain_error(r, rc, PMK_REASON_UNKNOWN);
		return;
	}
	if (!sync_rc) {
		explain_fsdax(r, st->st_dev);
	} else {
		r->kind = PMK_MAP_KIND_FILE;
		r->granularity = PMK_GRANULARITY_PAGE;
		r->domain = pmk_probe_fs_domain(fd);
		r->reason = reason_for_file(fd, st, sync_rc, r);
	}
	snprintf(r->detail, sizeof(r->detail),
		 "%.31s%s%.63s, mounted on %.120s",
		 r->fs_type[0] ? r->fs_type : "unknown file system",
		 r->device[0] ? " on " : "", r->device,
		 r->mount[0] ? r->mount : "?");
}

PMK_EXPORT int pmk_map_explain(const char *path,
			       struct pmk_map_report *report_ret)
{
	struct pmk_map_report *r = report_ret;
	_cleanup_fd_ int fd = -1;
	struct stat st;

	if (!path || !r)
		return -EINVAL;
	memset(r, 0, sizeof(*r));
	if (stat(path, &st)) {
		explain_error(r, -errno, PMK_REASON_NO_ACCESS);
		return 0;
	}
	if (S_ISCHR(st.st_mode)) {
		explain_devdax(r, &st);
		return 0;
	}
	if (!S_ISREG(st.st_mode)) {
		explain_type(r, S_ISDIR(st.st_mode)    ? "a directory"
				: S_ISFIFO(st.st_mode) ? "a fifo"
				: S_ISSOCK(st.st_mode) ? "a socket"
						       : "a block device");
		return 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		explain_error(r, -errno, PMK_REASON_NO_ACCESS);
	else
		explain_file(r, fd, &st);
	return 0;
}
