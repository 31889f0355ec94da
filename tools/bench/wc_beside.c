/* SPDX-License-Identifier: BSD-3-Clause */
/* A device of the kernel's dm-writecache, as a side of pmk bench wc. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/wc_beside.h"
#include "out.h"
#include "pmk.h"

/* O_EXCL: nobody has it mounted, or maps it. */
static int open_device(struct wc_beside *b)
{
	struct stat st;

	b->fd = -1;
	if (stat(b->path, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	b->fd = open(b->path, O_RDWR | O_DIRECT | O_EXCL | O_CLOEXEC);
	if (b->fd < 0)
		return -errno;
	return ioctl(b->fd, BLKGETSIZE64, &b->size) ? -errno : 0;
}

static int judge(const struct wc_beside *b)
{
	if (b->target.mode == 'p')
		return EXIT_OK;
	return out_error("%s: its mode is %c: only one in persistent memory, "
			 "mode p, compares with ours",
			 b->path, b->target.mode);
}

int wc_beside_open(struct wc_beside *b, const char *path)
{
	int rc;

	*b = (struct wc_beside){ .path = path };
	rc = open_device(b);
	if (rc)
		return out_fail(path, rc, NULL);
	rc = wc_target_read(b->fd, &b->target);
	if (rc == -ENODEV)
		return out_error("%s: no device of one writecache target; see "
				 "dmsetup table",
				 path);
	return rc ? out_fail(path, rc, "its table cannot be read") : judge(b);
}

void wc_beside_close(struct wc_beside *b)
{
	if (b->path && b->fd >= 0)
		close(b->fd);
}

/* "pmem0p2" of "259:1", or that. */
static void name_cache(const struct wc_beside *b, char *name, size_t size)
{
	char link[64], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/dev/block/%s", b->target.cache);
	n = readlink(link, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = '\0';
	snprintf(name, size, "%s",
		 strrchr(target, '/') ? strrchr(target, '/') + 1
				      : b->target.cache);
}

void wc_beside_describe(const struct wc_beside *b, char *text, size_t size)
{
	char cache[64];

	name_cache(b, cache, sizeof(cache));
	snprintf(text, size,
		 "%s: dm-writecache of the kernel, mode p on %s, blocks of "
		 "%" PRIu32 " bytes",
		 b->path, cache, b->target.block_size);
}

static int whole(ssize_t n, size_t len)
{
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

int wc_beside_write(const struct wc_beside *b, uint64_t off, const void *buf,
		    size_t len)
{
	return whole(pwrite(b->fd, buf, len, (off_t)off), len);
}

int wc_beside_read(const struct wc_beside *b, uint64_t off, void *buf,
		   size_t len)
{
	return whole(pread(b->fd, buf, len, (off_t)off), len);
}

int wc_beside_commit(const struct wc_beside *b)
{
	return fdatasync(b->fd) ? -errno : 0;
}
