/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk memmap simulate prints. */
#ifndef TOOLS_MEMMAP_SIM_OUT_H
#define TOOLS_MEMMAP_SIM_OUT_H

#include "bench/suite.h"
#include "memmap/sim_run.h"

struct sim_out {
	const struct pmk_memmap_sim *sim;
	const struct sim_run *run;
	/* the facts of the host, the medium, and the options */
	const struct bench_suite *suite;
};

/* What an engine comes to; a value that is not known is 0.  From medians. */
struct sim_figures {
	double ns_per_page;
	double gb_per_s;
	double ratio_to_slow;
	double ratio_to_fill;
	/* the engine in the row above by this one */
	double step;
	/* what was published of 100 GB on an Ice Lake */
	double published_ms;
	double published_step;
};

void sim_figures(const struct sim_out *o, unsigned int engine,
		 struct sim_figures *f);

/* Each returns an exit code. */
int sim_print_table(const struct sim_out *o);
int sim_print_json(const struct sim_out *o);
/* A page with a chart in the directory of opt->report. */
int sim_report(const struct sim_out *o);

/* The document, which the caller frees. */
struct json_object *sim_to_json(const struct sim_out *o);

#endif /* TOOLS_MEMMAP_SIM_OUT_H */
