/* SPDX-License-Identifier: BSD-3-Clause */
/* A suite as one JSON document. */
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "bench/report.h"
#include "bench/suite_out.h"
#include "out.h"

static void add_str(struct json_object *o, const char *key, const char *value)
{
	if (value)
		out_json_str(o, key, value);
}

/* "PREFIX_NAME" as a key; returns @key. */
static const char *join(char key[64], const char *prefix, const char *name)
{
	snprintf(key, 64, "%s_%s", prefix, name);
	return key;
}

static void add_side(struct json_object *o, const struct bench_case *c,
		     size_t i)
{
	const struct bench_side *b = &c->side[i];
	char key[64];

	report_json_figure(o, b->key, &b->figure);
	add_str(o, join(key, b->key, "variant"), b->variant);
	if (b->latency.samples)
		report_json_latency(o, b->key, &b->latency);
	if (b->floor)
		report_json_double(o, join(key, "pmk_over", b->key),
				   1 / bench_side_ratio(c, i));
	else if (i)
		report_json_double(o, join(key, "ratio", b->key),
				   bench_side_ratio(c, i));
}

static void add_members(struct json_object *o, struct json_object *from)
{
	struct json_object_iterator it = json_object_iter_begin(from);
	struct json_object_iterator end = json_object_iter_end(from);

	for (; !json_object_iter_equal(&it, &end); json_object_iter_next(&it))
		out_json_add(o, json_object_iter_peek_name(&it),
			     json_object_get(json_object_iter_peek_value(&it)));
}

static struct json_object *case_to_json(const struct bench_case *c)
{
	struct json_object *o = json_object_new_object();

	out_json_str(o, "op", c->op);
	out_json_u64(o, "size_bytes", c->size);
	out_json_u64(o, "dst_offset_bytes", c->dst_offset);
	out_json_u64(o, "src_offset_bytes", c->src_offset);
	add_str(o, "policy", c->policy);
	add_str(o, "pattern", c->pattern);
	add_str(o, "direction", c->direction);
	add_str(o, "cpu", c->cpu);
	out_json_u64(o, "threads", c->threads);
	for (size_t i = 0; i < c->n_sides; i++)
		add_side(o, c, i);
	if (c->extra)
		add_members(o, c->extra);
	return o;
}

static struct json_object *cases_to_json(const struct bench_suite *s)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < s->n_cases; i++)
		if (!a || json_object_array_add(a, case_to_json(&s->cases[i])))
			out_of_memory();
	return a;
}

/* The names of the cases lost to @key. */
static struct json_object *lost_to(const struct bench_suite *s, const char *key)
{
	struct json_object *a = json_object_new_array();
	char name[128];

	for (size_t i = 0; i < s->n_cases; i++) {
		double ratio = bench_case_ratio(&s->cases[i], key);

		if (ratio <= 0 || ratio >= REPORT_LOST)
			continue;
		bench_case_name(&s->cases[i], name, sizeof(name));
		if (!a ||
		    json_object_array_add(a, json_object_new_string(name)))
			out_of_memory();
	}
	return a;
}

static void add_ratios(struct json_object *o, const char *who,
		       const struct bench_ratios *r)
{
	char key[64], name[128];

	report_json_double(o, join(key, "worst_ratio", who), r->worst);
	out_json_str(o, join(key, "worst_case", who),
		     bench_case_name(r->worst_case, name, sizeof(name)));
	report_json_double(o, join(key, "geomean_ratio", who), r->geomean);
	out_json_u64(o, join(key, "cases", who), r->cases);
	out_json_u64(o, join(key, "lost", who), r->lost);
}

/* The same for each operation, by its name. */
static struct json_object *ops_to_json(const struct bench_suite *s,
				       const char *const *keys, size_t n)
{
	struct json_object *o = json_object_new_object(), *one;
	const char *ops[BENCH_KEYS];
	size_t n_ops = bench_suite_ops(s, ops);
	struct bench_ratios r;

	for (size_t i = 0; i < n_ops; i++) {
		one = json_object_new_object();
		for (size_t k = 0; k < n; k++) {
			bench_suite_ratios(s, keys[k], ops[i], &r);
			if (r.cases)
				add_ratios(one, keys[k], &r);
		}
		out_json_add(o, ops[i], one);
	}
	return o;
}

/* Without the peer nothing was won against it, nor lost. */
static void add_no_peer(struct json_object *o, const char *peer)
{
	char key[64];

	out_json_null(o, join(key, "worst_ratio", peer));
	out_json_null(o, join(key, "geomean_ratio", peer));
	out_json_null(o, "losing_cases");
}

static struct json_object *summary_to_json(const struct bench_suite *s)
{
	bool has_peer = false;
	struct json_object *o = json_object_new_object();
	const char *keys[BENCH_KEYS];
	size_t n = bench_suite_keys(s, keys);
	struct bench_ratios r;
	char key[64];

	for (size_t k = 0; k < n; k++) {
		bench_suite_ratios(s, keys[k], NULL, &r);
		add_ratios(o, keys[k], &r);
		out_json_add(o, join(key, "losing_cases", keys[k]),
			     lost_to(s, keys[k]));
		if (!strcmp(keys[k], s->peer)) {
			out_json_add(o, "losing_cases", lost_to(s, keys[k]));
			has_peer = true;
		}
	}
	if (!has_peer)
		add_no_peer(o, s->peer);
	out_json_add(o, "by_op", ops_to_json(s, keys, n));
	out_json_u64(o, "cases", s->n_cases);
	out_json_u64(o, "cases_measured_again", s->again);
	return o;
}

struct json_object *bench_targets_to_json(const struct bench_target *t,
					  size_t n)
{
	struct json_object *o = json_object_new_object(), *item;

	for (; n; n--, t++) {
		item = json_object_new_object();
		out_json_str(item, "case", t->text);
		report_json_double(item, t->at_least ? "at_least" : "at_most",
				   t->bound);
		if (t->known) {
			report_json_double(item, "value", t->value);
			out_json_bool(item, "met", bench_target_is_met(t));
		} else {
			out_json_null(item, "value");
			out_json_null(item, "met");
			out_json_str(item, "why", t->why_not);
		}
		out_json_add(o, t->key, item);
	}
	return o;
}

/* A peer that is missing is null by its name, too. */
static void add_facts(struct json_object *host, const struct bench_suite *s)
{
	char name[BENCH_KEY_LEN];

	for (size_t i = 0; i < s->n_facts; i++) {
		const struct bench_fact *f = &s->fact[i];

		if (strcmp(bench_fact_name(f, name), f->key))
			out_json_null(host, name);
		out_json_path(host, f->key, f->value);
	}
}

struct json_object *bench_suite_to_json(const struct bench_suite *s)
{
	struct json_object *o = out_json(), *host = host_to_json(&s->host);
	struct json_object *notes = json_object_new_array();

	out_json_str(o, "benchmark", s->name);
	add_facts(host, s);
	out_json_add(o, "host", host);
	out_json_add(o, "cases", cases_to_json(s));
	out_json_add(o, "summary", summary_to_json(s));
	out_json_add(o, "targets",
		     bench_targets_to_json(s->target, s->n_targets));
	for (size_t i = 0; i < s->n_notes; i++)
		if (!notes ||
		    json_object_array_add(notes,
					  json_object_new_string(s->note[i])))
			out_of_memory();
	out_json_add(o, "notes", notes);
	return o;
}

int bench_suite_json(const struct bench_suite *s)
{
	return out_json_end(bench_suite_to_json(s));
}
