/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the bytes say where the superblock does not: whether they are entries.
 * Nothing on media marks an entry, so that this is a judgement by what numbers
 * are plausible.
 */
#include <pmk/wc_check.h>

#include "base/util.h"
#include "wc/check.h"
#include "wc/format.h"

/* LVM zeroes as many before it attaches a cache. */
#define WIPED_BYTES 4096U

/* More than any device has got: 2^48 commits, and 2^54 sectors of origin. */
#define SEQ_PLAUSIBLE    ((uint64_t)1 << 48)
#define SECTOR_PLAUSIBLE ((uint64_t)1 << 54)

/* As many entries are looked at. */
#define LIKELY_ENTRIES 65536U

#define ENTRIES_AT_ONCE (WC_CHECK_CHUNK / PMK_WC_ENTRY_BYTES)

/*
 * Entries @i up to @n into the buffer, whole ones; returns how many, 0 at the
 * end of the device and at the first that cannot be read.
 */
static uint64_t read_entries(struct wc_check *c, uint64_t i, uint64_t n)
{
	uint64_t want = n - i;
	ssize_t got;

	if (i >= n || i >= c->bytes / PMK_WC_ENTRY_BYTES)
		return 0;
	want = want < ENTRIES_AT_ONCE ? want : ENTRIES_AT_ONCE;
	got = pmk_wc_image_pread(c->img, pmk_wc_entry_off(i), c->buf,
				 (size_t)want * PMK_WC_ENTRY_BYTES);
	return got < 0 ? 0 : (uint64_t)got / PMK_WC_ENTRY_BYTES;
}

static struct pmk_wc_entry nth(const struct wc_check *c, uint64_t k)
{
	return pmk_wc_entry_decode(c->buf + k * PMK_WC_ENTRY_BYTES);
}

/* An entry by its looks.  That of sector 0 and sequence 0 looks like nothing at
 * all, which is what a device has far more often. */
static bool is_plausible(struct pmk_wc_entry e, uint64_t seq_max)
{
	if (e.seq_count == PMK_WC_FREE)
		return true;
	return e.seq_count <= seq_max && e.original_sector < SECTOR_PLAUSIBLE &&
	       (e.seq_count || e.original_sector);
}

uint64_t pmk_wc_count_behind_wipe(struct wc_check *c)
{
	uint64_t first =
		(WIPED_BYTES - PMK_WC_SUPERBLOCK_BYTES) / PMK_WC_ENTRY_BYTES;
	uint64_t got, used = 0;

	for (uint64_t i = first; (got = read_entries(c, i, UINT64_MAX)) != 0;
	     i += got)
		for (uint64_t k = 0; k < got; k++) {
			struct pmk_wc_entry e = nth(c, k);

			if (!is_plausible(e, SEQ_PLAUSIBLE))
				return used;
			used += e.seq_count != PMK_WC_FREE;
		}
	return used;
}

bool pmk_wc_entries_likely(struct wc_check *c, uint64_t first, uint64_t n,
			   uint64_t seq_count)
{
	uint64_t end = n - first < LIKELY_ENTRIES ? n : first + LIKELY_ENTRIES;
	uint64_t got, all = 0, good = 0;

	for (uint64_t i = first; (got = read_entries(c, i, end)) != 0; i += got)
		for (uint64_t k = 0; k < got; k++, all++)
			good += is_plausible(nth(c, k), seq_count);
	return good > all / 2;
}

uint64_t pmk_wc_count_in_use(const struct pmk_wc_image *img, uint64_t bytes,
			     uint32_t bs)
{
	unsigned char raw[4096];
	struct pmk_wc_geometry geo;
	uint64_t used = 0, step;

	if (pmk_wc_layout_for(bytes, bs, &geo))
		return 0;
	for (uint64_t i = 0; i < geo.n_blocks; i += step) {
		step = geo.n_blocks - i < sizeof(raw) / PMK_WC_ENTRY_BYTES
			       ? geo.n_blocks - i
			       : sizeof(raw) / PMK_WC_ENTRY_BYTES;
		if (pmk_wc_image_pread(img, pmk_wc_entry_off(i), raw,
				       step * PMK_WC_ENTRY_BYTES) !=
		    (ssize_t)(step * PMK_WC_ENTRY_BYTES)) {
			used += step;
			continue;
		}
		for (uint64_t k = 0; k < step; k++) {
			struct pmk_wc_entry e = pmk_wc_entry_decode(
				raw + k * PMK_WC_ENTRY_BYTES);

			used += e.seq_count != PMK_WC_FREE &&
				(e.seq_count || e.original_sector);
		}
	}
	return used;
}
