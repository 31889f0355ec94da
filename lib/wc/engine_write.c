/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing.  A block that is not committed is written in place; one that is
 * gets another block (mode p), or is written in place as well (mode s).
 *
 * No fence is here: an entry with the sequence of the superblock is not valid,
 * nor is any half of it, whatever of it and of its data a crash leaves.
 */
#include <errno.h>

#include "base/export.h"
#include "base/util.h"
#include "wc/engine.h"

/* Blocks that are written back when mode p has none left. */
#define ROOM_BLOCKS 64

/* Neighbours in the file that become one write (mode s). */
struct run {
	uint32_t first;
	uint32_t n;
	const unsigned char *src;
};

/* A block that has an entry and not its data must never be committed: a failure
 * is the cache's. */
static int write_file(struct pmk_wc *wc, enum wc_file file, const void *src,
		      size_t len, uint64_t off)
{
	const struct wc_target *t = &wc->target;
	int rc = t->ops->write(t->ctx, file, src, len, off);

	return rc ? pmk_wc_fail(wc, rc) : 0;
}

static int write_run(struct pmk_wc *wc, struct run *r)
{
	size_t len = (size_t)r->n * wc->geo.block_size;

	if (!r->n)
		return 0;
	r->n = 0;
	return write_file(wc, WC_CACHE, r->src, len,
			  pmk_wc_file_off(wc, r->first));
}

static int put_data(struct pmk_wc *wc, uint32_t i, const unsigned char *src,
		    struct run *r)
{
	const struct wc_target *t = &wc->target;
	uint32_t bs = wc->geo.block_size;
	int rc = 0;

	wc->stats.data_bytes += bs;
	if (t->mode == 'p') {
		t->ops->data(t->ctx, pmk_wc_data(wc, i), src, bs);
		return 0;
	}
	if (r->n && i == r->first + r->n) {
		r->n++;
		return 0;
	}
	rc = write_run(wc, r);
	*r = (struct run){ .first = i, .n = 1, .src = src };
	return rc;
}

/* Mode p: blocks are freed when there are none; what is not committed cannot
 * be written back. */
static int make_room(struct pmk_wc *wc)
{
	int64_t n;

	wc->stats.writes_blocked++;
	if (!wc->target.has_origin)
		return -ENOSPC;
	n = pmk_wc_write_back(wc, ROOM_BLOCKS);
	return n < 0 ? (int)n : 0;
}

static int write_around(struct pmk_wc *wc, uint64_t off,
			const unsigned char *src)
{
	wc->stats.writes_around++;
	if (!wc->target.has_origin)
		return -ENOSPC;
	wc->wrote_around = true;
	return write_file(wc, WC_ORIGIN, src, wc->geo.block_size, off);
}

static int write_new(struct pmk_wc *wc, uint64_t off, const unsigned char *src,
		     struct run *r)
{
	uint64_t sector = off / PMK_WC_SECTOR;
	uint32_t i = pmk_wc_table_next_free(&wc->table);
	int rc;

	if (i == WC_NONE && wc->target.mode == 's')
		return write_around(wc, off, src);
	if (i == WC_NONE) {
		rc = make_room(wc);
		if (rc)
			return rc;
		i = pmk_wc_table_next_free(&wc->table);
	}
	/* all ones would be free */
	if (wc->seq == PMK_WC_FREE)
		return -EOVERFLOW;
	wc->stats.writes_allocate++;
	/* first the entry, then the data: in any order, see above */
	pmk_wc_put_entry(wc, i, sector, wc->seq);
	pmk_wc_table_use(&wc->table, i, sector, wc->seq);
	wc->uncommitted++;
	return put_data(wc, i, src, r);
}

static int write_block(struct pmk_wc *wc, uint64_t off,
		       const unsigned char *src, struct run *r)
{
	uint32_t i = pmk_wc_table_find(&wc->table, off / PMK_WC_SECTOR);

	wc->stats.writes++;
	if (i == WC_NONE)
		return write_new(wc, off, src, r);
	if (!pmk_wc_is_committed(wc, i)) {
		wc->stats.write_hits_uncommitted++;
		return put_data(wc, i, src, r);
	}
	wc->stats.write_hits_committed++;
	if (wc->target.mode == 'p')
		return write_new(wc, off, src, r);
	wc->overwrote = true;
	return put_data(wc, i, src, r);
}

PMK_EXPORT int pmk_wc_write(struct pmk_wc *wc, uint64_t off, const void *buf,
			    size_t len, unsigned int flags)
{
	const unsigned char *src = buf;
	struct run r = { .n = 0 };
	int rc = pmk_wc_check_range(wc, off, len), last;

	if (rc || flags & ~PMK_WC_FUA)
		return -EINVAL;
	if (wc->error)
		return -EIO;
	for (size_t done = 0; done < len && !rc; done += wc->geo.block_size)
		rc = write_block(wc, off + done, src + done, &r);
	/* what has an entry has its data, too, whatever came then */
	last = write_run(wc, &r);
	if (!rc)
		rc = last;
	if (!rc && (flags & PMK_WC_FUA || wc->uncommitted >= wc->autocommit))
		rc = pmk_wc_commit(wc);
	return rc;
}
