/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening a cache, which is the kernel's resume: entries that were not
 * committed are erased, duplicates resolved, the rest is found again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <pmk/copy.h>

#include "base/endian.h"
#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/engine.h"

#define AUTOCOMMIT_P 64
#define AUTOCOMMIT_S 65536

/* Read @len bytes from the superblock on, without dying of a bad block. */
static int read_media(const struct pmk_wc *wc, void *buf, uint64_t len)
{
	const struct wc_target *t = &wc->target;

	if (t->mode == 's')
		return t->ops->read(t->ctx, WC_CACHE, buf, (size_t)len,
				    wc->offset);
	return pmk_copy_mc(buf, t->base + wc->offset, (size_t)len) ? -EIO : 0;
}

static int judge(const void *raw, uint64_t bytes, uint32_t block_size)
{
	const struct pmk_wc_table table = {
		.device_bytes = bytes,
		.block_size = block_size,
		.page_size = 65536, /* what any kernel may have written */
	};
	struct pmk_wc_load load;

	pmk_wc_judge(raw, &table, &load);
	if (load.verdict == PMK_WC_FORMATS)
		return pmk_fail(-ENODATA, "writecache: %s",
				pmk_wc_layout_name(pmk_wc_layout(raw)));
	if (load.verdict == PMK_WC_REFUSED)
		return pmk_fail(load.error ? load.error : -EINVAL,
				"writecache: %s (%s)",
				load.message ? load.message : "refused",
				pmk_wc_layout_name(pmk_wc_layout(raw)));
	return 0;
}

static int load_super(struct pmk_wc *wc, const struct pmk_wc_params *p)
{
	unsigned char raw[PMK_WC_SUPERBLOCK_BYTES] = { 0 };
	struct pmk_wc_superblock sb;
	uint64_t bytes;
	int rc = pmk_wc_target_size(&wc->target, p, &bytes);

	if (!rc)
		rc = read_media(wc, raw,
				bytes < sizeof(raw) ? bytes : sizeof(raw));
	if (!rc)
		rc = judge(raw, bytes, p->block_size);
	if (rc)
		return rc;
	pmk_wc_superblock_decode(raw, &sb);
	rc = pmk_wc_geometry_of(sb.n_blocks, sb.block_size, &wc->geo);
	if (!rc && wc->geo.n_blocks >= WC_NONE)
		rc = pmk_fail(-EFBIG, "writecache: 2^32 blocks or more");
	wc->seq = sb.seq_count;
	return rc;
}

/* Mode p looks at all metadata once before it changes any: a bad block among
 * them is no reason to take old data for new. */
static int load_meta(struct pmk_wc *wc)
{
	unsigned char buf[4096];
	int rc = 0;

	if (wc->target.mode == 's') {
		rc = pmk_wc_meta_alloc(wc);
		return rc ? rc : read_media(wc, wc->meta, wc->geo.data_off);
	}
	wc->meta = wc->target.base + wc->offset;
	for (uint64_t off = 0; off < wc->geo.data_off && !rc;
	     off += sizeof(buf)) {
		uint64_t left = wc->geo.data_off - off;

		if (pmk_copy_mc(
			    buf, wc->meta + off,
			    (size_t)(left < sizeof(buf) ? left : sizeof(buf))))
			rc = pmk_fail(-EIO,
				      "writecache: metadata at byte "
				      "%" PRIu64 " cannot be read",
				      wc->offset + off);
	}
	return rc;
}

static void erase(struct pmk_wc *wc, uint32_t i)
{
	pmk_wc_put_free(wc, i);
	wc->stats.erased++;
}

/* Of two committed entries for a sector the one with the higher sequence
 * wins; of equal ones the later, and something is wrong with the cache. */
static void resume_committed(struct pmk_wc *wc, uint32_t i,
			     struct pmk_wc_entry e)
{
	struct wc_table *t = &wc->table;
	uint32_t old = pmk_wc_table_find(t, e.original_sector);

	if (old != WC_NONE && t->block[old].seq > e.seq_count) {
		erase(wc, i);
		pmk_wc_table_add_free(t, i);
		return;
	}
	if (old != WC_NONE) {
		if (t->block[old].seq == e.seq_count)
			pmk_wc_fail(wc, pmk_fail(-EINVAL,
						 "writecache: entries %" PRIu32
						 " and %" PRIu32
						 " are of the same sector "
						 "%" PRIu64
						 " and sequence %" PRIu64,
						 old, i, e.original_sector,
						 e.seq_count));
		erase(wc, old);
		pmk_wc_table_release(t, old);
	}
	pmk_wc_table_add_used(t, i, e.original_sector, e.seq_count);
}

static void resume_entry(struct pmk_wc *wc, uint32_t i)
{
	struct pmk_wc_entry e =
		pmk_wc_entry_decode(wc->meta + pmk_wc_entry_off(i));

	switch (pmk_wc_entry_state(e, wc->seq)) {
	case PMK_WC_ENTRY_COMMITTED:
		resume_committed(wc, i, e);
		break;
	case PMK_WC_ENTRY_UNCOMMITTED:
		erase(wc, i);
		pmk_wc_table_add_free(&wc->table, i);
		break;
	default:
		pmk_wc_table_add_free(&wc->table, i);
		break;
	}
}

static int resume(struct pmk_wc *wc)
{
	int rc = pmk_wc_table_init(&wc->table, (uint32_t)wc->geo.n_blocks);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < wc->table.n; i++)
		resume_entry(wc, i);
	/* what is erased: before any of it is used again, or else a new sector
	 * with an old, committed sequence could be left of an entry */
	return wc->stats.erased ? pmk_wc_barrier(wc, WC_BARRIER_RESUME) : 0;
}

/* In free blocks, rounded as the kernel does. */
static uint32_t threshold(const struct pmk_wc *wc, uint32_t watermark)
{
	return (uint32_t)((wc->geo.n_blocks * (100 - watermark) + 50) / 100);
}

static void set_limits(struct pmk_wc *wc, const struct pmk_wc_params *p)
{
	bool usual = !p->high_watermark && !p->low_watermark;

	wc->high_free = threshold(wc, usual ? 50 : p->high_watermark);
	wc->low_free = threshold(wc, usual ? 45 : p->low_watermark);
	wc->autocommit = p->autocommit_blocks;
	if (!wc->autocommit)
		wc->autocommit =
			wc->target.mode == 'p' ? AUTOCOMMIT_P : AUTOCOMMIT_S;
}

static int open_cache(struct pmk_wc *wc, const struct wc_target *target,
		      const struct pmk_wc_params *p)
{
	int rc = load_super(wc, p);

	/* which way to store follows from the block size */
	if (!rc)
		pmk_wc_target_ready(&wc->target, target, p->store,
				    wc->geo.block_size);
	if (!rc)
		rc = load_meta(wc);
	if (!rc)
		rc = resume(wc);
	if (!rc)
		set_limits(wc, p);
	return rc;
}

int pmk_wc_open_target(const struct wc_target *target,
		       const struct pmk_wc_params *params,
		       struct pmk_wc **wc_ret)
{
	struct pmk_wc *wc = calloc(1, sizeof(*wc));
	int rc;

	if (!wc)
		return -ENOMEM;
	/* in front of other handlers again: see <pmk/copy.h> */
	if (target->mode == 'p')
		(void)pmk_copy_mc(NULL, NULL, 0);
	wc->offset = params->offset;
	pmk_wc_target_ready(&wc->target, target, PMK_WC_STORE_AUTO, 0);
	rc = open_cache(wc, target, params);
	if (rc) {
		pmk_wc_abandon(wc);
		return rc;
	}
	*wc_ret = wc;
	return 0;
}

PMK_EXPORT int pmk_wc_open_map(struct pmk_map *map, int origin_fd,
			       const struct pmk_wc_params *params,
			       struct pmk_wc **wc_ret)
{
	static const struct pmk_wc_params usual;
	const struct pmk_wc_params *p = params ? params : &usual;
	struct wc_target t;
	int rc = pmk_wc_target_map(&t, map, origin_fd, p);

	return rc ? rc : pmk_wc_open_target(&t, p, wc_ret);
}

PMK_EXPORT int pmk_wc_open_fd(int fd, int origin_fd,
			      const struct pmk_wc_params *params,
			      struct pmk_wc **wc_ret)
{
	static const struct pmk_wc_params usual;
	const struct pmk_wc_params *p = params ? params : &usual;
	struct wc_target t;
	int rc = pmk_wc_target_fd(&t, fd, origin_fd, p);

	return rc ? rc : pmk_wc_open_target(&t, p, wc_ret);
}
