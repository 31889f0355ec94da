/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest's part of tests/guest/writecache.
 * Usage: crash use SEED HOW PMEM...   six caches in use at random: two are then
 *                                     removed, the others meet the end: HOW is
 *                                     reset, or kill, from outside
 *        crash serve PMEM...          what the kernel serves of them
 * Three have a PMEM each.  /dev/vda has the origins, /dev/vdb the other caches,
 * /dev/vdc gets what is served: each one behind the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dm.h"
#include "rig.h"
#include "support/seed.h"

#define ORIGIN_BYTES (2U << 20)
#define CACHE_BYTES  (1U << 20)
#define MOST_WRITE   8U
#define CACHES       6U
#define READY        300U /* operations, then two are removed */

/* The host's script has these rows as well. */
static const struct row {
	char mode;
	size_t bs;
	unsigned int start; /* sectors; those of pmem leave 1 MiB of 14 */
	bool clean;
	int options;
	const char *params;
} rows[CACHES] = {
	{ 'p', 4096, 26624, false, 2, "" },
	{ 'p', 512, 26624, false, 6,
	  " autocommit_blocks 1000000 autocommit_time 3600000" },
	{ 'p', 4096, 26624, true, 2, "" },
	{ 's', 4096, 0, false, 2, "" },
	{ 's', 512, 8, false, 6,
	  " autocommit_blocks 1000000 autocommit_time 3600000" },
	{ 's', 4096, 0, true, 2, "" },
};

static struct {
	char name[8], path[32], origin[32];
} dev[CACHES];

static const char *linear(const char *name, const char *disk, size_t bytes,
			  size_t i)
{
	int minor = dm_make_one(name, "linear", bytes / SECTOR, "%s %zu", disk,
				i * bytes / SECTOR);

	if (minor < 0)
		die("%s: %s", name, strerror(-minor));
	return dm_path(minor);
}

/* Map row @i. */
static void map(unsigned int i, char **pmem)
{
	const struct row *r = &rows[i];
	char name[8];
	int minor;

	snprintf(name, sizeof(name), "o%u", i);
	snprintf(dev[i].origin, sizeof(dev[i].origin), "%s",
		 linear(name, "/dev/vda", ORIGIN_BYTES, i));
	snprintf(name, sizeof(name), "c%u", i);
	snprintf(dev[i].name, sizeof(dev[i].name), "w%u", i);
	minor = dm_make_one(
		dev[i].name, "writecache", ORIGIN_BYTES / SECTOR,
		"%c %s %s %zu %d start_sector %u%s", r->mode, dev[i].origin,
		r->mode == 'p' ? pmem[i]
			       : linear(name, "/dev/vdb", CACHE_BYTES, i - 3),
		r->bs, r->options, r->start, r->params);
	if (minor < 0)
		die("%s: %s", dev[i].name, strerror(-minor));
	snprintf(dev[i].path, sizeof(dev[i].path), "%s", dm_path(minor));
}

/* One thing of all that can be done to a cache; in the end, no flush: something
 * must be dirty. */
static int act(struct rng *r, unsigned int i, bool last, unsigned char *p)
{
	size_t bs = rows[i].bs, dice = rng_below(r, 60);
	size_t n = 1 + rng_below(r, MOST_WRITE);
	uint64_t off = rng_below(r, ORIGIN_BYTES / bs - n + 1) * bs;

	if (dice == 0 && !last)
		return dm_message(dev[i].name, "flush");
	if (dice < 4)
		return dev_discard(dev[i].path, off, n * bs);
	/* often: see kernel_side.c for what writeback must not come to */
	if (dice < 20)
		return dev_sync(dev[i].path);
	/* where it was written, by whom, and when */
	for (size_t at = 0; at < n * bs; at += 8)
		put_le(p + at, rng_next(r) << 20 | (off + at) / SECTOR, 8);
	return dev_write(dev[i].path, off, p, n * bs);
}

static void reset_now(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY);

	if (fd < 0 || write(fd, "b", 1) != 1)
		die("sysrq: %s", strerror(errno));
	sleep(60);
}

static void remove_clean(void)
{
	for (unsigned int i = 0; i < CACHES; i++)
		if (rows[i].clean && dm_remove(dev[i].name))
			die("%s stays", dev[i].name);
	printf("\nready\n");
	fflush(stdout);
}

static int use(unsigned long seed, const char *how, char **pmem)
{
	struct rng r = { seed };
	unsigned char *p = buffer(MOST_WRITE * 4096);
	size_t ops = 2 * READY + rng_below(&r, 600);
	unsigned int i;
	int rc;

	for (i = 0; i < CACHES; i++)
		map(i, pmem);
	for (size_t k = 0; k != ops || strcmp(how, "reset") != 0; k++) {
		if (k == READY)
			remove_clean();
		i = (unsigned int)rng_below(&r, CACHES);
		if (k >= READY && rows[i].clean)
			continue;
		rc = act(&r, i, k >= READY / 2, p);
		if (rc)
			die("%s: %s", dev[i].name, strerror(-rc));
	}
	reset_now();
	return 1;
}

static int serve(char **pmem)
{
	unsigned char *p = buffer(ORIGIN_BYTES);
	char line[256];
	int rc;

	for (unsigned int i = 0; i < CACHES; i++) {
		map(i, pmem);
		dm_status(dev[i].name, line, sizeof(line));
		printf("%s: %c, blocks of %zu: %s\n", dev[i].name, rows[i].mode,
		       rows[i].bs, line);
		check(line[0] == '0', "%s: error", dev[i].name);
		rc = dev_read_by(rows[i].bs, dev[i].path, 0, p, ORIGIN_BYTES);
		if (!rc)
			rc = dev_write("/dev/vdc", i * ORIGIN_BYTES, p,
				       ORIGIN_BYTES);
		check(!rc, "%s: served: %s", dev[i].name, strerror(-rc));
		check(!dm_message(dev[i].name, "flush"), "%s: flush",
		      dev[i].name);
		check(!dm_remove(dev[i].name), "%s: remove", dev[i].name);
	}
	return finish("caches of the kernel");
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "use"))
		return use(strtoul(argv[2], NULL, 10), argv[3], argv + 4);
	if (argc == 5 && !strcmp(argv[1], "serve"))
		return serve(argv + 2);
	return 2;
}
