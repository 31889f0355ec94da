/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the pmk command share: exit codes and the command table. */
#ifndef TOOLS_PMK_H
#define TOOLS_PMK_H

#include <stddef.h>

enum pmk_exit {
	EXIT_OK = 0,
	EXIT_FAIL = 1,  /* could not do it */
	EXIT_USAGE = 2, /* the command line is wrong */
	EXIT_BAD = 3,   /* done, and the answer is bad */
};

/* One row of a command table; a row without a name ends it. */
struct command {
	const char *name;
	int (*run)(int argc, char **argv); /* returns enum pmk_exit */
	const char *summary;
	const struct command *sub; /* table of subcommands, instead of run */
};

extern const struct command log_commands[];
extern const struct command memmap_commands[];
extern const struct command wc_commands[];

/* Run the row of @table that @argv[1] names; @prefix is "pmk" or "pmk log".
 * Handles --help and the like for the table itself. */
int command_run(const struct command *table, const char *prefix, int argc,
		char **argv);

int cmd_bench(int argc, char **argv);
int cmd_copy(int argc, char **argv);
int cmd_cpu(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_log_append(int argc, char **argv);
int cmd_log_check(int argc, char **argv);
int cmd_log_create(int argc, char **argv);
int cmd_log_read(int argc, char **argv);
int cmd_memmap_inspect(int argc, char **argv);
int cmd_memmap_predict(int argc, char **argv);
int cmd_memmap_simulate(int argc, char **argv);
int cmd_memmap_verify(int argc, char **argv);
int cmd_wc_check(int argc, char **argv);
int cmd_wc_dump(int argc, char **argv);
int cmd_wc_export(int argc, char **argv);
int cmd_wc_format(int argc, char **argv);
int cmd_wc_info(int argc, char **argv);
int cmd_wc_restore(int argc, char **argv);
int cmd_wc_repair(int argc, char **argv);
int cmd_wc_size(int argc, char **argv);
int cmd_wc_writeback(int argc, char **argv);

#endif /* TOOLS_PMK_H */
