/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A superblock put together anew.  Only what is certain: a number of blocks
 * that moves the data, or a sequence that makes other entries count, is worse
 * than a cache that is refused.
 */
#include <string.h>

#include "base/endian.h"
#include "base/util.h"
#include "wc/check.h"
#include "wc/format.h"
#include "wc/image.h"
#include "wc/media.h"
#include "wc/repair.h"

#define WORD 8U

/*
 * Note each word of the superblock that becomes another one, and take it.  The
 * first word has magic and version: it is last, and one store, as a version
 * without a magic would neither load nor be formatted.
 */
static int take(struct pmk_wc_repair *r, enum pmk_wc_problem_code code,
		const unsigned char *raw)
{
	const struct wc_cause cause = { code, PMK_WC_NO_ENTRY };
	int rc = 0;

	for (unsigned int at = WORD; at < PMK_WC_SUPERBLOCK_BYTES && !rc;
	     at += WORD)
		rc = pmk_wc_repair_note(r, cause, at, raw + at, WORD);
	pmk_wc_repair_fence(r);
	if (!rc)
		rc = pmk_wc_repair_note(r, cause, 0, raw, WORD);
	pmk_wc_repair_fence(r);
	if (!rc)
		rc = pmk_wc_image_adopt(r->img, raw);
	if (rc || !r->img->has_geo)
		return rc;
	pmk_wc_repair_replay(r);
	rc = pmk_wc_image_reindex(r->img);
	pmk_wc_image_judge(r->img);
	return rc;
}

/*
 * Does the array, from @first to its end, hold what can be entries under this
 * superblock? If the number of blocks is too high, data is taken for entries,
 * and then one of them gives it away.  Zeros are what an empty disk has; as an
 * entry, such can be there once.
 */
static bool all_are_entries(const struct pmk_wc_image *img, uint64_t first)
{
	uint64_t per_block = img->sb.block_size / PMK_WC_SECTOR, zeros = 0;

	for (uint64_t i = first; i < img->geo.n_blocks; i++) {
		struct pmk_wc_entry e = pmk_wc_image_entry(img, i);

		if (!pmk_wc_image_entry_ok(img, i))
			return false;
		if (e.seq_count == PMK_WC_FREE)
			continue;
		if (e.seq_count > img->sb.seq_count ||
		    e.original_sector % per_block)
			return false;
		zeros += !e.seq_count && !e.original_sector;
	}
	return zeros < 2;
}

/* Would it be a good one, by the entries from @first on?  Asked in memory only;
 * the image stays as it is. */
static int is_proven(struct pmk_wc_repair *r, const unsigned char *raw,
		     uint64_t first, bool *proven_ret)
{
	unsigned char now[PMK_WC_SUPERBLOCK_BYTES];
	struct pmk_wc_image *img = r->img;
	int rc;

	*proven_ret = false;
	memcpy(now, img->raw, sizeof(now));
	rc = pmk_wc_image_adopt(img, raw);
	if (rc)
		return rc;
	*proven_ret = img->has_geo && img->layout == PMK_WC_LAYOUT_V1 &&
		      img->geo.end <= img->room && first < img->geo.n_blocks &&
		      all_are_entries(img, first);
	rc = pmk_wc_image_adopt(img, now);
	if (rc || !img->has_geo)
		return rc;
	pmk_wc_repair_replay(r);
	return pmk_wc_image_reindex(img);
}

static int take_if_proven(struct pmk_wc_repair *r,
			  enum pmk_wc_problem_code code,
			  const unsigned char *raw, bool *done_ret)
{
	int rc = is_proven(r, raw, 0, done_ret);

	return rc || !*done_ret ? rc : take(r, code, raw);
}

static void put_magic(unsigned char *raw)
{
	pmk_put_le32(raw, PMK_WC_MAGIC);
	pmk_put_le32(raw + 4, PMK_WC_VERSION);
}

/* The block size with which the device gets the number of blocks that it has;
 * 0 if it is not one only, or not the one that was told. */
static uint32_t find_block_size(const struct pmk_wc_image *img)
{
	uint32_t found = 0, told = img->table.block_size;

	for (uint32_t bs = PMK_WC_SECTOR; bs <= 65536; bs *= 2) {
		struct pmk_wc_geometry geo;

		if ((told && told != bs) ||
		    pmk_wc_layout_for(img->room, bs, &geo) ||
		    geo.n_blocks != img->sb.n_blocks)
			continue;
		if (found)
			return 0;
		found = bs;
	}
	return found;
}

static int fix_block_size(struct pmk_wc_repair *r,
			  enum pmk_wc_problem_code code, unsigned char *raw,
			  bool *done_ret)
{
	uint32_t bs = find_block_size(r->img);

	if (!bs)
		return 0;
	pmk_put_le32(raw + 8, bs);
	return take_if_proven(r, code, raw, done_ret);
}

static int fix_n_blocks(struct pmk_wc_repair *r, enum pmk_wc_problem_code code,
			unsigned char *raw, bool *done_ret)
{
	struct pmk_wc_geometry geo;

	if (pmk_wc_layout_for(r->img->room, r->img->sb.block_size, &geo))
		return 0;
	/* perhaps the device was cut off, or the block size is wrong as well */
	if (pmk_wc_array_goes_on(r->img, r->img->room, geo.n_blocks))
		return 0;
	pmk_put_le64(raw + 16, geo.n_blocks);
	return take_if_proven(r, code, raw, done_ret);
}

/* With nothing in it a cache can begin at any sequence; else it has to be
 * told. */
static int fix_seq(struct pmk_wc_repair *r, enum pmk_wc_problem_code code,
		   unsigned char *raw, bool *done_ret)
{
	const struct pmk_wc_counts *c = &r->img->counts;
	uint64_t seq = r->params.seq_count;

	if (!seq && (!r->img->has_geo || c->committed || c->uncommitted ||
		     c->unreadable))
		return 0;
	if (seq == r->img->sb.seq_count)
		return 0;
	pmk_put_le64(raw + 24, seq);
	*done_ret = true;
	return take(r, code, raw);
}

/* A superblock for all of the device; 0 is done. */
static int layout_new(const struct pmk_wc_repair *r, uint32_t bs, uint64_t seq,
		      unsigned char *raw, struct pmk_wc_geometry *geo)
{
	struct pmk_wc_superblock sb = {
		.magic = PMK_WC_MAGIC,
		.version = PMK_WC_VERSION,
		.block_size = bs,
		.seq_count = seq,
	};

	if (!pmk_wc_block_size_ok(bs) ||
	    pmk_wc_layout_for(r->img->room, bs, geo))
		return -1;
	sb.n_blocks = geo->n_blocks;
	pmk_wc_superblock_encode(&sb, raw);
	return 0;
}

/* Nothing is in it: what the kernel had begun. */
static int finish_format(struct pmk_wc_repair *r, enum pmk_wc_problem_code code,
			 unsigned char *raw, bool *done_ret)
{
	const struct wc_cause cause = { code, PMK_WC_NO_ENTRY };
	struct pmk_wc_geometry geo;
	uint32_t bs = r->img->sb.block_size;
	int rc;

	if (!pmk_wc_block_size_ok(bs))
		bs = r->img->table.block_size ? r->img->table.block_size
					      : WC_DEFAULT_BLOCK;
	if (layout_new(r, bs, 0, raw, &geo))
		return 0;
	/* perhaps a cache that lost its magic and its sequence; where the block
	 * size is lost as well, with an array as long as there can be */
	if (pmk_wc_count_in_use(r->img, r->img->room,
				pmk_wc_block_size_ok(r->img->sb.block_size)
					? bs
					: PMK_WC_SECTOR))
		return 0;
	rc = pmk_wc_repair_note_ones(r, cause, pmk_wc_entry_off(0),
				     geo.n_blocks * PMK_WC_ENTRY_BYTES);
	/* fence: a superblock with a magic promises entries */
	pmk_wc_repair_fence(r);
	*done_ret = true;
	return rc ? rc : take(r, code, raw);
}

/*
 * The first 4096 bytes were zeroed: the superblock, and 252 entries, which are
 * lost.  The block size and the sequence have to be told.
 */
static int fix_wiped(struct pmk_wc_repair *r, enum pmk_wc_problem_code code,
		     unsigned char *raw, bool *done_ret)
{
	const struct wc_cause cause = { code, PMK_WC_NO_ENTRY };
	struct pmk_wc_geometry geo;
	const uint64_t first =
		(WC_WIPED_BYTES - PMK_WC_SUPERBLOCK_BYTES) / PMK_WC_ENTRY_BYTES;
	unsigned char now[WC_WIPED_BYTES];
	uint64_t end;
	int rc;

	if (!r->params.seq_count || layout_new(r, r->img->table.block_size,
					       r->params.seq_count, raw, &geo))
		return 0;
	/* what is there now is written to the undo file */
	if (pmk_wc_image_pread(r->img, 0, now, sizeof(now)) < 0)
		return 0;
	/* with a larger block size than it has, the array is longer */
	if (pmk_wc_array_goes_on(r->img, r->img->room, geo.n_blocks))
		return 0;
	rc = is_proven(r, raw, first, done_ret);
	if (rc || !*done_ret)
		return rc;
	end = pmk_wc_entry_off(geo.n_blocks);
	/* zeros would be entries of sector 0 */
	rc = pmk_wc_repair_note_ones(r, cause, pmk_wc_entry_off(0),
				     pmk_min_size(end, WC_WIPED_BYTES) -
					     pmk_wc_entry_off(0));
	/* fence: a superblock with a magic promises entries */
	pmk_wc_repair_fence(r);
	return rc ? rc : take(r, code, raw);
}

int pmk_wc_repair_superblock(struct pmk_wc_repair *r,
			     enum pmk_wc_problem_code code, bool *done_ret)
{
	unsigned char raw[PMK_WC_SUPERBLOCK_BYTES];

	memcpy(raw, r->img->raw, sizeof(raw));
	switch (code) {
	case PMK_WC_PROBLEM_ZEROED:
	case PMK_WC_PROBLEM_MAGIC_DAMAGED:
	case PMK_WC_PROBLEM_BAD_VERSION:
		put_magic(raw);
		return take_if_proven(r, code, raw, done_ret);
	case PMK_WC_PROBLEM_INTERRUPTED:
		return finish_format(r, code, raw, done_ret);
	case PMK_WC_PROBLEM_WIPED:
		return fix_wiped(r, code, raw, done_ret);
	case PMK_WC_PROBLEM_BAD_BLOCK_SIZE:
		return fix_block_size(r, code, raw, done_ret);
	case PMK_WC_PROBLEM_N_BLOCKS_ZERO:
	case PMK_WC_PROBLEM_N_BLOCKS_OVERFLOW:
	case PMK_WC_PROBLEM_N_BLOCKS_TOO_LARGE:
		return fix_n_blocks(r, code, raw, done_ret);
	default:
		return fix_seq(r, code, raw, done_ret);
	}
}
