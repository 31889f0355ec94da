/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation as a document. */
#include <stdio.h>

#include <json-c/json.h>

#include "bench/report.h"
#include "bench/suite_out.h"
#include "memmap/ns_opt.h"
#include "memmap/sim_out.h"
#include "out.h"
#include "pmk.h"

static void add_double(struct json_object *o, const char *key, double v)
{
	if (v > 0)
		report_json_double(o, key, v);
	else
		out_json_null(o, key);
}

static struct json_object *times(const struct sim_side *s, unsigned int n)
{
	struct json_object *a = json_object_new_array();

	for (unsigned int i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%.6g", s->ms[i]);
		if (!a || json_object_array_add(
				  a, json_object_new_double_s(s->ms[i], text)))
			out_of_memory();
	}
	return a;
}

static void add_side(struct json_object *o, const struct sim_out *out,
		     unsigned int side)
{
	const struct sim_side *s = &out->run->side[side];

	report_json_double(o, "mean_ms", s->mean_ms);
	report_json_double(o, "median_ms", s->median_ms);
	report_json_double(o, "min_ms", s->min_ms);
	out_json_add(o, "rebinds_ms", times(s, out->run->rebinds));
}

static struct json_object *engine_to_json(const struct sim_out *out,
					  unsigned int engine)
{
	struct json_object *o = json_object_new_object();
	struct sim_figures f;

	sim_figures(out, engine, &f);
	out_json_str(o, "engine", pmk_memmap_engine_name(engine));
	add_side(o, out, engine);
	add_double(o, "ns_per_page", f.ns_per_page);
	add_double(o, "gb_per_s", f.gb_per_s);
	add_double(o, "ratio_to_slow", f.ratio_to_slow);
	add_double(o, "ratio_to_fill_limit", f.ratio_to_fill);
	add_double(o, "ratio_to_previous", f.step);
	add_double(o, "published_ms", f.published_ms);
	add_double(o, "published_ratio_to_previous", f.published_step);
	return o;
}

static struct json_object *engines_to_json(const struct sim_out *out)
{
	struct json_object *a = json_object_new_array();

	for (unsigned int e = 0; e < SIM_ENGINES; e++)
		if (out->run->side[e].measured &&
		    (!a || json_object_array_add(a, engine_to_json(out, e))))
			out_of_memory();
	return a;
}

static struct json_object *fill_to_json(const struct sim_out *out)
{
	struct json_object *o = json_object_new_object();
	const struct sim_run *r = out->run;
	double ns = r->side[SIM_FILL].median_ms * 1e6;

	add_side(o, out, SIM_FILL);
	if (ns > 0)
		report_json_double(o, "gb_per_s",
				   (double)(r->written * r->page_bytes) / ns);
	return o;
}

static void add_namespace(struct json_object *o, const struct sim_out *out)
{
	const struct pmk_memmap_layout *l = pmk_memmap_layout(out->run->map);
	const struct pmk_memmap_params *ns = &out->sim->ns;

	out_json_u64(o, "size_bytes", ns->size);
	out_json_u64(o, "start_bytes", ns->start);
	out_json_u64(o, "align_bytes", ns->align);
	out_json_str(o, "mode", pmk_mode_name(ns->mode));
	out_json_str(o, "map", memmap_opt_map_name(ns->map));
	out_json_str(o, "kernel", pmk_memmap_kernel_name(ns->kernel));
	out_json_u64(o, "struct_page_bytes", out->run->page_bytes);
	out_json_bool(o, "section_in_flags", out->sim->section_in_flags);
	out_json_u64(o, "pr_debug_pages", l->init_pages);
	out_json_u64(o, "struct_pages_written", out->run->written);
	out_json_u64(o, "memmap_bytes", l->memmap_bytes);
	out_json_u64(o, "threads", out->run->threads);
	out_json_u64(o, "rebinds", out->run->rebinds);
	out_json_u64(o, "windows", out->run->windows);
	out_json_u64(o, "window_bytes", out->run->len);
}

struct json_object *sim_to_json(const struct sim_out *out)
{
	struct json_object *o = out_json();

	add_namespace(o, out);
	out_json_add(o, "host", host_to_json(&out->suite->host));
	out_json_add(o, "engines", engines_to_json(out));
	out_json_add(o, "fill_limit", fill_to_json(out));
	report_json_double(o, "altmap_mean_ms", out->run->altmap_ms);
	return o;
}

int sim_print_json(const struct sim_out *out)
{
	return out_json_end(sim_to_json(out));
}
