/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of pmk wc repair share. */
#ifndef TOOLS_WC_REPAIR_H
#define TOOLS_WC_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Bytes of a file that cannot be read; free() the ranges. */
struct clone_lost {
	struct clone_range {
		uint64_t off, len;
	} * ranges; /* ascending */
	size_t n;
	uint64_t bytes;
};

/* Copy @path into @fd, an empty file; holes stay holes, and what the medium
 * does not give becomes zeros, and is added to @lost.  0, or -errno. */
int clone_file(const char *path, int fd, struct clone_lost *lost);

/* Is any of what is @lost of use to @img, its repaired copy?  EXIT_OK, or
 * EXIT_FAIL after a message. */
int repair_check_lost(const struct repair_args *a,
		      const struct pmk_wc_image *img,
		      const struct clone_lost *lost);

#endif /* TOOLS_WC_REPAIR_H */
