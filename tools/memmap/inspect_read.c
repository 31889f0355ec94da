/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The info block in a file or block device, and what can be found out of the
 * namespace: from the file itself, or from sysfs if it is a raw namespace of
 * this machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/sysfs.h"
#include "base/uuid.h"
#include "memmap/inspect.h"
#include "out.h"
#include "pmk.h"

#define SYSFS "/sys"

/* The device that a block device belongs to, such as ".../namespace0.0", or
 * NULL; the caller frees. */
static char *device_dir(dev_t dev)
{
	char dir[PATH_MAX], link[PATH_MAX + 16];

	if (pmk_sysfs_dev_path(SYSFS, "block", dev, dir, sizeof(dir)))
		return NULL;
	snprintf(link, sizeof(link), "%s/device", dir);
	return realpath(link, NULL);
}

/* Without a label there is no UUID, and the kernel compares with zeros. */
static void add_parent(struct infoblock_look *l, const char *dir)
{
	char text[64];
	ssize_t n = pmk_sysfs_text(dir, "uuid", text, sizeof(text));

	if (l->ns.parent_uuid_known || l->offset)
		return;
	if (n >= 0 && pmk_uuid_parse(text, l->ns.parent_uuid))
		return;
	if (n < 0 && n != -ENOENT)
		return;
	l->ns.parent_uuid_known = true;
	l->parent_from = n < 0 ? "sysfs: the namespace has no label" : "sysfs";
}

static void add_sysfs(struct infoblock_look *l, dev_t dev)
{
	_cleanup_free_ char *dir = device_dir(dev);
	const char *name = dir ? strrchr(dir, '/') + 1 : "";
	uint64_t start;

	if (!strncmp(name, "pfn", 3) || !strncmp(name, "btt", 3))
		snprintf(l->holder, sizeof(l->holder), "%s", name);
	if (strncmp(name, "namespace", strlen("namespace")))
		return;
	add_parent(l, dir);
	if (l->ns.start_known)
		return;
	if (pmk_sysfs_u64(dir, "resource", &start)) {
		l->start_from = "only root is told by sysfs";
		return;
	}
	l->ns.start_known = true;
	l->ns.start = start + l->offset;
	l->start_from = "sysfs";
}

/* @have: bytes of the file or device. */
static int add_size(struct infoblock_look *l, uint64_t have)
{
	const uint64_t need = PMK_INFOBLOCK_OFF + PMK_INFOBLOCK_BYTES;

	if (have < need || l->offset > have - need)
		return out_error("%s: of %" PRIu64 " bytes: too short for a "
				 "namespace at %" PRIu64 ", whose info block "
				 "ends %" PRIu64 " bytes behind that",
				 l->path, have, l->offset, need);
	if (l->ns.size_known)
		return EXIT_OK;
	/* all that ndctl write-infoblock leaves in a file of its own */
	if (have - l->offset == need) {
		l->size_from = "the file ends behind the info block; --size "
			       "tells it";
		return EXIT_OK;
	}
	l->ns.size_known = true;
	l->ns.size = have - l->offset;
	l->size_from = "from there to the end of what was named";
	return EXIT_OK;
}

static int read_at(struct infoblock_look *l, int fd, uint64_t off)
{
	ssize_t n =
		pmk_pread_full(fd, l->block, sizeof(l->block), l->offset + off);

	if (n < 0)
		return out_fail(l->path, (int)n,
				n == -EIO ? "the kernel refuses a namespace "
					    "whose info block cannot be read "
					    "(ENXIO)"
					  : NULL);
	if ((size_t)n < sizeof(l->block))
		return out_error("%s: ends inside the info block", l->path);
	pmk_infoblock_decode(l->block, &l->ib);
	l->block_off = off;
	return EXIT_OK;
}

/* A BTT of version 2, which goes with labels of version 1.2, begins where the
 * namespace does. */
static int read_block(struct infoblock_look *l, int fd)
{
	int rc = read_at(l, fd, 0);

	if (rc || l->ib.type == PMK_INFOBLOCK_BTT)
		return rc;
	return read_at(l, fd, PMK_INFOBLOCK_OFF);
}

static int open_path(const char *path, struct stat *st_ret)
{
	int fd;

	/* a device of another kind may do something when it is opened */
	if (stat(path, st_ret))
		return -errno;
	if (S_ISDIR(st_ret->st_mode))
		return -EISDIR;
	if (!S_ISREG(st_ret->st_mode) && !S_ISBLK(st_ret->st_mode))
		return PMK_E_FILE_TYPE;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 || fstat(fd, st_ret) ? -errno : fd;
}

int infoblock_read(struct infoblock_look *l)
{
	struct stat st;
	_cleanup_fd_ int fd = open_path(l->path, &st);
	off_t end;
	int rc;

	if (fd == PMK_E_FILE_TYPE)
		return out_error("%s: neither a regular file nor a block "
				 "device",
				 out_path(l->path));
	if (fd < 0)
		return out_fail(l->path, fd, NULL);
	end = lseek(fd, 0, SEEK_END);
	if (end < 0)
		return out_fail(l->path, -errno, NULL);
	rc = add_size(l, (uint64_t)end);
	if (rc)
		return rc;
	if (S_ISBLK(st.st_mode))
		add_sysfs(l, st.st_rdev);
	return read_block(l, fd);
}
