/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc repair: what is wrong with a cache made right, in a copy or in
 * place. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "replace.h"
#include "signals.h"
#include "wc/output.h"
#include "wc/repair.h"

enum {
	KEY_IN_PLACE = 0x100,
	KEY_UNDO,
	KEY_UNDO_APPLY,
	KEY_ORIGIN,
	KEY_SEQ,
	KEY_FREE_UNCOMMITTED,
};

static const struct argp_option options[] = {
	{ "output", 'o', "NEW", 0, "Repair a copy of CACHE, which is made", 0 },
	{ "in-place", KEY_IN_PLACE, NULL, 0,
	  "Repair CACHE itself; needs --undo", 0 },
	{ "undo", KEY_UNDO, "FILE", 0,
	  "Write to FILE, first of all, what is changed", 0 },
	{ "undo-apply", KEY_UNDO_APPLY, "FILE", 0,
	  "Bring back in CACHE what FILE says was there", 0 },
	{ "dry-run", 'n', NULL, 0, "Only print what would be changed", 0 },
	{ "yes", 'y', NULL, 0, "Do not ask", 0 },
	{ "force", 'f', NULL, 0,
	  "--undo-apply even if CACHE was changed since; replace NEW", 0 },
	{ "origin", KEY_ORIGIN, "ORIGIN", 0,
	  "Also free blocks that are behind the end of ORIGIN", 0 },
	{ "seq-count", KEY_SEQ, "N", 0,
	  "For a superblock whose sequence is wrong: entries below N are "
	  "committed",
	  0 },
	{ "free-uncommitted", KEY_FREE_UNCOMMITTED, NULL, 0,
	  "Also free entries that were never committed, as the kernel does",
	  0 },
	OPT_END,
};

static void check_args(struct argp_state *state, const struct repair_args *a)
{
	if (a->undo_apply) {
		if (a->in_place || a->output || a->undo || a->dry_run)
			argp_error(state, "--undo-apply goes with no other "
					  "kind of repair");
		return;
	}
	if (a->in_place && a->output)
		argp_error(state, "--in-place or -o NEW, not both");
	if (a->in_place && !a->undo && !a->dry_run)
		argp_error(state, "--in-place needs --undo FILE");
	if (a->undo && !a->in_place)
		argp_error(state, "--undo is for --in-place");
	if (!a->in_place && !a->output && !a->dry_run)
		argp_error(state, "one of -o NEW, --in-place, --dry-run and "
				  "--undo-apply is needed");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "CACHE" };
	struct repair_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->opt;
		return 0;
	case 'o':
		a->output = arg;
		return 0;
	case KEY_IN_PLACE:
		a->in_place = true;
		return 0;
	case KEY_UNDO:
		a->undo = arg;
		return 0;
	case KEY_UNDO_APPLY:
		a->undo_apply = arg;
		return 0;
	case 'n':
		a->dry_run = true;
		return 0;
	case 'y':
		a->yes = true;
		return 0;
	case 'f':
		a->force = true;
		return 0;
	case KEY_ORIGIN:
		a->origin = arg;
		return 0;
	case KEY_SEQ:
		a->params.seq_count =
			opt_count(state, "--seq-count", arg, 1, UINT64_MAX - 1);
		return 0;
	case KEY_FREE_UNCOMMITTED:
		a->params.free_uncommitted = true;
		return 0;
	case ARGP_KEY_END:
		check_args(state, a);
		return opt_positional(key, arg, state, &a->path, names, 1);
	default:
		return opt_positional(key, arg, state, &a->path, names, 1);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = wc_opt_children,
	.args_doc = "CACHE",
	.doc = "Make right what is wrong with the metadata of CACHE: in a copy, "
	       "or in place with what is needed to undo it.",
};

/* Its end: 0 if it cannot be had. */
static int find_origin(struct repair_args *a)
{
	int fd;
	off_t end;

	if (!a->origin)
		return EXIT_OK;
	if (output_check_origin(a->origin, a->path))
		return EXIT_FAIL;
	fd = open(a->origin, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return out_fail(a->origin, -errno, NULL);
	end = lseek(fd, 0, SEEK_END);
	close(fd);
	if (end < 0)
		return out_fail(a->origin, -errno, NULL);
	if (end < PMK_WC_SECTOR)
		return out_error("%s: no origin: it is empty", a->origin);
	a->params.origin_bytes = (uint64_t)end;
	return EXIT_OK;
}

static int ask(const struct repair_args *a, uint64_t changes)
{
	char answer[8] = "";

	if (a->yes || !changes)
		return EXIT_OK;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return out_error("%s: %" PRIu64 " changes are to be made; "
				 "--yes makes them, nothing was changed",
				 a->path, changes);
	fprintf(stderr, "Make these %" PRIu64 " changes? [y/N] ", changes);
	if (!fgets(answer, sizeof(answer), stdin) ||
	    (answer[0] != 'y' && answer[0] != 'Y'))
		return out_error("%s: nothing was changed", a->path);
	return EXIT_OK;
}

/* Durable, and under its name, before anything is changed. */
static int write_undo(const struct repair_args *a,
		      const struct pmk_wc_repair *r)
{
	struct replace undo;
	int rc = replace_begin(&undo, a->undo), fd = -1;

	if (!rc) {
		fd = open(undo.temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  0600);
		rc = fd < 0 ? -errno : pmk_wc_repair_undo_write(r, fd);
	}
	if (!rc)
		rc = replace_commit(&undo, false);
	if (fd >= 0)
		close(fd);
	replace_end(&undo);
	return rc ? out_fail(a->undo, rc, "nothing was changed") : EXIT_OK;
}

static int confirm(const struct repair_args *a, const struct pmk_wc_repair *r)
{
	if (!a->opt.json && !a->yes)
		repair_print(a, r, false);
	return ask(a, pmk_wc_repair_changes(r));
}

/* Write the undo file, change. */
static int apply(const struct repair_args *a, struct pmk_wc_repair *r)
{
	int rc = EXIT_OK;

	if (!pmk_wc_repair_changes(r))
		return EXIT_OK;
	if (a->undo)
		rc = write_undo(a, r);
	if (rc)
		return rc;
	rc = pmk_wc_repair_apply(r);
	return rc ? out_fail(a->path, rc,
			     rc == PMK_E_WC_CHANGED
				     ? "nothing was changed; look at it again"
				     : NULL)
		  : EXIT_OK;
}

static int finish(const struct repair_args *a, const struct pmk_wc_repair *r)
{
	if (a->opt.json || a->yes || a->dry_run)
		if (repair_print(a, r, !a->dry_run))
			return EXIT_FAIL;
	return repair_verdict(a, r);
}

/* An interruption waits until all is changed, and said. */
static int apply_whole(const struct repair_args *a, struct pmk_wc_repair *r)
{
	int rc;

	signals_hold();
	rc = apply(a, r);
	if (!rc)
		rc = finish(a, r);
	signals_release();
	return rc;
}

/* The cache at @path, which is a->path, or its copy without what is @lost. */
static int repair_at(const struct repair_args *a, const char *path,
		     const struct clone_lost *lost)
{
	struct pmk_wc_repair *r;
	struct pmk_wc_image *img;
	int rc =
		wc_opt_open(path, &a->opt, a->dry_run ? 0 : PMK_WC_WRITE, &img);

	if (rc)
		return rc;
	rc = pmk_wc_repair_plan(img, &a->params, &r);
	if (rc) {
		rc = out_fail(a->path, rc, NULL);
	} else {
		rc = repair_check_lost(a, img, lost);
		if (!rc)
			rc = a->dry_run ? finish(a, r) : confirm(a, r);
		if (!rc && !a->dry_run)
			rc = apply_whole(a, r);
		pmk_wc_repair_free(r);
	}
	pmk_wc_image_close(img);
	return rc;
}

static int copy_and_repair(const struct repair_args *a, struct replace *new)
{
	struct clone_lost lost = { .n = 0 };
	int fd = open(new->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : clone_file(a->path, fd, &lost);

	if (rc)
		rc = out_fail(a->output, rc, "no copy was made");
	else
		rc = repair_at(a, new->temp, &lost);
	if (!rc && lost.bytes)
		rc = EXIT_BAD;
	free(lost.ranges);
	if ((!rc || rc == EXIT_BAD) && fsync(fd))
		rc = out_fail(a->output, -errno, "no copy was made");
	if (fd >= 0)
		close(fd);
	return rc;
}

static int repair_copy(const struct repair_args *a)
{
	const char *const inputs[] = { a->path, a->origin };
	struct replace new;
	int rc = output_check_input(a->path), done = 0;

	if (!rc)
		rc = output_check(a->output, a->force, inputs, 2);
	if (rc)
		return rc;
	rc = replace_begin(&new, a->output);
	if (rc) {
		rc = out_fail(a->output, rc, NULL);
	} else {
		rc = copy_and_repair(a, &new);
		if (!rc || rc == EXIT_BAD)
			done = replace_commit(&new, a->force);
		if (done)
			rc = out_fail(a->output, done, NULL);
	}
	replace_end(&new);
	return rc;
}

/* Offsets in an undo file are those of the file or device. */
static int undo(const struct repair_args *a)
{
	const struct wc_opt whole = { .json = false };
	struct pmk_wc_image *img;
	struct stat st;
	int fd, rc;

	/* a FIFO would wait for a writer */
	if (!stat(a->undo_apply, &st) && !S_ISREG(st.st_mode))
		return out_error("%s: not a regular file",
				 out_path(a->undo_apply));
	fd = open(a->undo_apply, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return out_fail(a->undo_apply, -errno, NULL);
	rc = wc_opt_open(a->path, &whole, PMK_WC_WRITE, &img);
	if (!rc) {
		rc = pmk_wc_undo(img, fd, a->force);
		if (rc)
			rc = out_fail(a->undo_apply, rc, NULL);
		pmk_wc_image_close(img);
	}
	close(fd);
	return rc;
}

int cmd_wc_repair(int argc, char **argv)
{
	static const struct clone_lost none;
	struct repair_args a = { .path = NULL };
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (a.undo_apply)
		return undo(&a);
	rc = find_origin(&a);
	if (rc)
		return rc;
	if (a.output && !a.dry_run)
		return repair_copy(&a);
	return repair_at(&a, a.path, &none);
}
