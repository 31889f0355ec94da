/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parsers of the commands share. */
#ifndef TOOLS_OPT_H
#define TOOLS_OPT_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/* The row of an option table that every command has. */
#define OPT_JSON                                                   \
	{                                                          \
		"json", 'j', NULL, 0, "Print one JSON document", 0 \
	}
#define OPT_END                           \
	{                                 \
		NULL, 0, NULL, 0, NULL, 0 \
	}

/* The value of an option that takes a size; anything else ends the process
 * with a usage error. */
uint64_t opt_size(struct argp_state *state, const char *option, const char *arg,
		  uint64_t min);

/* The same for a count, which takes no unit. */
uint64_t opt_count(struct argp_state *state, const char *option,
		   const char *arg, uint64_t min, uint64_t max);

/*
 * Positional arguments: stores the argument that @state is at into the next
 * free one of @slots and returns 0, or ends the process: too many.  With
 * ARGP_KEY_END it ends the process unless all @n are there.
 */
error_t opt_positional(int key, char *arg, struct argp_state *state,
		       const char **slots, const char *const *names,
		       unsigned int n);

/* The arguments of a command that takes one path and --json, no more. */
struct opt_path {
	const char *path;
	bool json;
};

/* Parse such a command line; @name is the argument's ("FILE"), @doc the text
 * of --help.  Ends the process on a usage error. */
struct opt_path opt_parse_path(int argc, char **argv, const char *name,
			       const char *doc);

#endif /* TOOLS_OPT_H */
