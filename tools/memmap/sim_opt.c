/* SPDX-License-Identifier: BSD-3-Clause */
/* Parse which struct pages a namespace has. */
#include <string.h>

#include "memmap/ns_opt.h"
#include "memmap/sim_opt.h"
#include "opt.h"

/* In the direct map of a kernel without KASLR, as a struct dev_pagemap is. */
#define PGMAP_MADE_UP 0xffff888100000000U

/* Keys; none has a letter. */
enum {
	OPT_SIZE = 0x300,
	OPT_NID,
	OPT_ZONE,
	OPT_SECTION,
	OPT_VMEMMAP,
	OPT_PGMAP,
};

static const struct argp_option options[] = {
	{ "size", OPT_SIZE, "SIZE", 0, "Raw size of the namespace", 0 },
	{ "nid", OPT_NID, "N", 0, "Its NUMA node (0)", 0 },
	{ "zone", OPT_ZONE, "N", 0,
	  "Number of the zone of device memory, 0 to 7 (4)", 0 },
	{ "section-in-flags", OPT_SECTION, NULL, 0,
	  "The number of the section is in the flags of a page (classic "
	  "SPARSEMEM)",
	  0 },
	{ "vmemmap-base", OPT_VMEMMAP, "ADDR", 0,
	  "Address of the struct page of frame 0 (0xffffea0000000000)", 0 },
	{ "pgmap", OPT_PGMAP, "ADDR", 0,
	  "Address of struct dev_pagemap, or auto (default)", 0 },
	OPT_END,
};

static const struct argp_child children[] = {
	{ &memmap_opt_argp, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 },
};

void memmap_sim_defaults(struct memmap_sim_opt *o)
{
	*o = (struct memmap_sim_opt){
		.sim = {
			.zone = PMK_MEMMAP_ZONE_DEVICE,
			.vmemmap_base = PMK_MEMMAP_VMEMMAP_BASE,
			.pgmap = PGMAP_MADE_UP,
		},
		.pgmap_auto = true,
	};
	memmap_opt_defaults(&o->sim.ns);
}

static void parse_pgmap(struct argp_state *state, const char *arg,
			struct memmap_sim_opt *o)
{
	o->pgmap_auto = !strcmp(arg, "auto");
	o->sim.pgmap = o->pgmap_auto ? PGMAP_MADE_UP
				     : opt_size(state, "--pgmap", arg, 0);
}

/* What is kept for a struct page is what it has. */
static void finish(struct argp_state *state, struct pmk_memmap_sim *sim)
{
	if (!sim->ns.size)
		argp_error(state, "--size is missing");
	if (!sim->ns.struct_page)
		sim->ns.struct_page = 64;
	if (sim->ns.struct_page > 96)
		argp_error(state, "--struct-page: of 64, 80 or 96 bytes here");
	sim->page_bytes = sim->ns.struct_page;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct memmap_sim_opt *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->sim.ns;
		return 0;
	case OPT_SIZE:
		o->sim.ns.size = opt_size(state, "--size", arg, 1);
		return 0;
	case OPT_NID:
		o->sim.nid =
			(unsigned int)opt_count(state, "--nid", arg, 0, 1023);
		return 0;
	case OPT_ZONE:
		o->sim.zone =
			(unsigned int)opt_count(state, "--zone", arg, 0, 7);
		return 0;
	case OPT_SECTION:
		o->sim.section_in_flags = true;
		return 0;
	case OPT_VMEMMAP:
		o->sim.vmemmap_base = opt_size(state, "--vmemmap-base", arg, 0);
		return 0;
	case OPT_PGMAP:
		parse_pgmap(state, arg, o);
		return 0;
	case ARGP_KEY_END:
		finish(state, &o->sim);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp memmap_sim_argp = {
	.options = options,
	.parser = parse,
	.children = children,
};
