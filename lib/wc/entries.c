/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All entries of a cache into memory.  Where the medium fails, the failing
 * sectors are found by halving, and only their entries are lost.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <pmk/wc_image.h>

#include "base/export.h"
#include "base/log.h"
#include "base/media.h"
#include "base/util.h"
#include "wc/image.h"

/* One read: enough for a disk's full speed, little beside the entries. */
#define CHUNK ((uint64_t)8 << 20)

static uint64_t entries_bytes(const struct pmk_wc_image *img)
{
	return img->geo.n_blocks * PMK_WC_ENTRY_BYTES;
}

void pmk_wc_image_step(const struct pmk_wc_image *img, uint64_t done)
{
	if (img->progress)
		img->progress(done, 2 * entries_bytes(img), img->arg);
}

static int mark_bad(struct pmk_wc_image *img, uint64_t first, uint64_t last)
{
	if (!img->bad)
		img->bad = calloc(img->geo.n_blocks / 8 + 1, 1);
	if (!img->bad)
		return -ENOMEM;
	for (uint64_t i = first; i <= last; i++)
		img->bad[i / 8] |= (unsigned char)(1U << i % 8);
	return 0;
}

/* Bytes @from to @to of the array are lost; none is empty. */
static int lose(struct pmk_wc_image *img, uint64_t from, uint64_t to)
{
	uint64_t first = from / PMK_WC_ENTRY_BYTES;
	uint64_t last = (to - 1) / PMK_WC_ENTRY_BYTES;

	memset(img->entries + first * PMK_WC_ENTRY_BYTES, 0xff,
	       (last - first + 1) * PMK_WC_ENTRY_BYTES);
	return mark_bad(img, first, last);
}

/* Where to cut, at a sector of the file; @from if it is all in one. */
static uint64_t middle(uint64_t file_off, uint64_t from, uint64_t to)
{
	uint64_t cut = pmk_align_down(file_off + from + (to - from) / 2,
				      PMK_WC_SECTOR);

	if (cut <= file_off + from)
		cut = pmk_align_down(file_off + to - 1, PMK_WC_SECTOR);
	return cut <= file_off + from ? from : cut - file_off;
}

/*
 * Bytes @from to @to of the array.  Halves are read until one sector is left:
 * the depth is 14, for 8 MiB.
 */
static int read_part(struct pmk_wc_image *img, uint64_t from, uint64_t to)
{
	uint64_t file_off = img->base + PMK_WC_SUPERBLOCK_BYTES, cut;
	ssize_t n = img->read(img->fd, img->entries + from, to - from,
			      file_off + from);
	int rc;

	if (n < 0 && !pmk_is_medium_error((int)n))
		return (int)n;
	if (n >= 0) /* a file that was cut off meanwhile has no more */
		return (uint64_t)n < to - from
			       ? lose(img, from + (uint64_t)n, to)
			       : 0;
	cut = middle(file_off, from, to);
	if (cut == from)
		return lose(img, from, to);
	rc = read_part(img, from, cut);
	return rc ? rc : read_part(img, cut, to);
}

/* The first byte from @off up to @end of the cache that cannot be read; 0 is
 * none. */
static uint64_t find_bad(const struct pmk_wc_image *img, uint64_t off,
			 uint64_t end, uint64_t piece)
{
	unsigned char buf[4096];
	uint64_t n, bad = 0;

	for (; off < end && !bad; off += n) {
		n = piece - (img->base + off) % piece;
		n = pmk_min_size(n, end - off);
		if (pmk_wc_image_pread(img, off, buf, n) >= 0)
			continue;
		bad = piece == PMK_WC_SECTOR
			      ? off
			      : find_bad(img, off, off + n, PMK_WC_SECTOR);
	}
	return bad;
}

int pmk_wc_entries_read(struct pmk_wc_image *img)
{
	uint64_t size = entries_bytes(img);
	void *p;
	int rc = 0;

	/* nothing is in there, but the kernel reads it in mode s */
	img->tail_bad = find_bad(img, pmk_wc_entry_off(img->geo.n_blocks),
				 img->geo.data_off, 4096);
	if (!size)
		return 0;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return pmk_fail(-errno, "no memory for %llu entries",
				(unsigned long long)img->geo.n_blocks);
	/* they are looked up in the order of their sectors, at random */
	(void)madvise(p, size, MADV_HUGEPAGE);
	img->entries = p;
	for (uint64_t off = 0; !rc && off < size; off += CHUNK) {
		pmk_wc_image_step(img, off);
		rc = read_part(img, off, off + pmk_min_size(CHUNK, size - off));
	}
	return rc;
}

void pmk_wc_entries_free(struct pmk_wc_image *img)
{
	if (img->entries)
		munmap(img->entries, entries_bytes(img));
	free(img->bad);
	img->entries = NULL;
	img->bad = NULL;
}

PMK_EXPORT struct pmk_wc_entry pmk_wc_image_entry(
	const struct pmk_wc_image *img, uint64_t i)
{
	return pmk_wc_entry_decode(img->entries + i * PMK_WC_ENTRY_BYTES);
}

PMK_EXPORT bool pmk_wc_image_entry_ok(const struct pmk_wc_image *img,
				      uint64_t i)
{
	return !img->bad || !(img->bad[i / 8] >> i % 8 & 1);
}
