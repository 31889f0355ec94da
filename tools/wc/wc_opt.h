/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cache, and as what table line: the options of all pmk wc commands. */
#ifndef TOOLS_WC_OPT_H
#define TOOLS_WC_OPT_H

#include <argp.h>
#include <stdbool.h>

#include <pmk/wc_image.h>

struct wc_opt {
	struct pmk_wc_open_params params;
	bool json;
};

/* --json, --offset, --length, --start-sector, --block-size, --mode: a child of
 * a command's parser; its input is a struct wc_opt. */
extern const struct argp wc_opt_argp;

/* The same children for every command: its own parser sets child_inputs[0]. */
extern const struct argp_child wc_opt_children[];

/* Open the cache at @path; @flags: enum pmk_wc_open_flag.  EXIT_OK, or
 * EXIT_FAIL after one line. */
int wc_opt_open(const char *path, const struct wc_opt *opt, unsigned int flags,
		struct pmk_wc_image **img_ret);

/* "loads", "loads_with_error", "refused" or "formats". */
const char *wc_verdict_name(enum pmk_wc_verdict verdict);

#endif /* TOOLS_WC_OPT_H */
