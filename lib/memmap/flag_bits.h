/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the flags word of a struct page keeps what is no flag; for reading. */
#ifndef LIB_MEMMAP_FLAG_BITS_H
#define LIB_MEMMAP_FLAG_BITS_H

#include <stdint.h>

struct pmk_memmap_sim;

/* A number in the word: @width bits from @shift on, none if it is not there. */
struct memmap_bits {
	unsigned int shift;
	unsigned int width;
};

struct memmap_flag_bits {
	struct memmap_bits section;
	struct memmap_bits node;
	struct memmap_bits zone;
	struct memmap_bits last_cpupid;
};

/* Of @sim, @page_bytes and @section_in_flags are looked at. */
void pmk_memmap_flag_bits(const struct pmk_memmap_sim *sim,
			  struct memmap_flag_bits *bits_ret);

static inline uint64_t memmap_bits_mask(struct memmap_bits b)
{
	return ((1ULL << b.width) - 1) << b.shift;
}

static inline uint64_t memmap_bits_get(struct memmap_bits b, uint64_t word)
{
	return (word & memmap_bits_mask(b)) >> b.shift;
}

/* @value in its place; what has no room there is cut off. */
static inline uint64_t memmap_bits_put(struct memmap_bits b, uint64_t value)
{
	return value << b.shift & memmap_bits_mask(b);
}

#endif /* LIB_MEMMAP_FLAG_BITS_H */
