/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk wc repair prints. */
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include "base/util.h"
#include "out.h"
#include "pmk.h"
#include "wc/repair.h"

/* More lines than a person reads, and than a document should hold. */
#define MAX_ROWS    1000U
#define MAX_CHANGES 100000U
/* Bytes of a change that are shown. */
#define MAX_SHOWN 16U

static const char *problem_name(enum pmk_wc_problem_code code)
{
	const struct pmk_wc_problem_info *info = pmk_wc_problem_info(code);

	return info ? info->name : "?";
}

struct hex {
	char text[2 * MAX_SHOWN + 4];
};

static struct hex to_hex(const unsigned char *bytes, size_t len)
{
	struct hex h;
	size_t n = pmk_min_size(len, MAX_SHOWN);

	for (size_t i = 0; i < n; i++)
		snprintf(h.text + 2 * i, 3, "%02x", bytes[i]);
	snprintf(h.text + 2 * n, 4, "%s", n < len ? "..." : "");
	return h;
}

static void print_table(const struct pmk_wc_repair *r)
{
	uint64_t n = pmk_wc_repair_changes(r);
	struct libscols_table *tb;

	tb = out_table("problem", "entry", "offset", "size", "old", "new",
		       NULL);
	for (uint64_t k = 0; k < n && k < MAX_ROWS; k++) {
		struct pmk_wc_change c = pmk_wc_repair_change(r, k);
		char entry[24] = "-", off[24], len[24];

		if (c.entry != PMK_WC_NO_ENTRY)
			snprintf(entry, sizeof(entry), "%" PRIu64, c.entry);
		snprintf(off, sizeof(off), "%" PRIu64, c.off);
		snprintf(len, sizeof(len), "%zu", c.len);
		out_row(tb, problem_name(c.code), entry, off, len,
			to_hex(c.old_bytes, c.len).text,
			to_hex(c.new_bytes, c.len).text, NULL);
	}
	out_table_end(tb);
	if (n > MAX_ROWS)
		printf("... and %" PRIu64 " more changes\n", n - MAX_ROWS);
}

static struct json_object *changes_json(const struct pmk_wc_repair *r)
{
	struct json_object *list = json_object_new_array();
	uint64_t n = pmk_wc_repair_changes(r);

	for (uint64_t k = 0; k < n && k < MAX_CHANGES; k++) {
		struct pmk_wc_change c = pmk_wc_repair_change(r, k);
		struct json_object *o = json_object_new_object();

		out_json_str(o, "code", problem_name(c.code));
		if (c.entry == PMK_WC_NO_ENTRY)
			out_json_null(o, "entry");
		else
			out_json_u64(o, "entry", c.entry);
		out_json_u64(o, "offset_bytes", c.off);
		out_json_u64(o, "size_bytes", c.len);
		out_json_str(o, "old", to_hex(c.old_bytes, c.len).text);
		out_json_str(o, "new", to_hex(c.new_bytes, c.len).text);
		if (json_object_array_add(list, o))
			out_of_memory();
	}
	return list;
}

/* Does a problem keep the check from being clean? */
static bool remains(const struct pmk_wc_repair *r, unsigned int code)
{
	const struct pmk_wc_problem_info *info =
		pmk_wc_problem_info((enum pmk_wc_problem_code)code);

	return pmk_wc_repair_after(r)->found[code] &&
	       info->severity > PMK_WC_INFO;
}

static struct json_object *remaining_json(const struct pmk_wc_repair *r)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int c = 0; c < PMK_WC_PROBLEMS; c++) {
		struct json_object *o;

		if (!remains(r, c))
			continue;
		o = json_object_new_object();
		out_json_str(o, "code",
			     problem_name((enum pmk_wc_problem_code)c));
		out_json_u64(o, "count", pmk_wc_repair_after(r)->found[c]);
		if (json_object_array_add(list, o))
			out_of_memory();
	}
	return list;
}

int repair_print(const struct repair_args *a, const struct pmk_wc_repair *r,
		 bool applied)
{
	struct json_object *o;

	if (!a->opt.json) {
		if (pmk_wc_repair_changes(r))
			print_table(r);
		return out_flush();
	}
	o = out_json();
	out_json_path(o, "cache", a->path);
	out_json_u64(o, "change_count", pmk_wc_repair_changes(r));
	out_json_bool(o, "applied", applied);
	out_json_bool(o, "clean", pmk_wc_repair_after(r)->worst == PMK_WC_INFO);
	out_json_add(o, "changes", changes_json(r));
	out_json_add(o, "remaining", remaining_json(r));
	return out_json_end(o);
}

int repair_verdict(const struct repair_args *a, const struct pmk_wc_repair *r)
{
	int rc = EXIT_OK;

	for (unsigned int c = 0; c < PMK_WC_PROBLEMS; c++) {
		const struct pmk_wc_problem_info *info;

		if (!remains(r, c))
			continue;
		rc = EXIT_BAD;
		info = pmk_wc_problem_info((enum pmk_wc_problem_code)c);
		if (!a->opt.json)
			out_error("%s: remains: %s (%" PRIu64 "): %s", a->path,
				  info->name, pmk_wc_repair_after(r)->found[c],
				  info->remedy);
	}
	return rc;
}
