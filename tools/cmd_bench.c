/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk bench: choose a benchmark, how long it may take, and on what. */
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "base/util.h"
#include "bench/bench.h"
#include "bench/report_dir.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"

enum {
	KEY_QUICK = 0x100,
	KEY_ROUNDS,
	KEY_SIZES,
	KEY_ON,
	KEY_OVERWRITE,
	KEY_REPORT,
	KEY_MIGRATE,
	KEY_BLOCK,
	KEY_COMMIT_EVERY,
	KEY_STORE,
	KEY_BESIDE,
};

#define ROUNDS_MAX 10000
/* The smallest room has caches of 6 MiB: 1500 blocks of 4 KiB, and of those
 * half may be without a commit. */
#define COMMIT_EVERY_MAX 512

struct args {
	const char *what;
	struct bench_options opt;
};

static const struct benchmark {
	const char *name;
	int (*run)(const struct bench_options *opt);
	bool migrates; /* takes --migrate */
	bool caches;   /* takes --block, --commit-every, --store, --beside */
} benchmarks[] = {
	{ "copy", bench_copy, false, false },
	{ "set", bench_set, false, false },
	{ "page", bench_page, true, false },
	{ "clear", bench_clear, false, false },
	{ "flush", bench_flush, false, false },
	{ "log", bench_log, false, false },
	{ "wc", bench_wc, false, true },
};

static const struct argp_option options[] = {
	{ "quick", KEY_QUICK, NULL, 0, "Take seconds, at the cost of accuracy",
	  0 },
	{ "rounds", KEY_ROUNDS, "N", 0,
	  "Take the median of N rounds in each case", 0 },
	{ "sizes", KEY_SIZES, "SIZE,...", 0,
	  "Measure these of the benchmark's sizes only", 0 },
	{ "on", KEY_ON, "PATH", 0,
	  "Measure on a file or devdax node instead of DRAM", 0 },
	{ "overwrite", KEY_OVERWRITE, NULL, 0,
	  "The content of PATH may be lost", 0 },
	{ "report", KEY_REPORT, "DIR", 0,
	  "Make a page with plots in DIR as well", 0 },
	{ "migrate", KEY_MIGRATE, NULL, 0,
	  "page: measure move_pages(2) between NUMA nodes instead", 0 },
	{ "block", KEY_BLOCK, "SIZE", 0,
	  "wc: measure with blocks of SIZE only (512 to 4096)", 0 },
	{ "commit-every", KEY_COMMIT_EVERY, "N", 0,
	  "wc: commit after N blocks (default: 64, and 1)", 0 },
	{ "store", KEY_STORE, "HOW", 0,
	  "wc: the way to store that is ours: inline, call, explicit, "
	  "clflushopt or auto (default: inline)",
	  0 },
	{ "beside", KEY_BESIDE, "DEVICE", 0,
	  "wc: the same on DEVICE, the kernel's dm-writecache in mode p; needs "
	  "--overwrite",
	  0 },
	OPT_JSON,
	OPT_END,
};

static bool lists_size(const struct bench_options *opt, uint64_t size)
{
	for (size_t i = 0; i < opt->n_sizes; i++)
		if (opt->sizes[i] == size)
			return true;
	return false;
}

bool bench_wants_size(const struct bench_options *opt, uint64_t size)
{
	return !opt->n_sizes || lists_size(opt, size);
}

/* In order and once each, as the rows of the results are.  False: no room. */
static bool add_size(struct bench_options *opt, uint64_t size)
{
	size_t i = opt->n_sizes;

	if (lists_size(opt, size))
		return true;
	if (i == BENCH_SIZES)
		return false;
	for (; i && opt->sizes[i - 1] > size; i--)
		opt->sizes[i] = opt->sizes[i - 1];
	opt->sizes[i] = size;
	opt->n_sizes++;
	return true;
}

/* A list of sizes such as "64,4k". */
static void parse_sizes(struct argp_state *state, struct bench_options *opt,
			const char *arg)
{
	while (*arg) {
		size_t n = strcspn(arg, ",");
		char one[64];

		snprintf(one, sizeof(one), "%.*s", (int)n, arg);
		if (n >= sizeof(one) ||
		    !add_size(opt, opt_size(state, "--sizes", one, 1))) {
			argp_error(state, "--sizes: too many or too long");
			return;
		}
		arg += n + (arg[n] == ',');
	}
	if (!opt->n_sizes)
		argp_error(state, "--sizes: no size");
}

static void parse_store(struct argp_state *state, struct bench_options *opt,
			const char *arg)
{
	static const char *const names[] = { "auto", "inline", "call",
					     "explicit", "clflushopt" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(arg, names[i]))
			opt->store = names[i];
	if (!opt->store)
		argp_error(state,
			   "--store: '%s' is none of auto, inline, call, "
			   "explicit and clflushopt",
			   arg);
	opt->wc_option = "--store";
}

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
	case KEY_SIZES:
		parse_sizes(state, &a->opt, arg);
		return 0;
	case KEY_ON:
		a->opt.on = arg;
		return 0;
	case KEY_OVERWRITE:
		a->opt.overwrite = true;
		return 0;
	case KEY_REPORT:
		a->opt.report = arg;
		return 0;
	case KEY_MIGRATE:
		a->opt.migrate = true;
		return 0;
	case KEY_BLOCK:
		parse_sizes(state, &a->opt, arg);
		a->opt.wc_option = "--block";
		return 0;
	case KEY_COMMIT_EVERY:
		a->opt.commit_every = (unsigned int)opt_count(
			state, "--commit-every", arg, 1, COMMIT_EVERY_MAX);
		a->opt.wc_option = "--commit-every";
		return 0;
	case KEY_STORE:
		parse_store(state, &a->opt, arg);
		return 0;
	case KEY_BESIDE:
		a->opt.beside = arg;
		a->opt.wc_option = "--beside";
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
	.doc = "Measure WHAT (copy, set, page, clear, flush, log or wc) side by "
	       "side with libpmem, libc, bare stores and the kernel's own "
	       "variants.",
};

/* An option that a benchmark would ignore is refused. */
static int check(const struct benchmark *b, const struct bench_options *opt)
{
	if (opt->migrate && !b->migrates) {
		out_error("%s does not take --migrate", b->name);
		return EXIT_USAGE;
	}
	if (opt->wc_option && !b->caches) {
		out_error("%s does not take %s", b->name, opt->wc_option);
		return EXIT_USAGE;
	}
	if ((opt->on && !*opt->on) || (opt->report && !*opt->report)) {
		out_error("%s: an empty name",
			  opt->on && !*opt->on ? "--on" : "--report");
		return EXIT_USAGE;
	}
	if (opt->overwrite && !opt->on && !opt->beside) {
		out_error("--overwrite is for --on%s",
			  b->caches ? " and --beside" : "");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

int cmd_bench(int argc, char **argv)
{
	struct args a = { .what = NULL };
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	for (size_t i = 0; i < ARRAY_SIZE(benchmarks); i++) {
		if (strcmp(a.what, benchmarks[i].name))
			continue;
		rc = check(&benchmarks[i], &a.opt);
		if (!rc && a.opt.report)
			rc = report_dir_check(a.opt.report);
		return rc ? rc : benchmarks[i].run(&a.opt);
	}
	out_error("no benchmark '%s'; there are copy, set, page, clear, "
		  "flush, log and wc",
		  a.what);
	return EXIT_USAGE;
}
