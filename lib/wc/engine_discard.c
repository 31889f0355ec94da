/* SPDX-License-Identifier: BSD-3-Clause */
/* Discard: entries of a range are freed, then the origin is told. */
#include <errno.h>

#include "base/export.h"
#include "base/util.h"
#include "wc/engine.h"

static void forget(struct pmk_wc *wc, uint32_t i)
{
	if (!pmk_wc_is_committed(wc, i))
		wc->uncommitted--;
	pmk_wc_put_free(wc, i);
	pmk_wc_table_release(&wc->table, i);
	wc->stats.discards++;
}

/* The newest of a sector, and what it would supersede. */
static void forget_sector(struct pmk_wc *wc, uint64_t sector)
{
	uint32_t i;

	while ((i = pmk_wc_table_find(&wc->table, sector)) != WC_NONE)
		forget(wc, i);
}

/* Sector by sector, or block by block, whichever is less to do. */
static void forget_range(struct pmk_wc *wc, uint64_t off, uint64_t len)
{
	const struct wc_table *t = &wc->table;
	uint64_t first = off / PMK_WC_SECTOR;
	uint64_t n = len / PMK_WC_SECTOR;
	uint64_t step = wc->geo.block_size / PMK_WC_SECTOR;

	if (n / step <= t->n) {
		for (uint64_t s = 0; s < n; s += step)
			forget_sector(wc, first + s);
		return;
	}
	for (uint32_t i = 0; i < t->n; i++)
		if (t->block[i].used && t->block[i].sector - first < n)
			forget_sector(wc, t->block[i].sector);
}

PMK_EXPORT int pmk_wc_discard(struct pmk_wc *wc, uint64_t off, uint64_t len)
{
	const struct wc_target *t = &wc->target;
	uint64_t before = wc->stats.discards;
	int rc = pmk_wc_check_range(wc, off, len);

	if (rc)
		return rc;
	if (wc->error)
		return -EIO;
	forget_range(wc, off, len);
	/* what is free: before it is used again */
	if (wc->stats.discards > before)
		rc = pmk_wc_barrier(wc, WC_BARRIER_DISCARD);
	if (!rc && t->has_origin && len)
		rc = t->ops->discard(t->ctx, off, len);
	return rc ? pmk_wc_fail(wc, rc) : 0;
}
