/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap simulate: build the struct pages of a namespace, and time it. */
#include <argp.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/bench.h"
#include "bench/report_dir.h"
#include "bench/suite.h"
#include "memmap/sim_dump.h"
#include "memmap/sim_opt.h"
#include "memmap/sim_out.h"
#include "memmap/sim_room.h"
#include "memmap/sim_run.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"

/* Of the kernels that the published figures are of. */
#define REBINDS 30

/* Keys; none has a letter. */
enum {
	OPT_ENGINE = 0x500,
	OPT_REBINDS,
	OPT_THREADS,
	OPT_ON,
	OPT_OVERWRITE,
	OPT_MEMORY,
	OPT_REPORT,
	OPT_DUMP,
};

static const struct argp_option options[] = {
	{ "engine", OPT_ENGINE, "NAME", 0,
	  "slow, template, call, inline, stream, or all (default)", 0 },
	{ "rebinds", OPT_REBINDS, "N", 0,
	  "How often each engine builds the memmap (30); 0 is for --dump", 0 },
	{ "threads", OPT_THREADS, "N", 0, "That build it together (1)", 0 },
	{ "on", OPT_ON, "PATH", 0,
	  "Build it there: anon (default), a file, a DAX file or a devdax "
	  "device",
	  0 },
	{ "overwrite", OPT_OVERWRITE, NULL, 0,
	  "What --on names has content, which may be lost", 0 },
	{ "memory", OPT_MEMORY, "SIZE", 0,
	  "Most memory for the memmap; what is larger is built in windows", 0 },
	{ "report", OPT_REPORT, "DIR", 0, "Also make a page with a chart", 0 },
	{ "dump", OPT_DUMP, "FILE", 0,
	  "Write the struct pages of all page frames to FILE", 0 },
	OPT_JSON,
	OPT_END,
};

static const struct argp_child children[] = {
	{ &memmap_sim_argp, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 },
};

struct input {
	struct memmap_sim_opt opt;
	struct bench_options bench; /* json, on, overwrite, report */
	bool engine[SIM_ENGINES];
	unsigned int rebinds;
	unsigned int threads;
	uint64_t memory; /* 0: no limit */
	const char *dump;
};

static void choose(struct argp_state *state, struct input *in, const char *name)
{
	bool all = !strcmp(name, "all"), found = all;

	for (unsigned int e = 0; e < SIM_ENGINES; e++)
		if (all || !strcmp(name, pmk_memmap_engine_name(e)))
			in->engine[e] = found = true;
	if (!found)
		argp_error(state,
			   "--engine: '%s' is not slow, template, call, "
			   "inline, stream or all",
			   name);
}

static void finish(struct argp_state *state, struct input *in)
{
	bool any = false;

	for (unsigned int e = 0; e < SIM_ENGINES; e++)
		any |= in->engine[e];
	if (!any)
		choose(state, in, "all");
	if (!in->rebinds && !in->dump)
		argp_error(state, "--rebinds: 0 needs --dump");
	if (!in->rebinds && in->bench.report)
		argp_error(state, "--report needs --rebinds");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input *in = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &in->opt;
		return 0;
	case OPT_ENGINE:
		choose(state, in, arg);
		return 0;
	case OPT_REBINDS:
		in->rebinds = (unsigned int)opt_count(state, "--rebinds", arg,
						      0, SIM_REBINDS);
		return 0;
	case OPT_THREADS:
		in->threads = (unsigned int)opt_count(state, "--threads", arg,
						      1, SIM_THREADS);
		return 0;
	case OPT_ON:
		in->bench.on = strcmp(arg, "anon") ? arg : NULL;
		return 0;
	case OPT_OVERWRITE:
		in->bench.overwrite = true;
		return 0;
	case OPT_MEMORY:
		in->memory = opt_size(state, "--memory", arg, 1 << 20);
		return 0;
	case OPT_REPORT:
		in->bench.report = arg;
		return 0;
	case OPT_DUMP:
		in->dump = arg;
		return 0;
	case 'j':
		in->bench.json = true;
		return 0;
	case ARGP_KEY_END:
		finish(state, in);
		return 0;
	default:
		return opt_positional(key, arg, state, NULL, NULL, 0);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.doc = "Build the struct pages of a namespace as a kernel does when it "
	       "binds it, and say how long that takes.  --engine may be given "
	       "more than once.",
};

/* The memory that the largest piece takes which is not cut: the first of those
 * in front of the data, or of the data. */
static uint64_t least_bytes(const struct pmk_memmap *map)
{
	uint64_t data = sim_data_frame(map);
	uint64_t front = pmk_memmap_bytes(map, 0, sim_next_cut(map, 0));
	uint64_t behind =
		pmk_memmap_bytes(map, data, sim_next_cut(map, data) - data);

	return front > behind ? front : behind;
}

/* Before anything is measured: what --dump would do. */
static int check_dump(const struct input *in)
{
	struct stat on, dump;

	if (!in->dump)
		return EXIT_OK;
	if (in->bench.on && !stat(in->bench.on, &on) &&
	    !stat(in->dump, &dump) && on.st_dev == dump.st_dev &&
	    on.st_ino == dump.st_ino)
		return out_error("%s: named by both --on and --dump", in->dump);
	if (in->bench.on && !strcmp(in->bench.on, in->dump))
		return out_error("%s: named by both --on and --dump", in->dump);
	return sim_dump_check(in->dump);
}

static int simulate(const struct input *in, struct sim_run *r,
		    struct bench_suite *suite)
{
	const struct sim_out out = { &in->opt.sim, r, suite };
	int rc;

	for (unsigned int e = 0; e < SIM_ENGINES; e++)
		r->side[e].measured = in->engine[e];
	r->side[SIM_FILL].measured = true;
	rc = sim_run(r);
	if (rc)
		return rc;
	rc = in->bench.json ? sim_print_json(&out) : sim_print_table(&out);
	return in->bench.report && !rc ? sim_report(&out) : rc;
}

/* The first that was chosen; they all write the same. */
static unsigned int dump_engine(const struct input *in)
{
	unsigned int e = 0;

	while (!in->engine[e])
		e++;
	return e;
}

static int run(const struct input *in, struct pmk_memmap *map)
{
	struct sim_run r = {
		.map = map,
		.page_bytes = in->opt.sim.page_bytes,
		.threads = in->threads,
		.rebinds = in->rebinds,
	};
	struct bench_suite suite;
	struct sim_room room;
	int rc;

	bench_suite_init(&suite, "memmap", &in->bench);
	rc = sim_room_open(&room, &suite,
			   pmk_memmap_bytes(map, 0, pmk_memmap_frames(map)),
			   least_bytes(map), in->memory);
	r.buf = room.buf;
	r.len = room.len;
	if (!rc && in->rebinds)
		rc = simulate(in, &r, &suite);
	if (!rc && in->dump)
		rc = sim_dump(map, dump_engine(in), r.page_bytes, r.buf, r.len,
			      in->dump);
	sim_room_close(&room);
	sim_run_free(&r);
	bench_suite_fini(&suite);
	return rc;
}

int cmd_memmap_simulate(int argc, char **argv)
{
	struct input in = { .rebinds = REBINDS, .threads = 1 };
	struct pmk_memmap_layout layout;
	struct pmk_memmap *map;
	int rc;

	memmap_sim_defaults(&in.opt);
	argp_parse(&argp, argc, argv, 0, NULL, &in);
	rc = pmk_memmap_predict(&in.opt.sim.ns, &layout);
	if (rc)
		return out_error("no such namespace: %s",
				 layout.reason ? layout.reason
					       : out_explanation(rc, NULL));
	rc = check_dump(&in);
	if (!rc && in.bench.report)
		rc = report_dir_check(in.bench.report);
	if (rc)
		return rc;
	rc = pmk_memmap_new(&in.opt.sim, &map);
	if (rc)
		return out_fail("the namespace", rc, NULL);
	return run(&in, map);
}
