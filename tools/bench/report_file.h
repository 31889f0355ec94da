/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a report, in a directory that report_dir.h made. */
#ifndef TOOLS_BENCH_REPORT_FILE_H
#define TOOLS_BENCH_REPORT_FILE_H

#include <stdio.h>

struct json_object;

/* Create @dir/@name.  NULL after a message. */
FILE *report_file_create(const char *dir, const char *name);
/* Close it: was all of it written?  EXIT_OK, or EXIT_FAIL after a message. */
int report_file_close(FILE *f, const char *name);

/* results.json: @o, which is freed.  EXIT_OK, or EXIT_FAIL after a message. */
int report_file_results(const char *dir, struct json_object *o);

#endif /* TOOLS_BENCH_REPORT_FILE_H */
