/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The committed entries in order: by sector, then sequence, then number.  They
 * are divided by the high bits in which sectors differ until a part fits the
 * cache, so that each is looked at in memory only once after that; of one
 * sector there are seldom more than two, which are put in order afterwards.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/wc_image.h>

#include "base/endian.h"
#include "base/export.h"
#include "base/util.h"
#include "wc/image.h"

/* Streams of stores that are open at once: more miss the TLB. */
#define DIGIT_BITS 11U
#define DIGITS     (1U << DIGIT_BITS)

/* Keys of a part that is sorted in the cache: 2 * 256 KiB. */
#define LEAF 16384U
/* As many are inserted faster than counted. */
#define FEW 48U

static uint64_t sector_of(const struct pmk_wc_image *img, uint64_t i)
{
	return pmk_get_le64(img->entries + i * PMK_WC_ENTRY_BYTES);
}

static uint64_t seq_of(const struct pmk_wc_image *img, uint64_t i)
{
	return pmk_get_le64(img->entries + i * PMK_WC_ENTRY_BYTES + 8);
}

static void count_all(struct pmk_wc_image *img)
{
	struct pmk_wc_counts *c = &img->counts;

	for (uint64_t i = 0; i < img->geo.n_blocks; i++) {
		uint64_t seq = seq_of(img, i);

		/* a free one is below nothing */
		if (seq < img->sb.seq_count)
			c->committed++;
		else if (seq != PMK_WC_FREE)
			c->uncommitted++;
		else if (pmk_wc_image_entry_ok(img, i))
			c->free++;
		else
			c->unreadable++;
	}
}

/* Fills in @order by number; returns the bits in which sectors differ, or 0 if
 * they ascend already. */
static uint64_t collect(struct pmk_wc_image *img)
{
	uint64_t any = 0, all = UINT64_MAX, last = 0;
	bool ascend = true;

	for (uint64_t i = 0; i < img->geo.n_blocks; i++) {
		uint64_t sector = sector_of(img, i), seq = seq_of(img, i);

		if (seq >= img->sb.seq_count)
			continue;
		img->order[img->n_order++] = (uint32_t)i;
		any |= sector;
		all &= sector;
		ascend = ascend && sector >= last;
		last = sector;
	}
	return ascend ? 0 : any ^ all;
}

/* The bits of sectors from @low to below @high, of which all above are alike.
 */
struct bits {
	unsigned int low;
	unsigned int high;
};

struct key {
	uint64_t sector;
	uint32_t i;
};

struct sorter {
	const struct pmk_wc_image *img;
	uint32_t *spare;   /* as long as the index */
	struct key *keys;  /* LEAF of them */
	struct key *other; /* and again */
	uint64_t done;     /* numbers that are in order */
};

/* From counts to where each digit begins. */
static void to_starts(uint64_t *at, unsigned int digits)
{
	uint64_t sum = 0;

	for (unsigned int v = 0; v < digits; v++) {
		uint64_t n = at[v];

		at[v] = sum;
		sum += n;
	}
}

/* Sort @n keys by the bits of @b, 8 at a time from the lowest. */
static void sort_keys(struct sorter *s, uint64_t n, struct bits b)
{
	for (unsigned int shift = b.low; shift < b.high; shift += 8) {
		struct key *sorted = s->other;
		uint64_t at[256] = { 0 };

		for (uint64_t k = 0; k < n; k++)
			at[s->keys[k].sector >> shift & 255]++;
		to_starts(at, 256);
		for (uint64_t k = 0; k < n; k++)
			sorted[at[s->keys[k].sector >> shift & 255]++] =
				s->keys[k];
		s->other = s->keys;
		s->keys = sorted;
	}
}

static void insert_keys(struct key *keys, uint64_t n)
{
	for (uint64_t k = 1; k < n; k++) {
		struct key key = keys[k];
		uint64_t j = k;

		for (; j && keys[j - 1].sector > key.sector; j--)
			keys[j] = keys[j - 1];
		keys[j] = key;
	}
}

/* A part that fits the cache: entries are looked at once. */
static void sort_leaf(struct sorter *s, uint32_t *part, uint64_t n,
		      struct bits b)
{
	for (uint64_t k = 0; k < n; k++)
		s->keys[k] =
			(struct key){ sector_of(s->img, part[k]), part[k] };
	if (n <= FEW)
		insert_keys(s->keys, n);
	else
		sort_keys(s, n, b);
	for (uint64_t k = 0; k < n; k++)
		part[k] = s->keys[k].i;
	s->done += n;
	pmk_wc_image_step(s->img, (s->img->geo.n_blocks + s->done) *
					  PMK_WC_ENTRY_BYTES);
}

/* Divide @part by the highest DIGIT_BITS of @b; the end of each is left in
 * @end. */
static void divide(struct sorter *s, uint32_t *part, uint64_t n,
		   unsigned int shift, uint64_t *end)
{
	memset(end, 0, DIGITS * sizeof(*end));
	for (uint64_t k = 0; k < n; k++)
		end[sector_of(s->img, part[k]) >> shift & (DIGITS - 1)]++;
	to_starts(end, DIGITS);
	for (uint64_t k = 0; k < n; k++) {
		uint64_t v = sector_of(s->img, part[k]) >> shift;

		s->spare[end[v & (DIGITS - 1)]++] = part[k];
	}
	memcpy(part, s->spare, n * sizeof(*part));
}

/* Sort by sector; keeps the order of equals.  No deeper than 64 bits have
 * digits: 6. */
static void sort_part(struct sorter *s, uint32_t *part, uint64_t n,
		      struct bits b)
{
	uint64_t end[DIGITS], from = 0;
	unsigned int shift = b.low;

	if (n <= LEAF) {
		sort_leaf(s, part, n, b);
		return;
	}
	if (b.high - b.low > DIGIT_BITS)
		shift = b.high - DIGIT_BITS;
	divide(s, part, n, shift, end);
	for (unsigned int v = 0; v < DIGITS && shift > b.low; v++) {
		if (end[v] - from > 1)
			sort_part(s, part + from, end[v] - from,
				  (struct bits){ b.low, shift });
		from = end[v];
	}
}

/* Sort the index by sector; @differ: the bits that matter, not 0. */
static int sort_sectors(struct pmk_wc_image *img, uint64_t differ)
{
	struct sorter s = {
		.img = img,
		.spare = malloc(img->n_order * sizeof(*s.spare)),
		.keys = malloc(LEAF * sizeof(*s.keys)),
		.other = malloc(LEAF * sizeof(*s.other)),
	};
	struct bits b = { (unsigned int)__builtin_ctzll(differ),
			  64 - (unsigned int)__builtin_clzll(differ) };
	int rc = -ENOMEM;

	if (s.spare && s.keys && s.other) {
		sort_part(&s, img->order, img->n_order, b);
		rc = 0;
	}
	free(s.spare);
	free(s.keys);
	free(s.other);
	return rc;
}

static int compare_seq(const void *a, const void *b, void *img)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint64_t s = seq_of(img, i), t = seq_of(img, j);

	if (s != t)
		return s < t ? -1 : 1;
	return i < j ? -1 : i > j;
}

/*
 * Does the kernel, which takes entries by number, meet one of the same sequence
 * as the newest that it has?  @run: entries of one sector in order.
 */
static bool meets_identical(const struct pmk_wc_image *img, const uint32_t *run,
			    uint64_t n)
{
	uint32_t newer = UINT32_MAX; /* lowest number of a higher sequence */

	for (uint64_t end = n, k; end; end = k) {
		uint64_t seq = seq_of(img, run[end - 1]);

		for (k = end - 1; k && seq_of(img, run[k - 1]) == seq; k--)
			;
		if (end - k > 1 && run[k + 1] < newer)
			return true;
		if (run[k] < newer)
			newer = run[k];
	}
	return false;
}

/* Entries of one sector, by number so far. */
static void settle(struct pmk_wc_image *img, uint32_t *run, uint64_t n)
{
	bool sorted = true;

	for (uint64_t k = 1; sorted && k < n; k++)
		sorted = compare_seq(&run[k - 1], &run[k], img) < 0;
	if (!sorted)
		qsort_r(run, n, sizeof(*run), compare_seq, img);
	img->identical = img->identical || meets_identical(img, run, n);
	img->counts.superseded += n - 1;
}

static void settle_all(struct pmk_wc_image *img)
{
	for (uint64_t k = 0, end; k < img->n_order; k = end) {
		uint64_t sector = sector_of(img, img->order[k]);

		for (end = k + 1; end < img->n_order; end++)
			if (sector_of(img, img->order[end]) != sector)
				break;
		if (end - k > 1)
			settle(img, img->order + k, end - k);
	}
}

int pmk_wc_index_build(struct pmk_wc_image *img)
{
	uint64_t differ;
	int rc = 0;

	count_all(img);
	if (!img->counts.committed)
		return 0;
	img->order = malloc(img->counts.committed * sizeof(*img->order));
	if (!img->order)
		return -ENOMEM;
	differ = collect(img);
	if (differ)
		rc = sort_sectors(img, differ);
	if (rc)
		return rc;
	settle_all(img);
	img->counts.dirty_bytes =
		(img->counts.committed - img->counts.superseded) *
		img->geo.block_size;
	return 0;
}

PMK_EXPORT void pmk_wc_image_counts(const struct pmk_wc_image *img,
				    struct pmk_wc_counts *counts_ret)
{
	*counts_ret = img->counts;
}

PMK_EXPORT uint64_t pmk_wc_image_committed(const struct pmk_wc_image *img)
{
	return img->n_order;
}

PMK_EXPORT uint64_t pmk_wc_image_nth(const struct pmk_wc_image *img, uint64_t k)
{
	return img->order[k];
}

PMK_EXPORT bool pmk_wc_image_wins(const struct pmk_wc_image *img, uint64_t k)
{
	return k + 1 == img->n_order ||
	       sector_of(img, img->order[k]) !=
		       sector_of(img, img->order[k + 1]);
}
