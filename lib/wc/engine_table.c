/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks in memory: a hash finds the newest of a sector, two lists have
 * them in the order in which they were taken or freed.
 *
 * Of one sector there is at most one committed block and one that is not, so
 * chains are short; the newest is first in its chain.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "wc/engine.h"

/* The golden ratio: consecutive sectors spread over all buckets (Knuth, 6.4) */
#define HASH 0x9e3779b97f4a7c15U

static uint32_t *bucket_of(const struct wc_table *t, uint64_t sector)
{
	return &t->bucket[sector * HASH >> t->shift];
}

int pmk_wc_table_init(struct wc_table *t, uint32_t n)
{
	unsigned int bits = 1;

	while (bits < 31 && (uint32_t)1 << bits < n)
		bits++;
	*t = (struct wc_table){
		.block = calloc(n, sizeof(*t->block)),
		.bucket = malloc(sizeof(*t->bucket) << bits),
		.n = n,
		.shift = 64 - bits,
		.used = { WC_NONE, WC_NONE, 0 },
		.free = { WC_NONE, WC_NONE, 0 },
	};
	if (!t->block || !t->bucket) {
		pmk_wc_table_fini(t);
		return -ENOMEM;
	}
	/* WC_NONE is all ones */
	memset(t->bucket, 0xff, sizeof(*t->bucket) << bits);
	return 0;
}

void pmk_wc_table_fini(struct wc_table *t)
{
	free(t->block);
	free(t->bucket);
	*t = (struct wc_table){ .block = NULL };
}

static uint32_t find_from(const struct wc_table *t, uint32_t i, uint64_t sector)
{
	while (i != WC_NONE && t->block[i].sector != sector)
		i = t->block[i].chain;
	return i;
}

uint32_t pmk_wc_table_find(const struct wc_table *t, uint64_t sector)
{
	return find_from(t, *bucket_of(t, sector), sector);
}

uint32_t pmk_wc_table_older(const struct wc_table *t, uint32_t i)
{
	return find_from(t, t->block[i].chain, t->block[i].sector);
}

uint32_t pmk_wc_table_next_free(const struct wc_table *t)
{
	return t->free.oldest;
}

/* A block becomes the newest of a list. */
static void push(struct wc_table *t, struct wc_list *l, uint32_t i)
{
	struct wc_block *b = &t->block[i];

	b->newer = WC_NONE;
	b->older = l->newest;
	if (l->newest != WC_NONE)
		t->block[l->newest].newer = i;
	else
		l->oldest = i;
	l->newest = i;
	l->n++;
}

static void take_out(struct wc_table *t, struct wc_list *l, uint32_t i)
{
	const struct wc_block *b = &t->block[i];

	if (b->newer != WC_NONE)
		t->block[b->newer].older = b->older;
	else
		l->newest = b->older;
	if (b->older != WC_NONE)
		t->block[b->older].newer = b->newer;
	else
		l->oldest = b->newer;
	l->n--;
}

void pmk_wc_table_add_free(struct wc_table *t, uint32_t i)
{
	t->block[i].used = false;
	push(t, &t->free, i);
}

void pmk_wc_table_add_used(struct wc_table *t, uint32_t i, uint64_t sector,
			   uint64_t seq)
{
	uint32_t *first = bucket_of(t, sector);
	struct wc_block *b = &t->block[i];

	b->sector = sector;
	b->seq = seq;
	b->used = true;
	b->chain = *first;
	*first = i;
	push(t, &t->used, i);
}

void pmk_wc_table_use(struct wc_table *t, uint32_t i, uint64_t sector,
		      uint64_t seq)
{
	PMK_BUG_ON(t->block[i].used);
	take_out(t, &t->free, i);
	pmk_wc_table_add_used(t, i, sector, seq);
}

void pmk_wc_table_release(struct wc_table *t, uint32_t i)
{
	uint32_t *link = bucket_of(t, t->block[i].sector);

	PMK_BUG_ON(!t->block[i].used);
	while (*link != i)
		link = &t->block[*link].chain;
	*link = t->block[i].chain;
	take_out(t, &t->used, i);
	pmk_wc_table_add_free(t, i);
}
