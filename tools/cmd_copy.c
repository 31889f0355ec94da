/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk copy: a file to persistent memory and back.  A regular destination is
 * replaced at the end or not at all; a devdax node is overwritten in place.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/copy.h>
#include <pmk/map.h>

#include "base/io.h"
#include "base/util.h"
#include "clock.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "progress.h"
#include "replace.h"
#include "signals.h"
#include "source.h"

enum {
	KEY_VERIFY = 0x100,
};

struct args {
	const char *path[2]; /* SRC DST */
	bool verify;
	bool force;
	bool json;
};

struct copy {
	const struct args *args;
	const char *dst;
	const char *temp; /* what is written to: dst itself for devdax */
	struct source src;
	struct replace replace;
	struct pmk_map *map; /* NULL for an empty file */
	int fd;              /* of the destination, to read back */
	int old_fd;          /* of the file to be replaced, for its lock */
	uint64_t elapsed_ns;
	uint64_t mismatch; /* offset, or UINT64_MAX */
	enum pmk_map_kind kind;
	enum pmk_granularity granularity;
	enum pmk_domain domain;
	bool devdax;
};

static const struct argp_option options[] = {
	{ "verify", KEY_VERIFY, NULL, 0,
	  "Read back what was written and compare it", 0 },
	{ "force", 'f', NULL, 0,
	  "Replace a DST that exists, overwrite a devdax node", 0 },
	OPT_JSON,
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "SRC", "DST" };
	struct args *a = state->input;

	switch (key) {
	case KEY_VERIFY:
		a->verify = true;
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

	return !pmk_map_explain(path, &rep) && rep.kind == PMK_MAP_KIND_DEVDAX;
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

	if (stat(c->dst, &st))
		return check_new_dst(c, errno);
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
static int fail(const struct copy *c, int code)
{
	return out_error("%s: %s", c->dst, out_explanation(code, c->temp));
}

static int open_devdax(struct copy *c)
{
	int rc = pmk_map_open(c->dst, NULL, &c->map);

	c->temp = c->dst;
	if (rc)
		return fail(c, rc);
	if (c->src.size > pmk_map_size(c->map))
		return out_error("%s: has %zu bytes, %s has %" PRIu64, c->dst,
				 pmk_map_size(c->map), c->src.path,
				 c->src.size);
	c->fd = dup(pmk_map_fd(c->map));
	return c->fd < 0 ? fail(c, -errno) : EXIT_OK;
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
			return fail(c, rc);
		c->fd = dup(pmk_map_fd(c->map));
	} else {
		c->fd = open(c->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			     0600);
	}
	if (c->fd < 0 || fchmod(c->fd, c->src.st.st_mode & 0777))
		return fail(c, -errno);
	return EXIT_OK;
}

static int copy_chunks(struct copy *c)
{
	char *dst = pmk_map_addr(c->map);
	uint64_t size = c->src.size, off;
	struct progress p;
	int rc = EXIT_OK;

	progress_start(&p, "copying", size);
	for (off = 0; off < size && !rc; off += SOURCE_CHUNK) {
		size_t n = pmk_min_size(size - off, SOURCE_CHUNK);
		const char *data;
		int err;

		rc = source_read(&c->src, off, n, &data);
		if (rc)
			break;
		err = pmk_map_memcpy(c->map, dst + off, data, n, PMK_F_NODRAIN);
		if (err)
			rc = fail(c, err);
		progress_update(&p, off + n);
	}
	progress_end(&p);
	return rc;
}

/* Data, then size, mode and whatever else the file system has of it. */
static int make_durable(struct copy *c)
{
	int rc = pmk_map_drain(c->map, pmk_map_addr(c->map), c->src.size);

	return rc ? fail(c, rc) : EXIT_OK;
}

static uint64_t first_difference(const char *a, const char *b, size_t len)
{
	size_t i = 0;

	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* @buf: room for a chunk.  A devdax node has no read(2): its mapping is read,
 * and the CPU cache may answer for the medium. */
static int read_back(const struct copy *c, char *buf, uint64_t off, size_t len,
		     const char **data_ret)
{
	ssize_t n;

	if (c->devdax) {
		*data_ret = (const char *)pmk_map_addr(c->map) + off;
		return EXIT_OK;
	}
	n = pmk_pread_full(c->fd, buf, len, off);
	if (n < 0)
		return fail(c, (int)n);
	if ((size_t)n < len)
		return out_error("%s: was cut off during the copy", c->dst);
	*data_ret = buf;
	return EXIT_OK;
}

static int compare_chunks(struct copy *c, char *buf)
{
	uint64_t size = c->src.size, off;
	struct progress p;
	int rc = EXIT_OK;

	progress_start(&p, "verifying", size);
	for (off = 0; off < size; off += SOURCE_CHUNK) {
		size_t n = pmk_min_size(size - off, SOURCE_CHUNK);
		const char *want, *have = NULL;

		rc = source_read(&c->src, off, n, &want);
		if (!rc)
			rc = read_back(c, buf, off, n, &have);
		if (rc)
			break;
		if (memcmp(want, have, n)) {
			c->mismatch = off + first_difference(want, have, n);
			rc = EXIT_BAD;
			break;
		}
		progress_update(&p, off + n);
	}
	progress_end(&p);
	return rc;
}

static int verify(struct copy *c)
{
	char *buf = malloc(SOURCE_CHUNK);
	int rc;

	if (!buf)
		out_of_memory();
	if (!c->devdax) {
		/* what is durable may leave the page cache, so that the reads
		 * ask the medium; mapped pages would stay */
		pmk_map_close(c->map);
		c->map = NULL;
		posix_fadvise(c->fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	rc = compare_chunks(c, buf);
	free(buf);
	if (rc == EXIT_BAD)
		out_error("%s: differs from %s at byte %" PRIu64 "%s", c->dst,
			  c->src.path, c->mismatch,
			  c->devdax ? "" : "; it was not put in place");
	return rc;
}

static int transfer(struct copy *c)
{
	uint64_t start = clock_now_ns();
	int rc = EXIT_OK;

	signals_mapped(c->dst, c->src.map ? c->src.path : NULL);
	if (c->map) {
		c->kind = pmk_map_kind(c->map);
		c->granularity = pmk_map_granularity(c->map);
		c->domain = pmk_map_domain(c->map);
		rc = copy_chunks(c);
		if (!rc)
			rc = make_durable(c);
	}
	if (!rc && !c->devdax && fsync(c->fd))
		rc = fail(c, -errno);
	c->elapsed_ns = clock_now_ns() - start;
	if (!rc && c->args->verify)
		rc = verify(c);
	return rc;
}

static int put_in_place(struct copy *c)
{
	int rc = replace_commit(&c->replace, c->args->force);

	if (rc == -EEXIST)
		return refuse_existing(c);
	return rc ? fail(c, rc) : EXIT_OK;
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
	if (c->args->verify)
		out_json_bool(o, "verified", c->mismatch == UINT64_MAX);
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
	if (!rc && !c->devdax)
		rc = put_in_place(c);
	if (c->args->json && (!rc || rc == EXIT_BAD))
		print_json(c);
	return rc;
}

int cmd_copy(int argc, char **argv)
{
	struct args a = { { NULL, NULL }, false, false, false };
	struct copy c = {
		.args = &a,
		.fd = -1,
		.old_fd = -1,
		.mismatch = UINT64_MAX,
	};
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	c.dst = a.path[1];
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
