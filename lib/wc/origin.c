/* SPDX-License-Identifier: BSD-3-Clause */
/* The device that a cache belongs to. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/export.h"
#include "base/log.h"
#include "wc/image.h"
#include "wc/media.h"
#include "wc/origin.h"

/* Enough that a disk always has something to do. */
#define DEFAULT_THREADS 4U

/* Its type is asked first: to open a device can do something to it. */
static int open_file(const char *path, bool write)
{
	int flags = O_CLOEXEC | (write ? O_RDWR : O_RDONLY), fd;
	struct stat st;

	if (stat(path, &st))
		return pmk_fail(-errno, "%s", path);
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return pmk_fail(PMK_E_FILE_TYPE,
				"%s: neither a regular file nor a block device",
				path);
	/* a block device that is mounted, mapped or open so is busy */
	if (S_ISBLK(st.st_mode))
		flags |= O_EXCL;
	fd = open(path, flags);
	return fd < 0 ? pmk_fail(-errno, "%s", path) : fd;
}

static int find_size(struct pmk_wc_origin *o)
{
	struct stat st;

	if (fstat(o->fd, &st))
		return -errno;
	if (S_ISBLK(st.st_mode))
		return ioctl(o->fd, BLKGETSIZE64, &o->size) ? -errno : 0;
	if (!S_ISREG(st.st_mode))
		return PMK_E_FILE_TYPE;
	o->size = (uint64_t)st.st_size;
	return 0;
}

/* Is @path a name of the cache?  Asked before it is opened, too: a device that
 * is open exclusively is busy, which would say less. */
static bool is_cache(const char *path, const struct pmk_wc_image *img)
{
	struct stat a, b;

	if (stat(path, &a) || fstat(img->fd, &b))
		return false;
	if (S_ISBLK(a.st_mode) && S_ISBLK(b.st_mode))
		return a.st_rdev == b.st_rdev;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int attach(struct pmk_wc_origin *o, const char *path,
		  const struct pmk_wc_image *img)
{
	if (is_cache(path, img))
		return PMK_E_WC_SAME;
	o->fd = open_file(path, o->writable);
	if (o->fd < 0)
		return o->fd;
	if (pmk_wc_media_same(o->fd, img->fd))
		return PMK_E_WC_SAME;
	if (o->writable) {
		int rc = pmk_claim(o->fd);

		if (rc)
			return rc;
	}
	return find_size(o);
}

PMK_EXPORT int pmk_wc_origin_open(const char *path,
				  const struct pmk_wc_image *img, bool write,
				  struct pmk_wc_origin **origin_ret)
{
	struct pmk_wc_origin *o = calloc(1, sizeof(*o));
	int rc;

	if (!o)
		return -ENOMEM;
	o->fd = -1;
	o->writable = write;
	rc = attach(o, path, img);
	if (rc)
		pmk_wc_origin_close(o);
	else
		*origin_ret = o;
	return rc;
}

PMK_EXPORT void pmk_wc_origin_close(struct pmk_wc_origin *origin)
{
	if (!origin)
		return;
	if (origin->fd >= 0)
		close(origin->fd);
	free(origin);
}

PMK_EXPORT uint64_t pmk_wc_origin_size(const struct pmk_wc_origin *origin)
{
	return origin->size;
}

struct pmk_wc_copy_params pmk_wc_copy_defaults(
	const struct pmk_wc_copy_params *params)
{
	struct pmk_wc_copy_params p = { .threads = 0 };

	if (params)
		p = *params;
	if (!p.threads)
		p.threads = DEFAULT_THREADS;
	return p;
}
