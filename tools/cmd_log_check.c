/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk log check: the verdict on a whole record log. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <json-c/json.h>

#include <pmk/rlog.h>

#include "base/size.h"
#include "base/util.h"
#include "log_file.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

static const struct problem {
	uint32_t bit;
	const char *name;
	const char *text;
} problems[] = {
	{ PMK_RLOG_BAD_HEADER, "bad_header",
	  "one of the two headers is damaged" },
	{ PMK_RLOG_BAD_STATE, "bad_state",
	  "both state lines are damaged: the log cannot be appended to" },
	{ PMK_RLOG_BAD_RECORD, "bad_record",
	  "records are damaged: pmk log read --skip-damaged reads the rest" },
	{ PMK_RLOG_SHORT_FILE, "short_file",
	  "the file is shorter than the log" },
};

/* Nothing on media tells these two apart. */
static void row_torn(struct libscols_table *tb, uint64_t bytes)
{
	char iec[32], text[192];

	if (!bytes) {
		out_row(tb, "incomplete append", "none", NULL);
		return;
	}
	pmk_size_format(bytes, iec, sizeof(iec));
	snprintf(text, sizeof(text),
		 "%s: either cut short and never acknowledged, or damaged "
		 "since: these cannot be told apart",
		 iec);
	out_row(tb, "incomplete append", text, NULL);
}

static void print_table(const struct pmk_rlog_info *info,
			const struct pmk_rlog_report *rep)
{
	struct libscols_table *tb = out_table("", "", NULL);

	out_row(tb, "verdict", rep->problems ? "damaged" : "good", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(problems); i++)
		if (rep->problems & problems[i].bit)
			out_row(tb, "problem", problems[i].text, NULL);
	out_row_u64(tb, "records", rep->records);
	out_row_size(tb, "record bytes", rep->record_bytes);
	if (rep->damaged) {
		out_row_u64(tb, "damaged ranges", rep->damaged);
		out_row_size(tb, "damaged bytes", rep->damaged_bytes);
		out_row_u64(tb, "first damaged offset", rep->first_damaged_off);
		out_row_u64(tb, "lost records, as far as known", rep->lost);
	}
	out_row_size(tb, "log size", info->size_bytes);
	out_row_size(tb, "file size", info->file_bytes);
	out_row_u64(tb, "next append at offset", rep->end_off);
	out_row_size(tb, "free", rep->free_bytes);
	row_torn(tb, rep->torn_bytes);
	out_row(tb, "state lines",
		rep->problems & PMK_RLOG_BAD_STATE ? "both damaged"
		: rep->torn_state ? "one of two is torn or damaged, which is "
				    "harmless: the other one counts"
				  : "sound",
		NULL);
	out_row(tb, "closed by its last writer", info->clean ? "yes" : "no",
		NULL);
	out_row_u64(tb, "opened by writers", info->opens);
	out_row(tb, "emulated", info->emulated ? "yes" : "no", NULL);
	out_row_u64(tb, "format version", info->version);
	out_table_end(tb);
}

static void print_json(const char *path, const struct pmk_rlog_info *info,
		       const struct pmk_rlog_report *rep)
{
	struct json_object *list = json_object_new_array();
	struct json_object *o = out_json();

	for (size_t i = 0; i < ARRAY_SIZE(problems); i++)
		if ((rep->problems & problems[i].bit) &&
		    json_object_array_add(
			    list, json_object_new_string(problems[i].name)))
			out_of_memory();
	out_json_path(o, "path", path);
	out_json_bool(o, "good", !rep->problems);
	out_json_add(o, "problems", list);
	out_json_u64(o, "records", rep->records);
	out_json_u64(o, "record_bytes", rep->record_bytes);
	out_json_u64(o, "damaged_ranges", rep->damaged);
	out_json_u64(o, "damaged_bytes", rep->damaged_bytes);
	if (rep->damaged)
		out_json_u64(o, "first_damaged_offset_bytes",
			     rep->first_damaged_off);
	out_json_u64(o, "lost_records", rep->lost);
	out_json_u64(o, "size_bytes", info->size_bytes);
	out_json_u64(o, "file_bytes", info->file_bytes);
	out_json_u64(o, "end_offset_bytes", rep->end_off);
	out_json_u64(o, "free_bytes", rep->free_bytes);
	out_json_u64(o, "incomplete_bytes", rep->torn_bytes);
	out_json_bool(o, "torn_state", rep->torn_state);
	out_json_bool(o, "clean", info->clean);
	out_json_u64(o, "writer_opens", info->opens);
	out_json_bool(o, "emulated", info->emulated);
	out_json_u64(o, "format_version", info->version);
	out_json_end(o);
}

/* There is a log, and nothing of it can be read. */
static int unreadable(const struct opt_path *a, int code)
{
	int rc = log_file_unreadable(a->path, code);
	struct json_object *o, *list;

	if (!a->json || rc != EXIT_BAD)
		return rc;
	o = out_json();
	list = json_object_new_array();
	if (json_object_array_add(
		    list, json_object_new_string(code == PMK_E_LOG_TRUNCATED
							 ? "short_file"
							 : "no_header")))
		out_of_memory();
	out_json_path(o, "path", a->path);
	out_json_bool(o, "good", false);
	out_json_add(o, "problems", list);
	out_json_end(o);
	return rc;
}

int cmd_log_check(int argc, char **argv)
{
	struct opt_path a = opt_parse_path(
		argc, argv, "FILE",
		"Read and verify the whole record log FILE; nothing is written.");
	struct pmk_rlog_report rep;
	struct pmk_rlog_info info;
	struct pmk_rlog *log;
	int rc;

	signals_mapped(a.path);
	rc = pmk_rlog_open(a.path, 0, &log);
	if (rc)
		return unreadable(&a, rc);
	pmk_rlog_get_info(log, &info);
	rc = pmk_rlog_check(log, &rep);
	pmk_rlog_close(log);
	if (rc)
		return out_fail(a.path, rc, NULL);
	if (a.json)
		print_json(a.path, &info, &rep);
	else
		print_table(&info, &rep);
	return rep.problems ? EXIT_BAD : EXIT_OK;
}
