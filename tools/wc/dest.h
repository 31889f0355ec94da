/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk wc writeback and export share: blocks that did not get where they
 * belong, signals, progress, and the document. */
#ifndef TOOLS_WC_DEST_H
#define TOOLS_WC_DEST_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wc_writeback.h>

#include "progress.h"

struct json_object;

/* Blocks that failed: all are counted, the first are kept. */
struct dest_list {
	struct pmk_wc_failure *first;
	size_t n;
	uint64_t total;
};

/* For pmk_wc_misfits() and the like; @arg: a struct dest_list. */
void dest_list_add(const struct pmk_wc_failure *f, void *arg);
void dest_list_free(struct dest_list *l);
/* A line on stderr for each of some, and one for the rest.  @path: the
 * cache. */
void dest_list_report(const struct dest_list *l, const char *path);

/* --retries and --threads: the second of the children of both commands, whose
 * parsers set child_inputs[0], a struct wc_opt, and [1], the params. */
extern const struct argp_child dest_opt_children[];

/* Without options. */
#define DEST_RETRIES 2U

struct dest {
	struct pmk_wc_copy_params params;
	struct pmk_wc_copy_result result;
	struct dest_list failed;
	struct progress progress;
};

/* From here on SIGINT, SIGTERM and SIGHUP, unless they are ignored, stop in
 * order what the params are given to; the second one ends the process at
 * once. */
void dest_catch_signals(void);

/* Progress and failures go to @d. */
void dest_begin(struct dest *d, const char *what, uint64_t bytes);
void dest_end(struct dest *d);

/* The line for an error @rc of the library that it takes no block from the
 * cache at @path, and EXIT_FAIL; EXIT_OK without a line for others. */
int dest_refusal(const struct pmk_wc_image *img, const char *path, int rc);

/* The result and the blocks that failed. */
void dest_json(struct json_object *o, const struct dest *d);

#endif /* TOOLS_WC_DEST_H */
