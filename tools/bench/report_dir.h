/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory that appears whole or not at all, in place of one like it. */
#ifndef TOOLS_BENCH_REPORT_DIR_H
#define TOOLS_BENCH_REPORT_DIR_H

#include <limits.h>

struct report_dir {
	char target[PATH_MAX];
	char temp[PATH_MAX]; /* empty: not made */
};

/* Whether a report can be made in @path: gnuplot is there, and the directory is
 * not, or is empty, or holds an earlier report and nothing else, and can be
 * renamed.  Before what takes minutes.  EXIT_OK, or EXIT_FAIL after a message.
 */
int report_dir_check(const char *path);

/* Make a directory beside @path. */
int report_dir_begin(struct report_dir *d, const char *path);
/* Give it the name; what had it is removed by report_dir_end().  EXIT_OK, or
 * EXIT_FAIL after a message, with what had the name still there. */
int report_dir_commit(struct report_dir *d);
/* In any case: removes the directory unless it got its name, or the one that
 * had the name before. */
void report_dir_end(struct report_dir *d);

#endif /* TOOLS_BENCH_REPORT_DIR_H */
