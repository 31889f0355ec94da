/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A new, empty cache.  The magic is stored last, behind a fence: whatever the
 * crash, there is what was there before, an empty cache, or none.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/engine.h"

/* LVM clears as much before the kernel formats a cache. */
#define BLANK_BYTES 4096U

static int check_blank(struct pmk_wc *wc, uint64_t bytes)
{
	unsigned char buf[BLANK_BYTES];
	const void *first = wc->meta;
	size_t len = (size_t)(bytes < BLANK_BYTES ? bytes : BLANK_BYTES);
	int rc = 0;

	if (wc->target.mode == 's') {
		rc = wc->target.ops->read(wc->target.ctx, WC_CACHE, buf, len,
					  wc->offset);
		first = buf;
	}
	if (!rc && !pmk_is_zero(first, len))
		rc = pmk_fail(-EEXIST,
			      "writecache: the first %zu bytes are "
			      "not zero",
			      len);
	return rc;
}

/* The kernel begins with magic and version 0; make it so, and touch nothing
 * else: a crash leaves the old cache whole, or none. */
static int unmake(struct pmk_wc *wc)
{
	const struct wc_target *t = &wc->target;
	uint64_t len = pmk_wc_super_len(wc);
	int rc = 0;

	if (t->mode == 's')
		rc = t->ops->read(t->ctx, WC_CACHE, wc->meta, (size_t)len,
				  wc->offset);
	if (rc)
		return rc;
	pmk_wc_put8(wc, WC_OFF_MAGIC, 0);
	/* no magic: before there are entries that do not fit the old ones */
	rc = pmk_wc_barrier_super(wc, WC_BARRIER_UNMAKE);
	if (t->mode == 's')
		memset(wc->meta, 0, (size_t)len);
	return rc;
}

/* In the kernel's order and sizes. */
static void put_body(struct pmk_wc *wc)
{
	for (uint64_t off = 0; off < PMK_WC_SUPERBLOCK_BYTES; off += 8)
		pmk_wc_put8(wc, off, 0);
	pmk_wc_put4(wc, WC_OFF_VERSION, PMK_WC_VERSION);
	pmk_wc_put4(wc, WC_OFF_BLOCK_SIZE, wc->geo.block_size);
	pmk_wc_put8(wc, WC_OFF_N_BLOCKS, wc->geo.n_blocks);
	pmk_wc_put8(wc, WC_OFF_SEQ_COUNT, 0);
	for (uint64_t i = 0; i < wc->geo.n_blocks; i++)
		pmk_wc_put_entry(wc, (uint32_t)i, UINT64_MAX, PMK_WC_FREE);
}

static int create(struct pmk_wc *wc, uint64_t bytes, uint32_t flags)
{
	int rc = flags & PMK_WC_FORCE ? unmake(wc) : check_blank(wc, bytes);

	if (rc)
		return rc;
	put_body(wc);
	/* the entries: before the magic says that they are some */
	rc = pmk_wc_barrier(wc, WC_BARRIER_BODY);
	if (rc)
		return rc;
	pmk_wc_put4(wc, WC_OFF_MAGIC, PMK_WC_MAGIC);
	/* the magic: before the caller is told */
	return pmk_wc_barrier_super(wc, WC_BARRIER_MAGIC);
}

int pmk_wc_create_target(const struct wc_target *target,
			 const struct pmk_wc_params *params)
{
	struct pmk_wc wc = { .offset = params->offset };
	uint32_t bs = params->block_size ? params->block_size : 4096;
	uint64_t bytes;
	int rc = pmk_wc_target_size(target, params, &bytes);

	if (!rc)
		rc = pmk_wc_geometry_for(bytes, bs, &wc.geo);
	if (!rc && wc.geo.n_blocks >= WC_NONE)
		rc = -EFBIG;
	if (rc)
		return rc;
	pmk_wc_target_ready(&wc.target, target, params->store, bs);
	if (target->mode == 's')
		rc = pmk_wc_meta_alloc(&wc);
	else
		wc.meta = target->base + wc.offset;
	if (!rc)
		rc = create(&wc, bytes, params->flags);
	if (target->mode == 's') {
		free(wc.meta);
		free(wc.dirty);
	}
	return rc;
}

PMK_EXPORT int pmk_wc_create_map(struct pmk_map *map,
				 const struct pmk_wc_params *params)
{
	static const struct pmk_wc_params usual;
	const struct pmk_wc_params *p = params ? params : &usual;
	struct wc_target t;
	int rc = pmk_wc_target_map(&t, map, -1, p);

	return rc ? rc : pmk_wc_create_target(&t, p);
}

PMK_EXPORT int pmk_wc_create_fd(int fd, const struct pmk_wc_params *params)
{
	static const struct pmk_wc_params usual;
	const struct pmk_wc_params *p = params ? params : &usual;
	struct wc_target t;
	int rc = pmk_wc_target_fd(&t, fd, -1, p);

	return rc ? rc : pmk_wc_create_target(&t, p);
}
