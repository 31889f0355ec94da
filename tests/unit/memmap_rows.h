/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Struct pages as literal tables: what each kernel writes for each kind of
 * frame, in a few namespaces that start at 4 GiB.
 */
#ifndef TESTS_UNIT_MEMMAP_ROWS_H
#define TESTS_UNIT_MEMMAP_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/memmap.h>

#define ROWS_PAGE_MAX  96U
#define ROWS_UNTOUCHED 0x5a
#define ROWS_PGMAP     0xffff888012345678U

struct rows_ns {
	const char *name;
	enum pmk_mode mode;
	enum pmk_memmap_map map;
	uint64_t size;
	uint64_t align;
	unsigned int order; /* of compounds, or 0 */
	/* the first frame of data with struct pages of 64, 80, 96 bytes */
	uint64_t data[3];
	uint64_t frames;
};

enum {
	ROWS_FSDAX,     /* 1 GiB, map=dev */
	ROWS_DEVDAX_2M, /* the same */
	ROWS_DEVDAX_4K, /* 1 GiB, map=mem */
	ROWS_MEM_2M,    /* the same: tails are shared */
	ROWS_MEM_1G,    /* 16 GiB, map=mem: tails are shared */
	ROWS_DEV_1G,    /* 16 GiB, map=dev */
	ROWS_NS_COUNT
};

extern const struct rows_ns rows_ns[ROWS_NS_COUNT];

/* How such a namespace is simulated; @size is 0, 1 or 2 for 64, 80, 96. */
struct pmk_memmap_sim rows_sim(const struct rows_ns *ns, unsigned int kernel,
			       unsigned int size);

/* The struct page of @frame, by the tables. */
void rows_page(const struct rows_ns *ns, unsigned int kernel, unsigned int size,
	       uint64_t frame, unsigned char page[ROWS_PAGE_MAX]);

#endif /* TESTS_UNIT_MEMMAP_ROWS_H */
