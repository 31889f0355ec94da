/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of pmk memmap that say which struct pages a namespace has. */
#ifndef TOOLS_MEMMAP_SIM_OPT_H
#define TOOLS_MEMMAP_SIM_OPT_H

#include <argp.h>
#include <stdbool.h>

#include <pmk/memmap.h>

struct memmap_sim_opt {
	struct pmk_memmap_sim sim;
	/* --pgmap has no address, or "auto": the one in sim is made up */
	bool pgmap_auto;
};

/*
 * --size, --nid, --zone, --section-in-flags, --vmemmap-base, --pgmap, and the
 * options of ns_opt.h, as a child of a command's parser; its input, set
 * with ARGP_KEY_INIT in child_inputs, is a struct memmap_sim_opt that has its
 * defaults.  Afterwards the sizes of struct page are set and agree.  A wrong
 * value, or no --size, ends the process with a usage error.
 */
extern const struct argp memmap_sim_argp;

/* An fsdax namespace of node 0 as memmap_opt_defaults() has it, where x86-64
 * has its struct pages without KASLR. */
void memmap_sim_defaults(struct memmap_sim_opt *o);

#endif /* TOOLS_MEMMAP_SIM_OPT_H */
