/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reports of the benchmarks share: ratios, numbers, progress. */
#ifndef TOOLS_BENCH_REPORT_H
#define TOOLS_BENCH_REPORT_H

#include <stddef.h>

#include "bench/benchfn.h"

struct json_object;

/* A case counts as lost below this ratio: two runs of the same code differ by
 * as much. */
#define REPORT_LOST 0.97

/* The ratios of one comparison over all cases: the other's time by ours. */
struct report_ratios {
	double worst;
	char worst_case[64];
	double log_sum;
	size_t cases;
	size_t lost;
	struct json_object *lost_cases; /* array of names */
};

void report_ratios_init(struct report_ratios *r);
void report_ratios_add(struct report_ratios *r, const char *name, double ratio);
/* One line: "against @who: ...". */
void report_ratios_print(const struct report_ratios *r, const char *who);
/* Members worst_ratio_WHO, geomean_ratio_WHO, losing_cases_WHO of @o, which
 * takes over the array; without cases nothing. */
void report_ratios_to_json(struct report_ratios *r, struct json_object *o,
			   const char *who);
void report_ratios_fini(struct report_ratios *r);

/* A number with six significant digits. */
void report_json_double(struct json_object *o, const char *key, double v);

/* Members @side_ns, _p25_ns and _p75_ns; _latency_p50_ns and _latency_p99_ns.
 */
void report_json_figure(struct json_object *o, const char *side,
			const struct benchfn_figure *f);
void report_json_latency(struct json_object *o, const char *side,
			 const struct benchfn_latency *l);

/* The file a peer was loaded from, or null and, with "_missing", why not. */
void report_json_peer(struct json_object *o, const char *name, const char *file,
		      const char *why);
void report_print_peer(const char *name, const char *file, const char *why);

/* "@what: case @done of @total" on a terminal; done == total wipes it off. */
void report_progress(const char *what, size_t done, size_t total);

#endif /* TOOLS_BENCH_REPORT_H */
