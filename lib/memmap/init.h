/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One struct page, field by field, as Linux does it: which stores there are,
 * in which order.
 *
 * init.c is compiled as kernels are, without vector registers: a compiler that
 * may use them zeroes a struct page with one store of 64 bytes.
 */
#ifndef LIB_MEMMAP_INIT_H
#define LIB_MEMMAP_INIT_H

#include <stdbool.h>
#include <stdint.h>

#include "memmap/profile.h"
#include "memmap/units.h"

/* Words of a struct page, the same in all sizes of it. */
enum {
	MEMMAP_FLAGS = 0,
	MEMMAP_LINK = 1,     /* pgmap, head of a compound, or lru.next */
	MEMMAP_LRU_PREV = 2, /* also zone_device_data */
	MEMMAP_MAPPING = 3,
	MEMMAP_INDEX = 4,
	MEMMAP_PRIVATE = 5,
	MEMMAP_COUNTS = 6, /* _mapcount, _refcount: 32 bits each */
	MEMMAP_MEMCG = 7,
	MEMMAP_CPUPID = 8, /* _last_cpupid, where it is not in the flags */
};

/* What all struct pages of a namespace have in common. */
struct memmap_init {
	unsigned int bytes; /* of a struct page: 64, 80 or 96 */
	uint64_t vmemmap;   /* address of that of frame 0 */
	uint64_t pgmap;
	uint64_t zone;     /* in place in the flags */
	uint64_t node;     /* the same; 0 if it is not there */
	uint64_t cpupid;   /* the same */
	bool section;      /* its number is in the flags */
	unsigned int refs; /* of a free device page */
	const struct memmap_profile *profile;
};

#define MEMMAP_CPUPID_MASK   0x1fffffU /* all of its 21 bits */
#define MEMMAP_SECTION_SHIFT 45        /* if it is in the flags */

static inline uint64_t memmap_address(const struct memmap_init *in,
				      uint64_t pfn)
{
	return in->vmemmap + pfn * in->bytes;
}

/* The number of a section, in place in the flags. */
static inline uint64_t memmap_section_bits(uint64_t pfn)
{
	return pfn / MEMMAP_SECTION_PAGES << MEMMAP_SECTION_SHIFT;
}

/* An ordinary page that is reserved: what holds struct pages. */
void pmk_memmap_init_reserved(const struct memmap_init *in, uint64_t *page,
			      uint64_t pfn);
/* A page of a device. */
void pmk_memmap_init_device(const struct memmap_init *in, uint64_t *page,
			    uint64_t pfn);
/* A page of a device that is a tail; @link as below. */
void pmk_memmap_init_tail(const struct memmap_init *in, uint64_t *page,
			  uint64_t pfn, uint64_t link);
/* What leads from the tails of the compound at @head (the number of its frame)
 * to it: its address, or a mask for the address of any tail; bit 0 says that
 * this is a tail. */
uint64_t pmk_memmap_head_link(const struct memmap_init *in, uint64_t head,
			      unsigned int order);
/* The first page of a compound becomes its head ... */
void pmk_memmap_set_head(const struct memmap_init *in, uint64_t *head);
/* ... and its first tails say how large it is.  @head_pfn: its number. */
void pmk_memmap_prep_head(const struct memmap_init *in, uint64_t *head,
			  uint64_t head_pfn, unsigned int order);

#endif /* LIB_MEMMAP_INIT_H */
