/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Struct pages, field by field.
 *
 * A store is volatile where Linux has an atomic or WRITE_ONCE(), and plain
 * where it has a plain one, so that the compiler may join here what it may join
 * there.
 */
#include "memmap/init.h"

#define TAIL_MAPPING 0xdead000000000400U /* nobody may use it */

static void store(uint64_t *word, uint64_t value)
{
	*(volatile uint64_t *)word = value;
}

/* The halves of a word: _mapcount is the lower one of MEMMAP_COUNTS. */
static void store_half(uint64_t *word, unsigned int half, uint32_t value)
{
	typedef uint32_t __attribute__((may_alias)) u32_any;

	*(volatile u32_any *)((char *)word + 4 * (uint64_t)half) = value;
}

static void set_mapcount(uint64_t *page, uint32_t n)
{
	store_half(&page[MEMMAP_COUNTS], 0, n);
}

static void set_refs(uint64_t *page, uint32_t n)
{
	store_half(&page[MEMMAP_COUNTS], 1, n);
}

/* A bit of the flags: read, modified and written, as __set_bit() is.  Linux has
 * BTS with a constant bit, which costs what this does; with a variable one it
 * is microcode. */
static void set_flag(uint64_t *page, unsigned int bit)
{
	__asm__ volatile("orq %1, %0"
			 : "+m"(page[MEMMAP_FLAGS])
			 : "r"((uint64_t)1 << bit)
			 : "cc");
}

/* One store a word, written out: of a loop gcc makes REP STOSQ, which takes
 * three times as long. */
static void zero(const struct memmap_init *in, uint64_t *page)
{
	if (in->bytes > 80) {
		page[11] = 0;
		page[10] = 0;
	}
	if (in->bytes > 64) {
		page[9] = 0;
		page[8] = 0;
	}
	page[7] = 0;
	page[6] = 0;
	page[5] = 0;
	page[4] = 0;
	page[3] = 0;
	page[2] = 0;
	page[1] = 0;
	page[0] = 0;
}

static inline __attribute__((always_inline)) void init_single(
	const struct memmap_init *in, uint64_t *page, uint64_t pfn)
{
	uint64_t self = memmap_address(in, pfn);

	zero(in, page);
	page[MEMMAP_FLAGS] |= in->zone;
	page[MEMMAP_FLAGS] |= in->node;
	if (in->section)
		page[MEMMAP_FLAGS] |= memmap_section_bits(pfn);
	set_refs(page, 1);
	set_mapcount(page, (uint32_t)-1);
	if (in->bytes > 64)
		page[MEMMAP_CPUPID] = MEMMAP_CPUPID_MASK;
	else
		page[MEMMAP_FLAGS] |= in->cpupid;
	store(&page[MEMMAP_LINK], self + 8 * MEMMAP_LINK);
	store(&page[MEMMAP_LRU_PREV], self + 8 * MEMMAP_LINK);
	set_flag(page, in->profile->pg_reserved);
}

void pmk_memmap_init_reserved(const struct memmap_init *in, uint64_t *page,
			      uint64_t pfn)
{
	init_single(in, page, pfn);
}

static inline __attribute__((always_inline)) void init_device(
	const struct memmap_init *in, uint64_t *page, uint64_t pfn)
{
	init_single(in, page, pfn);
	page[MEMMAP_LINK] = in->pgmap;
	page[MEMMAP_LRU_PREV] = 0; /* zone_device_data */
	if (!in->refs)
		set_refs(page, 0);
}

void pmk_memmap_init_device(const struct memmap_init *in, uint64_t *page,
			    uint64_t pfn)
{
	init_device(in, page, pfn);
}

uint64_t pmk_memmap_head_link(const struct memmap_init *in, uint64_t head,
			      unsigned int order)
{
	if (in->profile->compound_mask && in->bytes == 64)
		return ~(((uint64_t)in->bytes << order) - 1) | 1;
	return memmap_address(in, head) | 1;
}

void pmk_memmap_init_tail(const struct memmap_init *in, uint64_t *page,
			  uint64_t pfn, uint64_t link)
{
	init_device(in, page, pfn);
	page[MEMMAP_MAPPING] = TAIL_MAPPING;
	store(&page[MEMMAP_LINK], link);
	page[MEMMAP_PRIVATE] = 0;
	set_refs(page, 0);
}

void pmk_memmap_set_head(const struct memmap_init *in, uint64_t *head)
{
	set_flag(head, in->profile->pg_head);
}

/* 6.1: a byte each for the destructor (1: COMPOUND_PAGE_DTOR) and the order. */
static void prep_tail1_dtor(uint64_t *tail, unsigned int order)
{
	store_half(&tail[2], 0, 1 | order << 8);
	store_half(&tail[2], 1, (uint32_t)-1); /* compound_mapcount */
	store_half(&tail[3], 0, 0);            /* compound_pincount */
	store_half(&tail[3], 1, 1U << order);  /* compound_nr */
}

static void set_order(uint64_t *tail, unsigned int order)
{
	tail[MEMMAP_FLAGS] = (tail[MEMMAP_FLAGS] & ~0xffUL) | order;
}

static void prep_tail1_large(uint64_t *tail, unsigned int order)
{
	set_order(tail, order);
	store_half(&tail[4], 0, 1U << order);  /* _folio_nr_pages */
	store_half(&tail[2], 0, (uint32_t)-1); /* _large_mapcount */
	store_half(&tail[2], 1, (uint32_t)-1); /* _entire_mapcount */
	store_half(&tail[3], 0, 0);            /* _nr_pages_mapped */
	store_half(&tail[3], 1, 0);            /* _pincount */
}

static void prep_tail1_mm_id(uint64_t *tail, unsigned int order)
{
	set_order(tail, order);
	store_half(&tail[7], 0, 1U << order);  /* _nr_pages */
	store_half(&tail[2], 0, (uint32_t)-1); /* _large_mapcount */
	store_half(&tail[2], 1, 0);            /* _nr_pages_mapped */
	store_half(&tail[3], 0, (uint32_t)-1); /* _entire_mapcount */
	store_half(&tail[3], 1, 0);            /* _pincount */
	store_half(&tail[4], 0, (uint32_t)-1); /* _mm_id_mapcount[0] */
	store_half(&tail[4], 1, (uint32_t)-1); /* _mm_id_mapcount[1] */
	tail[5] = 0;                           /* _mm_ids */
}

void pmk_memmap_prep_head(const struct memmap_init *in, uint64_t *head,
			  uint64_t head_pfn, unsigned int order)
{
	uint64_t *tail1 = head + in->bytes / 8, *tail2 = tail1 + in->bytes / 8;
	uint64_t list = memmap_address(in, head_pfn + 2) + 16;

	switch (in->profile->tail1) {
	case MEMMAP_TAIL1_DTOR:
		prep_tail1_dtor(tail1, order);
		break;
	case MEMMAP_TAIL1_LARGE:
		prep_tail1_large(tail1, order);
		break;
	case MEMMAP_TAIL1_MM_ID:
		prep_tail1_mm_id(tail1, order);
		break;
	}
	if (in->profile->tail2_list) {
		store(&tail2[2], list);
		store(&tail2[3], list);
	}
}
