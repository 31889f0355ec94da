/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap: the table of its commands. */
#include <stddef.h>

#include "pmk.h"

const struct command memmap_commands[] = {
	{ "predict", cmd_memmap_predict, "what a namespace will hold, and cost",
	  NULL },
	{ "inspect", cmd_memmap_inspect,
	  "what an info block says, and why it is refused", NULL },
	{ "simulate", cmd_memmap_simulate,
	  "build its struct pages, and time that", NULL },
	{ "verify", cmd_memmap_verify, "check struct pages, field by field",
	  NULL },
	{ NULL, NULL, NULL, NULL },
};
