/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the bytes say where the superblock does not: whether they are entries.
 * Nothing on media marks an entry, so that this is a judgement by what numbers
 * are plausible.
 */
#include <pmk/wc_check.h>

#include "base/util.h"
#include "wc/check.h"
#include "wc/format.h"

/* More than any device has got: 2^48 commits, and 2^54 sectors of origin. */
#define SEQ_PLAUSIBLE    ((uint64_t)1 << 48)
#define SECTOR_PLAUSIBLE ((uint64_t)1 << 54)

/* As many entries are looked at, where most of them tell. */
#define LIKELY_ENTRIES 65536U
/* ... and where each of them has to be one. */
#define SURE_ENTRIES ((uint64_t)1 << 20)
/* ... where an array goes on at once, or has ended: 1 KiB. */
#define NEXT_ENTRIES 64U
/* So many that were in use are no accident. */
#define USED_ENTRIES 8U

/* Where nothing can be read, each try takes a disk seconds. */
#define MAX_BAD 64U

struct tally {
	uint64_t seen;
	uint64_t good; /* can be entries */
	uint64_t used; /* of them, were in use: ones say nothing */
};

static uint64_t entries_of(uint64_t bytes)
{
	return bytes < PMK_WC_SUPERBLOCK_BYTES
		       ? 0
		       : (bytes - PMK_WC_SUPERBLOCK_BYTES) / PMK_WC_ENTRY_BYTES;
}

/* An entry by its looks.  That of sector 0 and sequence 0 looks like nothing at
 * all, which is what a device has far more often. */
static bool is_plausible(struct pmk_wc_entry e, uint64_t seq_max)
{
	if (e.seq_count == PMK_WC_FREE)
		return true;
	return e.seq_count <= seq_max && e.original_sector < SECTOR_PLAUSIBLE &&
	       (e.seq_count || e.original_sector);
}

/* A freed one keeps its sector. */
static bool was_used(struct pmk_wc_entry e)
{
	return e.original_sector < SECTOR_PLAUSIBLE;
}

/* Entries in their order, but for those that cannot be read. */
struct walk {
	const struct pmk_wc_image *img;
	uint64_t at, end; /* the next; the last is before */
	uint64_t n, k;    /* in the buffer, and of them gone by */
	unsigned int bad; /* pieces that cannot be read */
	unsigned char raw[4096];
};

static bool next_entry(struct walk *w, struct pmk_wc_entry *e)
{
	while (w->k == w->n) {
		uint64_t want = w->end - w->at;
		ssize_t got;

		if (w->at >= w->end || w->bad == MAX_BAD)
			return false;
		want = pmk_min_size(want, sizeof(w->raw) / PMK_WC_ENTRY_BYTES);
		got = pmk_wc_image_pread(w->img, pmk_wc_entry_off(w->at),
					 w->raw, want * PMK_WC_ENTRY_BYTES);
		w->bad += got < 0;
		w->n = got < 0 ? 0 : (uint64_t)got / PMK_WC_ENTRY_BYTES;
		w->k = 0;
		w->at += want;
	}
	*e = pmk_wc_entry_decode(w->raw + w->k++ * PMK_WC_ENTRY_BYTES);
	return true;
}

/* Entries @first up to @end, as far as the device goes and can be read. */
static struct tally look_at(const struct pmk_wc_image *img, uint64_t bytes,
			    uint64_t first, uint64_t end, uint64_t seq_max)
{
	struct walk w = {
		.img = img,
		.at = first,
		.end = pmk_min_size(end, entries_of(bytes)),
	};
	struct tally t = { 0, 0, 0 };
	struct pmk_wc_entry e;

	while (next_entry(&w, &e)) {
		bool good = is_plausible(e, seq_max);

		t.seen++;
		t.good += good;
		t.used += good && was_used(e);
	}
	return t;
}

uint64_t pmk_wc_count_behind_wipe(const struct pmk_wc_image *img,
				  uint64_t bytes)
{
	struct walk w = {
		.img = img,
		.at = (WC_WIPED_BYTES - PMK_WC_SUPERBLOCK_BYTES) /
		      PMK_WC_ENTRY_BYTES,
		.end = entries_of(bytes),
	};
	struct pmk_wc_entry e;
	uint64_t used = 0;

	while (next_entry(&w, &e) && is_plausible(e, SEQ_PLAUSIBLE))
		used += e.seq_count != PMK_WC_FREE;
	return used;
}

bool pmk_wc_entries_likely(const struct pmk_wc_image *img, uint64_t bytes,
			   uint64_t first, uint64_t n, uint64_t seq_count)
{
	uint64_t end = n - first < LIKELY_ENTRIES ? n : first + LIKELY_ENTRIES;
	struct tally t = look_at(img, bytes, first, end, seq_count);

	return t.good > t.seen / 2;
}

bool pmk_wc_array_goes_on(const struct pmk_wc_image *img, uint64_t bytes,
			  uint64_t n)
{
	return pmk_wc_entries_likely(img, bytes, n, n + NEXT_ENTRIES,
				     SEQ_PLAUSIBLE) ||
	       pmk_wc_entries_likely(img, bytes, n, n + LIKELY_ENTRIES,
				     SEQ_PLAUSIBLE);
}

/* Is what is behind the last entry none?  At the beginning of a block it may be
 * one that was never used, of a medium whose erased bytes are ones. */
static bool ends_at(const struct pmk_wc_image *img, uint64_t bytes,
		    const struct pmk_wc_superblock *sb)
{
	struct tally t = look_at(img, bytes, sb->n_blocks, sb->n_blocks + 1,
				 SEQ_PLAUSIBLE);

	return t.seen && !t.good &&
	       !pmk_is_aligned(pmk_wc_entry_off(sb->n_blocks), sb->block_size);
}

bool pmk_wc_is_cut_off(const struct pmk_wc_image *img, uint64_t bytes,
		       uint64_t most)
{
	const struct pmk_wc_superblock *sb = pmk_wc_image_superblock(img);
	uint64_t last = pmk_min_size(sb->n_blocks, entries_of(bytes));
	uint64_t end = last - most < SURE_ENTRIES ? last : most + SURE_ENTRIES;
	struct tally t;

	if (last <= most)
		return false;
	t = look_at(img, bytes, most, end, sb->seq_count);
	if (t.seen < end - most || t.good < t.seen)
		return false;
	/* no block is there, so that none can be taken for another */
	if (last < sb->n_blocks)
		return t.used;
	return t.used >= USED_ENTRIES || ends_at(img, bytes, sb);
}

uint64_t pmk_wc_count_in_use(const struct pmk_wc_image *img, uint64_t bytes,
			     uint32_t bs)
{
	unsigned char raw[4096];
	struct pmk_wc_geometry geo;
	uint64_t used = 0, step;

	if (pmk_wc_layout_for(bytes, bs, &geo))
		return 0;
	for (uint64_t i = 0; i < geo.n_blocks; i += step) {
		step = geo.n_blocks - i < sizeof(raw) / PMK_WC_ENTRY_BYTES
			       ? geo.n_blocks - i
			       : sizeof(raw) / PMK_WC_ENTRY_BYTES;
		if (pmk_wc_image_pread(img, pmk_wc_entry_off(i), raw,
				       step * PMK_WC_ENTRY_BYTES) !=
		    (ssize_t)(step * PMK_WC_ENTRY_BYTES)) {
			used += step;
			continue;
		}
		for (uint64_t k = 0; k < step; k++) {
			struct pmk_wc_entry e = pmk_wc_entry_decode(
				raw + k * PMK_WC_ENTRY_BYTES);

			used += e.seq_count != PMK_WC_FREE &&
				(e.seq_count || e.original_sector);
		}
	}
	return used;
}
