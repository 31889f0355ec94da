/* SPDX-License-Identifier: BSD-3-Clause */
/* Parse what a namespace of pmk memmap is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "memmap/ns_opt.h"
#include "opt.h"

void memmap_opt_defaults(struct pmk_memmap_params *ns)
{
	int newest = pmk_memmap_kernel(NULL);

	*ns = (struct pmk_memmap_params){
		.start = (uint64_t)4 << 30,
		.align = (uint64_t)2 << 20,
		.mode = PMK_MODE_FSDAX,
		.map = PMK_MEMMAP_DEV,
		.kernel = (unsigned int)newest,
	};
}

const char *memmap_opt_map_name(enum pmk_memmap_map map)
{
	return map == PMK_MEMMAP_DEV ? "dev" : "mem";
}

static bool parse_mode(const char *word, struct pmk_memmap_params *ns)
{
	if (!strcmp(word, "fsdax"))
		ns->mode = PMK_MODE_FSDAX;
	else if (!strcmp(word, "devdax"))
		ns->mode = PMK_MODE_DEVDAX;
	else
		return false;
	return true;
}

static bool parse_map(const char *word, struct pmk_memmap_params *ns)
{
	if (!strcmp(word, "dev"))
		ns->map = PMK_MEMMAP_DEV;
	else if (!strcmp(word, "mem"))
		ns->map = PMK_MEMMAP_MEM;
	else
		return false;
	return true;
}

static bool parse_align(const char *word, struct pmk_memmap_params *ns)
{
	uint64_t v;

	if (pmk_size_parse(word, &v) ||
	    (v != 4096 && v != (2U << 20) && v != (1U << 30)))
		return false;
	ns->align = v;
	return true;
}

static bool parse_struct_page(const char *word, struct pmk_memmap_params *ns)
{
	uint64_t v;

	if (pmk_size_parse(word, &v) ||
	    (v != 64 && v != 80 && v != 96 && v != 128))
		return false;
	ns->struct_page = (unsigned int)v;
	return true;
}

bool memmap_opt_word(const char *word, struct pmk_memmap_params *ns)
{
	return parse_mode(word, ns) || parse_map(word, ns) ||
	       parse_align(word, ns);
}

unsigned int memmap_opt_kernel(struct argp_state *state, const char *arg)
{
	char known[128] = "";
	int kernel = pmk_memmap_kernel(arg);
	const char *name;

	if (kernel >= 0)
		return (unsigned int)kernel;
	for (unsigned int i = 0; (name = pmk_memmap_kernel_name(i)); i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known),
			 "%s%s", i ? ", " : "", name);
	argp_error(state, "--kernel: '%s' is not one of %s", arg, known);
	return 0;
}

/* Keys of the other options; none has a letter. */
enum {
	OPT_MODE = OPT_KERNEL + 1,
	OPT_MAP,
	OPT_ALIGN,
	OPT_START,
	OPT_STRUCT_PAGE,
};

static const struct argp_option options[] = {
	{ "mode", OPT_MODE, "MODE", 0, "fsdax (default) or devdax", 0 },
	{ "map", OPT_MAP, "MAP", 0,
	  "Where struct pages are: dev (default) or mem", 0 },
	{ "align", OPT_ALIGN, "ALIGN", 0, "4K, 2M (default) or 1G", 0 },
	{ "start", OPT_START, "ADDR", 0,
	  "Physical address of the namespace (4G)", 0 },
	{ "struct-page", OPT_STRUCT_PAGE, "BYTES", 0,
	  "Bytes of a struct page, or kept for it: 64 (default), 80, 96 or 128",
	  0 },
	OPT_KERNEL_ROW,
	OPT_END,
};

/* @done: the value was one of @known */
static void check(struct argp_state *state, bool done, const char *option,
		  const char *arg, const char *known)
{
	if (!done)
		argp_error(state, "%s: '%s' is not %s", option, arg, known);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct pmk_memmap_params *ns = state->input;

	switch (key) {
	case OPT_MODE:
		check(state, parse_mode(arg, ns), "--mode", arg,
		      "fsdax or devdax");
		return 0;
	case OPT_MAP:
		check(state, parse_map(arg, ns), "--map", arg, "dev or mem");
		return 0;
	case OPT_ALIGN:
		check(state, parse_align(arg, ns), "--align", arg,
		      "4K, 2M or 1G");
		return 0;
	case OPT_START:
		ns->start = opt_size(state, "--start", arg, 0);
		/* which may stand for what is not given */
		if (ns->start == UINT64_MAX)
			argp_error(state, "--start: '%s' is too large", arg);
		return 0;
	case OPT_STRUCT_PAGE:
		check(state, parse_struct_page(arg, ns), "--struct-page", arg,
		      "64, 80, 96 or 128");
		return 0;
	case OPT_KERNEL:
		ns->kernel = memmap_opt_kernel(state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp memmap_opt_argp = {
	.options = options,
	.parser = parse,
};
