/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writeback: committed blocks are copied to the origin, the origin is synced,
 * and then, only then, their entries are freed.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/engine.h"

/* Blocks with one sync of the origin; of the kernel's I/Os, too. */
#define BATCH 256U
/* Entries freed with one fence. */
#define FREE_BATCH 16U

struct item {
	uint64_t sector;
	uint32_t i;
};

static int by_sector(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->sector > y->sector) - (x->sector < y->sector);
}

/* The oldest committed blocks, at most @max, in the order of the origin. */
static uint32_t collect(const struct pmk_wc *wc, struct item *items,
			uint32_t max)
{
	const struct wc_table *t = &wc->table;
	uint32_t n = 0;

	for (uint32_t i = t->used.oldest;
	     n < max && i != WC_NONE && pmk_wc_is_committed(wc, i);
	     i = t->block[i].newer)
		items[n++] = (struct item){ t->block[i].sector, i };
	qsort(items, n, sizeof(*items), by_sector);
	return n;
}

static int copy_out(struct pmk_wc *wc, uint32_t i, unsigned char *buf)
{
	const struct wc_target *t = &wc->target;
	uint64_t sector = t->origin_bytes / PMK_WC_SECTOR; /* of its end */
	uint64_t len = wc->geo.block_size;
	const void *src = buf;
	int rc = 0;

	if (wc->table.block[i].sector >= sector) {
		wc->stats.dropped++;
		return 0;
	}
	sector = wc->table.block[i].sector;
	if (len > t->origin_bytes - sector * PMK_WC_SECTOR)
		len = t->origin_bytes - sector * PMK_WC_SECTOR;
	if (t->mode == 'p')
		src = pmk_wc_data(wc, i);
	else
		rc = t->ops->read(t->ctx, WC_CACHE, buf, (size_t)len,
				  pmk_wc_file_off(wc, i));
	return rc ? rc
		  : t->ops->write(t->ctx, WC_ORIGIN, src, (size_t)len,
				  sector * PMK_WC_SECTOR);
}

static int free_all(struct pmk_wc *wc, const struct item *items, uint32_t n)
{
	int rc = 0;

	for (uint32_t k = 0; k < n && !rc; k++) {
		pmk_wc_put_free(wc, items[k].i);
		pmk_wc_table_release(&wc->table, items[k].i);
		/* so that the stores do not pile up; mode s writes once */
		if ((k + 1) % FREE_BATCH == 0 && wc->target.mode == 'p')
			rc = pmk_wc_barrier(wc, WC_BARRIER_WRITTEN_SOME);
	}
	/* what is free: before it is used again */
	return rc ? rc : pmk_wc_barrier(wc, WC_BARRIER_WRITTEN);
}

static int write_batch(struct pmk_wc *wc, const struct item *items, uint32_t n,
		       unsigned char *buf)
{
	int rc = 0;

	for (uint32_t k = 0; k < n && !rc; k++)
		rc = copy_out(wc, items[k].i, buf);
	/* the origin: before what it was copied from is free */
	if (!rc)
		rc = pmk_wc_sync_origin(wc, WC_BARRIER_ORIGIN);
	if (!rc) {
		wc->wrote_around = false;
		wc->stats.written_back += n;
		rc = free_all(wc, items, n);
	}
	return rc;
}

static int write_items(struct pmk_wc *wc, const struct item *items, uint32_t n)
{
	unsigned char *buf = malloc(wc->geo.block_size);
	int rc = buf ? 0 : -ENOMEM;

	for (uint32_t k = 0; k < n && !rc; k += BATCH)
		rc = write_batch(wc, items + k, n - k < BATCH ? n - k : BATCH,
				 buf);
	free(buf);
	return rc;
}

int64_t pmk_wc_write_back(struct pmk_wc *wc, uint32_t max)
{
	uint32_t n = wc->table.used.n;
	struct item *items;
	int rc = 0;

	if (n == wc->uncommitted)
		rc = pmk_wc_commit(wc);
	if (rc || !n)
		return rc;
	items = calloc(n < max ? n : max, sizeof(*items));
	if (!items)
		return -ENOMEM;
	n = collect(wc, items, max);
	rc = write_items(wc, items, n);
	free(items);
	if (rc && rc != -ENOMEM)
		pmk_wc_fail(wc, rc);
	return rc ? rc : (int64_t)n;
}

static int check(const struct pmk_wc *wc)
{
	if (wc->error)
		return -EIO;
	return wc->target.has_origin ? 0 : -ENXIO;
}

PMK_EXPORT int64_t pmk_wc_work(struct pmk_wc *wc)
{
	int64_t done = 0, n;
	int rc = check(wc);

	if (rc || wc->table.free.n > wc->high_free)
		return rc;
	while (wc->table.free.n <= wc->low_free) {
		n = pmk_wc_write_back(wc, BATCH);
		if (n < 0)
			return n;
		done += n;
		if (!n)
			break;
	}
	return done;
}

PMK_EXPORT int64_t pmk_wc_clean(struct pmk_wc *wc)
{
	int rc = check(wc);

	if (!rc)
		rc = pmk_wc_commit(wc);
	return rc ? rc : pmk_wc_write_back(wc, UINT32_MAX);
}
