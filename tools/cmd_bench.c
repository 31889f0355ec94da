/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk bench: choose a benchmark and how long it may take. */
#include <string.h>

#include "base/util.h"
#include "bench/bench.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"

enum {
	KEY_QUICK = 0x100,
	KEY_ROUNDS,
};

#define ROUNDS_MAX 10000

struct args {
	const char *what;
	struct bench_options opt;
};

static const struct {
	const char *name;
	int (*run)(const struct bench_options *opt);
} benchmarks[] = {
	{ "copy", bench_copy },
	{ "log", bench_log },
};

static const struct argp_option options[] = {
	{ "quick", KEY_QUICK, NULL, 0, "Take seconds, at the cost of accuracy",
	  0 },
	{ "rounds", KEY_ROUNDS, "N", 0,
	  "Take the median of N rounds in each case", 0 },
	OPT_JSON,
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "WHAT" };
	struct args *a = state->input;

	switch (key) {
	case KEY_QUICK:
		a->opt.quick = true;
		return 0;
	case KEY_ROUNDS:
		a->opt.rounds = (unsigned int)opt_count(state, "--rounds", arg,
							1, ROUNDS_MAX);
		return 0;
	case 'j':
		a->opt.json = true;
		return 0;
	default:
		return opt_positional(key, arg, state, &a->what, names, 1);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "WHAT",
	.doc = "Measure WHAT, copy or log, side by side with libpmem, libc and "
	       "bare stores.",
};

int cmd_bench(int argc, char **argv)
{
	struct args a = { NULL, { false, false, 0 } };

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	for (size_t i = 0; i < ARRAY_SIZE(benchmarks); i++)
		if (!strcmp(a.what, benchmarks[i].name))
			return benchmarks[i].run(&a.opt);
	out_error("no benchmark '%s'; there are copy and log", a.what);
	return EXIT_USAGE;
}
