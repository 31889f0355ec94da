/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes that x86-64 and Linux give a memmap; bytes unless it says pages. */
#ifndef LIB_MEMMAP_UNITS_H
#define LIB_MEMMAP_UNITS_H

#include <stdint.h>

#define MEMMAP_PAGE ((uint64_t)4096)
#define MEMMAP_2M   ((uint64_t)2 << 20)
#define MEMMAP_1G   ((uint64_t)1 << 30)
/* What is hot-plugged at once. */
#define MEMMAP_SECTION       ((uint64_t)128 << 20)
#define MEMMAP_SECTION_PAGES (MEMMAP_SECTION / MEMMAP_PAGE)
#define MEMMAP_PAGEBLOCK     512U /* pages */
/* The info block, and the 4 KiB before it. */
#define MEMMAP_RESERVE ((uint64_t)8192)
/* Struct pages that are kept of a compound whose tails share memory: two pages
 * of the vmemmap, with 64 each. */
#define MEMMAP_KEPT       128U
#define MEMMAP_KEPT_TAILS 64U

#endif /* LIB_MEMMAP_UNITS_H */
