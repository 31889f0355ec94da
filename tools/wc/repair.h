/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of pmk wc repair share. */
#ifndef TOOLS_WC_REPAIR_H
#define TOOLS_WC_REPAIR_H

#include <stdbool.h>

#include <pmk/wc_repair.h>

#include "wc/wc_opt.h"

struct repair_args {
	struct wc_opt opt;
	const char *path; /* CACHE */
	const char *output, *undo, *undo_apply, *origin;
	bool in_place, dry_run, yes, force;
	struct pmk_wc_repair_params params;
};

/* The changes, and what remains.  @applied: they were made. */
int repair_print(const struct repair_args *a, const struct pmk_wc_repair *r,
		 bool applied);

/* A line on stderr for each kind of problem that remains; EXIT_OK, or EXIT_BAD
 * if there are any. */
int repair_verdict(const struct repair_args *a, const struct pmk_wc_repair *r);

/* Copy @path into @fd, an empty file; holes stay holes.  0, or -errno. */
int clone_file(const char *path, int fd);

#endif /* TOOLS_WC_REPAIR_H */
