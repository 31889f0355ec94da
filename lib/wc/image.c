/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An opened cache: the file, where in it the cache is, its superblock, and what
 * the kernel does with it.  Nothing here writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/wc_image.h>

#include "base/claim.h"
#include "base/export.h"
#include "base/log.h"
#include "base/media.h"
#include "base/util.h"
#include "wc/format.h"
#include "wc/image.h"
#include "wc/media.h"

/* Numbers of entries are kept in 32 bits: 64 GiB of them. */
#define N_BLOCKS_LIMIT ((uint64_t)1 << 32)

static int check_type(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISBLK(st->st_mode) ? 0
							    : PMK_E_FILE_TYPE;
}

/* Its type is asked first: to open a device can do something to it. */
static int open_file(struct pmk_wc_image *img, const char *path)
{
	int flags = O_CLOEXEC | (img->writable ? O_RDWR : O_RDONLY);
	struct stat st;
	int rc;

	if (stat(path, &st) < 0)
		return -errno;
	rc = check_type(&st);
	if (rc)
		return rc;
	/* a block device that is mounted, mapped or open so is busy */
	if (S_ISBLK(st.st_mode))
		flags |= O_EXCL;
	img->fd = open(path, flags);
	if (img->fd < 0)
		return -errno;
	/* before anything is read: what is read stays so */
	return img->writable ? pmk_claim(img->fd) : 0;
}

static int file_size(struct pmk_wc_image *img, const char *path,
		     uint64_t *size_ret)
{
	struct stat st;
	int logical;
	int rc;

	if (fstat(img->fd, &st) < 0)
		return -errno;
	rc = check_type(&st);
	if (rc)
		return rc;
	if (S_ISREG(st.st_mode)) {
		*size_ret = (uint64_t)st.st_size;
		return 0;
	}
	if (ioctl(img->fd, BLKGETSIZE64, size_ret) < 0)
		return pmk_fail(-errno, "%s: no size", path);
	if (!img->table.logical_block && !ioctl(img->fd, BLKSSZGET, &logical))
		img->table.logical_block = (uint32_t)logical;
	return 0;
}

/* Find the device in a file of @size, and the superblock in the device. */
static int place(struct pmk_wc_image *img, const char *path, uint64_t size,
		 const struct pmk_wc_open_params *p)
{
	uint64_t rest = size - p->offset, start;

	if (p->offset > size || (p->offset && !rest) || p->size > rest)
		return pmk_fail(PMK_E_RANGE,
				"%s: %" PRIu64 " bytes at %" PRIu64
				" are not inside its %" PRIu64,
				path, p->size, p->offset, size);
	img->table.device_bytes = p->size ? p->size : rest;
	if (__builtin_mul_overflow(img->table.start_sector,
				   (uint64_t)PMK_WC_SECTOR, &start) ||
	    start > img->table.device_bytes)
		start = img->table.device_bytes;
	img->base = p->offset + start;
	img->room = img->table.device_bytes - start;
	return 0;
}

static int read_superblock(struct pmk_wc_image *img)
{
	size_t want = pmk_min_size(sizeof(img->raw), img->room);
	ssize_t n = img->read(img->fd, img->raw, want, img->base);

	if (n < 0 && !pmk_is_medium_error((int)n))
		return (int)n;
	if (n < 0) {
		img->raw_error = (int)n;
		memset(img->raw, 0, sizeof(img->raw));
	}
	pmk_wc_superblock_decode(img->raw, &img->sb);
	if (!img->raw_error && want == sizeof(img->raw))
		img->layout = pmk_wc_layout(img->raw);
	if (img->seq_given)
		img->sb.seq_count = img->seq_given;
	return 0;
}

/*
 * Can entries be looked for?  Of a superblock that is not one of version 1, the
 * rest must make sense of all the device: then its magic or version was lost.
 */
static bool has_entries(const struct pmk_wc_image *img,
			struct pmk_wc_geometry *geo)
{
	const struct pmk_wc_superblock *sb = &img->sb;

	if (!pmk_wc_block_size_ok(sb->block_size) ||
	    pmk_wc_layout_of(sb->n_blocks, sb->block_size, geo) ||
	    pmk_wc_entry_off(sb->n_blocks) > img->room)
		return false;
	switch (img->layout) {
	case PMK_WC_LAYOUT_V1:
		return true;
	case PMK_WC_LAYOUT_BLANK:
	case PMK_WC_LAYOUT_INTERRUPTED:
	case PMK_WC_LAYOUT_UNKNOWN:
	case PMK_WC_LAYOUT_VERSION:
		return sb->n_blocks && geo->end <= img->room;
	default:
		return false;
	}
}

void pmk_wc_image_judge(struct pmk_wc_image *img)
{
	pmk_wc_judge(img->raw, &img->table, &img->load);
	if (img->raw_error) {
		img->load = (struct pmk_wc_load){
			PMK_WC_REFUSED, -EIO,
			"Unable to read first block of metadata"
		};
		return;
	}
	if (img->load.verdict != PMK_WC_LOADS)
		return;
	/* seen when the target is resumed: it then serves reads only */
	if (img->counts.unreadable ||
	    (img->has_geo && img->tail_bad && img->table.mode != 'p'))
		img->load = (struct pmk_wc_load){ PMK_WC_LOADS_WITH_ERROR, -EIO,
						  NULL };
	else if (img->identical)
		img->load =
			(struct pmk_wc_load){ PMK_WC_LOADS_WITH_ERROR, -EINVAL,
					      "two identical entries" };
}

/* All that follows from the superblock. */
static int load_entries(struct pmk_wc_image *img, const char *path)
{
	int rc = 0;

	img->has_geo = has_entries(img, &img->geo);
	if (img->has_geo && img->geo.n_blocks >= N_BLOCKS_LIMIT)
		return pmk_fail(-EFBIG, "%s: %" PRIu64 " blocks are too many",
				path, img->geo.n_blocks);
	if (img->has_geo) {
		rc = pmk_wc_entries_read(img);
		if (!rc)
			rc = pmk_wc_index_build(img);
	}
	pmk_wc_image_judge(img);
	return rc;
}

static int load(struct pmk_wc_image *img, const char *path)
{
	int rc = read_superblock(img);

	if (rc)
		return pmk_fail(rc, "%s: its superblock", path);
	return load_entries(img, path);
}

int pmk_wc_image_adopt(struct pmk_wc_image *img, const unsigned char *raw)
{
	pmk_wc_entries_free(img);
	free(img->order);
	img->order = NULL;
	img->n_order = 0;
	img->identical = false;
	img->counts = (struct pmk_wc_counts){ .free = 0 };
	memcpy(img->raw, raw, sizeof(img->raw));
	img->raw_error = 0;
	pmk_wc_superblock_decode(img->raw, &img->sb);
	img->layout = pmk_wc_layout(img->raw);
	return load_entries(img, "a superblock that was put together");
}

int pmk_wc_image_open_with(const char *path,
			   const struct pmk_wc_open_params *params,
			   pmk_wc_read_fn *read, struct pmk_wc_image **img_ret)
{
	static const struct pmk_wc_open_params none;
	struct pmk_wc_image *img = calloc(1, sizeof(*img));
	uint64_t size = 0;
	int rc;

	if (!img)
		return -ENOMEM;
	if (!params)
		params = &none;
	img->fd = -1;
	img->writable = params->flags & PMK_WC_WRITE;
	img->table = params->table;
	img->seq_given = params->seq_count;
	img->read = read;
	img->progress = params->progress;
	img->arg = params->arg;
	rc = open_file(img, path);
	if (!rc)
		rc = file_size(img, path, &size);
	if (!rc)
		rc = place(img, path, size, params);
	if (!rc)
		rc = load(img, path);
	/* a superblock that is put together later is not opened */
	img->progress = NULL;
	if (rc)
		pmk_wc_image_close(img);
	else
		*img_ret = img;
	return rc;
}

PMK_EXPORT int pmk_wc_image_open(const char *path,
				 const struct pmk_wc_open_params *params,
				 struct pmk_wc_image **img_ret)
{
	return pmk_wc_image_open_with(path, params, pmk_pread_media, img_ret);
}

PMK_EXPORT void pmk_wc_image_close(struct pmk_wc_image *img)
{
	if (!img)
		return;
	pmk_wc_entries_free(img);
	free(img->order);
	if (img->fd >= 0)
		close(img->fd);
	free(img);
}

PMK_EXPORT const struct pmk_wc_superblock *pmk_wc_image_superblock(
	const struct pmk_wc_image *img)
{
	return &img->sb;
}

PMK_EXPORT const struct pmk_wc_geometry *pmk_wc_image_geometry(
	const struct pmk_wc_image *img)
{
	return img->has_geo ? &img->geo : NULL;
}

PMK_EXPORT enum pmk_wc_layout pmk_wc_image_layout(
	const struct pmk_wc_image *img)
{
	return img->layout;
}

PMK_EXPORT const struct pmk_wc_load *pmk_wc_image_load(
	const struct pmk_wc_image *img)
{
	return &img->load;
}

PMK_EXPORT int pmk_wc_image_read(const struct pmk_wc_image *img, uint64_t i,
				 void *buf)
{
	uint64_t off = pmk_wc_block_off(&img->geo, i);
	ssize_t n;

	if (off > img->room || img->room - off < img->geo.block_size)
		return PMK_E_RANGE;
	n = img->read(img->fd, buf, img->geo.block_size, img->base + off);
	if (n < 0)
		return (int)n;
	return (size_t)n < img->geo.block_size ? PMK_E_RANGE : 0;
}

PMK_EXPORT const struct pmk_wc_table *pmk_wc_image_table(
	const struct pmk_wc_image *img)
{
	return &img->table;
}

PMK_EXPORT ssize_t pmk_wc_image_pread(const struct pmk_wc_image *img,
				      uint64_t off, void *buf, size_t len)
{
	if (off >= img->room)
		return 0;
	return img->read(img->fd, buf, pmk_min_size(len, img->room - off),
			 img->base + off);
}
