/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels do differently, one row for each set of rules. */
#ifndef LIB_MEMMAP_PROFILE_H
#define LIB_MEMMAP_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* The layout of the first tail page of a compound. */
enum memmap_tail1 {
	MEMMAP_TAIL1_DTOR,  /* 6.1: destructor and order as bytes */
	MEMMAP_TAIL1_LARGE, /* 6.12: _large_mapcount, order in the flags */
	MEMMAP_TAIL1_MM_ID, /* 6.15: that, and who maps it */
};

/* When the head of a compound becomes one. */
enum memmap_head {
	MEMMAP_HEAD_AFTER_TAIL2, /* 6.1 */
	MEMMAP_HEAD_AFTER_TAIL1, /* 6.12: tail 2 is written afterwards */
	MEMMAP_HEAD_LAST,        /* 6.18 */
};

struct memmap_profile {
	const char *name;
	unsigned int pg_reserved; /* bit number of PG_reserved */
	unsigned int pg_head;     /* bit number of PG_head */
	unsigned int fsdax_refs;  /* references of a free fsdax page */
	enum memmap_tail1 tail1;
	enum memmap_head head;
	/* page blocks become movable in a pass of their own, at the end,
	 * instead of with the first page of each */
	bool pageblock_pass;
	/* compounds in sections shared with RAM have all their struct pages */
	bool early_sections;
	/* tails point to their head by a mask, if struct page is a power of
	 * two; else by its address */
	bool compound_mask;
	/* tail 2 is an empty list of deferred splits */
	bool tail2_list;
	/* a namespace of which nothing is left is refused when it is made (6.1
	 * compares with the size that still has the truncated end) */
	bool refuses_truncated;
};

/* NULL if there is no such kernel. */
const struct memmap_profile *pmk_memmap_profile(unsigned int kernel);

#endif /* LIB_MEMMAP_PROFILE_H */
