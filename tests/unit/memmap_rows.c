/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Struct pages as literal tables.  6.1 and 6.12 are what those kernels were
 * seen to write; for the later ones see docs/memmap.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "memmap_rows.h"

#define GIB       (1ULL << 30)
#define START     0x100000000U
#define FIRST_PFN 0x100000U
#define VMEMMAP   0xffffea0000000000U

const struct rows_ns rows_ns[ROWS_NS_COUNT] = {
	[ROWS_FSDAX] = { "fsdax",
			 PMK_MODE_FSDAX,
			 PMK_MEMMAP_DEV,
			 GIB,
			 2 << 20,
			 0,
			 { 4608, 5632, 6656 },
			 262144 },
	[ROWS_DEVDAX_2M] = { "devdax 2M",
			     PMK_MODE_DEVDAX,
			     PMK_MEMMAP_DEV,
			     GIB,
			     2 << 20,
			     9,
			     { 4608, 5632, 6656 },
			     262144 },
	[ROWS_DEVDAX_4K] = { "devdax 4K, mem",
			     PMK_MODE_DEVDAX,
			     PMK_MEMMAP_MEM,
			     GIB,
			     4096,
			     0,
			     { 0, 0, 0 },
			     262144 },
	[ROWS_MEM_2M] = { "devdax 2M, mem",
			  PMK_MODE_DEVDAX,
			  PMK_MEMMAP_MEM,
			  GIB,
			  2 << 20,
			  9,
			  { 0, 0, 0 },
			  262144 },
	[ROWS_MEM_1G] = { "devdax 1G, mem",
			  PMK_MODE_DEVDAX,
			  PMK_MEMMAP_MEM,
			  16 * GIB,
			  GIB,
			  18,
			  { 0, 0, 0 },
			  4194304 },
	[ROWS_DEV_1G] = { "devdax 1G",
			  PMK_MODE_DEVDAX,
			  PMK_MEMMAP_DEV,
			  16 * GIB,
			  GIB,
			  18,
			  { 262144, 262144, 262144 },
			  4194304 },
};

/* Words that are not the same everywhere. */
#define SYM(n) (0x53594d0000000000U + (n))
#define PGMAP  ROWS_PGMAP
#define LINK   SYM(1) /* to the head: its address, or the mask of 7.1 */
#define OWN_8  SYM(2) /* the struct page's own address and 8 */
#define OWN_16 SYM(3) /* and 16 */

enum kind {
	INFO,
	ALTMAP,
	FSDAX,
	DEVDAX,
	HEAD,
	TAIL1,
	TAIL2,
	TAIL,
};

/* Bits of @kernels: by number, oldest first. */
#define K_6_1      0x01U
#define K_6_1_192  0x02U
#define K_6_12     0x04U
#define K_6_12_117 0x08U
#define K_6_15     0x10U
#define K_6_18     0x20U
#define K_7_1      0x40U
#define K_7_2      0x80U
#define K_6_1_ALL  (K_6_1 | K_6_1_192)
#define K_6_12_ALL (K_6_12 | K_6_12_117)
#define K_NEW      (K_6_15 | K_6_18 | K_7_1 | K_7_2)
#define K_ALL      (K_6_1_ALL | K_6_12_ALL | K_NEW)

#define ONE_REF  0x00000001ffffffffU /* refcount 1, mapcount -1 */
#define NO_REF   0x00000000ffffffffU
#define ALL_ONES 0xffffffffffffffffU
#define POISON   0xdead000000000400U

static const struct row {
	enum kind kind;
	unsigned int kernels;
	unsigned int order; /* 0: any */
	uint64_t flags;     /* besides those that all have */
	uint64_t word[7];   /* the words behind the flags */
} rows[] = {
	{ ALTMAP, K_ALL, 0, 0, { OWN_8, OWN_8, 0, 0, 0, ONE_REF, 0 } },
	{ FSDAX,
	  K_6_1_ALL | K_6_12_ALL,
	  0,
	  0,
	  { PGMAP, 0, 0, 0, 0, ONE_REF, 0 } },
	{ FSDAX, K_NEW, 0, 0, { PGMAP, 0, 0, 0, 0, NO_REF, 0 } },
	{ DEVDAX, K_ALL, 0, 0, { PGMAP, 0, 0, 0, 0, ONE_REF, 0 } },
	{ HEAD, K_6_1_ALL, 0, 0x10000, { PGMAP, 0, 0, 0, 0, ONE_REF, 0 } },
	{ HEAD,
	  K_6_12_ALL | K_NEW,
	  0,
	  0x40,
	  { PGMAP, 0, 0, 0, 0, ONE_REF, 0 } },

	{ TAIL1,
	  K_6_1_ALL,
	  9,
	  0,
	  { LINK, 0xffffffff00000901, 0x0000020000000000, 0, 0, NO_REF, 0 } },
	{ TAIL1,
	  K_6_1_ALL,
	  18,
	  0,
	  { LINK, 0xffffffff00001201, 0x0004000000000000, 0, 0, NO_REF, 0 } },
	{ TAIL1, K_6_12_ALL, 9, 9, { LINK, ALL_ONES, 0, 0x200, 0, NO_REF, 0 } },
	{ TAIL1,
	  K_6_12_ALL,
	  18,
	  18,
	  { LINK, ALL_ONES, 0, 0x40000, 0, NO_REF, 0 } },
	{ TAIL1,
	  K_NEW,
	  9,
	  9,
	  { LINK, 0x00000000ffffffff, 0x00000000ffffffff, ALL_ONES, 0, NO_REF,
	    0x200 } },
	{ TAIL1,
	  K_NEW,
	  18,
	  18,
	  { LINK, 0x00000000ffffffff, 0x00000000ffffffff, ALL_ONES, 0, NO_REF,
	    0x40000 } },

	{ TAIL2,
	  K_6_1_ALL | K_6_12_ALL | K_6_15,
	  0,
	  0,
	  { LINK, 0, POISON, 0, 0, NO_REF, 0 } },
	{ TAIL2,
	  K_6_18 | K_7_1 | K_7_2,
	  0,
	  0,
	  { LINK, OWN_16, OWN_16, 0, 0, NO_REF, 0 } },
	{ TAIL, K_ALL, 0, 0, { LINK, 0, POISON, 0, 0, NO_REF, 0 } },
};

/* Zone 4 and node 0; no last CPU in struct pages with a field for it. */
static uint64_t base_flags(unsigned int kernel, unsigned int size)
{
	static const uint64_t flags[2][2] = {
		{ 0x0027ffffc0001000, 0x0020000000001000 },
		{ 0x0027ffffc0002000, 0x0020000000002000 },
	};

	return flags[!(1U << kernel & K_6_1_ALL)][size > 0];
}

static const unsigned int page_bytes[] = { 64, 80, 96 };

struct pmk_memmap_sim rows_sim(const struct rows_ns *ns, unsigned int kernel,
			       unsigned int size)
{
	struct pmk_memmap_sim sim = {
		.ns = {
			.start = START,
			.size = ns->size,
			.align = ns->align,
			.mode = ns->mode,
			.map = ns->map,
			.kernel = kernel,
			.struct_page = page_bytes[size],
		},
		.page_bytes = page_bytes[size],
		.zone = 4,
		.vmemmap_base = VMEMMAP,
		.pgmap = ROWS_PGMAP,
	};

	return sim;
}

static enum kind kind_of(const struct rows_ns *ns, unsigned int size,
			 uint64_t frame)
{
	static const enum kind in_compound[] = { HEAD, TAIL1, TAIL2, TAIL };
	uint64_t k;

	if (frame < ns->data[size])
		return frame < 2 ? INFO : ALTMAP;
	if (!ns->order)
		return ns->mode == PMK_MODE_FSDAX ? FSDAX : DEVDAX;
	k = (frame - ns->data[size]) % (1ULL << ns->order);
	return in_compound[k < 3 ? k : 3];
}

static const struct row *find_row(enum kind kind, unsigned int kernel,
				  unsigned int order)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].kind == kind && (rows[i].kernels & 1U << kernel) &&
		    (!rows[i].order || rows[i].order == order))
			return &rows[i];
	fail_msg("no row of kind %d, kernel %u, order %u", kind, kernel, order);
	return NULL;
}

static uint64_t link_to_head(const struct rows_ns *ns, unsigned int kernel,
			     unsigned int size, uint64_t frame)
{
	uint64_t k = (frame - ns->data[size]) % (1ULL << ns->order);

	/* 512 struct pages of 64 bytes are 32 KiB, 262144 are 16 MiB */
	if ((K_7_1 | K_7_2) & 1U << kernel && size == 0)
		return ns->order == 9 ? 0xffffffffffff8001 : 0xffffffffff000001;
	return VMEMMAP + page_bytes[size] * (FIRST_PFN + frame - k) + 1;
}

void rows_page(const struct rows_ns *ns, unsigned int kernel, unsigned int size,
	       uint64_t frame, unsigned char page[ROWS_PAGE_MAX])
{
	uint64_t own = VMEMMAP + page_bytes[size] * (FIRST_PFN + frame);
	enum kind kind = kind_of(ns, size, frame);
	const struct row *row;
	uint64_t words[12] = { 0 };

	if (kind == INFO) {
		memset(page, ROWS_UNTOUCHED, ROWS_PAGE_MAX);
		return;
	}
	row = find_row(kind, kernel, ns->order);
	words[0] = base_flags(kernel, size) | row->flags;
	for (size_t i = 0; i < ARRAY_SIZE(row->word); i++) {
		uint64_t w = row->word[i];

		words[1 + i] = w == LINK ? link_to_head(ns, kernel, size, frame)
			       : w == OWN_8  ? own + 8
			       : w == OWN_16 ? own + 16
					     : w;
	}
	/* a field for the last CPU: none */
	if (size > 0)
		words[8] = 0x1fffff;
	memcpy(page, words, ROWS_PAGE_MAX);
}
