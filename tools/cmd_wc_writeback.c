/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc writeback: the dirty blocks into the origin, without the kernel. */
#include <inttypes.h>
#include <stdbool.h>

#include <json-c/json.h>

#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "wc/dest.h"
#include "wc/wc_opt.h"

enum {
	KEY_NO_UPDATE = 0x100,
	KEY_SKIP_BAD,
};

struct input {
	struct wc_opt opt;
	const char *path[2]; /* CACHE ORIGIN */
	struct pmk_wc_copy_params params;
};

static const struct argp_option options[] = {
	{ "no-metadata-update", KEY_NO_UPDATE, NULL, 0,
	  "Write to ORIGIN only: all blocks stay in the cache", 0 },
	{ "skip-bad", KEY_SKIP_BAD, NULL, 0,
	  "Write the others even if there are blocks that ORIGIN has no place "
	  "for",
	  0 },
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "CACHE", "ORIGIN" };
	struct input *in = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &in->opt;
		state->child_inputs[1] = &in->params;
		return 0;
	case KEY_NO_UPDATE:
		in->params.keep_metadata = true;
		return 0;
	case KEY_SKIP_BAD:
		in->params.skip_misfits = true;
		return 0;
	default:
		return opt_positional(key, arg, state, in->path, names, 2);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = dest_opt_children,
	.args_doc = "CACHE ORIGIN",
	.doc = "Write the dirty blocks of CACHE to ORIGIN, and free them when "
	       "they are durable there.  It can be interrupted and run again.",
};

/* A wrong origin, of which nothing was overwritten. */
static int misfits(const struct input *in, const struct pmk_wc_image *img,
		   const struct pmk_wc_origin *origin)
{
	struct dest_list bad = { .n = 0 };
	uint64_t size = pmk_wc_origin_size(origin), n;

	n = pmk_wc_misfits(img, size, dest_list_add, &bad);
	if (n)
		out_error("%s: %" PRIu64 " blocks have no place on %s (%" PRIu64
			  " bytes), the first is block %" PRIu64
			  " of sector %" PRIu64
			  ": is it the right origin?  Nothing was written; "
			  "--skip-bad writes the others",
			  in->path[0], n, in->path[1], size, bad.first[0].entry,
			  bad.first[0].sector);
	dest_list_free(&bad);
	return EXIT_FAIL;
}

static int print(const struct input *in, const struct dest *d)
{
	const struct pmk_wc_copy_result *r = &d->result;
	struct libscols_table *tb;

	if (in->opt.json) {
		struct json_object *o = out_json();

		out_json_path(o, "cache", in->path[0]);
		out_json_path(o, "origin", in->path[1]);
		dest_json(o, d);
		out_json_u64(o, "freed_entries", r->freed);
		return out_json_end(o);
	}
	tb = out_table("", "", NULL);
	out_row_u64(tb, "dirty blocks", r->dirty);
	out_row_u64(tb, "written back", r->copied);
	out_row_u64(tb, "entries freed", r->freed);
	out_row_u64(tb, "failed", r->failed);
	out_row_u64(tb, "left", r->left);
	return out_table_end(tb);
}

static int verdict(const struct input *in, const struct dest *d)
{
	const struct pmk_wc_copy_result *r = &d->result;

	if (!in->opt.json)
		dest_list_report(&d->failed, in->path[0]);
	if (r->unknown)
		out_error("%s: %" PRIu64 " entries cannot be read: blocks of "
			  "theirs may be dirty; no entry was freed",
			  in->path[0], r->unknown);
	if (r->stopped && r->left)
		return out_error("%s: interrupted: %" PRIu64
				 " blocks were written back, %" PRIu64
				 " are left; run it again",
				 in->path[0], r->copied, r->left);
	return r->failed || r->unknown ? EXIT_BAD : EXIT_OK;
}

static int fail(const struct input *in, const struct pmk_wc_image *img,
		const struct pmk_wc_origin *origin, const struct dest *d,
		int code)
{
	int rc = dest_refusal(img, in->path[0], code);

	if (rc)
		return rc;
	if (code == PMK_E_WC_MISFIT)
		return misfits(in, img, origin);
	return out_error("%s: %s; %" PRIu64 " of %" PRIu64
			 " blocks were written back, the others are in the "
			 "cache",
			 in->path[0], out_explanation(code, in->path[0]),
			 d->result.copied, d->result.dirty);
}

static int write_back(const struct input *in, struct pmk_wc_image *img,
		      struct pmk_wc_origin *origin)
{
	struct dest d = { .params = in->params };
	struct pmk_wc_counts counts;
	int rc;

	pmk_wc_image_counts(img, &counts);
	dest_catch_signals();
	dest_begin(&d, "writing back", counts.dirty_bytes);
	rc = pmk_wc_writeback(img, origin, &d.params, &d.result);
	dest_end(&d);
	if (rc) {
		rc = fail(in, img, origin, &d, rc);
	} else {
		rc = verdict(in, &d);
		if (print(in, &d))
			rc = EXIT_FAIL;
	}
	dest_list_free(&d.failed);
	return rc;
}

static int open_origin(const struct input *in, struct pmk_wc_image *img)
{
	struct pmk_wc_origin *origin;
	int rc = pmk_wc_origin_open(in->path[1], img, true, &origin);

	if (rc)
		return out_fail(in->path[1], rc, NULL);
	rc = write_back(in, img, origin);
	pmk_wc_origin_close(origin);
	return rc;
}

int cmd_wc_writeback(int argc, char **argv)
{
	struct input in = { .path = { NULL, NULL },
			    .params = { .retries = DEST_RETRIES } };
	struct pmk_wc_image *img;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	rc = wc_opt_open(in.path[0], &in.opt,
			 in.params.keep_metadata ? 0 : PMK_WC_WRITE, &img);
	if (rc)
		return rc;
	rc = open_origin(&in, img);
	pmk_wc_image_close(img);
	return rc;
}
