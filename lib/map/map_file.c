/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mapping of a regular file: make it long enough, map it with MAP_SYNC if
 * the file system grants that, and undo everything if something fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "map/block.h"
#include "map/fs.h"
#include "map/map_impl.h"

/* Write zeros behind the end: for file systems without fallocate(2). */
static int fill_zeros(int fd, uint64_t from, uint64_t to)
{
	static const char zeros[65536];

	while (from < to) {
		size_t n = pmk_min_size(sizeof(zeros), to - from);
		ssize_t done = pwrite(fd, zeros, n, (off_t)from);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		from += (uint64_t)done;
	}
	return 0;
}

/*
 * fallocate() of more than there is may fill the file system before it fails
 * (ext4 does), which other programs would notice: ask first.
 */
static int check_space(int fd, const struct stat *st, uint64_t off,
		       uint64_t len)
{
	uint64_t have = (uint64_t)st->st_blocks * 512, need = len, room;
	struct statvfs fs;

	if (fstatvfs(fd, &fs))
		return -errno;
	if (!fs.f_blocks) /* a file system that does not count */
		return 0;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	/* some of the range may have its blocks; no more than there are */
	if (off + len <= have)
		return 0;
	if (off + len - have < need)
		need = off + len - have;
	if (need > room)
		return pmk_fail(-ENOSPC,
				"%" PRIu64 " bytes are needed, %" PRIu64
				" are free",
				need, room);
	return 0;
}

static int call_fallocate(int fd, int mode, uint64_t off, uint64_t len)
{
	int rc;

	do {
		rc = fallocate(fd, mode, (off_t)off, (off_t)len) ? -errno : 0;
	} while (rc == -EINTR);
	return rc;
}

/* Give back blocks behind the end, as it is now: another process may have made
 * the file longer meanwhile, and must not lose what it has there. */
static void trim(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && ftruncate(fd, st.st_size))
		pmk_log(PMK_LOG_WARNING, "blocks stay behind the end: %s",
			pmk_strerror(-errno));
}

/* Blocks first, length last: a failure leaves the length alone. */
static int reserve(int fd, const struct stat *st, uint64_t off, uint64_t len)
{
	int rc = call_fallocate(fd, FALLOC_FL_KEEP_SIZE, off, len);
	if (rc == -EOPNOTSUPP) {
		rc = fill_zeros(fd, (uint64_t)st->st_size, off + len);
		if (rc && ftruncate(fd, st->st_size))
			return -errno;
		return rc;
	}
	/* makes the file longer, and never shorter */
	if (!rc)
		rc = call_fallocate(fd, 0, off, len);
	if (rc)
		trim(fd);
	return rc;
}

/* The size, and the name of a new file, must survive too. */
int pmk_file_sync(int fd, const struct pmk_file_undo *undo)
{
	_cleanup_free_ char *copy = NULL;
	_cleanup_fd_ int dir = -1;

	if (fsync(fd))
		return -errno;
	if (!undo->created)
		return 0;
	copy = strdup(undo->path);
	if (!copy)
		return -ENOMEM;
	dir = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno == EACCES ? 0 : -errno; /* searchable is enough */
	return fsync(dir) ? -errno : 0;
}

int pmk_map_make_room(struct pmk_map *map, const struct pmk_map_params *p,
		      const struct stat *st, const struct pmk_file_undo *undo)
{
	uint64_t size = (uint64_t)st->st_size, end = p->off + p->len;
	int rc = 0;

	if (!(p->flags & PMK_MAP_SPARSE))
		rc = reserve(map->fd, st, p->off, p->len);
	else if (end > size && ftruncate(map->fd, (off_t)end))
		rc = -errno;
	if (!rc && end > size && !(p->flags & PMK_MAP_EMULATED)) {
		rc = pmk_file_sync(map->fd, undo);
		if (rc && ftruncate(map->fd, (off_t)size))
			pmk_log(PMK_LOG_WARNING,
				"%s: cannot restore its size: %s", undo->path,
				pmk_strerror(-errno));
	}
	if (rc)
		return pmk_fail(rc, "%s: cannot make it %" PRIu64 " bytes: %s",
				undo->path, end, pmk_strerror(rc));
	return 0;
}

void pmk_file_undo(const struct pmk_file_undo *undo, int fd)
{
	struct stat ours, there;

	/* unlink only what we made: the name may have moved on */
	if (undo->created && !fstat(fd, &ours) && !lstat(undo->path, &there) &&
	    ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
		unlink(undo->path);
	else if (undo->extended && ftruncate(fd, (off_t)undo->old_size))
		pmk_log(PMK_LOG_WARNING, "%s: cannot restore its size: %s",
			undo->path, pmk_strerror(-errno));
}

static int file_len(const struct pmk_map_params *p, uint64_t size,
		    const char *path, size_t *len_ret)
{
	if (p->off > size || p->len > size - p->off)
		return pmk_fail(PMK_E_RANGE,
				"%s: %" PRIu64 " bytes at %" PRIu64
				", but the file has %" PRIu64,
				path, p->len, p->off, size);
	*len_ret = p->len ? p->len : size - p->off;
	if (!*len_ret)
		return pmk_fail(-EINVAL, "%s: 0 bytes to map", path);
	return 0;
}

/* Are the data of a file of xfs on another device than st_dev says? */
static bool is_realtime(int fd)
{
	struct fsxattr x;

	return !ioctl(fd, FS_IOC_FSGETXATTR, &x) &&
	       x.fsx_xflags & FS_XFLAG_REALTIME;
}

static void set_fsdax(struct pmk_map *map, const struct pmk_map_params *p,
		      dev_t dev)
{
	map->domain =
		is_realtime(map->fd)
			? PMK_DOMAIN_UNKNOWN
			: pmk_block_domain(p->sysfs_root, dev, true).domain;
	map->granularity = pmk_domain_granularity(map->domain);
	/* A device that was made of others before may be granted MAP_SYNC on
	 * what it is made of now (seen with dm on virtio-pmem, Linux 6.1 and
	 * 6.12): msync(2) sends the flush command. */
	map->kind = map->domain == PMK_DOMAIN_DEVICE ? PMK_MAP_KIND_FILE
						     : PMK_MAP_KIND_FSDAX;
}

static int map_pages(struct pmk_map *map, const struct pmk_map_params *p,
		     dev_t dev)
{
	int prot = pmk_map_prot(p), rc = -EOPNOTSUPP;

	if (!(p->flags & PMK_MAP_EMULATED))
		rc = pmk_vma_map(map->fd, p->off, map->len, PMK_VMA_ALIGN, prot,
				 MAP_SHARED_VALIDATE | MAP_SYNC, &map->addr);
	if (!rc) {
		set_fsdax(map, p, dev);
		return 0;
	}
	/* EINVAL: before Linux 4.15, MAP_SHARED_VALIDATE is not known */
	if (rc != -EOPNOTSUPP && rc != -EINVAL)
		return rc;
	map->kind = PMK_MAP_KIND_FILE;
	map->domain = pmk_fs_domain(p->sysfs_root, map->fd, dev).domain;
	map->granularity = PMK_GRANULARITY_PAGE;
	return pmk_vma_map(map->fd, p->off, map->len, PMK_VMA_ALIGN, prot,
			   MAP_SHARED, &map->addr);
}

/* Can the file be as long as CREATE asks?  Before anything is changed. */
static int check_length(int fd, const struct pmk_map_params *p,
			const struct stat *st, const char *path)
{
	int rc;

	if (p->len > INT64_MAX || p->off > INT64_MAX - p->len)
		return pmk_fail(-EFBIG, "%s: no file can be that long", path);
	if (!(p->flags & PMK_MAP_CREATE) || p->flags & PMK_MAP_SPARSE)
		return 0;
	rc = check_space(fd, st, p->off, p->len);
	if (rc)
		return pmk_fail(rc, "%s: cannot make it %" PRIu64 " bytes: %s",
				path, p->off + p->len, pmk_strerror(rc));
	return 0;
}

/*
 * Maps before there is anything to map: a range behind the end of a file is
 * fine as long as nobody touches it, and what the mapping is like shows before
 * the file has been changed.
 */
int pmk_map_init_file(struct pmk_map *map, const struct pmk_map_params *p,
		      const struct stat *st, const char *path)
{
	uint64_t size = (uint64_t)st->st_size;
	int rc = check_length(map->fd, p, st, path);

	if (rc)
		return rc;
	if (p->flags & PMK_MAP_CREATE && p->len && p->off + p->len > size)
		size = p->off + p->len;
	rc = file_len(p, size, path, &map->len);
	if (rc)
		return rc;
	rc = map_pages(map, p, st->st_dev);
	if (rc)
		return pmk_fail(rc, "%s: cannot map %zu bytes: %s", path,
				map->len, pmk_strerror(rc));
	return 0;
}
