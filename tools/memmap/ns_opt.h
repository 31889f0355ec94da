/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of pmk memmap that say what a namespace is. */
#ifndef TOOLS_MEMMAP_NS_OPT_H
#define TOOLS_MEMMAP_NS_OPT_H

#include <argp.h>
#include <stdbool.h>

#include <pmk/memmap.h>

/* The key of --kernel, which has no letter. */
#define OPT_KERNEL 0x200

#define OPT_KERNEL_ROW                                                        \
	{                                                                     \
		"kernel", OPT_KERNEL, "VERSION", 0,                           \
			"The kernel whose rules hold; by default the newest " \
			"that is known",                                      \
			0                                                     \
	}

/* The value of --kernel; another ends the process with a usage error. */
unsigned int memmap_opt_kernel(struct argp_state *state, const char *arg);

/*
 * --mode, --map, --align, --start, --struct-page and --kernel, as a child of a
 * command's parser; its input, set with ARGP_KEY_INIT in child_inputs, is a
 * struct pmk_memmap_params that has its defaults.  A wrong value ends the
 * process with a usage error.
 */
extern const struct argp memmap_opt_argp;

/* What ndctl takes by default, on the newest kernel, at 4 GiB; no size, and no
 * size of a struct page. */
void memmap_opt_defaults(struct pmk_memmap_params *ns);

/* A mode, a map or an alignment by its word; false if it is none of them. */
bool memmap_opt_word(const char *word, struct pmk_memmap_params *ns);

/* "dev" or "mem". */
const char *memmap_opt_map_name(enum pmk_memmap_map map);

#endif /* TOOLS_MEMMAP_NS_OPT_H */
