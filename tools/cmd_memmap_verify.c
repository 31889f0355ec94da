/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap verify: are the struct pages of a namespace what they must be? */
#include <errno.h>

#include "memmap/verify.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"

/* The key of --untouched, which has no letter. */
#define OPT_UNTOUCHED 0x400

static const struct argp_option options[] = {
	{ "untouched", OPT_UNTOUCHED, "BYTE", 0,
	  "What is in struct pages that nobody initialises; without it those "
	  "of FILE are not checked",
	  0 },
	OPT_JSON,
	OPT_END,
};

static const struct argp_child children[] = {
	{ &memmap_sim_argp, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 },
};

static int parse_byte(struct argp_state *state, const char *arg)
{
	uint64_t v = opt_size(state, "--untouched", arg, 0);

	if (v > UINT8_MAX)
		argp_error(state, "--untouched: '%s' is not a byte", arg);
	return (int)v;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct memmap_verify *v = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &v->opt;
		return 0;
	case 'j':
		v->json = true;
		return 0;
	case OPT_UNTOUCHED:
		v->untouched = parse_byte(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		return opt_positional(key, arg, state, &v->path, NULL, 1);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[FILE]",
	.doc = "Check every field of the struct pages of a namespace: those in "
	       "FILE, which a kernel or pmk memmap simulate wrote, or those "
	       "that each engine of pmk memmap simulate makes.",
};

int cmd_memmap_verify(int argc, char **argv)
{
	struct memmap_verify v = { .untouched = -1 };
	int rc;

	memmap_sim_defaults(&v.opt);
	argp_parse(&argp, argc, argv, 0, NULL, &v);
	rc = pmk_memmap_predict(&v.opt.sim.ns, &v.layout);
	if (rc)
		return out_error("no such namespace: %s",
				 v.layout.reason ? v.layout.reason
						 : out_explanation(rc, NULL));
	return v.path ? memmap_verify_file(&v) : memmap_verify_engines(&v);
}
