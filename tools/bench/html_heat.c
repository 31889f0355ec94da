/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat maps: ratios as tables.  Rows are sizes; columns are offsets, and there
 * is a table for each competitor, or, where all cases have the same offset, one
 * table with a column for each competitor.  The colour says again what the
 * number says.
 */
#include <string.h>

#include "base/size.h"
#include "bench/html.h"
#include "bench/report.h"

#define OFFSETS 32

struct offset {
	size_t dst;
	size_t src;
};

struct offsets {
	struct offset list[OFFSETS];
	size_t n;
};

static void find_offsets(const struct bench_suite *s,
			 const struct bench_case *first, struct offsets *o)
{
	o->n = 0;
	for (size_t i = 0; i < s->n_cases; i++) {
		const struct bench_case *c = &s->cases[i];
		size_t j = 0;

		if (!html_same_group(c, first))
			continue;
		while (j < o->n && (o->list[j].dst != c->dst_offset ||
				    o->list[j].src != c->src_offset))
			j++;
		if (j == o->n && o->n < OFFSETS)
			o->list[o->n++] =
				(struct offset){ c->dst_offset, c->src_offset };
	}
}

static const struct bench_case *find_case(const struct bench_suite *s,
					  const struct bench_case *first,
					  size_t size, struct offset at)
{
	for (size_t i = 0; i < s->n_cases; i++) {
		const struct bench_case *c = &s->cases[i];

		if (html_same_group(c, first) && c->size == size &&
		    c->dst_offset == at.dst && c->src_offset == at.src)
			return c;
	}
	return NULL;
}

/* The steps of the colours; the first is "lost". */
static const char *class_of(double ratio)
{
	static const struct {
		double below;
		const char *name;
	} steps[] = {
		{ 0.8, "l3" }, { 0.9, "l2" }, { REPORT_LOST, "l1" },
		{ 1.03, "n" }, { 1.1, "w1" }, { 1.5, "w2" },
		{ 3, "w3" },
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (ratio < steps[i].below)
			return steps[i].name;
	return "w4";
}

static void cell(FILE *f, const struct bench_case *c, const char *key)
{
	double ratio = c ? bench_case_ratio(c, key) : 0;
	char name[128];

	if (ratio <= 0) {
		fputs("<td></td>", f);
		return;
	}
	fprintf(f, "<td class=%s title=\"", class_of(ratio));
	html_text(f, bench_case_name(c, name, sizeof(name)));
	fprintf(f, ": pmk %.1f ns, %s %.1f ns\">%.*f</td>",
		c->side[0].figure.median_ns, key,
		bench_case_side(c, key)->figure.median_ns, ratio < 9.95 ? 2 : 0,
		ratio);
}

/* Every size of the group once, in the order of the cases. */
static bool is_first_of_size(const struct bench_suite *s,
			     const struct bench_case *c)
{
	for (const struct bench_case *d = s->cases; d < c; d++)
		if (html_same_group(c, d) && c->size == d->size)
			return false;
	return true;
}

static void rows(FILE *f, const struct bench_suite *s,
		 const struct bench_case *first, const char *const *keys,
		 size_t n_keys, const struct offsets *o)
{
	char size[32];

	for (const struct bench_case *c = first; c < s->cases + s->n_cases;
	     c++) {
		if (!html_same_group(c, first) || !is_first_of_size(s, c))
			continue;
		pmk_size_format(c->size, size, sizeof(size));
		fprintf(f, "<tr><th scope=row>%s</th>", size);
		for (size_t k = 0; k < n_keys; k++)
			for (size_t i = 0; i < o->n; i++)
				cell(f,
				     find_case(s, first, c->size, o->list[i]),
				     keys[k]);
		fputs("</tr>\n", f);
	}
}

static void table_head(FILE *f, const struct bench_case *first,
		       const char *against)
{
	char name[128];

	fputs("<table class=heat><caption>", f);
	html_text(f, html_group_name(first, name, sizeof(name)));
	if (against)
		fprintf(f, "<br><small>%s / pmk</small>", against);
	fputs("</caption>\n<tr><th scope=col>size</th>", f);
}

static void by_offset(FILE *f, const struct bench_suite *s,
		      const struct bench_case *first, const char *key,
		      const struct offsets *o)
{
	table_head(f, first, key);
	for (size_t i = 0; i < o->n; i++)
		if (o->list[i].src)
			fprintf(f, "<th scope=col>%zu&larr;%zu</th>",
				o->list[i].dst, o->list[i].src);
		else
			fprintf(f, "<th scope=col>%zu</th>", o->list[i].dst);
	fputs("</tr>\n", f);
	rows(f, s, first, &key, 1, o);
	fputs("</table>\n", f);
}

static void by_side(FILE *f, const struct bench_suite *s,
		    const struct bench_case *first, const struct offsets *o)
{
	const char *keys[BENCH_KEYS];
	size_t n = 0;

	for (size_t k = 1; k < first->n_sides; k++)
		if (!first->side[k].floor)
			keys[n++] = first->side[k].key;
	if (!n)
		return;
	table_head(f, first, NULL);
	for (size_t k = 0; k < n; k++)
		fprintf(f, "<th scope=col>%s</th>", keys[k]);
	fputs("</tr>\n", f);
	rows(f, s, first, keys, n, o);
	fputs("</table>\n", f);
}

struct map {
	const char *key;
	size_t n;
};

static void one_group(FILE *f, const struct bench_suite *s,
		      const struct bench_case *first, void *arg)
{
	const char *key = ((const struct map *)arg)->key;
	struct offsets o;

	find_offsets(s, first, &o);
	if (!key && o.n == 1)
		by_side(f, s, first, &o);
	else if (key && o.n > 1 && bench_case_side(first, key))
		by_offset(f, s, first, key, &o);
}

/* Counts the tables that one_group() will make for a key. */
static void count_group(FILE *f, const struct bench_suite *s,
			const struct bench_case *first, void *arg)
{
	struct map *m = arg;
	struct offsets o;

	(void)f;
	find_offsets(s, first, &o);
	m->n += o.n > 1 && bench_case_side(first, m->key);
}

void html_heat_maps(FILE *f, const struct bench_suite *s)
{
	const char *keys[BENCH_KEYS];
	size_t n = bench_suite_keys(s, keys);

	fputs("<h2>Ratios</h2>\n<p>The other's time by pmk's: "
	      "<span class=\"chip l3\">below 0.8</span> "
	      "<span class=\"chip l2\">below 0.9</span> "
	      "<span class=\"chip l1\">below 0.97: lost</span> "
	      "<span class=\"chip n\">the same</span> "
	      "<span class=\"chip w1\">from 1.03</span> "
	      "<span class=\"chip w2\">1.1</span> "
	      "<span class=\"chip w3\">1.5</span> "
	      "<span class=\"chip w4\">3</span>.  Columns are offsets of the "
	      "destination from a cache line (&larr; of the source), or "
	      "competitors.  A cell's title has the times.</p>\n",
	      f);
	fputs("<div class=maps>\n", f);
	html_each_group(f, s, one_group, &(struct map){ NULL, 0 });
	fputs("</div>\n", f);
	for (size_t k = 0; k < n; k++) {
		struct map m = { keys[k], 0 };

		html_each_group(f, s, count_group, &m);
		if (!m.n)
			continue;
		fprintf(f,
			"<details%s><summary>against %s</summary>"
			"<div class=maps>\n",
			k ? "" : " open", keys[k]);
		html_each_group(f, s, one_group, &m);
		fputs("</div></details>\n", f);
	}
}
