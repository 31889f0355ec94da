/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a report. */
#include <string.h>

#include <pmk/kernel.h>

#include "bench/html.h"
#include "bench/report.h"

static void head(FILE *f, const struct bench_suite *s)
{
	char title[64];

	snprintf(title, sizeof(title), "pmk bench %s%s", s->name,
		 s->opt->quick ? " --quick" : "");
	html_head(f, title, &s->host);
}

static void tile(FILE *f, const char *value, const char *label, bool bad)
{
	fprintf(f, "<div class=tile><b%s>%s</b><span>", bad ? " class=l1" : "",
		value);
	html_text(f, label);
	fputs("</span></div>\n", f);
}

/* How much a comparison says about pmk: less is more.  What people would use
 * instead comes first; variants of our own are none (-1). */
static int rank(const char *key)
{
	static const char *const first[] = {
		"libpmem", "libc", "memset", "rep_movsq", "rep_stosb", "loop8"
	};
	const int n = (int)(sizeof(first) / sizeof(*first));
	int i = 0;

	if (!strncmp(key, "pmk_", 4))
		return -1;
	while (i < n && strcmp(key, first[i]))
		i++;
	return i;
}

#define TILE_KEYS 3 /* more would be a table, and there is one below */

/* Returns their number. */
static size_t tile_keys(const struct bench_suite *s,
			const char *chosen[TILE_KEYS])
{
	const char *keys[BENCH_KEYS];
	size_t n = bench_suite_keys(s, keys), n_chosen = 0;

	while (n_chosen < TILE_KEYS) {
		size_t best = n;

		for (size_t k = 0; k < n; k++)
			if (keys[k] && rank(keys[k]) >= 0 &&
			    (best == n || rank(keys[k]) < rank(keys[best])))
				best = k;
		if (best == n)
			break;
		chosen[n_chosen++] = keys[best];
		keys[best] = NULL;
	}
	return n_chosen;
}

static void tiles(FILE *f, const struct bench_suite *s)
{
	const char *keys[TILE_KEYS];
	size_t n = tile_keys(s, keys);
	char value[64], label[256], name[128];
	struct bench_ratios r;

	fputs("<div class=tiles>\n", f);
	for (size_t k = 0; k < n; k++) {
		bench_suite_ratios(s, keys[k], NULL, &r);
		snprintf(value, sizeof(value), "%.2f&times;", r.geomean);
		snprintf(label, sizeof(label), "%s / pmk, geometric mean",
			 keys[k]);
		tile(f, value, label, false);
		snprintf(value, sizeof(value), "%zu of %zu", r.lost, r.cases);
		snprintf(label, sizeof(label), "cases lost to %s", keys[k]);
		tile(f, value, label, r.lost > 0);
		snprintf(value, sizeof(value), "%.2f", r.worst);
		snprintf(label, sizeof(label), "worst against %s: %s", keys[k],
			 bench_case_name(r.worst_case, name, sizeof(name)));
		tile(f, value, label, r.worst < REPORT_LOST);
	}
	fputs("</div>\n", f);
}

static void targets(FILE *f, const struct bench_suite *s)
{
	if (!s->n_targets)
		return;
	fputs("<h2>Targets</h2>\n<table><thead><tr><th>case<th>found"
	      "<th>promised<th></tr></thead>\n",
	      f);
	for (size_t i = 0; i < s->n_targets; i++) {
		const struct bench_target *t = &s->target[i];
		bool met = t->known && bench_target_is_met(t);

		fputs("<tr><td>", f);
		html_text(f, t->text);
		if (t->known)
			fprintf(f, "<td class=num>%.2f", t->value);
		else
			fputs("<td class=num>-", f);
		fprintf(f, "<td>%s %.4g<td><span class=\"chip %s\">",
			t->at_least ? "at least" : "at most", t->bound,
			!t->known ? "n"
			: met     ? "w2"
				  : "l1");
		html_text(f, !t->known ? t->why_not : met ? "met" : "missed");
		fputs("</span></tr>\n", f);
	}
	fputs("</table>\n", f);
}

static void lost_to(FILE *f, const struct bench_suite *s, const char *key)
{
	struct bench_ratios r;
	char name[128];

	bench_suite_ratios(s, key, NULL, &r);
	if (!r.lost)
		return;
	fprintf(f,
		"<details%s><summary>%zu to %s</summary>\n<table>"
		"<thead><tr><th>case<th>pmk ns<th>%s ns<th>ratio</tr>"
		"</thead>\n",
		r.lost <= 40 ? " open" : "", r.lost, key, key);
	for (size_t i = 0; i < s->n_cases; i++) {
		const struct bench_case *c = &s->cases[i];
		double ratio = bench_case_ratio(c, key);

		if (ratio <= 0 || ratio >= REPORT_LOST)
			continue;
		fputs("<tr><td>", f);
		html_text(f, bench_case_name(c, name, sizeof(name)));
		fprintf(f,
			"<td class=num>%.1f<td class=num>%.1f<td class=num>"
			"<span class=\"chip l1\">%.2f</span></tr>\n",
			c->side[0].figure.median_ns,
			bench_case_side(c, key)->figure.median_ns, ratio);
	}
	fputs("</table></details>\n", f);
}

static void lost(FILE *f, const struct bench_suite *s)
{
	const char *keys[BENCH_KEYS];
	size_t n = bench_suite_keys(s, keys), all = 0;
	struct bench_ratios r;

	fputs("<h2>Lost</h2>\n", f);
	for (size_t k = 0; k < n; k++) {
		bench_suite_ratios(s, keys[k], NULL, &r);
		all += r.lost;
		lost_to(f, s, keys[k]);
	}
	if (!all)
		fputs("<p>No case.</p>\n", f);
}

static void fact(FILE *f, const char *key, const char *value)
{
	fprintf(f, "<tr><th scope=row>%s<td>", key);
	html_text(f, value);
	fputs("</tr>\n", f);
}

static void facts(FILE *f, const struct bench_suite *s)
{
	const struct host *h = &s->host;
	char text[512], name[BENCH_KEY_LEN];
	size_t n = 0;

	fputs("<h2>Measured on</h2>\n<table class=facts>\n", f);
	fact(f, "medium", h->medium);
	snprintf(text, sizeof(text),
		 "%s, %ld online, load %.2f, governor %s, NUMA nodes %ld",
		 h->cpu, h->cpus, h->load, h->governor, h->nodes);
	fact(f, "CPU", text);
	fact(f, "features used", h->features);
	snprintf(text, sizeof(text), "%s, pages of %ld bytes, huge pages: %s",
		 h->kernel, h->page_size, h->huge_pages);
	fact(f, "kernel", text);
	for (unsigned int op = 0; pmk_op_name(op) && n < sizeof(text); op++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s: %s",
				      op ? ", " : "", pmk_op_name(op),
				      pmk_op_kernel(op));
	fact(f, "pmk", text);
	for (size_t i = 0; i < s->n_facts; i++)
		fact(f, bench_fact_name(&s->fact[i], name), s->fact[i].value);
	fputs("</table>\n", f);
}

static void notes(FILE *f, const struct bench_suite *s)
{
	fprintf(f,
		"<h2>How</h2>\n<p>All sides ran in one process, in rounds that "
		"take turns; a figure is the median of the rounds.  A case "
		"that looked lost (ratio below %.2f) was measured once more "
		"with three times the rounds, and the second measurement is "
		"the one shown, whatever it says: %zu of %zu cases.  pmk-bench"
		"(1) says what each case does; results.json has all figures, "
		"plots.gp draws the plots.</p>\n",
		REPORT_LOST, s->again, s->n_cases);
	for (size_t i = 0; i < s->n_notes; i++) {
		fputs("<p>", f);
		html_text(f, s->note[i]);
		fputs("</p>\n", f);
	}
}

void html_page(FILE *f, const struct bench_suite *s)
{
	head(f, s);
	tiles(f, s);
	targets(f, s);
	lost(f, s);
	html_heat_maps(f, s);
	html_plots(f, s);
	facts(f, s);
	notes(f, s);
	fputs("</body>\n</html>\n", f);
}
