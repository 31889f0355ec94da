/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a copy lacks anything of the cache: what could not be read is zeros
 * in it, which would be taken for data, or for an entry of sector 0. */
#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "out.h"
#include "pmk.h"
#include "wc/repair.h"

static int refuse(const struct repair_args *a, const char *what)
{
	return out_error("%s: %s cannot be read: no copy was made; --in-place "
			 "repairs the cache itself, pmk wc writeback and dump "
			 "lose that only",
			 out_path(a->path), what);
}

/* Blocks of bytes @from up to @to behind the superblock. */
static int check_blocks(const struct repair_args *a,
			const struct pmk_wc_image *img, uint64_t from,
			uint64_t to)
{
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(img);
	char what[64];
	uint64_t i;

	if (from < geo->data_off)
		from = geo->data_off;
	i = (from - geo->data_off) / geo->block_size;
	for (; i < geo->n_blocks && pmk_wc_block_off(geo, i) < to; i++) {
		if (pmk_wc_image_entry(img, i).seq_count == PMK_WC_FREE)
			continue;
		snprintf(what, sizeof(what),
			 "block %" PRIu64 ", which is in use,", i);
		return refuse(a, what);
	}
	return EXIT_OK;
}

static int check_range(const struct repair_args *a,
		       const struct pmk_wc_image *img, uint64_t base,
		       const struct clone_range *r)
{
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(img);
	uint64_t end = r->off + r->len;

	/* in front of the cache */
	if (end <= base)
		return EXIT_OK;
	if (!geo)
		return refuse(a, "some of it");
	if (r->off < base + PMK_WC_SUPERBLOCK_BYTES)
		return refuse(a, "its superblock");
	if (r->off < base + pmk_wc_entry_off(geo->n_blocks))
		return refuse(a, "an entry");
	return check_blocks(a, img, r->off - base, end - base);
}

int repair_check_lost(const struct repair_args *a,
		      const struct pmk_wc_image *img,
		      const struct clone_lost *lost)
{
	uint64_t base = a->opt.params.offset +
			a->opt.params.table.start_sector * PMK_WC_SECTOR;
	int rc = EXIT_OK;

	if (!lost->n)
		return EXIT_OK;
	for (size_t k = 0; k < lost->n && !rc; k++)
		rc = check_range(a, img, base, &lost->ranges[k]);
	if (!rc)
		out_error("%s: %" PRIu64 " bytes of nothing that is in use "
			  "cannot be read, the first at %" PRIu64
			  "; they are zeros in %s",
			  out_path(a->path), lost->bytes, lost->ranges[0].off,
			  out_path(a->output));
	return rc;
}
