/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reports of the benchmarks share: numbers, progress. */
#ifndef TOOLS_BENCH_REPORT_H
#define TOOLS_BENCH_REPORT_H

#include <stddef.h>

#include "bench/benchfn.h"

struct json_object;

/* A case counts as lost below this ratio: two runs of the same code differ by
 * as much. */
#define REPORT_LOST 0.97

/* A number with six significant digits. */
void report_json_double(struct json_object *o, const char *key, double v);

/* Members @side_ns, _p25_ns and _p75_ns; _latency_p50_ns, _p99_ns, _p999_ns. */
void report_json_figure(struct json_object *o, const char *side,
			const struct benchfn_figure *f);
void report_json_latency(struct json_object *o, const char *side,
			 const struct benchfn_latency *l);

/* "@what: case @done of @total" on a terminal; done == total wipes it off. */
void report_progress(const char *what, size_t done, size_t total);

#endif /* TOOLS_BENCH_REPORT_H */
