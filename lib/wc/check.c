/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All problems of a cache.  This part: the walk, and those that belong to no
 * entry.
 */
#include <errno.h>
#include <stdlib.h>

#include <pmk/wc_check.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/check.h"
#include "wc/format.h"
#include "wc/image.h"

#define DEFAULT_PAGE 4096U

/*
 * At a commit a microsecond, 2^48 commits take 9 years without a pause.
 */
#define SEQ_IMPLAUSIBLE ((uint64_t)1 << 48)

static void meet(struct wc_check *c, const struct pmk_wc_problem *p)
{
	const struct pmk_wc_problem_info *info = pmk_wc_problem_info(p->code);

	if (c->rc)
		return;
	c->report->found[p->code]++;
	if (info->severity > c->report->worst)
		c->report->worst = info->severity;
	if (c->met)
		c->rc = c->met(p, c->arg);
}

void pmk_wc_check_meet(struct wc_check *c, enum pmk_wc_problem_code code,
		       uint64_t value, uint64_t limit)
{
	struct pmk_wc_problem p = {
		.code = code,
		.entry = PMK_WC_NO_ENTRY,
		.other_entry = PMK_WC_NO_ENTRY,
		.value = value,
		.limit = limit,
	};

	meet(c, &p);
}

void pmk_wc_check_meet_entry(struct wc_check *c, enum pmk_wc_problem_code code,
			     uint64_t entry, uint64_t other)
{
	struct pmk_wc_entry e = pmk_wc_image_entry(c->img, entry);
	struct pmk_wc_problem p = {
		.code = code,
		.entry = entry,
		.other_entry = other,
		.sector = e.original_sector,
		.seq_count = e.seq_count,
	};

	if (code == PMK_WC_PROBLEM_UNREADABLE_ENTRY)
		p.sector = p.seq_count = 0;
	meet(c, &p);
}

static uint32_t page_size(const struct wc_check *c)
{
	return c->table->page_size ? c->table->page_size : DEFAULT_PAGE;
}

/* What the table asks for, apart from what is on the device. */
static void check_table(struct wc_check *c)
{
	uint64_t sectors = c->table->device_bytes / PMK_WC_SECTOR;
	uint32_t bs = pmk_wc_block_size_asked(c->table, c->layout, c->sb);

	if (c->table->block_size &&
	    (!pmk_wc_block_size_ok(bs) || bs > page_size(c)))
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_TABLE_BLOCK_SIZE, bs,
				  page_size(c));
	if (bs < c->table->logical_block)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_TABLE_LOGICAL_BLOCK, bs,
				  c->table->logical_block);
	if (c->table->start_sector && c->table->start_sector >= sectors)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_TABLE_START_SECTOR,
				  c->table->start_sector, sectors);
}

/* The least that a device has to have for a block: its metadata has one. */
static void check_room(struct wc_check *c)
{
	uint32_t bs = pmk_wc_block_size_asked(c->table, c->layout, c->sb);
	struct pmk_wc_geometry geo;
	int rc;

	if (!pmk_wc_block_size_ok(bs))
		return;
	rc = pmk_wc_layout_for(c->bytes, bs, &geo);
	if (rc == -ENOSPC ||
	    (c->table->mode == 'p' && c->table->device_bytes < page_size(c)))
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_DEVICE_TOO_SMALL, c->bytes,
				  2 * (uint64_t)bs);
	else if (rc &&
		 (c->table->mode != 'p' || c->layout == PMK_WC_LAYOUT_BLANK))
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_DEVICE_TOO_LARGE, c->bytes,
				  0);
}

/* Magic or version is wrong, and the rest fits the device. */
static void meet_behind(struct wc_check *c, enum pmk_wc_problem_code code)
{
	pmk_wc_check_meet(c, code, c->report->counts.committed,
			  c->geo->n_blocks);
}

/* Magic and version are 0: whatever is behind them is about to be lost. */
static void check_blank(struct wc_check *c)
{
	uint64_t n;

	if (c->geo) {
		meet_behind(c, PMK_WC_PROBLEM_ZEROED);
		return;
	}
	n = pmk_wc_count_behind_wipe(c->img, c->bytes);
	if (n)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_WIPED, n, 0);
	else
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_BLANK, 0, 0);
}

/* Of the superblock, whatever its magic; else the one asked for. */
static uint32_t block_size_of(const struct wc_check *c)
{
	return pmk_wc_block_size_ok(c->sb->block_size)
		       ? c->sb->block_size
		       : pmk_wc_block_size_asked(c->table, c->layout, c->sb);
}

/*
 * The kernel stores the version when it begins to format, and the magic at the
 * end.  The sequence is 0 all the while, and by that nothing is committed.
 */
static void check_interrupted(struct wc_check *c)
{
	if (!c->sb->seq_count)
		pmk_wc_check_meet(
			c, PMK_WC_PROBLEM_INTERRUPTED,
			pmk_wc_count_in_use(c->img, c->bytes, block_size_of(c)),
			0);
	else if (c->geo)
		meet_behind(c, PMK_WC_PROBLEM_MAGIC_DAMAGED);
	else
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_BAD_MAGIC, c->sb->magic, 0);
}

static void check_unknown(struct wc_check *c)
{
	if (c->sb->version == PMK_WC_VERSION && c->geo)
		meet_behind(c, PMK_WC_PROBLEM_MAGIC_DAMAGED);
	else
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_BAD_MAGIC, c->sb->magic, 0);
}

static void check_foreign(struct wc_check *c)
{
	switch (c->layout) {
	case PMK_WC_LAYOUT_BLANK:
		check_blank(c);
		break;
	case PMK_WC_LAYOUT_INTERRUPTED:
		check_interrupted(c);
		break;
	case PMK_WC_LAYOUT_2016:
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_LAYOUT_2016, 0, 0);
		break;
	case PMK_WC_LAYOUT_PETASAN:
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_LAYOUT_PETASAN, 0, 0);
		break;
	case PMK_WC_LAYOUT_BIG_ENDIAN:
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_BIG_ENDIAN, 0, 0);
		break;
	case PMK_WC_LAYOUT_VERSION:
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_BAD_VERSION, c->sb->version,
				  0);
		break;
	default:
		check_unknown(c);
	}
}

static void check_block_size(struct wc_check *c)
{
	uint32_t bs = c->sb->block_size, arg = c->table->block_size;

	if (!pmk_wc_block_size_ok(bs)) {
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_BAD_BLOCK_SIZE, bs, 0);
		return;
	}
	if (bs > page_size(c))
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_BLOCK_SIZE_OVER_PAGE, bs,
				  page_size(c));
	if (arg && arg != bs)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_BLOCK_SIZE_MISMATCH, bs,
				  arg);
}

/* With another block size the device has room for just as many blocks. */
static bool fits_other_block_size(const struct wc_check *c)
{
	for (uint32_t bs = PMK_WC_SECTOR; bs <= 65536; bs *= 2) {
		struct pmk_wc_geometry geo;

		if (bs != c->sb->block_size &&
		    !pmk_wc_layout_for(c->bytes, bs, &geo) &&
		    geo.n_blocks == c->sb->n_blocks)
			return true;
	}
	return false;
}

/* Fewer blocks than there is room for: a device that was made larger, or a
 * superblock that is wrong. */
static void check_room_behind(struct wc_check *c, uint64_t n, uint64_t most)
{
	bool wrong = fits_other_block_size(c) ||
		     pmk_wc_entries_likely(c->img, c->bytes, n, most,
					   c->sb->seq_count);

	pmk_wc_check_meet(c,
			  wrong ? PMK_WC_PROBLEM_N_BLOCKS_TOO_SMALL
				: PMK_WC_PROBLEM_UNUSED_ROOM,
			  n, most);
}

/* The number of blocks, and whether the device has as many. */
static void check_n_blocks(struct wc_check *c)
{
	struct pmk_wc_geometry geo, most = { .n_blocks = 0 };
	uint64_t n = c->sb->n_blocks;
	uint32_t bs = c->sb->block_size;

	if (!pmk_wc_block_size_ok(bs))
		return;
	if (pmk_wc_layout_for(c->bytes, bs, &most))
		most.n_blocks = 0;
	if (!n)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_N_BLOCKS_ZERO, 0, 0);
	else if (pmk_wc_layout_of(n, bs, &geo))
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_N_BLOCKS_OVERFLOW, n,
				  most.n_blocks);
	else if (geo.end <= c->bytes) {
		if (n < most.n_blocks)
			check_room_behind(c, n, most.n_blocks);
	} else if (!fits_other_block_size(c) &&
		   pmk_wc_is_cut_off(c->img, c->bytes, most.n_blocks))
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_TRUNCATED, c->bytes,
				  geo.end);
	else
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_N_BLOCKS_TOO_LARGE, n,
				  most.n_blocks);
}

static void check_seq(struct wc_check *c)
{
	uint64_t s = c->sb->seq_count;

	if (s == UINT64_MAX)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_SEQ_WRAP, s, 0);
	else if (s >= SEQ_IMPLAUSIBLE)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_SEQ_NEAR_WRAP, s, 0);
}

static void check_unread_fields(struct wc_check *c)
{
	size_t len = sizeof(c->sb->reserved);

	if (c->sb->pad)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_JUNK_PAD, c->sb->pad, 0);
	for (size_t i = 0; i < len; i++)
		if (c->sb->reserved[i]) {
			pmk_wc_check_meet(c, PMK_WC_PROBLEM_JUNK_RESERVED,
					  PMK_WC_SUPERBLOCK_BYTES - len + i, 0);
			return;
		}
}

static void check_unreadable_tail(struct wc_check *c)
{
	pmk_wc_check_meet(c,
			  c->table->mode == 'p'
				  ? PMK_WC_PROBLEM_UNREAD_TAIL
				  : PMK_WC_PROBLEM_UNREADABLE_TAIL,
			  c->img->tail_bad, 0);
}

/* Zeros is what was there before, ones is what a format that goes on to the end
 * would leave. */
static void check_tail(struct wc_check *c)
{
	uint64_t off = pmk_wc_entry_off(c->geo->n_blocks);
	uint64_t end = c->geo->data_off;
	size_t len = (size_t)(end - off), i = 1;
	ssize_t got;

	/* less than a block, which is at most 64 KiB */
	if (!len)
		return;
	if (c->img->tail_bad) {
		check_unreadable_tail(c);
		return;
	}
	got = pmk_wc_image_pread(c->img, off, c->buf, len);
	if (got <= 0)
		return;
	if (c->buf[0] == 0 || c->buf[0] == 0xff)
		while (i < (size_t)got && c->buf[i] == c->buf[0])
			i++;
	else
		i = 0;
	if (i < (size_t)got)
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_TAIL_GARBAGE, off + i, 0);
}

void pmk_wc_check_device(struct wc_check *c)
{
	check_table(c);
	check_room(c);
	if (c->img->raw_error) {
		pmk_wc_check_meet(c, PMK_WC_PROBLEM_UNREADABLE_SUPERBLOCK, 0,
				  0);
		return;
	}
	/* nothing to look at, and that it is too small was said */
	if (c->bytes < PMK_WC_SUPERBLOCK_BYTES)
		return;
	if (c->layout != PMK_WC_LAYOUT_V1) {
		check_foreign(c);
		return;
	}
	check_block_size(c);
	check_n_blocks(c);
	check_unread_fields(c);
	check_seq(c);
	if (c->geo && !c->rc)
		check_tail(c);
}

static uint64_t bytes_of(const struct pmk_wc_table *t)
{
	uint64_t sectors = t->device_bytes / PMK_WC_SECTOR;

	if (t->start_sector >= sectors)
		return 0;
	return (sectors - t->start_sector) * PMK_WC_SECTOR;
}

PMK_EXPORT int pmk_wc_check(const struct pmk_wc_image *img,
			    const struct pmk_wc_check_params *params,
			    pmk_wc_met_fn *met, void *arg,
			    struct pmk_wc_check_report *report_ret)
{
	struct wc_check c = {
		.img = img,
		.sb = pmk_wc_image_superblock(img),
		.geo = pmk_wc_image_geometry(img),
		.table = pmk_wc_image_table(img),
		.layout = pmk_wc_image_layout(img),
		.met = met,
		.arg = arg,
		.report = report_ret,
	};

	c.bytes = bytes_of(c.table);
	if (params)
		c.origin_sectors = params->origin_bytes / PMK_WC_SECTOR;
	*report_ret = (struct pmk_wc_check_report){ .worst = PMK_WC_INFO };
	report_ret->load = *pmk_wc_image_load(img);
	pmk_wc_image_counts(img, &report_ret->counts);
	c.buf = malloc(WC_CHECK_CHUNK);
	if (!c.buf)
		return pmk_fail(-ENOMEM, "no memory for a check");
	pmk_wc_check_device(&c);
	/* an interrupted format leaves those of an older cache */
	if (c.geo && !c.rc && !report_ret->found[PMK_WC_PROBLEM_INTERRUPTED])
		pmk_wc_check_entries(&c);
	free(c.buf);
	return c.rc;
}
