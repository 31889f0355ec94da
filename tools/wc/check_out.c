/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk wc check prints: a table for people, a document for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "base/util.h"
#include "out.h"
#include "pmk.h"
#include "wc/check_out.h"
#include "wc/wc_opt.h"

#define DETAIL 160

void wc_check_out_init(struct wc_check_out *out, const char *path, bool json)
{
	*out = (struct wc_check_out){ .path = path, .json = json };
}

int wc_check_out_meet(const struct pmk_wc_problem *problem, void *arg)
{
	struct wc_check_out *out = arg;
	uint64_t most =
		out->json ? WC_CHECK_LISTED_JSON : WC_CHECK_LISTED_TABLE;

	if (out->n_of[problem->code] >= most)
		return 0;
	out->n_of[problem->code]++;
	/* doubles at powers of two */
	if (!(out->n & (out->n - 1))) {
		out->listed = reallocarray(out->listed, out->n ? 2 * out->n : 1,
					   sizeof(*out->listed));
		if (!out->listed)
			out_of_memory();
	}
	out->listed[out->n++] = *problem;
	return 0;
}

static const char *severity_name(enum pmk_wc_severity s)
{
	static const char *const names[] = {
		[PMK_WC_INFO] = "info",
		[PMK_WC_WARNING] = "warning",
		[PMK_WC_ERROR] = "error",
	};

	return names[s];
}

static const char *verdict_text(enum pmk_wc_verdict v)
{
	switch (v) {
	case PMK_WC_LOADS:
		return "the kernel loads it";
	case PMK_WC_LOADS_WITH_ERROR:
		return "the kernel loads it with its error flag set: writes "
		       "fail";
	case PMK_WC_REFUSED:
		return "the kernel refuses it";
	default:
		return "the kernel formats it: what is there is lost";
	}
}

static void row_kernel(struct libscols_table *tb,
		       const struct pmk_wc_load *load)
{
	char text[160];

	if (!load->error)
		return;
	snprintf(text, sizeof(text), "%s%s%s", pmk_error_name(load->error),
		 load->message ? ": " : "", load->message ? load->message : "");
	out_row(tb, "kernel says", text, NULL);
}

static void rows_counts(struct libscols_table *tb,
			const struct pmk_wc_counts *counts)
{
	out_row_u64(tb, "committed entries", counts->committed);
	if (counts->superseded)
		out_row_u64(tb, "of them superseded", counts->superseded);
	out_row_u64(tb, "uncommitted entries", counts->uncommitted);
	out_row_u64(tb, "free entries", counts->free);
	if (counts->unreadable)
		out_row_u64(tb, "unreadable entries", counts->unreadable);
	out_row_size(tb, "dirty", counts->dirty_bytes);
}

static void rows_where(struct libscols_table *tb,
		       const struct wc_check_out *out,
		       enum pmk_wc_problem_code code)
{
	uint64_t more = out->report.found[code] - out->n_of[code];
	char detail[DETAIL];

	for (uint64_t k = 0; k < out->n; k++) {
		if (out->listed[k].code != code)
			continue;
		pmk_wc_problem_detail(&out->listed[k], detail, sizeof(detail));
		if (*detail)
			out_row(tb, "  there", detail, NULL);
	}
	if (!more)
		return;
	snprintf(detail, sizeof(detail), "and %" PRIu64 " more", more);
	out_row(tb, "", detail, NULL);
}

static void rows_problem(struct libscols_table *tb,
			 const struct wc_check_out *out,
			 enum pmk_wc_problem_code code)
{
	const struct pmk_wc_problem_info *info = pmk_wc_problem_info(code);
	char text[512];

	snprintf(text, sizeof(text), "%s (%s): %s", info->name,
		 severity_name(info->severity), info->text);
	out_row(tb, "problem", text, NULL);
	rows_where(tb, out, code);
	out_row(tb, "  the kernel", info->kernel, NULL);
	out_row(tb, "  to do", info->remedy, NULL);
}

static int print_table(const struct wc_check_out *out,
		       const struct pmk_wc_image *img)
{
	struct libscols_table *tb = out_table("", "", NULL);

	out_row(tb, "verdict", verdict_text(out->report.load.verdict), NULL);
	row_kernel(tb, &out->report.load);
	out_row(tb, "layout", pmk_wc_layout_name(pmk_wc_image_layout(img)),
		NULL);
	if (pmk_wc_image_geometry(img))
		rows_counts(tb, &out->report.counts);
	for (int s = PMK_WC_ERROR; s >= PMK_WC_INFO; s--)
		for (unsigned int code = 0; code < PMK_WC_PROBLEMS; code++)
			if (out->report.found[code] &&
			    (int)pmk_wc_problem_info(code)->severity == s)
				rows_problem(tb, out, code);
	return out_table_end(tb);
}

static void json_entry(struct json_object *o, const char *key, uint64_t entry)
{
	if (entry == PMK_WC_NO_ENTRY)
		out_json_null(o, key);
	else
		out_json_u64(o, key, entry);
}

static struct json_object *json_problem(const struct pmk_wc_problem *p)
{
	const struct pmk_wc_problem_info *info = pmk_wc_problem_info(p->code);
	struct json_object *o = json_object_new_object();
	char detail[DETAIL];

	pmk_wc_problem_detail(p, detail, sizeof(detail));
	out_json_str(o, "code", info->name);
	out_json_str(o, "severity", severity_name(info->severity));
	json_entry(o, "entry", p->entry);
	json_entry(o, "other_entry", p->other_entry);
	if (p->entry == PMK_WC_NO_ENTRY ||
	    p->code == PMK_WC_PROBLEM_UNREADABLE_ENTRY) {
		out_json_null(o, "sector");
		out_json_null(o, "seq_count");
	} else {
		out_json_u64(o, "sector", p->sector);
		out_json_u64(o, "seq_count", p->seq_count);
	}
	out_json_str(o, "detail", detail);
	out_json_str(o, "text", info->text);
	out_json_str(o, "kernel", info->kernel);
	out_json_str(o, "remedy", info->remedy);
	return o;
}

static struct json_object *json_list(const struct wc_check_out *out)
{
	struct json_object *list = json_object_new_array();

	for (uint64_t k = 0; k < out->n; k++)
		if (json_object_array_add(list, json_problem(&out->listed[k])))
			out_of_memory();
	return list;
}

/* How often each code was met, and how often beyond what is listed. */
static void json_found(struct json_object *o, const struct wc_check_out *out)
{
	struct json_object *found = json_object_new_object();
	struct json_object *more = json_object_new_object();

	for (unsigned int code = 0; code < PMK_WC_PROBLEMS; code++) {
		const char *name = pmk_wc_problem_info(code)->name;
		uint64_t n = out->report.found[code];

		if (n)
			out_json_u64(found, name, n);
		if (n > out->n_of[code])
			out_json_u64(more, name, n - out->n_of[code]);
	}
	out_json_add(o, "found", found);
	out_json_add(o, "more", more);
}

static void json_counts(struct json_object *o,
			const struct pmk_wc_counts *counts)
{
	out_json_u64(o, "committed", counts->committed);
	out_json_u64(o, "superseded", counts->superseded);
	out_json_u64(o, "uncommitted", counts->uncommitted);
	out_json_u64(o, "free", counts->free);
	out_json_u64(o, "unreadable", counts->unreadable);
	out_json_u64(o, "dirty_bytes", counts->dirty_bytes);
}

static int print_json(const struct wc_check_out *out)
{
	const struct pmk_wc_load *load = &out->report.load;
	struct json_object *o = out_json();

	out_json_path(o, "path", out->path);
	out_json_str(o, "verdict", wc_verdict_name(load->verdict));
	if (load->error)
		out_json_str(o, "errno", pmk_error_name(load->error));
	else
		out_json_null(o, "errno");
	if (load->message)
		out_json_str(o, "kernel_message", load->message);
	else
		out_json_null(o, "kernel_message");
	out_json_str(o, "worst",
		     out->n ? severity_name(out->report.worst) : "none");
	json_counts(o, &out->report.counts);
	out_json_add(o, "problems", json_list(out));
	json_found(o, out);
	return out_json_end(o);
}

int wc_check_out_end(struct wc_check_out *out, const struct pmk_wc_image *img)
{
	int rc = out->json ? print_json(out) : print_table(out, img);

	free(out->listed);
	if (rc)
		return rc;
	return out->report.worst > PMK_WC_INFO ? EXIT_BAD : EXIT_OK;
}
