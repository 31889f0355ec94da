/* SPDX-License-Identifier: BSD-3-Clause */
/* A suite as a page with plots. */
#include <stdio.h>

#include "bench/html.h"
#include "bench/report_dir.h"
#include "bench/report_file.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

static int write_page(const char *dir, const struct bench_suite *s)
{
	FILE *f = report_file_create(dir, "index.html");

	if (!f)
		return EXIT_FAIL;
	html_page(f, s);
	return report_file_close(f, "index.html");
}

/* What ends the process waits: about a second, and nothing is left behind.
 * gnuplot(1) is not waited for: it is ended. */
int bench_suite_html(const struct bench_suite *s)
{
	struct report_dir d;
	int rc, printed;

	/* first, while it is known why it failed if it did */
	printed = out_flush();
	signals_hold();
	rc = report_dir_begin(&d, s->opt->report);
	if (!rc)
		rc = html_plots_make(d.temp, s);
	if (!rc)
		rc = report_file_results(d.temp, bench_suite_to_json(s));
	if (!rc)
		rc = write_page(d.temp, s);
	if (!rc)
		rc = report_dir_commit(&d);
	report_dir_end(&d);
	signals_release();
	return rc ? rc : printed;
}
