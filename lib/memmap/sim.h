/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation: what is known before the first struct page is written. */
#ifndef LIB_MEMMAP_SIM_H
#define LIB_MEMMAP_SIM_H

#include <pmk/memmap.h>

#include "memmap/init.h"
#include "memmap/profile.h"
#include "memmap/units.h"

#define MEMMAP_MOVABLE   1U  /* MIGRATE_MOVABLE */
#define MEMMAP_BYTES_MAX 96U /* of a struct page */

struct pmk_memmap {
	struct pmk_memmap_sim sim;
	struct pmk_memmap_layout layout;
	const struct memmap_profile *profile;
	struct memmap_init init;
	unsigned int bytes;    /* of a struct page */
	unsigned int order;    /* of a compound; 0: there are none */
	bool dedup;            /* tails share memory */
	uint64_t base;         /* number of frame 0 */
	uint64_t frames;       /* that have a struct page */
	uint64_t altmap_first; /* frame; up to @data those of the altmap */
	uint64_t data;         /* frame: the first data page */
	/* with sections shared with RAM: how many struct pages are in memory
	 * before those of each compound; else NULL */
	uint64_t *slots;
	uint64_t slots_total; /* struct pages in memory, if it is shared */
	uint8_t *pageblocks;
};

/* The struct pages of the compound at @frame that memory is there for, and how
 * many of those are written: before 6.1.192 the first only, also where a
 * section shared with RAM has all. */
uint64_t pmk_memmap_compound_memory(const struct pmk_memmap *m, uint64_t frame);
uint64_t pmk_memmap_compound_pages(const struct pmk_memmap *m, uint64_t frame);

/* How many struct pages are in memory before that of @frame. */
uint64_t pmk_memmap_slot(const struct pmk_memmap *m, uint64_t frame);

/* The page block of @frame can be moved, says the first page of it. */
static inline void memmap_set_movable(struct pmk_memmap *m, uint64_t frame)
{
	m->pageblocks[frame / MEMMAP_PAGEBLOCK] = MEMMAP_MOVABLE;
}

#endif /* LIB_MEMMAP_SIM_H */
