/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation as a page with a chart. */
#include <stdio.h>

#include "base/size.h"
#include "bench/html.h"
#include "bench/report_dir.h"
#include "bench/report_file.h"
#include "memmap/ns_opt.h"
#include "memmap/sim_out.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

#define CHART "time-01.svg"

/* Bars, ours and what was published; the fill is a line across. */
static int write_script(const char *dir, const struct sim_out *o)
{
	FILE *f = report_file_create(dir, "plots.gp");
	struct sim_figures fig;

	if (!f)
		return EXIT_FAIL;
	fputs("# Run gnuplot(1) on this to draw the chart again.\n"
	      "set term svg size 760,380 noenhanced font \"sans-serif,13\"\n"
	      "set output \"" CHART "\"\n"
	      "set style data histogram\nset style histogram clustered gap 1\n"
	      "set style fill solid 0.9 noborder\nset boxwidth 0.9\n"
	      "set grid ytics lc rgb \"#808080\" lw 0.4\nset border 3\n"
	      "set tics nomirror\nset yrange [0:*]\nset format y \"%g ms\"\n"
	      "set key right top\n$d << EOD\n",
	      f);
	for (unsigned int e = 0; e < SIM_ENGINES; e++) {
		if (!o->run->side[e].measured)
			continue;
		sim_figures(o, e, &fig);
		fprintf(f, "%s %.4f ", pmk_memmap_engine_name(e),
			o->run->side[e].median_ms);
		if (fig.published_ms > 0)
			fprintf(f, "%.2f\n", fig.published_ms);
		else
			fputs("NaN\n", f);
	}
	fprintf(f,
		"EOD\nplot $d using 2:xtic(1) lc rgb \"#2f81f7\" title "
		"\"here\", $d using 3 lc rgb \"#e8710a\" title \"published, "
		"100 GB on Ice Lake\", %.4f with lines dt 2 lw 2 lc rgb "
		"\"#12967a\" title \"fill\"\n",
		o->run->side[SIM_FILL].median_ms);
	return report_file_close(f, "plots.gp");
}

static void page_row(FILE *f, const struct sim_out *o, unsigned int engine)
{
	const struct sim_side *s = &o->run->side[engine];
	struct sim_figures fig;
	const double v[] = { s->mean_ms, s->median_ms };

	sim_figures(o, engine, &fig);
	fprintf(f, "<tr><th>%s</th>", pmk_memmap_engine_name(engine));
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		fprintf(f, "<td class=num>%.2f</td>", v[i]);
	fprintf(f, "<td class=num>%.2f</td><td class=num>%.1f</td>",
		fig.ns_per_page, fig.gb_per_s);
	{
		const double rest[] = { fig.ratio_to_slow, fig.ratio_to_fill,
					fig.step, fig.published_ms,
					fig.published_step };

		for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
			if (rest[i] > 0)
				fprintf(f, "<td class=num>%.2f</td>", rest[i]);
			else
				fputs("<td class=num>&ndash;</td>", f);
	}
	fputs("</tr>\n", f);
}

static void page_table(FILE *f, const struct sim_out *o)
{
	static const char *const heads[] = {
		"engine",       "mean ms",        "median ms",   "ns/page",
		"GB/s",         "&times; slow",   "of the fill", "step",
		"published ms", "published step",
	};

	fputs("<h2>Engines</h2>\n<table>\n<thead><tr>", f);
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		fprintf(f, "<th>%s</th>", heads[i]);
	fputs("</tr></thead>\n", f);
	for (unsigned int e = 0; e < SIM_ENGINES; e++)
		if (o->run->side[e].measured)
			page_row(f, o, e);
	fprintf(f,
		"</table>\n<p>The fill, the same bytes by non-temporal stores "
		"of one value, takes %.2f ms.  Ns/page and ratios are of "
		"medians; step: how many times as fast as the row above.  "
		"Published: means of 30 rebinds of 100 GB on an Ice Lake "
		"VM.</p>\n",
		o->run->side[SIM_FILL].median_ms);
}

static int write_page(const char *dir, const struct sim_out *o)
{
	const struct pmk_memmap_params *ns = &o->sim->ns;
	FILE *f = report_file_create(dir, "index.html");
	char title[160], size[32], align[32];

	if (!f)
		return EXIT_FAIL;
	pmk_size_format(ns->size, size, sizeof(size));
	pmk_size_format(ns->align, align, sizeof(align));
	snprintf(title, sizeof(title),
		 "pmk memmap simulate: %s %s, map=%s, align %s, kernel %s",
		 size, pmk_mode_name(ns->mode), memmap_opt_map_name(ns->map),
		 align, pmk_memmap_kernel_name(ns->kernel));
	html_head(f, title, &o->suite->host);
	fprintf(f,
		"<h2>Time of a rebind</h2>\n<figure><img src=\"" CHART
		"\" width=760 height=380 alt=\"bars of the medians in the "
		"table below\"><figcaption>median of %u rebinds, %u "
		"thread%s; lower is better</figcaption></figure>\n",
		o->run->rebinds, o->run->threads,
		o->run->threads > 1 ? "s" : "");
	page_table(f, o);
	fputs("<p><a href=results.json>results.json</a> has each rebind.</p>\n"
	      "</body>\n</html>\n",
	      f);
	return report_file_close(f, "index.html");
}

int sim_report(const struct sim_out *o)
{
	int printed = out_flush(), rc;
	struct report_dir d;

	/* what ends the process waits until nothing is left behind */
	signals_hold();
	rc = report_dir_begin(&d, o->suite->opt->report);
	if (!rc)
		rc = write_script(d.temp, o);
	if (!rc)
		rc = html_gnuplot(d.temp);
	if (!rc)
		rc = html_style(d.temp, CHART);
	if (!rc)
		rc = report_file_results(d.temp, sim_to_json(o));
	if (!rc)
		rc = write_page(d.temp, o);
	if (!rc)
		rc = report_dir_commit(&d);
	report_dir_end(&d);
	signals_release();
	return rc ? rc : printed;
}
