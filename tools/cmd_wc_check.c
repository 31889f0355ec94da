/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc check: everything that is wrong with a cache. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "wc/check_out.h"
#include "wc/wc_opt.h"

#define OPT_ORIGIN 0x400

struct input {
	struct wc_opt opt;
	const char *path;
	const char *origin;
};

static const struct argp_option options[] = {
	{ "origin", OPT_ORIGIN, "ORIGIN", 0,
	  "The origin: look for blocks that are not inside it", 0 },
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
	case OPT_ORIGIN:
		in->origin = arg;
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
	.doc = "Look for everything that is wrong with a dm-writecache device, "
	       "and say what the kernel does with it; nothing is written.",
};

static int is_same(const struct input *in, const struct stat *origin)
{
	struct stat st;

	if (stat(in->path, &st))
		return 0;
	if (S_ISBLK(st.st_mode) && S_ISBLK(origin->st_mode))
		return st.st_rdev == origin->st_rdev;
	return st.st_dev == origin->st_dev && st.st_ino == origin->st_ino;
}

/* Bytes of the origin, which is not locked: it may be in use by somebody that
 * does no harm. */
static int origin_size(const struct input *in, uint64_t *bytes_ret)
{
	struct stat st;
	_cleanup_fd_ int fd = -1;

	/* opening anything else may do something */
	if (stat(in->origin, &st))
		return out_fail(in->origin, -errno, NULL);
	if (is_same(in, &st))
		return out_error("%s is the cache itself", in->origin);
	if (S_ISREG(st.st_mode)) {
		*bytes_ret = (uint64_t)st.st_size;
		return EXIT_OK;
	}
	if (!S_ISBLK(st.st_mode))
		return out_fail(in->origin, PMK_E_FILE_TYPE, NULL);
	fd = open(in->origin, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, bytes_ret))
		return out_fail(in->origin, -errno, NULL);
	return EXIT_OK;
}

int cmd_wc_check(int argc, char **argv)
{
	struct pmk_wc_check_params params = { .origin_bytes = 0 };
	struct input in = { .path = NULL };
	struct wc_check_out out;
	struct pmk_wc_image *img;
	int rc = EXIT_OK;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	if (in.origin)
		rc = origin_size(&in, &params.origin_bytes);
	if (!rc && in.origin && params.origin_bytes < PMK_WC_SECTOR)
		rc = out_error("%s: no origin: it is empty", in.origin);
	if (!rc)
		rc = wc_opt_open(in.path, &in.opt, 0, &img);
	if (rc)
		return rc;
	wc_check_out_init(&out, in.path, in.opt.json);
	rc = pmk_wc_check(img, &params, wc_check_out_meet, &out, &out.report);
	if (rc)
		rc = out_fail(in.path, rc, NULL);
	else
		rc = wc_check_out_end(&out, img);
	pmk_wc_image_close(img);
	return rc;
}
