/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc: the table of its commands. */
#include <stddef.h>

#include "pmk.h"

const struct command wc_commands[] = {
	{ "check", cmd_wc_check, "everything that is wrong with a cache",
	  NULL },
	{ "dump", cmd_wc_dump, "a cache as text", NULL },
	{ "export", cmd_wc_export, "what the origin would be, as a file",
	  NULL },
	{ "format", cmd_wc_format, "make an empty cache", NULL },
	{ "info", cmd_wc_info, "what a cache is, and how much of it is dirty",
	  NULL },
	{ "repair", cmd_wc_repair, "make right what is wrong with a cache",
	  NULL },
	{ "restore", cmd_wc_restore, "a cache from its text", NULL },
	{ "size", cmd_wc_size, "blocks, metadata and memory of a cache", NULL },
	{ "writeback", cmd_wc_writeback, "the dirty blocks into the origin",
	  NULL },
	{ NULL, NULL, NULL, NULL },
};
