/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caches that cannot be written back: 6.1 and 6.12 wait for ever in mode s, the
 * process cannot be killed and the device not be removed.  Whether a kernel
 * does is said, not checked; what there is for pmk to do is.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dm.h"
#include "rig.h"
#include "vectors.h"

#define QUIET "4096 4 autocommit_blocks 1000000 autocommit_time 3600000"
#define DIRTY 31U

static int start(char mode, const struct vector *v)
{
	int minor;

	place(v);
	minor = map(mode, QUIET);
	if (minor < 0)
		die("%c: map: %s", mode, strerror(-minor));
	return minor;
}

/* A flush by a process of its own: it may not come back. */
static void flush_aside(const char *what)
{
	pid_t child = fork();
	int status, left = 60;

	if (child < 0)
		die("fork: %s", strerror(errno));
	if (child == 0)
		_exit(dm_message(wc_device(), "flush") ? 1 : 0);
	/* the error comes at once; the wait that follows it never ends */
	while (status_field(1) != 1 && left-- > 0)
		usleep(50000);
	for (left = 10; left > 0 && !waitpid(child, &status, WNOHANG); left--)
		usleep(50000);
	printf("%s: the flush %s\n", what, left > 0 ? "came back" : "hangs");
	check(status_field(1) == 1, "%s: error", what);
}

/* The origin with its first 4096 bytes bad. */
static const char *bad_origin(const char *good)
{
	static char path[32];
	char params[64];
	struct dm_target targets[] = {
		{ 0, 8, "error", "" },
		{ 8, ORIGIN_BYTES / SECTOR - 8, "linear", params },
	};
	int minor;

	snprintf(params, sizeof(params), "%s 8", good);
	minor = dm_make("bad", targets, 2);
	if (minor < 0)
		die("bad: %s", strerror(-minor));
	snprintf(path, sizeof(path), "/dev/dm-%d", minor);
	return path;
}

/* Every second one: each is written back by itself. */
static void dirty_blocks(const char *path)
{
	unsigned char *p = buffer(BLOCK);

	for (unsigned int b = 0; b < DIRTY; b++) {
		memset(p, 'a' + (int)b % 26, BLOCK);
		if (dev_write(path, 2 * b * BLOCK, p, BLOCK))
			die("cannot write to %s", path);
	}
	if (dev_sync(path))
		die("cannot sync %s", path);
	free(p);
}

/* pmk's exit status; the cache is a copy. */
static int write_back(const char *pmk, const char *to)
{
	unsigned char *p = buffer(CACHE_BYTES);
	char command[256];
	int status;

	if (dev_read(cache_path(), 0, p, CACHE_BYTES))
		die("cannot read %s", cache_path());
	file_put("/tmp/image", p, CACHE_BYTES);
	free(p);
	snprintf(command, sizeof(command),
		 "%s wc writeback /tmp/image %s >/tmp/said 2>&1", pmk, to);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Those from @first on are what was written. */
static void written_back(const char *path, unsigned int first)
{
	unsigned char *p = buffer(BLOCK);
	unsigned int good = 0;

	for (unsigned int b = first; b < DIRTY; b++)
		good += !dev_read(path, 2 * b * BLOCK, p, BLOCK) &&
			p[0] == 'a' + b % 26 && !memcmp(p, p + 1, BLOCK - 1);
	check(good == DIRTY - first, "%u of %u blocks are in the origin", good,
	      DIRTY - first);
	free(p);
}

static void bad_block_of_origin(char mode, const char *pmk)
{
	static const struct vector none = { 0 };
	const char *good = origin_path(), *bad = bad_origin(good);
	unsigned char *p = buffer(ORIGIN_BYTES);
	const char *path;

	fill_origin();
	leave("cache", "wc", bad, ORIGIN_BYTES);
	path = dm_path(start(mode, &none));
	dirty_blocks(path);
	flush_aside("bad block of the origin");
	for (unsigned int i = 0; i < DIRTY; i++)
		check(medium_entry(i).seq == 10, "entry %u is kept", i);
	check(dev_write(path, 64 * BLOCK, p, BLOCK) == -EIO, "writes fail");
	check(!dev_read(path, 2 * BLOCK, p, BLOCK) && p[0] == 'b',
	      "reads work");

	check(write_back(pmk, bad) != 0, "pmk does not write a bad block");
	written_back(good, 1);
	memset(p, 'o', ORIGIN_BYTES);
	file_put("/tmp/new", p, ORIGIN_BYTES);
	check(write_back(pmk, "/tmp/new") == 0, "pmk writes to a new origin");
	written_back("/tmp/new", 0);
	free(p);
	leave("cache2", "wc2", good, ORIGIN_BYTES);
}

static void last_sector(char mode)
{
	static const struct vector v = {
		.entry = { { 0, UINT64_MAX, 1, UNSEEN },
			   { 1, 0, 1, SERVED },
			   { 2, 80, 1, SERVED },
			   { 3, 160, 1, SERVED } },
	};

	start(mode, &v);
	flush_aside("sector 2^64-1");
	leave("cache3", "wc3", origin_path(), ORIGIN_BYTES);
}

void run_hangs(char mode, const char *pmk)
{
	bad_block_of_origin(mode, pmk);
	last_sector(mode);
}
