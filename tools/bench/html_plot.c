/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plots against size: time and throughput of each side, and percentiles where
 * they were measured.  gnuplot(1) draws them from one script, which stays
 * beside them; afterwards each is given a style sheet, for gnuplot knows no
 * dark background.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "bench/html.h"
#include "bench/report_file.h"
#include "out.h"
#include "pmk.h"

enum kind {
	PLOT_RATE,
	PLOT_TIME,
	PLOT_LATENCY,
	PLOTS,
};

static const char *const kind_names[PLOTS] = { "rate", "time", "latency" };
static const char *const kind_titles[PLOTS] = { "Throughput", "Time",
						"Percentiles" };

/* Destination offsets that are drawn. */
static const size_t drawn_offsets[] = { 0, 8 };

/* Hues that can be told apart on white and on black; pmk's is the first. */
static const char *const colours[] = {
	"#2f81f7", "#e8710a", "#12967a", "#a855f7", "#e5484d", "#8a9a12",
	"#0ea5c6", "#b4690e", "#ec4899", "#7c8594", "#5b5bd6", "#46a758",
	"#d6409f", "#978365", "#00a2c7", "#f76b15",
};

/* More sides than that would hide the curves. */
#define INSIDE 4

/* One plot: the cases of a group at one offset. */
struct plot {
	const struct bench_suite *s;
	const struct bench_case *first;
	size_t offset;
	unsigned int number;
	bool has_latency;
	size_t n_cases;
	size_t smallest;
	size_t largest_latency;
	const struct bench_case *largest;
};

typedef void plot_fn(FILE *f, const struct plot *p, enum kind kind);

static bool is_in(const struct plot *p, const struct bench_case *c)
{
	return html_same_group(c, p->first) && c->dst_offset == p->offset &&
	       !c->src_offset;
}

static void look(struct plot *p)
{
	for (size_t i = 0; i < p->s->n_cases; i++) {
		const struct bench_case *c = &p->s->cases[i];

		if (!is_in(p, c))
			continue;
		p->n_cases++;
		if (p->n_cases == 1 || c->size < p->smallest)
			p->smallest = c->size;
		if (c->side[0].latency.samples) {
			p->has_latency = true;
			if (c->size > p->largest_latency)
				p->largest_latency = c->size;
		}
		if (!p->largest || c->size > p->largest->size)
			p->largest = c;
	}
}

struct each {
	plot_fn *fn;
	unsigned int number;
};

static void each_of_group(FILE *f, const struct bench_suite *s,
			  const struct bench_case *first, void *arg)
{
	struct each *e = arg;

	for (size_t i = 0; i < sizeof(drawn_offsets) / sizeof(*drawn_offsets);
	     i++) {
		struct plot p = {
			.s = s,
			.first = first,
			.offset = drawn_offsets[i],
			.number = e->number,
		};

		look(&p);
		/* one point is no curve, and a name has two digits */
		if (p.n_cases < 2 || p.number > 99)
			continue;
		e->number++;
		for (unsigned int kind = 0; kind < PLOTS; kind++)
			if (kind != PLOT_LATENCY || p.has_latency)
				e->fn(f, &p, kind);
	}
}

static void each_plot(FILE *f, const struct bench_suite *s, plot_fn *fn)
{
	html_each_group(f, s, each_of_group, &(struct each){ fn, 1 });
}

/* "rate-03.svg"; returns @text. */
static char *file_name(const struct plot *p, enum kind kind, char text[32])
{
	snprintf(text, 32, "%s-%02u.svg", kind_names[kind], p->number);
	return text;
}

/* The script. */

static void script_data(FILE *f, const struct plot *p, size_t side)
{
	const char *key = p->first->side[side].key;

	fprintf(f, "$d%zu << EOD\n", side);
	for (size_t i = 0; i < p->s->n_cases; i++) {
		const struct bench_case *c = &p->s->cases[i];
		const struct bench_side *b;

		if (!is_in(p, c))
			continue;
		b = bench_case_side(c, key);
		if (!b)
			continue;
		fprintf(f, "%zu %.4g %.5g %.5g %.5g", c->size,
			bench_case_rate(c, b) / 1e9, b->figure.median_ns * 1e-9,
			b->figure.p25_ns * 1e-9, b->figure.p75_ns * 1e-9);
		if (b->latency.samples)
			fprintf(f, " %.5g %.5g %.5g\n",
				b->latency.p50_ns * 1e-9,
				b->latency.p99_ns * 1e-9,
				b->latency.p999_ns * 1e-9);
		else
			fputs(" NaN NaN NaN\n", f);
	}
	fputs("EOD\n", f);
}

/* Octaves between two marks: six labels fit beside the legend. */
static unsigned int octaves_apart(const struct plot *p)
{
	unsigned int octaves = 0;

	/* two sizes are marked however near */
	if (p->n_cases <= 2)
		return 0;
	while (p->largest->size >> octaves > p->smallest)
		octaves++;
	return (octaves + 5) / 6;
}

/* Marks where a size was measured: "64 B", "1 KiB". */
static void script_tics(FILE *f, const struct plot *p)
{
	unsigned int apart = octaves_apart(p);
	size_t last = 0;
	char text[32];

	fputs("set xtics (", f);
	for (size_t i = 0; i < p->s->n_cases; i++) {
		const struct bench_case *c = &p->s->cases[i];

		if (!is_in(p, c) || (last && c->size < last << apart))
			continue;
		pmk_size_format(c->size, text, sizeof(text));
		fprintf(f, "%s\"%s\" %zu", last ? ", " : "", text, c->size);
		last = c->size;
	}
	fputs(")\n", f);
}

static void script_curve(FILE *f, const struct plot *p, enum kind kind,
			 size_t side)
{
	static const char *const percentiles[] = { "p50", "p99", "p99.9" };
	const char *key = p->first->side[side].key;
	const char *colour =
		colours[side % (sizeof(colours) / sizeof(*colours))];

	if (kind == PLOT_TIME)
		fprintf(f,
			"$d%zu using 1:4:5 with filledcurves fc rgb \"%s\" "
			"fs transparent solid 0.2 noborder notitle, ",
			side, colour);
	if (kind != PLOT_LATENCY) {
		fprintf(f,
			"$d%zu using 1:%d with linespoints lw %d lc rgb "
			"\"%s\" pt 7 ps 0.35 title \"%s\"",
			side, kind == PLOT_RATE ? 2 : 3, side ? 2 : 3, colour,
			key);
		return;
	}
	for (int i = 0; i < 3; i++)
		fprintf(f,
			"%s$d%zu using 1:%d with lines lw %d dt %d lc rgb "
			"\"%s\" title \"%s %s\"",
			i ? ", " : "", side, 6 + i, side ? 2 : 3, i + 1, colour,
			key, percentiles[i]);
}

static void script_plot(FILE *f, const struct plot *p, enum kind kind)
{
	char name[32];

	if (kind == 0) {
		script_tics(f, p);
		for (size_t side = 0; side < p->first->n_sides; side++)
			script_data(f, p, side);
	}
	fprintf(f, "set output \"%s\"\n", file_name(p, kind, name));
	fprintf(f, "set format y \"%s\"\nset key %s\n",
		kind == PLOT_RATE ? "%g GB/s" : "%.0s %cs",
		kind == PLOT_LATENCY || p->first->n_sides > INSIDE
			? "outside right top"
			: "inside left top");
	/* a mark on the very end is left out where gnuplot's rounding puts it
	 * beyond: 64 in [32:64] */
	fprintf(f, "plot [%zu:%zu*1.0001] ", p->smallest,
		kind == PLOT_LATENCY ? p->largest_latency : p->largest->size);
	for (size_t side = 0; side < p->first->n_sides; side++) {
		fputs(side ? ", " : "", f);
		script_curve(f, p, kind, side);
	}
	fputs("\n", f);
}

static void write_script(FILE *f, const struct bench_suite *s)
{
	fputs("# Run gnuplot(1) on this to draw the plots again.\n"
	      "set term svg size 560,360 noenhanced font \"sans-serif,13\"\n"
	      "set logscale x 2\nset logscale y\n"
	      "set grid lc rgb \"#808080\" lw 0.4\n"
	      "set border 3\nset tics nomirror\nset lmargin 11\n",
	      f);
	each_plot(f, s, script_plot);
}

/* The style sheet of each. */

struct styling {
	const char *dir;
	int rc;
};

static struct styling styling;

static void style_plot(FILE *f, const struct plot *p, enum kind kind)
{
	char name[32];

	(void)f;
	if (!styling.rc)
		styling.rc = html_style(styling.dir, file_name(p, kind, name));
}

int html_plots_make(const char *dir, const struct bench_suite *s)
{
	FILE *f = report_file_create(dir, "plots.gp");
	int rc;

	if (!f)
		return EXIT_FAIL;
	write_script(f, s);
	rc = report_file_close(f, "plots.gp");
	if (!rc)
		rc = html_gnuplot(dir);
	if (rc)
		return rc;
	styling = (struct styling){ .dir = dir };
	each_plot(NULL, s, style_plot);
	return styling.rc;
}

/* The page. */

/* In words what can be seen: for those who cannot. */
static void alt(FILE *f, const struct plot *p, enum kind kind)
{
	char name[128], size[32];

	fprintf(f, "%s against size, ", kind_titles[kind]);
	html_text(f, html_group_name(p->first, name, sizeof(name)));
	pmk_size_format(p->largest->size, size, sizeof(size));
	fprintf(f, " at offset %zu.  At %s:", p->offset, size);
	for (size_t i = 0; i < p->largest->n_sides; i++) {
		const struct bench_side *b = &p->largest->side[i];

		fprintf(f, "%s %s %.4g GB/s", i ? "," : "", b->key,
			bench_case_rate(p->largest, b) / 1e9);
	}
	fputc('.', f);
}

static void page_plot(FILE *f, const struct plot *p, enum kind kind)
{
	char text[128];

	if (kind == 0) {
		fputs("<h3>", f);
		html_text(f, html_group_name(p->first, text, sizeof(text)));
		if (p->offset)
			fprintf(f, ", at offset %zu", p->offset);
		fputs("</h3>\n<div class=plots>\n", f);
	}
	fprintf(f,
		"<figure><img src=\"%s\" width=560 height=360 loading=lazy "
		"alt=\"",
		file_name(p, kind, text));
	alt(f, p, kind);
	fprintf(f, "\"><figcaption>%s</figcaption></figure>\n",
		kind == PLOT_RATE   ? "throughput of all threads; higher is "
				      "better"
		: kind == PLOT_TIME ? "time of one operation, with quartiles; "
				      "lower is better"
				    : "single operations: median, 99 % and "
				      "99.9 %");
	if (kind == PLOT_LATENCY || (kind == PLOT_TIME && !p->has_latency))
		fputs("</div>\n", f);
}

void html_plots(FILE *f, const struct bench_suite *s)
{
	fputs("<h2>Against size</h2>\n", f);
	each_plot(f, s, page_plot);
}
