/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading: from the cache what is in it, the rest from the origin. */
#include <errno.h>

#include <pmk/copy.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/engine.h"

int pmk_wc_check_range(const struct pmk_wc *wc, uint64_t off, uint64_t len)
{
	uint64_t end = wc->target.has_origin ? wc->target.origin_bytes
					     : (uint64_t)INT64_MAX;

	if (!pmk_is_aligned(off | len, wc->geo.block_size) || off > end ||
	    len > end - off)
		return -EINVAL;
	return 0;
}

static int read_hit(struct pmk_wc *wc, uint32_t i, void *buf)
{
	const struct wc_target *t = &wc->target;
	size_t bs = wc->geo.block_size;
	int rc = 0;

	wc->stats.read_hits++;
	if (t->mode == 's')
		rc = t->ops->read(t->ctx, WC_CACHE, buf, bs,
				  pmk_wc_file_off(wc, i));
	else if (pmk_copy_mc(buf, pmk_wc_data(wc, i), bs))
		rc = -EIO;
	return rc ? pmk_wc_fail(wc, rc) : 0;
}

/* A failure of the origin is none of the cache. */
static int read_origin(struct pmk_wc *wc, uint64_t off, void *buf, size_t len)
{
	const struct wc_target *t = &wc->target;

	if (!len)
		return 0;
	if (!t->has_origin)
		return -ENXIO;
	return t->ops->read(t->ctx, WC_ORIGIN, buf, len, off);
}

PMK_EXPORT int pmk_wc_read(struct pmk_wc *wc, uint64_t off, void *buf,
			   size_t len)
{
	size_t bs = wc->geo.block_size;
	unsigned char *p = buf;
	size_t miss = 0; /* bytes right before that are not in the cache */
	int rc = pmk_wc_check_range(wc, off, len);

	for (size_t done = 0; done < len && !rc; done += bs) {
		uint32_t i = pmk_wc_table_find(&wc->table,
					       (off + done) / PMK_WC_SECTOR);

		wc->stats.reads++;
		if (i == WC_NONE) {
			miss += bs;
			continue;
		}
		rc = read_origin(wc, off + done - miss, p + done - miss, miss);
		miss = 0;
		if (!rc)
			rc = read_hit(wc, i, p + done);
	}
	return rc ? rc
		  : read_origin(wc, off + len - miss, p + len - miss, miss);
}
