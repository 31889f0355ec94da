/* SPDX-License-Identifier: BSD-3-Clause */
/* The faults that a check of struct pages finds: counted, and some kept. */
#ifndef TOOLS_MEMMAP_FAULTS_H
#define TOOLS_MEMMAP_FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/memmap.h>

struct json_object;

#define MEMMAP_FAULTS_KEPT 20U

struct memmap_faults {
	uint64_t count;
	struct pmk_memmap_fault kept[MEMMAP_FAULTS_KEPT]; /* the first ones */
};

/* A pmk_memmap_fault_fn; @arg is the struct memmap_faults. */
int memmap_faults_hear(void *arg, const struct pmk_memmap_fault *f);

/* A table of those that were kept, if any, and how many more there are, behind
 * an empty line; @first_pfn is the first frame of the namespace. */
void memmap_faults_print(const struct memmap_faults *faults,
			 uint64_t first_pfn);

/* Members "faults" and "first_faults" of @o. */
void memmap_faults_json(const struct memmap_faults *faults, uint64_t first_pfn,
			struct json_object *o);

#endif /* TOOLS_MEMMAP_FAULTS_H */
