/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Legacy memory: regions that the kernel found in the firmware's memory map
 * (e820, type 12), and not through NFIT.  Either an NVDIMM of that time, or
 * ordinary memory that the kernel argument memmap=SIZE!START calls one (Linux
 * Documentation/admin-guide/kernel-parameters.txt).
 */
#ifndef LIB_MAP_LEGACY_H
#define LIB_MAP_LEGACY_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/map.h>

/* Is it a region of legacy memory, by its directory in sysfs? */
bool pmk_legacy_region(const char *region);

/* Is such a region ordinary memory? */
enum pmk_answer pmk_legacy_is_ram(const char *region);

/* The same by the kernel's command line; @start is where the region lies, NULL
 * if that is not known. */
enum pmk_answer pmk_memmap_makes(const char *cmdline, const uint64_t *start);

#endif /* LIB_MAP_LEGACY_H */
