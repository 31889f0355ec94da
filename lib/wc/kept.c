/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metadata that a repair leaves alone, as a number: with it, an undo file
 * knows a cache that was used since.  What a repair freed is out of date by
 * then, and must not come back.
 */
#include "base/util.h"
#include "wc/image.h"
#include "wc/repair.h"
#include "wc/undo.h"

#define CHUNK 65536U

/* A random-looking factor for each place (splitmix64), so that the sum is the
 * same in any order, and a part can be taken out of it. */
static uint64_t factor(uint64_t place)
{
	uint64_t x = (place + 1) * 0x9e3779b97f4a7c15U;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

static uint64_t sum_of(uint64_t place, const unsigned char *bytes, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += bytes[i] * factor(place + i);
	return sum;
}

/* Piece by piece; of one that cannot be read, sector by sector: what cannot be
 * read then counts for nothing. */
static uint64_t sum_range(const struct pmk_wc_image *img, uint64_t off,
			  uint64_t len, size_t piece)
{
	unsigned char buf[CHUNK];
	uint64_t sum = 0;
	size_t n;

	for (uint64_t at = off; at < off + len; at += n) {
		ssize_t got;

		n = pmk_min_size(piece, (size_t)(off + len - at));
		got = pmk_wc_image_pread(img, at, buf, n);
		if (got > 0)
			sum += sum_of(img->base + at, buf, (size_t)got);
		else if (got < 0 && piece > PMK_WC_SECTOR)
			sum += sum_range(img, at, n, PMK_WC_SECTOR);
	}
	return sum;
}

uint64_t pmk_wc_undo_kept(const struct pmk_wc_image *img,
			  const struct pmk_wc_repair *list, uint64_t off,
			  uint64_t len)
{
	uint64_t sum = sum_range(img, off, len, CHUNK);

	for (size_t i = 0; i < list->n; i++) {
		const struct wc_change *c = &list->changes[i];
		uint64_t end = c->off + c->len;

		if (c->off < off + len && end > off)
			sum -= sum_range(img, c->off,
					 (end < off + len ? end : off + len) -
						 c->off,
					 CHUNK);
	}
	return sum;
}
