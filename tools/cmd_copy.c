/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk copy: a file to persistent memory and back.  A regular destination is
 * replaced at the end or not at all; a devdax node is overwritten in place.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/copy.h>
#include <pmk/map.h>

#include "base/util.h"
#include "clock.h"
#include "copy.h"
#include "damage.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "progress.h"
#include "signals.h"

enum {
	KEY_VERIFY = 0x100,
	KEY_SKIP,
};

static const struct argp_option options[] = {
	{ "verify", KEY_VERIFY, NULL, 0,
	  "Read back what was written and compare it", 0 },
	{ "force", 'f', NULL, 0,
	  "Replace a DST that exists, overwrite a devdax node", 0 },
	{ "skip-damaged", KEY_SKIP, NULL, 0,
	  "Save the rest of a damaged SRC in a DST that exists, too", 0 },
	OPT_JSON,
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "SRC", "DST" };
	struct copy_args *a = state->input;

	switch (key) {
	case KEY_VERIFY:
		a->verify = true;
		return 0;
	case KEY_SKIP:
		a->skip = true;
		return 0;
	case 'f':
		a->force = true;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	default:
		return opt_positional(key, arg, state, a->path, names, 2);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "SRC DST",
	.doc = "Copy the regular file or devdax node SRC to DST, and make DST "
	       "durable.",
};

static bool is_devdax(const char *path)
{
	struct pmk_map_report rep;

	return !pmk_map_explain(path, &rep) &&
	       rep.object == PMK_MAP_OBJECT_DEVDAX;
}

static int refuse_existing(const struct copy *c)
{
	return out_fail(c->dst, -EEXIST,
			c->devdax ? "--force overwrites its content"
				  : "--force replaces it");
}

/*
 * A writer of a record log locks it, and would go on to acknowledge records in
 * a file that has no name any more.  The lock is kept until that file is
 * replaced, so that no writer begins meanwhile; where it cannot be had for
 * another reason than a writer, the copy goes on without.
 */
static int lock_old(struct copy *c)
{
	c->old_fd = open(c->dst, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (c->old_fd < 0 || !flock(c->old_fd, LOCK_SH | LOCK_NB) ||
	    errno != EWOULDBLOCK)
		return EXIT_OK;
	return out_fail(c->dst, PMK_E_LOG_LOCKED, NULL);
}

/* A DST that is not there; names that can never be are told apart now. */
static int check_new_dst(const struct copy *c, int error)
{
	struct stat st;

	if (error != ENOENT || !*c->dst || !lstat(c->dst, &st))
		return out_fail(c->dst, -error, NULL);
	return EXIT_OK;
}

/* Refuse what must not or cannot be written to, before anything is. */
static int check_dst(struct copy *c)
{
	const struct stat *src = &c->src.st;
	struct stat st;

	if (stat(c->dst, &st)) {
		/* nothing can be lost in a file that is new */
		c->skip = true;
		return check_new_dst(c, errno);
	}
	if (S_ISDIR(st.st_mode))
		return out_fail(c->dst, -EISDIR, "name the file itself");
	if (st.st_dev == src->st_dev && st.st_ino == src->st_ino)
		return out_error("%s: is the same file as %s", c->dst,
				 c->src.path);
	c->devdax = S_ISCHR(st.st_mode) && is_devdax(c->dst);
	if (!c->devdax && !S_ISREG(st.st_mode))
		return out_fail(c->dst, PMK_E_FILE_TYPE, NULL);
	if (!c->args->force)
		return refuse_existing(c);
	return c->devdax ? EXIT_OK : lock_old(c);
}

/* The library names the temporary file, the message names what was asked. */
int copy_fail(const struct copy *c, int code)
{
	return out_error("%s: %s", c->dst, out_explanation(code, c->temp));
}

static int open_devdax(struct copy *c)
{
	int rc = pmk_map_open(c->dst, NULL, &c->map);

	c->temp = c->dst;
	if (rc)
		return copy_fail(c, rc);
	if (c->src.size > pmk_map_size(c->map))
		return out_error("%s: has %zu bytes, %s has %" PRIu64, c->dst,
				 pmk_map_size(c->map), c->src.path,
				 c->src.size);
	c->fd = dup(pmk_map_fd(c->map));
	return c->fd < 0 ? copy_fail(c, -errno) : EXIT_OK;
}

/* Blocks are reserved for the whole file, so that a full file system shows
 * here and not as SIGBUS in the middle. */
static int open_file(struct copy *c)
{
	const struct pmk_map_params params = {
		.len = c->src.size,
		.flags = PMK_MAP_CREATE | PMK_MAP_EXCLUSIVE,
	};
	int rc = replace_begin(&c->replace, c->dst);

	c->temp = c->replace.temp;
	if (rc)
		return out_fail(c->dst, rc, NULL);
	if (c->src.size) {
		rc = pmk_map_open(c->temp, &params, &c->map);
		if (rc)
			return copy_fail(c, rc);
		c->fd = dup(pmk_map_fd(c->map));
	} else {
		c->fd = open(c->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			     0600);
	}
	if (c->fd < 0 || fchmod(c->fd, c->src.st.st_mode & 0777))
		return copy_fail(c, -errno);
	return EXIT_OK;
}

/* Is it known how far the first damaged range goes, after a chunk to @end? */
static bool first_range_is_whole(const struct damage *d, uint64_t end)
{
	return d->n > 1 || d->ranges[0].off + d->ranges[0].len < end;
}

/* Store the @n bytes at @off, or those before the first damaged range.  True if
 * the copy ends there. */
static bool stops_at_damage(const struct copy *c, uint64_t off, size_t *n)
{
	const struct damage *d = &c->src.damage;
	uint64_t end = off + *n;

	if (!d->n || c->skip)
		return false;
	*n = d->ranges[0].off > off ? d->ranges[0].off - off : 0;
	return end == c->src.size || first_range_is_whole(d, end);
}

static int copy_chunks(struct copy *c)
{
	char *dst = pmk_map_addr(c->map);
	uint64_t size = c->src.size, off;
	bool stop = false;
	struct progress p;
	int rc = EXIT_OK;

	progress_start(&p, "copying", size);
	for (off = 0; off < size && !rc && !stop; off += SOURCE_CHUNK) {
		size_t n = pmk_min_size(size - off, SOURCE_CHUNK);
		int err;

		rc = source_read(&c->src, off, n);
		if (rc)
			break;
		stop = stops_at_damage(c, off, &n);
		err = pmk_map_memcpy(c->map, dst + off, c->src.buf, n,
				     PMK_F_NODRAIN);
		if (err)
			rc = copy_fail(c, err);
		progress_update(&p, off + n);
	}
	progress_end(&p);
	return rc;
}

/* Data, then size, mode and whatever else the file system has of it. */
static int make_durable(struct copy *c)
{
	int rc = pmk_map_drain(c->map, pmk_map_addr(c->map), c->src.size);

	return rc ? copy_fail(c, rc) : EXIT_OK;
}

static int store(struct copy *c)
{
	int rc = EXIT_OK;

	signals_mapped(c->dst);
	if (c->map) {
		c->kind = pmk_map_kind(c->map);
		c->granularity = pmk_map_granularity(c->map);
		c->domain = pmk_map_domain(c->map);
		rc = copy_chunks(c);
	}
	source_rewind(&c->src);
	c->stopped = c->src.known.n && !c->skip;
	if (rc || (c->stopped && !c->devdax))
		return rc;
	if (c->map)
		rc = make_durable(c);
	if (!rc && !c->devdax && fsync(c->fd))
		rc = copy_fail(c, -errno);
	return rc;
}

/* EXIT_BAD if damage ended it, or DST is not what was written. */
static int transfer(struct copy *c)
{
	uint64_t start = clock_now_ns();
	int rc = store(c);

	c->elapsed_ns = clock_now_ns() - start;
	if (!rc && c->stopped)
		return EXIT_BAD;
	return !rc && c->args->verify ? copy_verify(c) : rc;
}

static int put_in_place(struct copy *c)
{
	int rc = c->devdax ? 0 : replace_commit(&c->replace, c->args->force);

	if (rc == -EEXIST)
		return refuse_existing(c);
	if (rc)
		return copy_fail(c, rc);
	c->in_place = true;
	return EXIT_OK;
}

static void report_damage(const struct copy *c)
{
	const struct damage *d = &c->src.known;

	if (c->stopped)
		out_error("%s: damaged: %" PRIu64 " bytes at offset %" PRIu64
			  " cannot be read; %s %s, --skip-damaged saves the "
			  "rest",
			  c->src.path, d->ranges[0].len, d->ranges[0].off,
			  c->dst,
			  c->devdax ? "has the bytes before that"
				    : "is as it was");
	else if (!c->args->json) /* in the document they are not repeated */
		damage_report(d, c->src.path,
			      c->in_place ? "cannot be read; zeros in "
					  : "cannot be read",
			      c->in_place ? c->dst : "");
	/* --verify */
	damage_report(&c->src.damage, c->src.path,
		      "could be read for the copy, but not again to compare",
		      "");
}

static int print_json(const struct copy *c)
{
	struct json_object *o = out_json();

	out_json_path(o, "source", c->src.path);
	out_json_path(o, "destination", c->dst);
	out_json_u64(o, "size_bytes", c->src.size);
	out_json_u64(o, "elapsed_ns", c->elapsed_ns);
	out_json_str(o, "kind", pmk_map_kind_name(c->kind));
	out_json_name(o, "granularity", pmk_granularity_name(c->granularity));
	out_json_str(o, "domain", pmk_domain_name(c->domain));
	out_json_bool(o, "in_place", c->in_place);
	damage_json(o, &c->src.known);
	if (c->compared)
		out_json_bool(o, "verified", c->verified);
	if (c->mismatch != UINT64_MAX)
		out_json_u64(o, "mismatch_offset_bytes", c->mismatch);
	return out_json_end(o);
}

static int copy(struct copy *c)
{
	int rc = source_open(&c->src, c->args->path[0]);

	if (!rc)
		rc = check_dst(c);
	if (!rc)
		rc = c->devdax ? open_devdax(c) : open_file(c);
	if (!rc)
		rc = transfer(c);
	if (!rc)
		rc = put_in_place(c);
	if (rc && rc != EXIT_BAD)
		return rc;
	report_damage(c);
	if (c->args->json)
		print_json(c);
	return c->src.known.n || c->src.damage.n ? EXIT_BAD : rc;
}

int cmd_copy(int argc, char **argv)
{
	struct copy_args a = { .path = { NULL, NULL } };
	struct copy c = {
		.args = &a,
		.fd = -1,
		.old_fd = -1,
		.mismatch = UINT64_MAX,
	};
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	c.dst = a.path[1];
	c.skip = a.skip;
	rc = copy(&c);
	if (c.fd >= 0)
		close(c.fd);
	if (c.old_fd >= 0)
		close(c.old_fd);
	pmk_map_close(c.map);
	replace_end(&c.replace);
	source_close(&c.src);
	return rc;
}
