/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc restore: a cache from what pmk wc dump printed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/cleanup.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "replace.h"
#include "wc/dump.h"
#include "wc/output.h"
#include "wc/restore.h"

#define OPT_DATA 0x400

struct input {
	const char *input;
	const char *output;
	const char *data;
	bool force;
	bool json;
};

static const struct argp_option options[] = {
	{ "input", 'i', "DUMP", 0,
	  "What pmk wc dump printed; - is standard input", 0 },
	{ "output", 'o', "CACHE", 0, "The file to make", 0 },
	{ "data", OPT_DATA, "DIR", 0,
	  "The directory that pmk wc dump --data filled", 0 },
	{ "force", 'f', NULL, 0,
	  "Replace a CACHE that exists; make it even if the dump is not whole",
	  0 },
	OPT_JSON,
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input *in = state->input;

	switch (key) {
	case 'i':
		in->input = arg;
		return 0;
	case 'o':
		in->output = arg;
		return 0;
	case OPT_DATA:
		in->data = arg;
		return 0;
	case 'f':
		in->force = true;
		return 0;
	case 'j':
		in->json = true;
		return 0;
	case ARGP_KEY_END:
		if (!in->input || !in->output)
			argp_error(state, "-i DUMP and -o CACHE are needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "-i DUMP -o CACHE",
	.doc = "Make the image of a dm-writecache device from the text form "
	       "that pmk wc dump prints.  The file appears whole or not at "
	       "all.",
};

static int open_input(const struct input *in, struct wc_restore *r)
{
	if (!strcmp(in->input, "-")) {
		r->input = "standard input";
		r->in = STDIN_FILENO;
		return EXIT_OK;
	}
	r->in = open(in->input, O_RDONLY | O_CLOEXEC);
	return r->in < 0 ? out_fail(in->input, -errno, NULL) : EXIT_OK;
}

static int open_data(const struct input *in, struct wc_restore *r,
		     char **path_ret)
{
	if (!in->data)
		return EXIT_OK;
	if (asprintf(path_ret, "%s/" WC_DUMP_BLOCKS, in->data) < 0) {
		*path_ret = NULL;
		out_of_memory();
	}
	r->data_path = *path_ret;
	r->data = open(*path_ret, O_RDONLY | O_CLOEXEC);
	return r->data < 0 ? out_fail(*path_ret, -errno, NULL) : EXIT_OK;
}

static int check_output(const struct input *in, const struct wc_restore *r)
{
	const char *const inputs[] = {
		r->in == STDIN_FILENO ? NULL : in->input,
		r->data_path,
	};

	return output_check(in->output, in->force, inputs, 2);
}

/* What is not in the dump is lost to who writes the image back. */
static int check_whole(const struct input *in, const struct wc_restore *r)
{
	if (in->force || (!r->without_data && !r->unreadable))
		return EXIT_OK;
	return out_error("%s: %" PRIu64 " blocks have no data, %" PRIu64
			 " entries were unreadable; --force makes the image "
			 "without them",
			 in->input, r->without_data, r->unreadable);
}

static int make(const struct input *in, struct wc_restore *r)
{
	struct replace rep;
	int rc = check_output(in, r);

	if (rc)
		return rc;
	rc = replace_begin(&rep, in->output);
	if (rc)
		return out_fail(in->output, rc, NULL);
	r->out = open(rep.temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	rc = r->out < 0 ? out_fail(in->output, -errno, NULL)
			: wc_restore_read(r);
	if (!rc)
		rc = check_whole(in, r);
	if (!rc) {
		rc = replace_commit(&rep, in->force);
		if (rc)
			rc = out_fail(in->output, rc,
				      rc == -EEXIST ? "--force replaces it"
						    : NULL);
	}
	replace_end(&rep);
	return rc;
}

static void report(const struct input *in, const struct wc_restore *r)
{
	struct json_object *o;

	if (r->without_data)
		out_error("warning: %s: %" PRIu64 " blocks have no data: "
			  "they are zeros",
			  in->output, r->without_data);
	if (r->unreadable)
		out_error("warning: %s: %" PRIu64 " entries were unreadable: "
			  "they are as the dump has them",
			  in->output, r->unreadable);
	if (r->incomplete)
		out_error("warning: %s: lines of the dump are missing: their "
			  "entries are free",
			  in->output);
	if (!in->json)
		return;
	o = out_json();
	out_json_path(o, "path", in->output);
	out_json_u64(o, "n_blocks", r->sb.n_blocks);
	out_json_u64(o, "in_use", r->in_use);
	out_json_u64(o, "dirty_without_data", r->without_data);
	out_json_u64(o, "unreadable", r->unreadable);
	out_json_bool(o, "complete", !r->incomplete);
	out_json_end(o);
}

int cmd_wc_restore(int argc, char **argv)
{
	struct input in = { .input = NULL };
	struct wc_restore r = { .in = -1, .out = -1, .data = -1 };
	_cleanup_free_ char *data_path = NULL;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	r.input = in.input;
	r.output = in.output;
	r.force = in.force;
	rc = open_input(&in, &r);
	if (!rc)
		rc = open_data(&in, &r, &data_path);
	if (!rc)
		rc = make(&in, &r);
	if (!rc) {
		report(&in, &r);
		if (r.without_data || r.unreadable || r.incomplete)
			rc = EXIT_BAD;
	}
	return rc;
}
