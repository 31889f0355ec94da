/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files and devices are the same, and stores to a cache. */
#include <errno.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "wc/image.h"
#include "wc/media.h"

/* What a descriptor is, by whatever name it was opened. */
struct identity {
	dev_t dev;
	uint64_t inode; /* 0: @dev is a block device */
};

static bool same(struct identity a, struct identity b)
{
	return a.dev == b.dev && a.inode == b.inode;
}

static struct identity identify(int fd)
{
	struct loop_info64 loop;
	struct stat st;

	if (fstat(fd, &st))
		return (struct identity){ 0, 0 };
	if (!S_ISBLK(st.st_mode))
		return (struct identity){ st.st_dev, st.st_ino };
	/* a loop device is the file below it */
	if (!ioctl(fd, LOOP_GET_STATUS64, &loop) && loop.lo_inode)
		return (struct identity){ loop.lo_device, loop.lo_inode };
	return (struct identity){ st.st_rdev, 0 };
}

bool pmk_wc_media_same(int fd_a, int fd_b)
{
	return same(identify(fd_a), identify(fd_b));
}

int pmk_wc_image_store(struct pmk_wc_image *img, uint64_t off, const void *buf,
		       size_t len)
{
	if (off > img->room || len > img->room - off)
		return PMK_E_RANGE;
	return pmk_pwrite_full(img->fd, buf, len, img->base + off);
}

int pmk_wc_image_free_entry(struct pmk_wc_image *img, uint64_t i)
{
	unsigned char *raw = img->entries + i * PMK_WC_ENTRY_BYTES;
	unsigned char freed[PMK_WC_ENTRY_BYTES];
	const size_t seq = sizeof(uint64_t); /* behind the sector */
	int rc;

	memset(freed, 0xff, sizeof(freed));
	rc = pmk_wc_image_store(img, pmk_wc_entry_off(i) + seq, freed + seq,
				sizeof(freed) - seq);
	if (!rc)
		memcpy(raw + seq, freed + seq, sizeof(freed) - seq);
	return rc;
}

int pmk_wc_image_sync(struct pmk_wc_image *img)
{
	return fdatasync(img->fd) ? -errno : 0;
}

int pmk_wc_image_reindex(struct pmk_wc_image *img)
{
	free(img->order);
	img->order = NULL;
	img->n_order = 0;
	img->identical = false;
	img->counts = (struct pmk_wc_counts){ .free = 0 };
	return pmk_wc_index_build(img);
}
