/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc export: what the origin would be, as a file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "replace.h"
#include "wc/dest.h"
#include "wc/output.h"
#include "wc/wc_opt.h"

struct input {
	struct wc_opt opt;
	const char *path[2]; /* CACHE ORIGIN */
	const char *file;
	bool force;
	struct pmk_wc_copy_params params;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "The file that is made; needed", 0 },
	{ "force", 'f', NULL, 0, "Replace a FILE that exists", 0 },
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
	case 'o':
		in->file = arg;
		return 0;
	case 'f':
		in->force = true;
		return 0;
	case ARGP_KEY_END:
		if (!in->file)
			argp_error(state, "-o FILE is missing");
		return opt_positional(key, arg, state, in->path, names, 2);
	default:
		return opt_positional(key, arg, state, in->path, names, 2);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = dest_opt_children,
	.args_doc = "CACHE ORIGIN",
	.doc = "Make FILE with the content that ORIGIN would have after the "
	       "dirty blocks of CACHE were written back.  Neither is changed.",
};

static int print(const struct input *in, const struct dest *d)
{
	const struct pmk_wc_copy_result *r = &d->result;
	struct libscols_table *tb;

	if (in->opt.json) {
		struct json_object *o = out_json();

		out_json_path(o, "cache", in->path[0]);
		out_json_path(o, "origin", in->path[1]);
		out_json_path(o, "file", in->file);
		dest_json(o, d);
		out_json_u64(o, "lost_origin_bytes", r->lost_bytes);
		return out_json_end(o);
	}
	tb = out_table("", "", NULL);
	out_row_u64(tb, "dirty blocks", r->dirty);
	out_row_u64(tb, "taken from the cache", r->copied);
	out_row_u64(tb, "failed", r->failed);
	out_row_size(tb, "lost of the origin", r->lost_bytes);
	return out_table_end(tb);
}

static int verdict(const struct input *in, const struct dest *d)
{
	const struct pmk_wc_copy_result *r = &d->result;

	if (!in->opt.json)
		dest_list_report(&d->failed, in->path[0]);
	if (r->unknown)
		out_error("%s: %" PRIu64 " entries cannot be read: blocks of "
			  "theirs may be missing",
			  in->path[0], r->unknown);
	if (r->lost_bytes)
		out_error("%s: %" PRIu64 " bytes cannot be read; zeros in %s",
			  in->path[1], r->lost_bytes, in->file);
	return r->failed || r->unknown || r->lost_bytes ? EXIT_BAD : EXIT_OK;
}

static int fill(const struct input *in, const struct pmk_wc_image *img,
		const struct pmk_wc_origin *origin, int fd, struct dest *d)
{
	int rc;

	dest_begin(d, "exporting", pmk_wc_origin_size(origin));
	rc = pmk_wc_export(img, origin, fd, &d->params, &d->result);
	dest_end(d);
	if (rc)
		return dest_refusal(img, in->path[0], rc)
			       ? EXIT_FAIL
			       : out_fail(in->file, rc, "no file was made");
	return fsync(fd) ? out_fail(in->file, -errno, NULL) : EXIT_OK;
}

static int make(const struct input *in, const struct pmk_wc_image *img,
		const struct pmk_wc_origin *origin, struct dest *d)
{
	struct replace r;
	int rc = replace_begin(&r, in->file), fd = -1;

	if (rc) {
		rc = out_fail(in->file, rc, NULL);
		goto out;
	}
	/* of the content of a disk, nobody else is to see anything */
	fd = open(r.temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		rc = out_fail(in->file, -errno, NULL);
		goto out;
	}
	rc = fill(in, img, origin, fd, d);
	if (rc)
		goto out;
	rc = replace_commit(&r, in->force);
	if (rc)
		rc = out_fail(in->file, rc,
			      rc == -EEXIST ? "--force replaces it" : NULL);
out:
	if (fd >= 0)
		close(fd);
	replace_end(&r);
	return rc;
}

static int export(const struct input *in, const struct pmk_wc_image *img)
{
	struct dest d = { .params = in->params };
	struct pmk_wc_origin *origin;
	int rc = pmk_wc_origin_open(in->path[1], img, false, &origin);

	if (rc)
		return out_fail(in->path[1], rc, NULL);
	rc = make(in, img, origin, &d);
	if (!rc) {
		rc = verdict(in, &d);
		if (print(in, &d))
			rc = EXIT_FAIL;
	}
	dest_list_free(&d.failed);
	pmk_wc_origin_close(origin);
	return rc;
}

int cmd_wc_export(int argc, char **argv)
{
	struct input in = { .path = { NULL, NULL },
			    .params = { .retries = DEST_RETRIES } };
	struct pmk_wc_image *img;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	rc = wc_opt_open(in.path[0], &in.opt, 0, &img);
	if (rc)
		return rc;
	rc = output_check(in.file, in.force, in.path, 2);
	if (!rc)
		rc = export(&in, img);
	pmk_wc_image_close(img);
	return rc;
}
