/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors that are used: what writes and discards leave on the medium. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dm.h"
#include "rig.h"
#include "vectors.h"

/* Commits only when they are asked for. */
#define QUIET "4096 4 autocommit_blocks 1000000 autocommit_time 3600000"

static const struct vector one = { .entry = { { 0, 0, 1, SERVED } } };
static char act_mode;
static const char *path; /* of the mapped device */

static void start(const struct vector *v, const char *params)
{
	int minor;

	place(v);
	fill_origin();
	minor = map(act_mode, params);
	if (minor < 0)
		die("%c: map: %s", act_mode, strerror(-minor));
	path = dm_path(minor);
}

static void end(void)
{
	check(!dm_remove(wc_device()), "%c: remove", act_mode);
	unmap();
}

/* Blocks full of one letter, in one request. */
static int put(size_t block, size_t n, int c)
{
	unsigned char *p = buffer(n * BLOCK);
	int rc;

	memset(p, c, n * BLOCK);
	rc = dev_write(path, block * BLOCK, p, n * BLOCK);
	free(p);
	return rc;
}

/* The letter of a block; -1 if it cannot be read. */
static int get(const char *from, uint64_t off)
{
	unsigned char *p = buffer(BLOCK);
	int c = dev_read(from, off, p, BLOCK) ? -1 : p[0];

	free(p);
	return c;
}

static void entry_is(const char *when, uint64_t i, uint64_t sector,
		     uint64_t seq)
{
	struct entry e = medium_entry(i);

	check(e.sector == sector && e.seq == seq,
	      "%c: %s: entry %llu: want sector %#llx, sequence %#llx, have "
	      "%#llx, %#llx",
	      act_mode, when, (unsigned long long)i, (unsigned long long)sector,
	      (unsigned long long)seq, (unsigned long long)e.sector,
	      (unsigned long long)e.seq);
}

static void seq_is(const char *when, uint64_t seq)
{
	uint64_t have = medium_seq();

	check(have == seq, "%c: %s: sequence: want %#llx, have %#llx", act_mode,
	      when, (unsigned long long)seq, (unsigned long long)have);
}

/* --- one act each */

static void overwrite_p(void)
{
	put(0, 1, 'x');
	entry_is("written", 0, 0, 1);
	entry_is("written", 1, 0, 10);
	put(0, 1, 'y');
	entry_is("written twice", 1, 0, 10);
	entry_is("written twice", 2, FREE_SEQ, FREE_SEQ);
	seq_is("written twice", 10);
	check(!dev_sync(path), "sync");
	seq_is("committed", 11);
	entry_is("committed", 0, 0, FREE_SEQ);
	entry_is("committed", 1, 0, 10);
	check(get(path, 0) == 'y', "p: the second content is read");
}

static void overwrite_s(void)
{
	put(0, 1, 'x');
	put(1, 1, 'y');
	entry_is("written", 0, 0, 1);
	entry_is("written", 1, FREE_SEQ, FREE_SEQ);
	seq_is("written", 10);
	check(get(cache_path(), DATA_OFF) == 'x', "s: overwritten in place");
	check(!dev_sync(path), "sync");
	seq_is("committed", 11);
	entry_is("committed", 0, 0, 1);
	entry_is("committed", 1, 8, 10);
}

static void overwrite(void)
{
	start(&one, QUIET);
	act_mode == 'p' ? overwrite_p() : overwrite_s();
	end();
}

static void discard(void)
{
	static const struct vector v = { .entry = { { 5, 80, 9, SERVED },
						    { 6, 88, 9, SERVED } } };

	start(&v, QUIET);
	check(!dev_discard(path, 10 * BLOCK, BLOCK), "discard");
	entry_is("discarded", 5, 80, FREE_SEQ);
	entry_is("discarded", 6, 88, 9);
	seq_is("discarded", 10);
	end();
}

/* 64 blocks are committed by themselves in mode p, 65536 in mode s. */
static void autocommit(void)
{
	static const struct vector none = { 0 };

	start(&none, "4096 2 autocommit_time 3600000");
	put(16, 64, 'x');
	seq_is("64 written", act_mode == 'p' ? 11 : 10);
	if (act_mode == 's')
		entry_is("64 written", 0, FREE_SEQ, FREE_SEQ);
	check(!dm_remove(wc_device()), "remove");
	seq_is("removed", 11);
	entry_is("removed", 63, 128 + 63 * 8, 10);
	unmap();
}

/* The sequence that marks free entries becomes that of new ones. */
static void wrap(void)
{
	struct vector v = one;
	int minor;

	v.seq = FREE_SEQ;
	start(&v, QUIET);
	put(1, 1, 'x');
	check(!dev_sync(path), "sync");
	seq_is("wrapped", 0);
	entry_is("wrapped", 1, 8, FREE_SEQ);
	check(get(path, BLOCK) == 'x', "%c: it is read until then", act_mode);
	check(!dm_remove(wc_device()), "remove");
	seq_is("wrapped, removed", 1);
	minor = map(act_mode, QUIET);
	check(minor >= 0 && status_field(3) == N_BLOCKS,
	      "%c: wrapped: all is lost", act_mode);
	end();
}

static void before_wrap(void)
{
	struct vector v = one;
	int minor;

	v.seq = FREE_SEQ - 1;
	start(&v, QUIET);
	put(1, 1, 'x');
	check(!dev_sync(path), "sync");
	seq_is("before the wrap", FREE_SEQ);
	entry_is("before the wrap", 1, 8, FREE_SEQ - 1);
	check(!dm_remove(wc_device()), "remove");
	minor = map(act_mode, QUIET);
	check(minor >= 0 && status_field(3) == N_BLOCKS - 2,
	      "%c: before the wrap: nothing is lost", act_mode);
	end();
}

/* What it means that a device is loaded with error. */
static void error_state(void)
{
	static const struct vector v = { .entry = { { 0, 0, 5, ERASED },
						    { 1, 0, 5, SERVED },
						    { 2, 8, 5, SERVED } } };

	start(&v, QUIET);
	check(put(3, 1, 'x') == -EIO, "%c: with error: writes fail", act_mode);
	check(get(path, 0) == 'B', "%c: with error: reads work", act_mode);
	check(dm_message(wc_device(), "flush") == -EIO,
	      "%c: with error: flush fails", act_mode);
	end();
}

static void cleaner(void)
{
	static const char params[] =
		"4096 5 high_watermark 60 low_watermark 50 cleaner";
	char line[256] = "";

	start(&one, params);
	/* by itself, soon; ended by the guest's time-out */
	while (status_field(3) != N_BLOCKS && !status_field(1))
		usleep(10000);
	check(get(origin_path(), 0) == 'A', "%c: cleaner: written back",
	      act_mode);
	dm_table(wc_device(), line, sizeof(line));
	check(strstr(line, params) && !strcmp(strstr(line, params), params),
	      "%c: cleaner: table: %s", act_mode, line);
	end();
}

/* A block behind the end of the origin, and in mode p one at the last sector:
 * dropped when they should be written back. */
static void dropped(void)
{
	struct vector v = { .entry = { { 0, 4096, 1, UNSEEN },
				       { 1, 8, 1, SERVED },
				       { 2, UINT64_MAX, 1, UNSEEN } } };

	if (act_mode == 's')
		memset(&v.entry[2], 0, sizeof(v.entry[2]));
	start(&v, QUIET);
	check(!dm_message(wc_device(), "flush"), "%c: behind the end: flush",
	      act_mode);
	check(status_field(1) == 0 && status_field(3) == N_BLOCKS,
	      "%c: behind the end: dropped", act_mode);
	check(get(origin_path(), BLOCK) == 'B', "%c: behind the end: the other",
	      act_mode);
	end();
}

/* The origin ends within the last block. */
static void across_end(void)
{
	static const struct vector v = { .entry = { { 0, 2040, 1, UNSEEN } } };
	const char *all = origin_path();
	char part[32];
	int minor;

	fill_origin();
	place(&v);
	minor = dm_make_one("part", "linear", 2044, "%s 0", all);
	snprintf(part, sizeof(part), "/dev/dm-%d", minor);
	leave("cache", "wc", part, 2040 * SECTOR);
	minor = map(act_mode, QUIET);
	if (minor < 0)
		die("%c: map: %s", act_mode, strerror(-minor));
	if (act_mode == 'p') {
		check(dm_message("wc", "flush") == -EIO, "p: across the end");
		check(status_field(1) == 1, "p: across the end: error");
		entry_is("across the end", 0, 2040, 1);
	} else {
		check(!dm_message("wc", "flush"), "s: across the end");
		check(get(all, 2040 * SECTOR) == 'A', "s: across the end");
	}
	end();
	check(!dm_remove("part"), "remove");
	leave("cache", "wc", all, ORIGIN_BYTES);
}

/* A sector that is no multiple of the block: written where it says. */
static void unaligned(void)
{
	static const struct vector v = { .entry = { { 0, 19, 1, FAULTY } } };
	unsigned char *want = buffer(6 * BLOCK), *have = buffer(6 * BLOCK);

	memset(want, 'o', 6 * BLOCK);
	memset(want + 19 * SECTOR, 'A', BLOCK);
	start(&v, QUIET);
	check(!dm_message(wc_device(), "flush"), "%c: unaligned: flush",
	      act_mode);
	check(!dev_read(origin_path(), 0, have, 6 * BLOCK) &&
		      !memcmp(want, have, 6 * BLOCK),
	      "%c: unaligned: over parts of two blocks", act_mode);
	entry_is("unaligned", 0, 19, FREE_SEQ);
	end();
	free(want);
	free(have);
}

/* The cache, but for its sectors between the last entry and the data. */
static const char *bad_between(void)
{
	static char bad[32];
	char front[64], back[64];
	struct dm_target targets[] = {
		{ 0, 9, "linear", front },
		{ 9, 7, "error", "" },
		{ 16, CACHE_BYTES / SECTOR - 16, "linear", back },
	};
	int minor;

	snprintf(front, sizeof(front), "%s 0", cache_path());
	snprintf(back, sizeof(back), "%s 16", cache_path());
	minor = dm_make("between", targets, 3);
	if (minor < 0)
		die("between: %s", strerror(-minor));
	snprintf(bad, sizeof(bad), "/dev/dm-%d", minor);
	return bad;
}

/* Mode s reads the space between entries and data with them. */
static void unreadable_between(void)
{
	const char *bad;
	int minor;

	place(&one);
	fill_origin();
	bad = bad_between();
	check_predicted(bad, "loads_with_error", "WC_UNREADABLE_TAIL");
	klog_mark();
	minor = dm_make_one(wc_device(), "writecache", ORIGIN_BYTES / SECTOR,
			    "s %s %s 4096 0", origin_path(), bad);
	check(minor >= 0 && status_field(1) == 1 &&
		      status_field(3) == N_BLOCKS &&
		      *klog_find("unable to read metadata"),
	      "s: unreadable between: the error flag, and no entries");
	check(!dm_remove(wc_device()) && !dm_remove("between"), "s: remove");
	unmap();
}

void run_acts(char mode)
{
	act_mode = mode;
	overwrite();
	discard();
	autocommit();
	wrap();
	before_wrap();
	error_state();
	cleaner();
	dropped();
	across_end();
	unaligned();
	if (mode == 's')
		unreadable_between();
}
