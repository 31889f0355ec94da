/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caches that the engine makes on a real device, and the kernel loads.
 * Usage: engine write MODE DEVICE  a known history on each cache, then the
 *                                  process ends without closing them
 *        engine check MODE DEVICE  the kernel's turn: it serves what was
 *                                  committed, and nothing else
 * DEVICE is devdax to write with p, its namespace as fsdax to check with p, and
 * the same block device for both with s.  It says what must be there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/wc.h>

#include "dm.h"
#include "model.h"
#include "rig.h"

#define ORIGIN_BYTES (256U << 10)
#define CACHE_BYTES  (1U << 20)
#define BLOCKS       48U /* of the origin that are looked at */
#define OTHERS       7U  /* the version that an origin is full of */

/* Caches on one device, each in a MiB of its own but for the first sectors. */
static const struct cache {
	uint32_t block_size;
	uint64_t start; /* sectors */
} caches[] = {
	{ 4096, 0 },       { 512, 2048 },       { 4096, 4096 + 8 },
	{ 512, 6144 + 1 }, { 2048, 8192 + 16 }, { 1024, 10240 + 2 },
};

/* What is done to blocks FIRST to LAST, in this order. */
static const struct step {
	unsigned int first, last;
	uint32_t version; /* 0: a commit */
} steps[] = {
	{ 0, 9, 11 }, { 0, 0, 0 },    { 4, 7, 12 }, { 30, 47, 13 },
	{ 5, 5, 14 }, { 0, 0, 0 },    { 9, 9, 15 }, { 9, 9, 16 },
	{ 0, 0, 0 },  { 20, 25, 17 },
};

/* Of the blocks that are written last some were committed before, where mode s
 * would overwrite them in place. */
static const struct step last_of_p = { 0, 1, 18 };

static const char *origin;

static unsigned char *block_of(const struct cache *c, unsigned int b,
			       uint32_t version)
{
	static unsigned char *p;

	if (!p)
		p = buffer(4096);
	model_fill(version, b, p, c->block_size);
	return p;
}

static void fill_origin(const struct cache *c)
{
	for (unsigned int b = 0; b < ORIGIN_BYTES / c->block_size; b++)
		if (dev_write(origin, b * c->block_size, block_of(c, b, OTHERS),
			      c->block_size))
			die("cannot write to %s", origin);
}

/* --- write */

static void must(int rc, const char *what)
{
	if (rc < 0)
		die("%s: %s", what, pmk_strerror(rc));
}

static void take_step(struct pmk_wc *wc, const struct cache *c,
		      const struct step *s)
{
	if (!s->version)
		must(pmk_wc_commit(wc), "pmk_wc_commit");
	for (unsigned int b = s->first; b <= s->last && s->version; b++)
		must(pmk_wc_write(wc, (uint64_t)b * c->block_size,
				  block_of(c, b, s->version), c->block_size, 0),
		     "pmk_wc_write");
}

static void write_cache(struct pmk_map *map, int fd, const struct cache *c)
{
	struct pmk_wc_params params = {
		.offset = c->start * SECTOR,
		.size = CACHE_BYTES - 16 * SECTOR,
		.block_size = c->block_size,
		.autocommit_blocks = 1000000,
	};
	struct pmk_wc *wc;
	int origin_fd = open(origin, O_RDWR | O_CLOEXEC);

	fill_origin(c);
	must(map ? pmk_wc_create_map(map, &params)
		 : pmk_wc_create_fd(fd, &params),
	     "create");
	must(map ? pmk_wc_open_map(map, origin_fd, &params, &wc)
		 : pmk_wc_open_fd(fd, origin_fd, &params, &wc),
	     "open");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		take_step(wc, c, &steps[i]);
	if (map)
		take_step(wc, c, &last_of_p);
}

static void write_all(char mode, const char *device)
{
	struct pmk_map *map = NULL;
	int fd = -1;

	if (mode == 'p')
		must(pmk_map_open(device, NULL, &map), device);
	else
		fd = open(device, O_RDWR | O_EXCL | O_CLOEXEC);
	if (!map && fd < 0)
		die("%s: %s", device, strerror(errno));
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		write_cache(map, fd, &caches[i]);
	fflush(stdout);
	/* not closed: there must be something that was not committed */
	_exit(0);
}

/* --- check */

/* What was committed last to a block, from the steps alone. */
static uint32_t committed(unsigned int b)
{
	uint32_t now = OTHERS, version = OTHERS;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (!steps[i].version)
			version = now;
		else if (steps[i].first <= b && b <= steps[i].last)
			now = steps[i].version;
	}
	return version;
}

static unsigned int dirty(void)
{
	unsigned int n = 0;

	for (unsigned int b = 0; b < BLOCKS; b++)
		n += committed(b) != OTHERS;
	return n;
}

static void check_blocks(const struct cache *c, char mode, const char *path,
			 const char *what)
{
	unsigned char *p = buffer(4096);
	int64_t version;
	int rc;

	for (unsigned int b = 0; b < BLOCKS; b++) {
		rc = dev_read(path, b * c->block_size, p, c->block_size);
		version = rc ? rc : model_version(b, p, c->block_size);
		check(version == committed(b),
		      "%c, %u bytes: %s: block %u: want version %u, have %lld",
		      mode, c->block_size, what, b, committed(b),
		      (long long)version);
	}
	free(p);
}

static void check_cache(const struct cache *c, char mode, const char *device)
{
	unsigned long error = 1, n = 0, unused = 0;
	char line[256];
	int minor;

	fill_origin(c);
	minor = dm_make_one("wc", "writecache", ORIGIN_BYTES / SECTOR,
			    "%c %s %s %u 2 start_sector "
			    "%llu",
			    mode, origin, device, c->block_size,
			    (unsigned long long)c->start);
	if (!check(minor >= 0, "%c, %u bytes: the kernel refuses it: %s: %s",
		   mode, c->block_size, strerror(-minor),
		   klog_find("writecac")))
		return;
	dm_status("wc", line, sizeof(line));
	sscanf(line, "%lu %lu %lu", &error, &n, &unused);
	check(!error && n - unused == dirty(),
	      "%c, %u bytes: status: want %u dirty blocks: %s", mode,
	      c->block_size, dirty(), line);
	check_blocks(c, mode, dm_path(minor), "served");
	check(!dm_message("wc", "flush"), "flush");
	check_blocks(c, mode, origin, "written back");
	dm_remove("wc");
	printf("%c, blocks of %u bytes, start sector %llu: %lu blocks, %u of "
	       "them dirty\n",
	       mode, c->block_size, (unsigned long long)c->start, n, dirty());
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	origin = loop_on("/tmp/origin", ORIGIN_BYTES);
	if (!strcmp(argv[1], "write"))
		write_all(argv[2][0], argv[3]);
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		check_cache(&caches[i], argv[2][0], argv[3]);
	return finish("caches of the engine");
}
