/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power failures of a writecache, by enumeration: histories of calls run on a
 * medium that records every store and fence, and at each fence, and after each
 * call, all images are made that keep any part of what is not durable.  The
 * model says what must be in each.
 *
 * Then the same with one kind of fence left out: the model must object.
 *
 * Covered: pmk_wc_create_*, _open_*, _write, _commit, _discard, _clean, _close,
 * as to their order on the medium.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/endian.h"
#include "base/util.h"
#include "wc_model.h"

static struct rng rng;

static int init_rng(void **state)
{
	(void)state;
	rng_init(&rng, "wc crash");
	return 0;
}

/* One letter is one call: a, b, ... write that block. */
static void step(struct model *m, char c)
{
	switch (c) {
	case 'C':
		model_commit(m);
		break;
	case 'D': /* the first block */
		model_discard(m, 0);
		break;
	case 'W':
		model_clean(m);
		break;
	case 'R':
		model_reopen(m);
		break;
	case '!':
		model_crash(m);
		break;
	default:
		assert_in_range(c, 'a', 'z');
		model_write(m, (size_t)(c - 'a'));
		break;
	}
}

struct outcome {
	uint64_t images, wrong, sampled;
	unsigned int dropped;
	char first_wrong[200];
};

struct setup {
	char mode;
	size_t bs, cache_blocks, blocks;
	bool whole_data;
	size_t all_of; /* 0: the model's own */
};

static void add_outcome(struct outcome *o, const struct model *m,
			const char *script)
{
	if (!o->wrong && m->wrong)
		snprintf(o->first_wrong, sizeof(o->first_wrong), "%s: %s",
			 script, m->first_wrong);
	o->images += m->images;
	o->wrong += m->wrong;
	o->sampled += m->sampled;
	o->dropped += m->r.dropped;
}

/* Without a fence reads in the run itself stay right: only crashes differ. */
static void run(const struct setup *s, const char *script, enum wc_barrier drop,
		struct outcome *o)
{
	static struct model m;

	model_init(&m, s->mode, s->bs, s->cache_blocks, s->blocks);
	m.r.whole_data = s->whole_data;
	if (s->all_of)
		m.all_of = s->all_of;
	m.r.drop = drop;
	m.rng = rng;
	model_open(&m);
	for (const char *p = script; *p; p++)
		step(&m, *p);
	model_check_reads(&m);
	model_judge_all(&m);
	model_fini(&m);
	rng = m.rng;
	add_outcome(o, &m, script);
}

/* All histories of @len calls behind @prefix. */
static void run_all(const struct setup *s, const char *prefix,
		    const char *calls, size_t len, enum wc_barrier drop,
		    struct outcome *o)
{
	size_t n = strlen(calls), total = 1, at = strlen(prefix);
	char script[64];

	for (size_t i = 0; i < len; i++)
		total *= n;
	strcpy(script, prefix);
	for (size_t k = 0; k < total && !(drop != WC_BARRIERS && o->wrong);
	     k++) {
		size_t rest = k;

		for (size_t i = 0; i < len; i++, rest /= n)
			script[at + i] = calls[rest % n];
		script[at + len] = '\0';
		run(s, script, drop, o);
	}
}

static void expect_right(const struct outcome *o, uint64_t least)
{
	if (o->wrong)
		fail_msg("%s", o->first_wrong);
	print_message("%llu images\n", (unsigned long long)o->images);
	assert_true(o->images >= least);
}

static void expect_wrong(const struct outcome *o, const char *name)
{
	assert_true(o->dropped > 0);
	if (!o->wrong)
		fail_msg("nothing is wrong without the fence %s, in %llu "
			 "images",
			 name, (unsigned long long)o->images);
	print_message("without %s: %s\n", name, o->first_wrong);
}

/* Two blocks of cache for two of the origin: room has to be made, and blocks
 * are used again at once. */
static const struct setup small_p = { 'p', 512, 2, 2, false, 0 };
static const struct setup small_s = { 's', 512, 2, 2, false, 0 };
/* ... and one block more than there is room for: it is written around. */
static const struct setup around_s = { 's', 512, 2, 3, false, 0 };
static const struct setup big_s = { 's', 1024, 4, 3, false, 0 };

static void crash__all_short_histories_p(void **state)
{
	struct outcome o = { .images = 0 };

	(void)state;
	run_all(&small_p, "", "abCDWR", 4, WC_BARRIERS, &o);
	run_all(&small_p, "aCaC", "abCDW", 4, WC_BARRIERS, &o);
	expect_right(&o, 10000);
	assert_int_equal(o.sampled, 0);
}

static void crash__all_short_histories_s(void **state)
{
	struct outcome o = { .images = 0 };

	(void)state;
	run_all(&small_s, "", "abCDWR", 4, WC_BARRIERS, &o);
	/* no discard: of what was written around it leaves old or new, and the
	 * model knows one of them */
	run_all(&around_s, "ab", "abcCW", 4, WC_BARRIERS, &o);
	run_all(&big_s, "aC", "abcCDW", 4, WC_BARRIERS, &o);
	expect_right(&o, 10000);
	assert_int_equal(o.sampled, 0);
}

/* Up to six blocks, three commits. */
static void crash__six_blocks_three_commits(void **state)
{
	static const char *const scripts[] = {
		"abcdefC",      "abCcdCefC",   "abCabCabC",    "abcCabcCabcC",
		"abcCbcdCcdeC", "abcCaabbC",   "abCaCbC",      "abcdCabcdC",
		"abCDaCDbC",    "abcCWabCWcC", "abcCRabCRabC", "aCaCaC",
		"abcdefCaCbC",
	};
	struct setup s = { 'p', 512, 6, 6, false, 0 };
	struct outcome o = { .images = 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		/* more than five new blocks at a time: data as a whole */
		s.whole_data = strstr(scripts[i], "abcde");
		s.mode = 'p';
		run(&s, scripts[i], WC_BARRIERS, &o);
		s.mode = 's';
		run(&s, scripts[i], WC_BARRIERS, &o);
	}
	expect_right(&o, 100000);
	assert_int_equal(o.sampled, 0);
}

/* Longer ones, with larger blocks, recovery and crashes after crashes. */
static void crash__random_histories(void **state)
{
	static const char calls[] = "aabbccddeeffghijkCCCCDWR!!";
	struct outcome o = { .images = 0 };

	(void)state;
	for (int k = 0; k < 60; k++) {
		const struct setup s = { k & 1 ? 'p' : 's',
					 512,
					 4 + rng_below(&rng, 40),
					 11,
					 false,
					 11 };
		char script[41] = "";

		for (size_t i = 0; i < sizeof(script) - 1; i++)
			script[i] = calls[rng_below(&rng, sizeof(calls) - 1)];
		run(&s, script, WC_BARRIERS, &o);
	}
	expect_right(&o, 10000);
}

/* Each fence is needed. */
static void crash__each_fence_is_needed_p(void **state)
{
	static const struct {
		enum wc_barrier which;
		const char *name;
	} fences[] = {
		{ WC_BARRIER_DATA, "1 of a commit" },
		{ WC_BARRIER_SEQ, "2 of a commit" },
		{ WC_BARRIER_SUPERSEDED, "3 of a commit" },
		{ WC_BARRIER_WRITTEN, "of a writeback" },
		{ WC_BARRIER_DISCARD, "of a discard" },
		{ WC_BARRIER_ORIGIN, "(sync) of the origin" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fences); i++) {
		struct outcome o = { .images = 0 };

		run_all(&small_p, "", "abCDW", 4, fences[i].which, &o);
		if (!o.wrong)
			run_all(&small_p, "aCaC", "abCDW", 4, fences[i].which,
				&o);
		expect_wrong(&o, fences[i].name);
	}
}

static void crash__each_sync_is_needed_s(void **state)
{
	static const struct {
		enum wc_barrier which;
		const char *name;
	} syncs[] = {
		{ WC_BARRIER_DATA, "1 of a commit" },
		{ WC_BARRIER_SEQ, "2 of a commit" },
		{ WC_BARRIER_OVERWRITTEN, "of what is written in place" },
		{ WC_BARRIER_WRITTEN, "of a writeback" },
		{ WC_BARRIER_DISCARD, "of a discard" },
		{ WC_BARRIER_AROUND, "of what is written around" },
		{ WC_BARRIER_ORIGIN, "of the origin" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(syncs); i++) {
		struct outcome o = { .images = 0 };

		run_all(&small_s, "", "abCDW", 4, syncs[i].which, &o);
		if (!o.wrong)
			run_all(&around_s, "ab", "abcCW", 3, syncs[i].which,
				&o);
		expect_wrong(&o, syncs[i].name);
	}
}

/* The fence after each 16 blocks that are freed is none of those: the one at
 * the end comes before any of them is used again. */
static void crash__fence_of_16_bounds_stores_only(void **state)
{
	static const char script[] = "abcdefghijklmnopqrstCWabCcdefC";
	const struct setup s = { 'p', 512, 20, 20, true, 0 };
	struct outcome o = { .images = 0 };

	(void)state;
	run(&s, script, WC_BARRIERS, &o);
	run(&s, script, WC_BARRIER_WRITTEN_SOME, &o);
	assert_int_equal(o.dropped, 1);
	expect_right(&o, 1000);
}

/* A cache left with two committed entries for block 0: entry 0, and the last
 * one, which is newer.  All others are free. */
static void make_duplicates(struct model *m, char mode, size_t cache_blocks)
{
	size_t last = cache_blocks - 1;
	unsigned char *base, *data;

	model_init(m, mode, 512, cache_blocks, 2);
	base = m->r.m.now[WC_CACHE];
	data = base + (64 + 16 * cache_blocks + 511) / 512 * 512;
	pmk_put_le64(base + 24, 10);
	pmk_put_le64(base + 64, 0);
	pmk_put_le64(base + 72, 3);
	pmk_put_le64(base + 64 + last * 16, 0);
	pmk_put_le64(base + 72 + last * 16, 5);
	model_fill(++m->versions, data, 512);
	model_fill(++m->versions, data + last * 512, 512);
	m->block[0].now = m->state[0][0] = m->versions;
	m->block[0].cached = m->block[0].committed = true;
	m->first_seq = 10;
	recorder_settle(&m->r);
}

/* Then another block takes the place of the loser, and the winner goes. */
static void resume(char mode, size_t cache_blocks, enum wc_barrier drop,
		   struct outcome *o)
{
	static struct model m;

	make_duplicates(&m, mode, cache_blocks);
	m.r.drop = drop;
	m.rng = rng;
	model_open(&m);
	if (cache_blocks == 2)
		model_write(&m, 1);
	model_judge_all(&m);
	model_clean(&m);
	model_check_reads(&m);
	model_fini(&m);
	add_outcome(o, &m, "duplicates");
}

static void crash__resume(void **state)
{
	static const struct {
		char mode;
		size_t cache_blocks;
	} rows[] = {
		{ 'p', 2 },
		/* the entries are in two sectors */
		{ 's', 40 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome right = { .images = 0 }, without = right;

		resume(rows[i].mode, rows[i].cache_blocks, WC_BARRIERS, &right);
		expect_right(&right, 8);
		resume(rows[i].mode, rows[i].cache_blocks, WC_BARRIER_RESUME,
		       &without);
		expect_wrong(&without, "of a resume");
	}
}

/*
 * Create, over an old cache: an image is the old cache whole, no cache, or the
 * new one, empty; and the new one when the caller has been told.
 */
struct creation {
	struct recorder r;
	struct media old;
	size_t cache_blocks;
	bool told;
	uint64_t images, wrong;
};

static bool is_empty(const struct creation *c, struct media *m)
{
	static const struct pmk_wc_params usual;
	struct wc_target t = media_target(m, c->r.mode);
	struct pmk_wc_info info;
	struct pmk_wc *wc;

	if (pmk_wc_open_target(&t, &usual, &wc))
		return false;
	pmk_wc_get_info(wc, &info);
	pmk_wc_abandon(wc);
	return info.free == c->cache_blocks && !info.seq_count;
}

static bool is_cache(const struct media *m)
{
	return pmk_get_le32(m->now[WC_CACHE]) == 0x23489321 &&
	       pmk_get_le32(m->now[WC_CACHE] + 4) == 1;
}

static void judge_creation(void *arg)
{
	static struct media image;
	static unsigned char kept[RECORDER_UNITS];
	struct creation *c = arg;
	size_t n = c->r.n_pending;

	assert_true(n <= 20);
	for (uint64_t k = 0; k < (uint64_t)1 << n; k++) {
		for (size_t i = 0; i < n; i++)
			kept[i] = k >> i & 1;
		recorder_image(&c->r, kept, &image);
		c->images++;
		if (!c->told &&
		    (!is_cache(&image) ||
		     !memcmp(image.now[WC_CACHE], c->old.now[WC_CACHE],
			     image.bytes[WC_CACHE])))
			continue;
		c->wrong += !is_empty(c, &image);
	}
}

static const struct creation *create(char mode, size_t cache_blocks,
				     enum wc_barrier drop)
{
	static struct creation c;
	static struct model m;
	const struct pmk_wc_params p = { .block_size = 512,
					 .flags = PMK_WC_FORCE };
	struct wc_target t;

	memset(&c, 0, sizeof(c));
	make_duplicates(&m, mode, cache_blocks); /* the old one */
	c.r = m.r;
	c.old = m.r.m;
	c.cache_blocks = cache_blocks;
	c.r.drop = drop;
	c.r.crash = judge_creation;
	c.r.arg = &c;
	t = recorder_target(&c.r);
	assert_int_equal(pmk_wc_create_target(&t, &p), 0);
	c.told = true;
	judge_creation(&c);
	return &c;
}

static void crash__create(void **state)
{
	const struct creation *c = create('p', 2, WC_BARRIERS);

	(void)state;
	assert_int_equal(c->wrong, 0);
	assert_true(c->images >= 1000);
	c = create('s', 40, WC_BARRIERS);
	assert_int_equal(c->wrong, 0);
	assert_true(c->images >= 8);
	assert_true(create('p', 2, WC_BARRIER_UNMAKE)->wrong > 0);
	assert_true(create('p', 2, WC_BARRIER_BODY)->wrong > 0);
	assert_true(create('p', 2, WC_BARRIER_MAGIC)->wrong > 0);
	/* mode s needs no second one: the new superblock is one sector, and
	 * with its sequence, 0, no old entry is committed */
	assert_true(create('s', 40, WC_BARRIER_UNMAKE)->wrong > 0);
	assert_true(create('s', 40, WC_BARRIER_MAGIC)->wrong > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crash__all_short_histories_p),
		cmocka_unit_test(crash__all_short_histories_s),
		cmocka_unit_test(crash__six_blocks_three_commits),
		cmocka_unit_test(crash__random_histories),
		cmocka_unit_test(crash__each_fence_is_needed_p),
		cmocka_unit_test(crash__each_sync_is_needed_s),
		cmocka_unit_test(crash__fence_of_16_bounds_stores_only),
		cmocka_unit_test(crash__resume),
		cmocka_unit_test(crash__create),
	};

	return cmocka_run_group_tests_name("wc crash", tests, init_rng, NULL);
}
