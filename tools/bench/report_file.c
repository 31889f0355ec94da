/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a report. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include <pmk/error.h>

#include "base/cleanup.h"
#include "bench/report_file.h"
#include "out.h"
#include "pmk.h"

FILE *report_file_create(const char *dir, const char *name)
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

int report_file_close(FILE *f, const char *name)
{
	bool failed = ferror(f);

	if (fclose(f) || failed)
		return out_error("%s: %s", name, pmk_strerror(-errno));
	return EXIT_OK;
}

int report_file_results(const char *dir, struct json_object *o)
{
	FILE *f = report_file_create(dir, "results.json");

	if (f)
		fprintf(f, "%s\n",
			json_object_to_json_string_ext(
				o, JSON_C_TO_STRING_PRETTY |
					   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return f ? report_file_close(f, "results.json") : EXIT_FAIL;
}
