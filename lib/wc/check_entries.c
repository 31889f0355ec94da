/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Problems of entries: of each in its order, and of those of one sector.  The
 * second walk goes by sectors, which is slow in memory, and is done only if
 * there is anything to find.
 */
#include <pmk/wc_check.h>

#include "base/util.h"
#include "wc/check.h"

/* loff_t ends at 2^63 bytes. */
#define SECTORS_MAX ((uint64_t)1 << 54)

static void check_place(struct wc_check *c, uint64_t i, uint64_t sector)
{
	uint64_t per_block = c->geo->block_size / PMK_WC_SECTOR;
	uint64_t end = c->origin_sectors;

	if (!pmk_is_aligned(sector, per_block))
		pmk_wc_check_meet_entry(c, PMK_WC_PROBLEM_UNALIGNED, i,
					PMK_WC_NO_ENTRY);
	if (sector > SECTORS_MAX - per_block)
		pmk_wc_check_meet_entry(c, PMK_WC_PROBLEM_SECTOR_OVERFLOW, i,
					PMK_WC_NO_ENTRY);
	else if (end && sector >= end)
		pmk_wc_check_meet_entry(c, PMK_WC_PROBLEM_PAST_ORIGIN, i,
					PMK_WC_NO_ENTRY);
	else if (end && end - sector < per_block)
		pmk_wc_check_meet_entry(c, PMK_WC_PROBLEM_ACROSS_ORIGIN_END, i,
					PMK_WC_NO_ENTRY);
}

static void check_entry(struct wc_check *c, uint64_t i, bool place)
{
	struct pmk_wc_entry e = pmk_wc_image_entry(c->img, i);

	switch (pmk_wc_entry_state(e, c->sb->seq_count)) {
	case PMK_WC_ENTRY_UNCOMMITTED:
		pmk_wc_check_meet_entry(c,
					e.seq_count > c->sb->seq_count
						? PMK_WC_PROBLEM_SEQ_AHEAD
						: PMK_WC_PROBLEM_UNCOMMITTED,
					i, PMK_WC_NO_ENTRY);
		break;
	case PMK_WC_ENTRY_COMMITTED:
		if (place)
			check_place(c, i, e.original_sector);
		break;
	default:
		break;
	}
}

static void check_in_order(struct wc_check *c)
{
	bool all_readable = !c->report->counts.unreadable;
	bool all_win = !c->report->counts.superseded;

	for (uint64_t i = 0; i < c->geo->n_blocks && !c->rc; i++) {
		if (all_readable || pmk_wc_image_entry_ok(c->img, i))
			check_entry(c, i, all_win);
		else
			pmk_wc_check_meet_entry(c,
						PMK_WC_PROBLEM_UNREADABLE_ENTRY,
						i, PMK_WC_NO_ENTRY);
	}
}

static uint64_t seq_at(const struct wc_check *c, uint64_t k)
{
	return pmk_wc_image_entry(c->img, pmk_wc_image_nth(c->img, k))
		.seq_count;
}

/*
 * The losers of a sector, from @first up to the winner at @last, in the order
 * of their sequences.  The kernel takes entries by number, and compares each
 * with the highest so far: it meets two equal ones unless a higher one comes
 * before the later of them.  Walked from the winner down, so that the higher
 * ones are known: @before is the lowest number of those.
 */
static void check_losers(struct wc_check *c, uint64_t first, uint64_t last)
{
	uint64_t winner = pmk_wc_image_nth(c->img, last);
	uint64_t before = UINT64_MAX, lowest = winner;

	for (uint64_t k = last; k > first && !c->rc; k--) {
		uint64_t later = pmk_wc_image_nth(c->img, k);
		uint64_t loser = pmk_wc_image_nth(c->img, k - 1);
		bool equal = seq_at(c, k) == seq_at(c, k - 1);

		if (!equal) {
			before = before < lowest ? before : lowest;
			lowest = loser;
		}
		lowest = lowest < loser ? lowest : loser;
		pmk_wc_check_meet_entry(c,
					equal && before > later
						? PMK_WC_PROBLEM_EQUAL_SEQ
						: PMK_WC_PROBLEM_SUPERSEDED,
					loser, winner);
	}
}

static void check_by_sector(struct wc_check *c)
{
	uint64_t n = pmk_wc_image_committed(c->img), first = 0;

	for (uint64_t k = 0; k < n && !c->rc; k++) {
		uint64_t i = pmk_wc_image_nth(c->img, k);

		if (!pmk_wc_image_wins(c->img, k))
			continue;
		check_losers(c, first, k);
		check_place(c, i,
			    pmk_wc_image_entry(c->img, i).original_sector);
		first = k + 1;
	}
}

void pmk_wc_check_entries(struct wc_check *c)
{
	check_in_order(c);
	if (c->report->counts.superseded && !c->rc)
		check_by_sector(c);
}
