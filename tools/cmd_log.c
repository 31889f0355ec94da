/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk log: the table of its subcommands. */
#include "pmk.h"

const struct command log_commands[] = {
	{ "create", cmd_log_create, "make a new, empty log", NULL },
	{ "append", cmd_log_append, "append a record per line of input", NULL },
	{ "read", cmd_log_read, "print the records", NULL },
	{ "check", cmd_log_check, "verify a whole log", NULL },
	{ NULL, NULL, NULL, NULL },
};
