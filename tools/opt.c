/* SPDX-License-Identifier: BSD-3-Clause */
/* Option values and positional arguments, for argp. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/size.h"
#include "opt.h"

uint64_t opt_size(struct argp_state *state, const char *option, const char *arg,
		  uint64_t min)
{
	uint64_t v = 0;
	int rc = pmk_size_parse(arg, &v);

	if (rc == -ERANGE)
		argp_error(state, "%s: '%s' is too large", option, arg);
	else if (rc)
		argp_error(state,
			   "%s: '%s' is not a size such as 4096, 64k or 2M",
			   option, arg);
	else if (v < min)
		argp_error(state,
			   "%s: %s is too small, %" PRIu64 " is the least",
			   option, arg, min);
	return v;
}

uint64_t opt_count(struct argp_state *state, const char *option,
		   const char *arg, uint64_t min, uint64_t max)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(arg, &end, 10);
	/* strtoull accepts blanks and signs */
	if (!isdigit((unsigned char)*arg) || *end || errno || v < min ||
	    v > max)
		argp_error(state,
			   "%s: '%s' is not a number from %" PRIu64
			   " to %" PRIu64,
			   option, arg, min, max);
	return v;
}

error_t opt_positional(int key, char *arg, struct argp_state *state,
		       const char **slots, const char *const *names,
		       unsigned int n)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num >= n)
			argp_error(state, "one argument too many: '%s'", arg);
		else
			slots[state->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < n)
			argp_error(state, "%s is missing",
				   names[state->arg_num]);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct path_input {
	const char *name;
	struct opt_path result;
};

static error_t parse_path(int key, char *arg, struct argp_state *state)
{
	struct path_input *in = state->input;

	if (key == 'j') {
		in->result.json = true;
		return 0;
	}
	return opt_positional(key, arg, state, &in->result.path, &in->name, 1);
}

struct opt_path opt_parse_path(int argc, char **argv, const char *name,
			       const char *doc)
{
	static const struct argp_option options[] = { OPT_JSON, OPT_END };
	const struct argp argp = {
		.options = options,
		.parser = parse_path,
		.args_doc = name,
		.doc = doc,
	};
	struct path_input in = { name, { NULL, false } };

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	return in.result;
}
