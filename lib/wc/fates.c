/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of each position of an index while its blocks are copied. */
#include <errno.h>
#include <stdlib.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/lot.h"

/* The reasons of <pmk/wc_writeback.h>: [enum pmk_wc_why] */
static const struct {
	const char *name, *text;
} whys[] = {
	[0] = { "unknown", "for an unknown reason" },
	[PMK_WC_WHY_READ] = { "read", "cannot be read from the cache" },
	[PMK_WC_WHY_WRITE] = { "write", "cannot be written" },
	[PMK_WC_WHY_VERIFY] = { "verify", "was written, and reads back "
					  "differently" },
	[PMK_WC_WHY_BEYOND] = { "beyond", "ends behind the end of the origin" },
	[PMK_WC_WHY_UNALIGNED] = { "unaligned",
				   "has a sector that is no multiple of the "
				   "block size" },
};

PMK_EXPORT const char *pmk_wc_why_name(enum pmk_wc_why why)
{
	return whys[(size_t)why < ARRAY_SIZE(whys) ? why : 0].name;
}

PMK_EXPORT const char *pmk_wc_why_text(enum pmk_wc_why why)
{
	return whys[(size_t)why < ARRAY_SIZE(whys) ? why : 0].text;
}

static struct pmk_wc_entry entry_at(const struct pmk_wc_image *img, uint64_t k)
{
	return pmk_wc_image_entry(img, pmk_wc_image_nth(img, k));
}

/* 0, or what keeps a block of this sector from being written. */
static unsigned int misfit(uint64_t sector, uint32_t block_size,
			   uint64_t origin_bytes)
{
	/* no product of it: a sector is any 64-bit number */
	if (origin_bytes < block_size ||
	    sector > (origin_bytes - block_size) / PMK_WC_SECTOR)
		return PMK_WC_WHY_BEYOND;
	if (sector % (block_size / PMK_WC_SECTOR))
		return PMK_WC_WHY_UNALIGNED;
	return 0;
}

PMK_EXPORT uint64_t pmk_wc_misfits(const struct pmk_wc_image *img,
				   uint64_t origin_bytes,
				   pmk_wc_failure_fn *failed, void *arg)
{
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(img);
	uint64_t n = geo ? pmk_wc_image_committed(img) : 0, found = 0;

	for (uint64_t k = 0; k < n; k++) {
		struct pmk_wc_failure f = {
			.entry = pmk_wc_image_nth(img, k),
			.sector = entry_at(img, k).original_sector,
		};
		unsigned int why =
			misfit(f.sector, geo->block_size, origin_bytes);

		if (!why || !pmk_wc_image_wins(img, k))
			continue;
		found++;
		f.why = (enum pmk_wc_why)why;
		if (failed)
			failed(&f, arg);
	}
	return found;
}

/* The winners, and which of them fit. */
static uint64_t sort_out(struct wc_fates *f, uint64_t origin_bytes)
{
	uint64_t dirty = 0;

	for (uint64_t k = 0; k < f->n; k++) {
		unsigned int why;

		if (!pmk_wc_image_wins(f->img, k))
			continue;
		dirty++;
		why = misfit(entry_at(f->img, k).original_sector, f->block_size,
			     origin_bytes);
		f->fate[k] =
			(uint8_t)(why ? WC_FATE_FAILED + why : WC_FATE_WANTED);
	}
	return dirty;
}

int pmk_wc_fates_init(struct wc_fates *f, const struct pmk_wc_image *img,
		      uint64_t origin_bytes,
		      const struct pmk_wc_copy_params *params,
		      struct pmk_wc_copy_result *result)
{
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(img);
	struct pmk_wc_counts counts;

	*result = (struct pmk_wc_copy_result){ .dirty = 0 };
	*f = (struct wc_fates){ .img = img };
	f->block_size = geo->block_size;
	f->retries = params->retries;
	f->n = pmk_wc_image_committed(img);
	/* one more: none is no failure */
	f->fate = calloc(f->n + 1, 1);
	f->error = calloc(f->n + 1, 1);
	if (!f->fate || !f->error)
		return pmk_fail(-ENOMEM, "states of blocks");
	result->dirty = result->left = sort_out(f, origin_bytes);
	pmk_wc_image_counts(img, &counts);
	result->unknown = counts.unreadable;
	return 0;
}

void pmk_wc_fates_fini(struct wc_fates *f)
{
	free(f->fate);
	free(f->error);
}

uint64_t pmk_wc_fates_report(const struct wc_fates *f, uint64_t first,
			     uint64_t end, pmk_wc_failure_fn *failed, void *arg)
{
	uint64_t found = 0;

	for (uint64_t k = first; k < end; k++) {
		struct pmk_wc_failure failure;

		if (f->fate[k] < WC_FATE_FAILED)
			continue;
		found++;
		failure.entry = pmk_wc_image_nth(f->img, k);
		failure.sector = entry_at(f->img, k).original_sector;
		failure.why = (enum pmk_wc_why)(f->fate[k] - WC_FATE_FAILED);
		failure.error = -(int)f->error[k];
		if (failed)
			failed(&failure, arg);
	}
	return found;
}

uint64_t pmk_wc_fates_find(const struct wc_fates *f, uint64_t sector)
{
	uint64_t low = 0, high = f->n;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (entry_at(f->img, mid).original_sector < sector)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
