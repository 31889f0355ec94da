/* SPDX-License-Identifier: BSD-3-Clause */
/* Commit: the point at which writes become durable. */
#include <errno.h>

#include "base/export.h"
#include "base/util.h"
#include "wc/engine.h"

int pmk_wc_fail(struct pmk_wc *wc, int rc)
{
	if (!wc->error)
		wc->error = rc;
	return rc;
}

/* Free what the blocks that were just committed have superseded, the oldest
 * first.  Returns how many. */
static uint32_t free_superseded(struct pmk_wc *wc, uint32_t committed)
{
	struct wc_table *t = &wc->table;
	uint32_t i = t->used.newest, n = 0;

	for (uint32_t k = 1; k < committed; k++)
		i = t->block[i].older;
	for (; i != WC_NONE; i = t->block[i].newer) {
		uint32_t old = pmk_wc_table_older(t, i);

		if (old == WC_NONE)
			continue;
		pmk_wc_put_free(wc, old);
		pmk_wc_table_release(t, old);
		n++;
	}
	return n;
}

static int commit_new(struct pmk_wc *wc)
{
	uint32_t committed = wc->uncommitted;
	int rc;

	/* data and entries: before the sequence that makes them valid */
	rc = pmk_wc_barrier(wc, WC_BARRIER_DATA);
	if (rc)
		return rc;
	wc->seq++;
	wc->uncommitted = 0;
	wc->overwrote = false;
	pmk_wc_put8(wc, WC_OFF_SEQ_COUNT, wc->seq);
	/* the sequence: before what it supersedes is freed, and before the
	 * caller is told */
	rc = pmk_wc_barrier_super(wc, WC_BARRIER_SEQ);
	if (rc)
		return rc;
	wc->stats.commits++;
	committed = free_superseded(wc, committed);
	wc->stats.superseded += committed;
	/* what is free: before it is used again */
	return committed ? pmk_wc_barrier(wc, WC_BARRIER_SUPERSEDED) : 0;
}

/* Data that were written in place have no entry to be committed. */
static int sync_overwritten(struct pmk_wc *wc)
{
	int rc = pmk_wc_sync_cache(wc, WC_BARRIER_OVERWRITTEN);

	if (!rc)
		wc->overwrote = false;
	return rc;
}

static int sync_around(struct pmk_wc *wc)
{
	int rc = pmk_wc_sync_origin(wc, WC_BARRIER_AROUND);

	if (!rc)
		wc->wrote_around = false;
	return rc;
}

PMK_EXPORT int pmk_wc_commit(struct pmk_wc *wc)
{
	int rc = 0;

	if (wc->error)
		return -EIO;
	if (wc->wrote_around)
		rc = sync_around(wc);
	if (!rc && wc->uncommitted)
		rc = commit_new(wc);
	else if (!rc && wc->overwrote)
		rc = sync_overwritten(wc);
	return rc ? pmk_wc_fail(wc, rc) : 0;
}
