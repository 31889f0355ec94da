/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mapping of a regular file: make it long enough, map it with MAP_SYNC if
 * the file system grants that, and undo everything if something fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "map/probe.h"

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
static int check_space(int fd, const struct stat *st, uint64_t end)
{
	uint64_t have = (uint64_t)st->st_blocks * 512, room;
	struct statvfs fs;

	if (fstatvfs(fd, &fs))
		return -errno;
	if (!fs.f_blocks) /* a file system that does not count */
		return 0;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (end > have && end - have > room)
		return pmk_fail(-ENOSPC,
				"%" PRIu64 " bytes are needed, %" PRIu64
				" are free",
				end - have, room);
	return 0;
}

static int reserve(int fd, const struct stat *st, uint64_t off, uint64_t len)
{
	int rc = check_space(fd, st, off + len);

	if (rc)
		return rc;
	do {
		rc = fallocate(fd, 0, (off_t)off, (off_t)len) ? -errno : 0;
	} while (rc == -EINTR);
	if (rc == -EOPNOTSUPP)
		rc = fill_zeros(fd, (uint64_t)st->st_size, off + len);
	return rc;
}

/* The size, and the name of a new file, must survive too. */
static int sync_metadata(int fd, const struct pmk_file_undo *undo)
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

static int make_room(int fd, const struct pmk_map_params *p,
		     const struct stat *st, struct pmk_file_undo *undo)
{
	uint64_t size = (uint64_t)st->st_size, end = p->off + p->len;
	int rc = 0;

	undo->old_size = size;
	undo->extended = end > size;
	if (!(p->flags & PMK_MAP_SPARSE))
		rc = reserve(fd, st, p->off, p->len);
	else if (end > size && ftruncate(fd, (off_t)end))
		rc = -errno;
	if (!rc && end > size && !(p->flags & PMK_MAP_EMULATED))
		rc = sync_metadata(fd, undo);
	return rc;
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

static enum pmk_domain file_domain(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return PMK_DOMAIN_UNKNOWN;
	switch (fs.f_type) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case HUGETLBFS_MAGIC:
		return PMK_DOMAIN_VOLATILE;
	default:
		return PMK_DOMAIN_DEVICE;
	}
}

static void set_fsdax(struct pmk_map *map, const struct pmk_map_params *p,
		      dev_t dev)
{
	struct pmk_block_facts block;

	pmk_probe_block(p->sysfs_root, dev, &block);
	map->region = pmk_probe_region(block.dir);
	map->kind = PMK_MAP_KIND_FSDAX;
	map->domain = pmk_probe_domain(map->region);
	map->granularity = map->domain == PMK_DOMAIN_CPU_CACHE
				   ? PMK_GRANULARITY_BYTE
				   : PMK_GRANULARITY_CACHE_LINE;
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
	map->domain = file_domain(map->fd);
	map->granularity = PMK_GRANULARITY_PAGE;
	return pmk_vma_map(map->fd, p->off, map->len, PMK_VMA_ALIGN, prot,
			   MAP_SHARED, &map->addr);
}

int pmk_map_init_file(struct pmk_map *map, const struct pmk_map_params *p,
		      const struct stat *st, struct pmk_file_undo *undo)
{
	uint64_t size = (uint64_t)st->st_size;
	int rc;

	if (p->len > INT64_MAX || p->off > INT64_MAX - p->len)
		return pmk_fail(-EFBIG, "%s: no file can be that long",
				undo->path);
	if (p->flags & PMK_MAP_CREATE && p->len) {
		rc = make_room(map->fd, p, st, undo);
		if (rc)
			return pmk_fail(
				rc, "%s: cannot make it %" PRIu64 " bytes: %s",
				undo->path, p->off + p->len, pmk_strerror(rc));
		if (p->off + p->len > size)
			size = p->off + p->len;
	}
	rc = file_len(p, size, undo->path, &map->len);
	if (rc)
		return rc;
	rc = map_pages(map, p, st->st_dev);
	if (rc)
		return pmk_fail(rc, "%s: cannot map %zu bytes: %s", undo->path,
				map->len, pmk_strerror(rc));
	return 0;
}
