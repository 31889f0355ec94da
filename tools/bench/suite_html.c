/* SPDX-License-Identifier: BSD-3-Clause */
/* A suite as a page with plots. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include <pmk/error.h>

#include "base/cleanup.h"
#include "bench/html.h"
#include "bench/report_dir.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

static FILE *create(const char *dir, const char *name)
{
	_cleanup_free_ char *path = NULL;
	FILE *f;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		out_of_memory();
	f = fopen(path, "we");
	if (!f)
		out_error("%s: %s", path, pmk_strerror(-errno));
	return f;
}

static int finish(FILE *f, const char *name)
{
	bool failed = ferror(f);

	if (fclose(f) || failed)
		return out_error("%s: %s", name, pmk_strerror(-errno));
	return EXIT_OK;
}

static int write_page(const char *dir, const struct bench_suite *s)
{
	FILE *f = create(dir, "index.html");

	if (!f)
		return EXIT_FAIL;
	html_page(f, s);
	return finish(f, "index.html");
}

static int write_results(const char *dir, const struct bench_suite *s)
{
	FILE *f = create(dir, "results.json");
	struct json_object *o;

	if (!f)
		return EXIT_FAIL;
	o = bench_suite_to_json(s);
	fprintf(f, "%s\n",
		json_object_to_json_string_ext(
			o, JSON_C_TO_STRING_PRETTY |
				   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return finish(f, "results.json");
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
		rc = write_results(d.temp, s);
	if (!rc)
		rc = write_page(d.temp, s);
	if (!rc)
		rc = report_dir_commit(&d);
	report_dir_end(&d);
	signals_release();
	return rc ? rc : printed;
}
