/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How metadata get onto the medium.
 *
 * Mode p stores them in place, by copies of 4, 8 and 16 bytes that bypass the
 * cache, and a fence makes them durable.  Mode s changes a copy in memory and
 * notes which granules differ from the medium; a barrier writes those and
 * syncs.  All counting is done here.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "wc/engine.h"

int pmk_wc_meta_alloc(struct pmk_wc *wc)
{
	size_t granules = (size_t)(wc->geo.data_off / WC_GRANULE + 1);

	wc->meta = calloc(granules, WC_GRANULE);
	wc->dirty = calloc(granules, 1);
	return wc->meta && wc->dirty ? 0 : -ENOMEM;
}

/* An aligned change lies in one granule. */
static void change_copy(struct pmk_wc *wc, uint64_t off, const void *src,
			size_t len)
{
	memcpy(wc->meta + off, src, len);
	wc->dirty[off / WC_GRANULE] = 1;
}

static void count(struct pmk_wc_stats *s, size_t bytes, size_t stores)
{
	s->metadata_bytes += bytes;
	s->metadata_stores += stores;
}

void pmk_wc_put4(struct pmk_wc *wc, uint64_t off, uint32_t v)
{
	uint32_t raw = htole32(v);

	if (wc->target.mode == 's') {
		change_copy(wc, off, &raw, sizeof(raw));
		return;
	}
	wc->target.ops->store4(wc->target.ctx, wc->meta + off, &raw);
	wc->stats.assigns4++;
	count(&wc->stats, 4, 1);
}

void pmk_wc_put8(struct pmk_wc *wc, uint64_t off, uint64_t v)
{
	uint64_t raw = htole64(v);

	if (wc->target.mode == 's') {
		change_copy(wc, off, &raw, sizeof(raw));
		return;
	}
	wc->target.ops->store8(wc->target.ctx, wc->meta + off, &raw);
	wc->stats.assigns8++;
	count(&wc->stats, 8, 1);
}

void pmk_wc_put_entry(struct pmk_wc *wc, uint32_t i, uint64_t sector,
		      uint64_t seq)
{
	const uint64_t raw[2] = { htole64(sector), htole64(seq) };
	uint64_t off = pmk_wc_entry_off(i);

	if (wc->target.mode == 's') {
		change_copy(wc, off, raw, sizeof(raw));
		return;
	}
	wc->target.ops->store16(wc->target.ctx, wc->meta + off, raw);
	wc->stats.assigns16++;
	count(&wc->stats, 16, 2);
}

void pmk_wc_put_free(struct pmk_wc *wc, uint32_t i)
{
	/* the sequence only: the sector stays, stale */
	pmk_wc_put8(wc, pmk_wc_entry_off(i) + 8, PMK_WC_FREE);
}

static int write_copy(struct pmk_wc *wc, uint64_t off, uint64_t len)
{
	wc->stats.metadata_writes++;
	wc->stats.metadata_write_bytes += len;
	return wc->target.ops->write(wc->target.ctx, WC_CACHE, wc->meta + off,
				     (size_t)len, wc->offset + off);
}

/* No further than the metadata go: data blocks begin in the same granule. */
static int write_dirty(struct pmk_wc *wc)
{
	uint64_t end = wc->geo.data_off;
	int rc = 0;

	for (uint64_t off = 0; off < end && !rc; off += WC_GRANULE) {
		uint64_t len = end - off < WC_GRANULE ? end - off : WC_GRANULE;

		if (!wc->dirty[off / WC_GRANULE])
			continue;
		rc = write_copy(wc, off, len);
		if (!rc)
			wc->dirty[off / WC_GRANULE] = 0;
	}
	return rc;
}

int pmk_wc_sync_cache(struct pmk_wc *wc, enum wc_barrier which)
{
	wc->stats.cache_syncs++;
	return wc->target.ops->sync(wc->target.ctx, WC_CACHE, which);
}

static int fence(struct pmk_wc *wc, enum wc_barrier which)
{
	wc->stats.fences++;
	wc->target.ops->fence(wc->target.ctx, which);
	return 0;
}

int pmk_wc_barrier(struct pmk_wc *wc, enum wc_barrier which)
{
	int rc;

	if (wc->target.mode == 'p')
		return fence(wc, which);
	rc = write_dirty(wc);
	return rc ? rc : pmk_wc_sync_cache(wc, which);
}

uint64_t pmk_wc_super_len(const struct pmk_wc *wc)
{
	uint64_t len = wc->geo.block_size;

	if (len < 4096)
		len = 4096;
	return len < wc->geo.data_off ? len : wc->geo.data_off;
}

int pmk_wc_barrier_super(struct pmk_wc *wc, enum wc_barrier which)
{
	int rc;

	if (wc->target.mode == 'p')
		return fence(wc, which);
	rc = write_copy(wc, 0, pmk_wc_super_len(wc));
	if (!rc)
		wc->dirty[0] = 0;
	return rc ? rc : pmk_wc_sync_cache(wc, which);
}

int pmk_wc_sync_origin(struct pmk_wc *wc, enum wc_barrier which)
{
	wc->stats.origin_syncs++;
	return wc->target.ops->sync(wc->target.ctx, WC_ORIGIN, which);
}
