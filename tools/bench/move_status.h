/* SPDX-License-Identifier: BSD-3-Clause */
/* What move_pages(2) says, as text. */
#ifndef TOOLS_BENCH_MOVE_STATUS_H
#define TOOLS_BENCH_MOVE_STATUS_H

#include <limits.h>
#include <stddef.h>

/* To be put into the statuses before a call, which writes none for pages that
 * it did not come to, or that it tried to move and could not. */
#define MOVE_STATUS_UNSET INT_MIN

/*
 * The status of one page: a node, or a negative errno.  Returns @text, such as
 * "node 1" or "EBUSY: in use, cannot be isolated"; a status that no kernel is
 * known to give is described by its number and what errno says.
 */
const char *move_status_text(int status, char *text, size_t size);

/* The result of the call: 0, how many pages were not moved, or -errno. */
const char *move_result_text(long result, char *text, size_t size);

#endif /* TOOLS_BENCH_MOVE_STATUS_H */
