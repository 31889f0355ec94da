/* SPDX-License-Identifier: BSD-3-Clause */
/* A suite as a table: what a person reads. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <libsmartcols/libsmartcols.h>

#include "base/size.h"
#include "bench/report.h"
#include "bench/suite_out.h"
#include "out.h"

#define WIDE 3 /* sides that fit beside each other in one row */

static size_t most_sides(const struct bench_suite *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_cases; i++)
		n = s->cases[i].n_sides > n ? s->cases[i].n_sides : n;
	return n;
}

static void add_column(struct libscols_table *tb, const char *text, int flags)
{
	if (!scols_table_new_column(tb, text, 0, flags))
		out_of_memory();
}

/* A heading from a key: "LIBPMEM NS". */
static void add_upper(struct libscols_table *tb, const char *key,
		      const char *suffix)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s", key, suffix);
	for (char *p = text; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	add_column(tb, text, SCOLS_FL_RIGHT);
}

struct row {
	struct libscols_line *line;
	size_t at;
};

static void cell(struct row *r, const char *text)
{
	if (scols_line_set_data(r->line, r->at++, text))
		out_of_memory();
}

static void cell_number(struct row *r, double v, int digits)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*f", digits, v);
	cell(r, text);
}

static struct row new_row(struct libscols_table *tb)
{
	struct row r = { scols_table_new_line(tb, NULL), 0 };

	if (!r.line)
		out_of_memory();
	return r;
}

/* What a case is, in words: "copy persist hot". */
static void cells_case(struct row *r, const struct bench_case *c)
{
	const char *words[] = { c->policy, c->pattern, c->direction, c->cpu };
	char text[128], size[32];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", c->op);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i] && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %s",
					      words[i]);
	cell(r, text);
	snprintf(text, sizeof(text), "%u", c->threads);
	cell(r, text);
	pmk_size_format(c->size, size, sizeof(size));
	cell(r, size);
	if (c->src_offset)
		snprintf(text, sizeof(text), "%zu<%zu", c->dst_offset,
			 c->src_offset);
	else
		snprintf(text, sizeof(text), "%zu", c->dst_offset);
	cell(r, text);
}

static void columns_case(struct libscols_table *tb)
{
	add_column(tb, "CASE", 0);
	add_column(tb, "THREADS", SCOLS_FL_RIGHT);
	add_column(tb, "SIZE", SCOLS_FL_RIGHT);
	add_column(tb, "OFFSET", SCOLS_FL_RIGHT);
}

static void cells_lost(struct row *r, const struct bench_case *c)
{
	char text[128] = "";
	size_t n = 0;

	for (size_t k = 1; k < c->n_sides; k++)
		if (bench_side_is_lost(c, k) && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%s%s", n ? ", " : "",
					      c->side[k].key);
	cell(r, text);
}

/* Floors, then competitors: what stands beside ours in a row. */
struct beside {
	const char *key[2 * BENCH_KEYS];
	size_t n_floors;
	size_t n;
};

static struct beside find_beside(const struct bench_suite *s)
{
	struct beside b;

	b.n_floors = bench_suite_floors(s, b.key);
	b.n = b.n_floors + bench_suite_keys(s, b.key + b.n_floors);
	return b;
}

static void cells_beside(struct row *r, const struct bench_case *c,
			 const struct beside *b)
{
	const struct bench_side *side;
	double ratio;

	for (size_t k = 0; k < b->n; k++) {
		side = bench_case_side(c, b->key[k]);
		if (side)
			cell_number(r, side->figure.median_ns, 1);
		else
			cell(r, "-");
	}
	for (size_t k = 0; k < b->n; k++) {
		ratio = bench_case_ratio(c, b->key[k]);
		if (ratio > 0)
			cell_number(r, k < b->n_floors ? 1 / ratio : ratio, 2);
		else
			cell(r, "-");
	}
}

static void cells_latency(struct row *r, const struct benchfn_latency *l)
{
	const double ns[] = { l->p50_ns, l->p99_ns, l->p999_ns };

	for (size_t i = 0; i < sizeof(ns) / sizeof(*ns); i++)
		if (l->samples)
			cell_number(r, ns[i], 1);
		else
			cell(r, "-");
}

static void columns_wide(struct libscols_table *tb, const struct bench_suite *s,
			 const struct beside *b)
{
	columns_case(tb);
	add_upper(tb, "pmk", " ns");
	for (size_t k = 0; k < b->n; k++)
		add_upper(tb, b->key[k], " ns");
	for (size_t k = 0; k < b->n_floors; k++)
		add_upper(tb, "pmk/", b->key[k]);
	for (size_t k = b->n_floors; k < b->n; k++)
		add_upper(tb, b->key[k], "/pmk");
	if (s->show_latency) {
		add_upper(tb, "pmk", " p50");
		add_upper(tb, "pmk", " p99");
		add_upper(tb, "pmk", " p99.9");
	}
	add_column(tb, "LOST TO", 0);
}

/* One row a case: the figures beside each other, then the ratios. */
static void fill_wide(struct libscols_table *tb, const struct bench_suite *s)
{
	struct beside b = find_beside(s);

	columns_wide(tb, s, &b);
	for (size_t i = 0; i < s->n_cases; i++) {
		const struct bench_case *c = &s->cases[i];
		struct row r = new_row(tb);

		cells_case(&r, c);
		cell_number(&r, c->side[0].figure.median_ns, 1);
		cells_beside(&r, c, &b);
		if (s->show_latency)
			cells_latency(&r, &c->side[0].latency);
		cells_lost(&r, c);
	}
}

static void cells_long(struct row *r, const struct bench_case *c, size_t k)
{
	const struct bench_side *b = &c->side[k];
	double ratio = bench_side_ratio(c, k);

	cells_case(r, c);
	cell(r, b->key);
	cell(r, b->variant ? b->variant : "");
	cell_number(r, b->figure.median_ns, 1);
	cell_number(r, bench_case_rate(c, b) / 1e9, 2);
	cell_number(r, ratio, 2);
	cell(r, bench_side_is_lost(c, k) ? "lost" : "");
}

/* One row a side: many variants of one job. */
static void fill_long(struct libscols_table *tb, const struct bench_suite *s)
{
	columns_case(tb);
	add_column(tb, "SIDE", 0);
	add_column(tb, "VARIANT", 0);
	add_column(tb, "NS", SCOLS_FL_RIGHT);
	add_column(tb, "GB/S", SCOLS_FL_RIGHT);
	add_column(tb, "SIDE/PMK", SCOLS_FL_RIGHT);
	add_column(tb, "", 0);
	for (size_t i = 0; i < s->n_cases; i++)
		for (size_t k = 0; k < s->cases[i].n_sides; k++) {
			struct row r = new_row(tb);

			cells_long(&r, &s->cases[i], k);
		}
}

static void print_ratios(const char *op, const char *who,
			 const struct bench_ratios *r)
{
	char name[128];

	printf("%s%sagainst %s: geometric mean %.2f, worst %.2f (%s), "
	       "%zu of %zu cases lost\n",
	       op, *op ? " " : "", who, r->geomean, r->worst,
	       bench_case_name(r->worst_case, name, sizeof(name)), r->lost,
	       r->cases);
}

static void print_summary(const struct bench_suite *s)
{
	const char *keys[BENCH_KEYS], *ops[BENCH_KEYS];
	size_t n = bench_suite_keys(s, keys), n_ops = bench_suite_ops(s, ops);
	struct bench_ratios r;

	printf("\nA ratio above 1 is in pmk's favour; lost is below %.2f.\n",
	       REPORT_LOST);
	for (size_t k = 0; k < n; k++) {
		bench_suite_ratios(s, keys[k], NULL, &r);
		print_ratios("", keys[k], &r);
	}
	/* of a dozen variants the rows say enough */
	for (size_t i = 0; i < n_ops && n_ops > 1 && n <= 2; i++)
		for (size_t k = 0; k < n; k++) {
			bench_suite_ratios(s, keys[k], ops[i], &r);
			if (r.cases)
				print_ratios(ops[i], keys[k], &r);
		}
}

void bench_targets_print(const struct bench_target *t, size_t n)
{
	for (; n; n--, t++) {
		if (!t->known)
			printf("%-52s      -  (%s)\n", t->text, t->why_not);
		else
			printf("%-52s %6.2f  (%s %.4g: %s)\n", t->text,
			       t->value, t->at_least ? "at least" : "at most",
			       t->bound,
			       bench_target_is_met(t) ? "met" : "missed");
	}
}

int bench_suite_table(const struct bench_suite *s)
{
	struct libscols_table *tb = scols_new_table();
	char name[BENCH_KEY_LEN];
	int rc;

	if (!tb)
		out_of_memory();
	host_print(&s->host);
	for (size_t i = 0; i < s->n_facts; i++)
		printf("%-7s %s\n", bench_fact_name(&s->fact[i], name),
		       s->fact[i].value);
	putchar('\n');
	if (most_sides(s) <= WIDE)
		fill_wide(tb, s);
	else
		fill_long(tb, s);
	rc = out_table_end(tb);
	print_summary(s);
	if (s->n_targets)
		putchar('\n');
	bench_targets_print(s->target, s->n_targets);
	for (size_t i = 0; i < s->n_notes; i++)
		printf("%s%s\n", i ? "" : "\n", s->note[i]);
	return rc;
}
