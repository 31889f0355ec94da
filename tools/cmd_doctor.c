/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk doctor: what a path is, and why it is or is not persistent memory. */
#include <errno.h>
#include <stdbool.h>

#include <json-c/json.h>

#include <pmk/map.h>
#include <pmk/rlog.h>

#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

/* What a record log in the path says; not every path has one. */
struct log_facts {
	bool is_log;
	bool emulated;
};

static struct log_facts look_for_log(const char *path)
{
	struct log_facts f = { false, false };
	struct pmk_rlog_info info;
	struct pmk_rlog *log;
	int rc = pmk_rlog_open(path, 0, &log);

	if (rc) {
		/* that it is no log is no failure here: drop the explanation */
		out_explanation(rc, NULL);
		return f;
	}
	pmk_rlog_get_info(log, &info);
	f.is_log = true;
	f.emulated = info.emulated;
	pmk_rlog_close(log);
	return f;
}

static bool is_pmem(const struct pmk_map_report *rep)
{
	return rep->granularity == PMK_GRANULARITY_BYTE ||
	       rep->granularity == PMK_GRANULARITY_CACHE_LINE;
}

static const char *verdict(const struct pmk_map_report *rep,
			   const struct log_facts *f)
{
	if (is_pmem(rep))
		return "persistent memory";
	if (f->emulated)
		return "emulated persistent memory: as a record log it is "
		       "treated as pmem, and survives the death of the process "
		       "but not of the machine";
	return rep->error ? "cannot be mapped" : "not persistent memory";
}

static void row_if(struct libscols_table *tb, const char *name, const char *s)
{
	if (*s)
		out_row(tb, name, s, NULL);
}

static void print_table(const char *path, const struct pmk_map_report *rep,
			const struct log_facts *f)
{
	struct libscols_table *tb = out_table("", "", NULL);

	out_row(tb, "path", path, NULL);
	out_row(tb, "verdict", verdict(rep, f), NULL);
	if (f->is_log)
		out_row(tb, "record log",
			f->emulated ? "yes, created as emulated" : "yes", NULL);
	out_row(tb, "kind", pmk_map_kind_name(rep->kind), NULL);
	out_row(tb, "granularity", pmk_granularity_name(rep->granularity),
		NULL);
	out_row(tb, "persistence domain", pmk_domain_name(rep->domain), NULL);
	out_row_size(tb, "size", rep->size_bytes);
	if (rep->align_bytes)
		out_row_size(tb, "alignment", rep->align_bytes);
	row_if(tb, "file system", rep->fs_type);
	row_if(tb, "mount point", rep->mount);
	row_if(tb, "mount options", rep->options);
	row_if(tb, "file system options", rep->fs_options);
	row_if(tb, "device", rep->device);
	out_row(tb, "reason", pmk_map_reason_text(rep->reason), NULL);
	row_if(tb, "detail", rep->detail);
	row_if(tb, "remedy", pmk_map_reason_remedy(rep->reason));
	out_table_end(tb);
}

static void print_json(const char *path, const struct pmk_map_report *rep,
		       const struct log_facts *f)
{
	struct json_object *o = out_json();

	out_json_path(o, "path", path);
	out_json_bool(o, "pmem", is_pmem(rep));
	out_json_bool(o, "record_log", f->is_log);
	out_json_bool(o, "emulated", f->emulated);
	out_json_str(o, "kind", pmk_map_kind_name(rep->kind));
	out_json_name(o, "granularity", pmk_granularity_name(rep->granularity));
	out_json_str(o, "domain", pmk_domain_name(rep->domain));
	out_json_u64(o, "size_bytes", rep->size_bytes);
	out_json_u64(o, "align_bytes", rep->align_bytes);
	out_json_path(o, "fs_type", rep->fs_type);
	out_json_path(o, "mount_point", rep->mount);
	out_json_path(o, "mount_options", rep->options);
	out_json_path(o, "fs_options", rep->fs_options);
	out_json_path(o, "device", rep->device);
	out_json_str(o, "reason", pmk_map_reason_name(rep->reason));
	out_json_str(o, "reason_text", pmk_map_reason_text(rep->reason));
	out_json_path(o, "detail", rep->detail);
	out_json_str(o, "remedy", pmk_map_reason_remedy(rep->reason));
	out_json_end(o);
}

int cmd_doctor(int argc, char **argv)
{
	struct opt_path a = opt_parse_path(
		argc, argv, "PATH",
		"Say what PATH is, whether it is persistent memory, and why.");
	struct log_facts f = { false, false };
	struct pmk_map_report rep;
	int rc;

	signals_mapped(a.path, NULL);
	rc = pmk_map_explain(a.path, &rep);
	if (rc)
		return out_fail(a.path, rc, NULL);
	if (rep.reason == PMK_REASON_NO_ACCESS)
		return out_fail(a.path, rep.error, NULL);
	if (!rep.error)
		f = look_for_log(a.path);
	if (a.json)
		print_json(a.path, &rep, &f);
	else
		print_table(a.path, &rep, &f);
	return is_pmem(&rep) || f.emulated ? EXIT_OK : EXIT_BAD;
}
