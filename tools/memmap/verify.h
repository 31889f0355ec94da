/* SPDX-License-Identifier: BSD-3-Clause */
/* The two forms of pmk memmap verify. */
#ifndef TOOLS_MEMMAP_VERIFY_H
#define TOOLS_MEMMAP_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "memmap/sim_opt.h"

struct memmap_verify {
	struct memmap_sim_opt opt;
	int untouched; /* --untouched, or -1 */
	bool json;
	const char *path; /* or NULL */
	struct pmk_memmap_layout layout;
};

/* The page frames that have a struct page. */
static inline uint64_t memmap_verify_frames(const struct memmap_verify *v)
{
	return (v->opt.sim.ns.size - v->layout.end_trunc) / 4096;
}

static inline uint64_t memmap_verify_pfn(const struct memmap_verify *v)
{
	return v->opt.sim.ns.start / 4096;
}

/* Both print what they found and return an exit code. */
int memmap_verify_file(struct memmap_verify *v);
int memmap_verify_engines(struct memmap_verify *v);

#endif /* TOOLS_MEMMAP_VERIFY_H */
