/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk doctor: what a path is, and why it is or is not persistent memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <json-c/json.h>

#include <pmk/map.h>
#include <pmk/rlog.h>

#include "base/size.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

/* What a record log in the path says; not every path has one. */
struct log_facts {
	bool is_log;
	bool emulated;
	bool is_damaged; /* so that no more is known of it */
};

static struct log_facts look_for_log(const char *path)
{
	struct log_facts f = { false, false, false };
	struct pmk_rlog_info info;
	struct pmk_rlog *log;
	int rc = pmk_rlog_open(path, 0, &log);

	if (rc) {
		/* that it is no log is no failure here: drop the explanation */
		out_explanation(rc, NULL);
		f.is_damaged =
			rc == PMK_E_LOG_DAMAGED || rc == PMK_E_LOG_TRUNCATED;
		f.is_log = f.is_damaged || rc == PMK_E_LOG_VERSION;
		return f;
	}
	pmk_rlog_get_info(log, &info);
	f.is_log = true;
	f.emulated = info.emulated;
	pmk_rlog_close(log);
	return f;
}

/* Of what is not mapped itself, but has files. */
static const char *place_verdict(const struct pmk_map_report *rep)
{
	bool dir = rep->object == PMK_MAP_OBJECT_DIRECTORY;

	switch (rep->domain == PMK_DOMAIN_VOLATILE ? PMK_REASON_VOLATILE_REGION
						   : rep->reason) {
	case PMK_REASON_NEW_FILE_DAX:
		return "a directory: a new file in it should be persistent "
		       "memory, which only a file can prove";
	case PMK_REASON_PMEM_BLOCK_DEVICE:
		return "a block device on persistent memory, which is not "
		       "mapped itself";
	case PMK_REASON_UNKNOWN:
	case PMK_REASON_NO_SYSFS:
		return dir ? "a directory: what a new file in it would be "
			     "cannot be told"
			   : "a block device: what a file on it would be "
			     "cannot be told";
	default:
		return dir ? "a directory: a new file in it would not be "
			     "persistent memory"
			   : "a block device: a file on it would not be "
			     "persistent memory";
	}
}

static const char *verdict(const struct pmk_map_report *rep,
			   const struct log_facts *f)
{
	if (rep->pmem == PMK_ANSWER_YES)
		return rep->object == PMK_MAP_OBJECT_FILE && !rep->size_bytes
			       ? "persistent memory, once it has a size"
			       : "persistent memory";
	if (f->emulated)
		return "emulated persistent memory: as a record log it is "
		       "treated as pmem, and survives the death of the process "
		       "but not of the machine";
	if (rep->object == PMK_MAP_OBJECT_DIRECTORY ||
	    rep->object == PMK_MAP_OBJECT_BLOCK)
		return place_verdict(rep);
	if (rep->pmem == PMK_ANSWER_UNKNOWN)
		return rep->kind ? "mapped as persistent memory is; whether "
				   "the memory is persistent cannot be told"
				 : "cannot be told";
	return rep->error ? "cannot be mapped" : "not persistent memory";
}

static void row_if(struct libscols_table *tb, const char *name, const char *s)
{
	if (*s)
		out_row(tb, name, s, NULL);
}

/* "VALUE", or "VALUE: why". */
static void row_why(struct libscols_table *tb, const char *name,
		    const char *value, enum pmk_map_why why)
{
	char text[512];

	if (why == PMK_WHY_NONE) {
		out_row(tb, name, value, NULL);
		return;
	}
	snprintf(text, sizeof(text), "%s: %s", value, pmk_map_why_text(why));
	out_row(tb, name, text, NULL);
}

static void row_huge(struct libscols_table *tb,
		     const struct pmk_map_report *rep)
{
	static const char *const words[] = {
		[PMK_ANSWER_UNKNOWN] = "unknown",
		[PMK_ANSWER_NO] = "no",
		[PMK_ANSWER_YES] = "yes",
		[PMK_ANSWER_PARTLY] = "in part",
	};
	char text[128];

	if (rep->huge_why == PMK_WHY_NOT_APPLICABLE)
		return;
	snprintf(text, sizeof(text), "%s", words[rep->huge_faults]);
	if (rep->huge_tested)
		snprintf(text, sizeof(text),
			 "%s, on %" PRIu32 " of %" PRIu32 " places measured",
			 words[rep->huge_faults], rep->huge_hits,
			 rep->huge_tested);
	row_why(tb, "2 MiB page faults", text, rep->huge_why);
	row_if(tb, "remedy for that", pmk_map_why_remedy(rep->huge_why));
}

static void row_bad(struct libscols_table *tb, const char *name, uint64_t bytes,
		    enum pmk_map_why why)
{
	char iec[32], text[64];

	if (why == PMK_WHY_NOT_APPLICABLE)
		return;
	pmk_size_format(bytes, iec, sizeof(iec));
	if (why == PMK_WHY_NONE)
		snprintf(text, sizeof(text), "%s", bytes ? iec : "none");
	else if (why == PMK_WHY_LIST_CUT)
		snprintf(text, sizeof(text), "at least %s", iec);
	else
		snprintf(text, sizeof(text), "unknown");
	row_why(tb, name, text, why);
}

static void rows_mapping(struct libscols_table *tb,
			 const struct pmk_map_report *rep)
{
	out_row(tb, "kind", pmk_map_kind_name(rep->kind), NULL);
	out_row(tb, "granularity", pmk_granularity_name(rep->granularity),
		NULL);
	if (rep->domain_why != PMK_WHY_NOT_APPLICABLE)
		row_why(tb, "persistence domain", pmk_domain_name(rep->domain),
			rep->domain_why);
	row_huge(tb, rep);
	row_bad(tb, "bad blocks of device", rep->device_bad_bytes,
		rep->device_bad_why);
	row_bad(tb, "bad blocks of file", rep->file_bad_bytes,
		rep->file_bad_why);
}

static void print_table(const char *path, const struct pmk_map_report *rep,
			const struct log_facts *f)
{
	struct libscols_table *tb = out_table("", "", NULL);

	out_row(tb, "verdict", verdict(rep, f), NULL);
	out_row(tb, "reason", pmk_map_reason_text(rep->reason), NULL);
	row_if(tb, "detail", rep->detail);
	row_if(tb, "remedy", pmk_map_reason_remedy(rep->reason));
	out_row(tb, "path", path, NULL);
	out_row(tb, "type", pmk_map_object_name(rep->object), NULL);
	if (f->is_log)
		out_row(tb, "record log",
			f->is_damaged ? "yes, damaged: see pmk log check"
			: f->emulated ? "yes, created as emulated"
				      : "yes",
			NULL);
	rows_mapping(tb, rep);
	if (rep->size_bytes || rep->object == PMK_MAP_OBJECT_FILE)
		out_row_size(tb, "size", rep->size_bytes);
	if (rep->align_bytes)
		out_row_size(tb, "alignment", rep->align_bytes);
	row_if(tb, "file system", rep->fs_type);
	row_if(tb, "mount point", rep->mount);
	row_if(tb, "mount options", rep->options);
	row_if(tb, "file system options", rep->fs_options);
	row_if(tb, "device", rep->device);
	row_if(tb, "region", rep->region);
	out_table_end(tb);
}

/* "KEY_reason" and "KEY_reason_text": why KEY is null, or is not "yes". */
static void json_why(struct json_object *o, const char *key,
		     enum pmk_map_why why)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_reason", key);
	if (why == PMK_WHY_NONE)
		out_json_null(o, name);
	else
		out_json_str(o, name, pmk_map_why_name(why));
	snprintf(name, sizeof(name), "%s_reason_text", key);
	if (why == PMK_WHY_NONE)
		out_json_null(o, name);
	else
		out_json_str(o, name, pmk_map_why_text(why));
}

static void json_bad(struct json_object *o, const char *key, uint64_t bytes,
		     enum pmk_map_why why)
{
	char name[64];

	if (why == PMK_WHY_NONE)
		out_json_u64(o, key, bytes);
	else
		out_json_null(o, key);
	snprintf(name, sizeof(name), "%s_at_least", key);
	out_json_u64(o, name,
		     why == PMK_WHY_NONE || why == PMK_WHY_LIST_CUT ? bytes
								    : 0);
	json_why(o, key, why);
}

static void json_huge(struct json_object *o, const struct pmk_map_report *rep)
{
	static const char *const words[] = {
		[PMK_ANSWER_NO] = "no",
		[PMK_ANSWER_YES] = "yes",
		[PMK_ANSWER_PARTLY] = "partly",
	};

	if (rep->huge_faults == PMK_ANSWER_UNKNOWN)
		out_json_null(o, "huge_faults");
	else
		out_json_str(o, "huge_faults", words[rep->huge_faults]);
	json_why(o, "huge_faults", rep->huge_why);
	out_json_str(o, "huge_faults_remedy",
		     pmk_map_why_remedy(rep->huge_why));
	out_json_u64(o, "huge_faults_tested", rep->huge_tested);
	out_json_u64(o, "huge_faults_hits", rep->huge_hits);
}

static void json_mapping(struct json_object *o,
			 const struct pmk_map_report *rep)
{
	out_json_str(o, "kind", pmk_map_kind_name(rep->kind));
	out_json_name(o, "granularity", pmk_granularity_name(rep->granularity));
	out_json_str(o, "domain", pmk_domain_name(rep->domain));
	json_why(o, "domain", rep->domain_why);
	json_huge(o, rep);
	json_bad(o, "device_bad_bytes", rep->device_bad_bytes,
		 rep->device_bad_why);
	json_bad(o, "file_bad_bytes", rep->file_bad_bytes, rep->file_bad_why);
}

static void print_json(const char *path, const struct pmk_map_report *rep,
		       const struct log_facts *f)
{
	struct json_object *o = out_json();

	out_json_path(o, "path", path);
	if (rep->pmem == PMK_ANSWER_UNKNOWN)
		out_json_null(o, "pmem");
	else
		out_json_bool(o, "pmem", rep->pmem == PMK_ANSWER_YES);
	out_json_str(o, "verdict", verdict(rep, f));
	out_json_str(o, "reason", pmk_map_reason_name(rep->reason));
	out_json_str(o, "reason_text", pmk_map_reason_text(rep->reason));
	out_json_path(o, "detail", rep->detail);
	out_json_str(o, "remedy", pmk_map_reason_remedy(rep->reason));
	out_json_name(o, "type", pmk_map_object_name(rep->object));
	out_json_bool(o, "record_log", f->is_log);
	out_json_bool(o, "emulated", f->emulated);
	json_mapping(o, rep);
	out_json_u64(o, "size_bytes", rep->size_bytes);
	out_json_u64(o, "align_bytes", rep->align_bytes);
	out_json_path(o, "fs_type", rep->fs_type);
	out_json_path(o, "mount_point", rep->mount);
	out_json_path(o, "mount_options", rep->options);
	out_json_path(o, "fs_options", rep->fs_options);
	out_json_path(o, "device", rep->device);
	out_json_str(o, "region", rep->region);
	out_json_end(o);
}

/* Good, bad, or no answer; that is a failure, with a message. */
static int exit_code(const char *path, const struct pmk_map_report *rep,
		     const struct log_facts *f)
{
	if (rep->pmem == PMK_ANSWER_YES || f->emulated)
		return EXIT_OK;
	if (rep->pmem == PMK_ANSWER_NO)
		return EXIT_BAD;
	if (rep->error)
		return out_fail(path, rep->error, NULL);
	return out_error("%s: cannot be told: %s", path,
			 rep->kind ? pmk_map_why_text(rep->domain_why)
				   : pmk_map_reason_text(rep->reason));
}

int cmd_doctor(int argc, char **argv)
{
	struct opt_path a = opt_parse_path(
		argc, argv, "PATH",
		"Say what PATH is, whether it is persistent memory, and why.");
	struct log_facts f = { false, false, false };
	struct pmk_map_report rep;
	int rc;

	signals_mapped(a.path);
	rc = pmk_map_explain(a.path, &rep);
	if (rc)
		return out_fail(a.path, rc, NULL);
	/* nothing is known of what is not there */
	if (rep.object == PMK_MAP_OBJECT_UNKNOWN)
		return out_fail(a.path, rep.error, NULL);
	if (!rep.error && rep.size_bytes)
		f = look_for_log(a.path);
	if (a.json)
		print_json(a.path, &rep, &f);
	else
		print_table(a.path, &rep, &f);
	return exit_code(a.path, &rep, &f);
}
