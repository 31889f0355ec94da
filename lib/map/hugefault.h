/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure how much one page fault maps. */
#ifndef LIB_MAP_HUGEFAULT_H
#define LIB_MAP_HUGEFAULT_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/map.h>

#define PMK_HUGE_BYTES ((uint64_t)2 << 20)

/*
 * Map 2 MiB of @fd at @off, a multiple of that, for reading, touch the first
 * page and then the last one: does the second access take a fault of its own?
 * @align: of the mapping, 0 for files, else the device's.  YES: at least 2 MiB
 * were mapped at once; NO; UNKNOWN with the reason in @why_ret.
 */
enum pmk_answer pmk_hugefault(int fd, uint64_t off, size_t align,
			      enum pmk_map_why *why_ret);

#endif /* LIB_MAP_HUGEFAULT_H */
