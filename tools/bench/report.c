/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and progress of the benchmarks' reports. */
#include <stdio.h>
#include <unistd.h>

#include <json-c/json.h>

#include "bench/report.h"
#include "out.h"

void report_json_double(struct json_object *o, const char *key, double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", v);
	out_json_add(o, key, json_object_new_double_s(v, text));
}

static void add_ns(struct json_object *o, const char *side, const char *what,
		   double ns)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", side, what);
	report_json_double(o, key, ns);
}

void report_json_figure(struct json_object *o, const char *side,
			const struct benchfn_figure *f)
{
	add_ns(o, side, "ns", f->median_ns);
	add_ns(o, side, "p25_ns", f->p25_ns);
	add_ns(o, side, "p75_ns", f->p75_ns);
}

void report_json_latency(struct json_object *o, const char *side,
			 const struct benchfn_latency *l)
{
	add_ns(o, side, "latency_p50_ns", l->p50_ns);
	add_ns(o, side, "latency_p99_ns", l->p99_ns);
	add_ns(o, side, "latency_p999_ns", l->p999_ns);
}

void report_progress(const char *what, size_t done, size_t total)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (done < total)
		fprintf(stderr, "\r%s: case %zu of %zu\033[K", what, done + 1,
			total);
	else
		fputs("\r\033[K", stderr);
}
