/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc dump: a cache as text, and its data beside it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "replace.h"
#include "signals.h"
#include "wc/dump.h"
#include "wc/output.h"
#include "wc/wc_opt.h"

#define OPT_DATA 0x400

struct input {
	struct wc_opt opt;
	const char *path;
	const char *output;
	const char *data;
	bool all;
	bool force;
};

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0,
	  "Also what the kernel does not need: with it the device can be made "
	  "again to the byte",
	  0 },
	{ "data", OPT_DATA, "DIR", 0,
	  "Keep the data of dirty blocks, and with --all all data, in the file "
	  "blocks in DIR, which is made if it is not there",
	  0 },
	{ "output", 'o', "FILE", 0, "Write to FILE instead of standard output",
	  0 },
	{ "force", 'f', NULL, 0, "Replace a FILE that exists", 0 },
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "CACHE" };
	struct input *in = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &in->opt;
		return 0;
	case 'a':
		in->all = true;
		return 0;
	case 'f':
		in->force = true;
		return 0;
	case 'o':
		in->output = arg;
		return 0;
	case OPT_DATA:
		in->data = arg;
		return 0;
	default:
		return opt_positional(key, arg, state, &in->path, names, 1);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = wc_opt_children,
	.args_doc = "CACHE",
	.doc = "Print a dm-writecache device as lines of JSON: the superblock, "
	       "then each entry in use.  pmk wc restore makes a device of them.",
};

/* What is made: both whole under their names, or neither. */
struct made {
	struct replace data;  /* all zero: not asked for */
	struct replace lines; /* all zero: they go to standard output */
};

/* Opens the data file, which must be new: it is the only copy of something. */
static int open_data(const struct input *in, struct wc_dump *d, struct made *m,
		     char **path_ret)
{
	struct stat st;
	int rc;

	if (!in->data)
		return EXIT_OK;
	if (mkdir(in->data, 0700) && errno != EEXIST)
		return out_fail(in->data, -errno, NULL);
	if (asprintf(path_ret, "%s/" WC_DUMP_BLOCKS, in->data) < 0) {
		*path_ret = NULL;
		out_of_memory();
	}
	d->data_path = *path_ret;
	if (!lstat(*path_ret, &st))
		return out_fail(*path_ret, -EEXIST,
				"it belongs to another dump: take another DIR");
	rc = replace_begin(&m->data, *path_ret);
	if (rc)
		return out_fail(*path_ret, rc, NULL);
	d->data_fd = open(m->data.temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  0600);
	return d->data_fd < 0 ? out_fail(*path_ret, -errno, NULL) : EXIT_OK;
}

static int check_output(const struct input *in)
{
	if (!in->output)
		return EXIT_OK;
	if (in->data && output_not_inside(in->output, in->data))
		return EXIT_FAIL;
	return output_check(in->output, in->force, &in->path, 1);
}

static int open_lines(const struct input *in, struct wc_dump *d, struct made *m)
{
	int rc;

	d->f = stdout;
	if (!in->output)
		return EXIT_OK;
	rc = replace_begin(&m->lines, in->output);
	if (rc)
		return out_fail(in->output, rc, NULL);
	d->f = fopen(m->lines.temp, "wxe");
	return d->f ? EXIT_OK : out_fail(in->output, -errno, NULL);
}

static int sync_lines(const struct input *in, const struct wc_dump *d)
{
	if (!in->output)
		return out_flush();
	if (fflush(d->f) || fsync(fileno(d->f)))
		return out_fail(in->output, -errno, NULL);
	/* there was no room before, and lines are missing, even if now there
	 * is some */
	return ferror(d->f) ? out_fail(in->output, -EIO, NULL) : EXIT_OK;
}

/* Data first, so that lines never have offsets of what is not there. */
static int name_both(const struct input *in, const struct wc_dump *d,
		     struct made *m)
{
	int rc = 0;

	if (in->data) {
		rc = replace_commit(&m->data, false);
		if (rc)
			return out_fail(d->data_path, rc, NULL);
	}
	if (in->output)
		rc = replace_commit(&m->lines, in->force);
	if (!rc)
		return EXIT_OK;
	/* half a copy is none */
	if (m->data.done && !m->lines.done)
		unlink(m->data.target);
	return out_fail(in->output, rc, NULL);
}

/* Durable, then under their names; no signal ends it with one of two. */
static int finish(const struct input *in, const struct wc_dump *d,
		  struct made *m)
{
	int rc;

	if (d->data_fd >= 0 && fsync(d->data_fd))
		return out_fail(d->data_path, -errno, NULL);
	rc = sync_lines(in, d);
	if (rc)
		return rc;
	signals_hold();
	rc = name_both(in, d, m);
	signals_release();
	return rc;
}

static int make(const struct input *in, struct wc_dump *d, struct made *m,
		char **data_path_ret)
{
	int rc = open_data(in, d, m, data_path_ret), bad;

	if (!rc)
		rc = check_output(in);
	if (!rc)
		rc = open_lines(in, d, m);
	if (rc)
		return rc;
	bad = wc_dump_write(d);
	if (bad == EXIT_FAIL)
		return bad;
	rc = finish(in, d, m);
	return rc ? rc : bad;
}

static int dump(const struct input *in, const struct pmk_wc_image *img)
{
	struct wc_dump d = {
		.path = in->path,
		.img = img,
		.all = in->all,
		.data_fd = -1,
	};
	struct made m = { .data.temp = NULL };
	_cleanup_free_ char *data_path = NULL;
	int rc;

	if (!pmk_wc_image_geometry(img))
		return out_error("%s: there are no entries: %s", in->path,
				 pmk_wc_layout_name(pmk_wc_image_layout(img)));
	rc = make(in, &d, &m, &data_path);
	if (d.data_fd >= 0)
		close(d.data_fd);
	if (d.f && d.f != stdout)
		fclose(d.f);
	replace_end(&m.lines);
	replace_end(&m.data);
	return rc;
}

int cmd_wc_dump(int argc, char **argv)
{
	struct input in = { .path = NULL };
	struct pmk_wc_image *img;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	rc = wc_opt_open(in.path, &in.opt, 0, &img);
	if (rc)
		return rc;
	rc = dump(&in, img);
	pmk_wc_image_close(img);
	return rc;
}
