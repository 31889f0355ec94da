/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench wc: the metadata of a writecache by stores inline, by a call and
 * by hand, and its data past the cache or through it: the experiments after
 * which the kernel got memcpy_flushcache() of a constant size inline, and
 * CLFLUSHOPT for the data.  With --beside the kernel's own is one more side.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "base/util.h"
#include "bench/bench.h"
#include "bench/report.h"
#include "bench/room.h"
#include "bench/suite.h"
#include "bench/wc_beside.h"
#include "bench/wc_compare.h"
#include "bench/wc_sides.h"
#include "out.h"
#include "pmk.h"

/* So that a pause of the machine does not decide; a round is 64 blocks or
 * more. */
#define ROUNDS       201
#define ROUNDS_QUICK 41
#define BUDGET_NS    2000000000

static const size_t blocks[] = { 512, 1024, 2048, 4096 };

/* The kernel's autocommit_blocks of mode p; and an fsync a block. */
static const uint32_t everies[] = { 64, 1 };

/* MB/s on Optane, one thread (Mikulas Patocka, dm-devel, 2020). */
static const struct {
	const char *side;
	const char *text;
} published[] = {
	{ "inline", "movnti 496/642/725/744" },
	{ "clflushopt", "clflushopt 373/688/1100/1200" },
};

struct wc_bench {
	const struct bench_options *opt;
	struct bench_suite suite;
	struct bench_room room;
	struct wc_sides sides;
	struct wc_beside beside;
	struct wc_cost cost[ARRAY_SIZE(blocks) * ARRAY_SIZE(everies)];
	uint32_t every[2];
	char op[2][24]; /* "commit64" */
};

/* One that the CPU has not has no name; wc_sides_open() says so. */
static enum pmk_wc_store store_of(const char *name)
{
	static const char *const names[] = {
		[PMK_WC_STORE_AUTO] = "auto",
		[PMK_WC_STORE_INLINE] = "inline",
		[PMK_WC_STORE_CALL] = "call",
		[PMK_WC_STORE_EXPLICIT] = "explicit",
		[PMK_WC_STORE_CLFLUSHOPT] = "clflushopt",
	};

	for (size_t i = 0; name && i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return (enum pmk_wc_store)i;
	return PMK_WC_STORE_INLINE;
}

static const char *side_name(const struct bench_side *b)
{
	return b->variant ? b->variant : b->key;
}

/* The side that stores that way, whoever it is. */
static const struct bench_side *find_side(const struct bench_case *c,
					  const char *store)
{
	for (size_t i = 0; i < c->n_sides; i++)
		if (!strcmp(side_name(&c->side[i]), store))
			return &c->side[i];
	return NULL;
}

static double rate(const struct bench_case *c, const struct bench_side *b,
		   uint32_t every)
{
	(void)every;
	return bench_case_rate(c, b) / 1e6;
}

static double commit_rate(const struct bench_case *c,
			  const struct bench_side *b, uint32_t every)
{
	(void)c;
	return 1e9 / b->figure.median_ns / every;
}

static double kilo_commit_rate(const struct bench_case *c,
			       const struct bench_side *b, uint32_t every)
{
	return commit_rate(c, b, every) / 1e3;
}

static void add_rates(const struct bench_case *c, uint32_t every)
{
	for (size_t i = 0; i < c->n_sides; i++) {
		const struct bench_side *b = &c->side[i];
		char key[64];

		snprintf(key, sizeof(key), "%s_mb_per_s", side_name(b));
		report_json_double(c->extra, key, rate(c, b, every));
		snprintf(key, sizeof(key), "%s_commits_per_s", side_name(b));
		report_json_double(c->extra, key, commit_rate(c, b, every));
	}
}

static int compare(struct wc_bench *b, const struct bench_case *c)
{
	struct wc_compare both;
	int rc = wc_compare(&b->sides, &both);

	if (!rc)
		wc_compare_say(&b->suite, c, &both);
	return rc;
}

static int measure(struct wc_bench *b, size_t op, size_t block, uint32_t every)
{
	const struct bench_case what = {
		.op = b->op[op],
		.size = block,
		.extra = json_object_new_object(),
	};
	const struct bench_work work = {
		.unit = every,
		.rounds = b->opt->quick ? ROUNDS_QUICK : ROUNDS,
		.budget_ns = BUDGET_NS,
	};
	struct wc_cost *cost = &b->cost[b->suite.n_cases];
	struct bench_side_def defs[WC_SIDES_ALL];
	int rc = wc_sides_ready(&b->sides, (uint32_t)block, every, defs);
	const struct bench_case *c;

	if (rc) {
		json_object_put(what.extra);
		return rc;
	}
	out_json_u64(what.extra, "commit_every", every);
	c = bench_suite_case(&b->suite, &what, defs, wc_sides_count(&b->sides),
			     &work);
	rc = wc_sides_cost(&b->sides, cost);
	add_rates(c, every);
	report_json_double(c->extra, "metadata_bytes_per_block", cost->bytes);
	report_json_double(c->extra, "metadata_stores_per_block", cost->stores);
	report_json_double(c->extra, "fences_per_block", cost->fences);
	return rc || !b->opt->beside ? rc : compare(b, c);
}

static bool wants(const struct wc_bench *b, size_t block)
{
	/* the kernel's has blocks of one size */
	if (b->opt->beside && b->beside.target.block_size != block)
		return false;
	return bench_wants_size(b->opt, block);
}

static size_t wanted(const struct wc_bench *b)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		n += wants(b, blocks[i]);
	return n;
}

static int measure_all(struct wc_bench *b)
{
	size_t n = b->opt->commit_every ? 1 : ARRAY_SIZE(everies);
	int rc = EXIT_OK;

	bench_suite_expect(&b->suite, wanted(b) * n);
	for (size_t k = 0; k < n; k++) {
		uint32_t every = n == 1 ? b->opt->commit_every : everies[k];

		b->every[k] = every;
		snprintf(b->op[k], sizeof(b->op[k]), "commit%u", every);
		for (size_t i = 0; i < ARRAY_SIZE(blocks) && !rc; i++)
			if (wants(b, blocks[i]))
				rc = measure(b, k, blocks[i], every);
	}
	return rc;
}

/* What is told of an operation, for each way to store and block size. */
struct kind {
	const char *unit;
	double (*of)(const struct bench_case *c, const struct bench_side *b,
		     uint32_t every);
};

static const struct kind kinds[] = {
	{ "MB/s", rate },
	{ "thousand commits/s", kilo_commit_rate },
};

/* "496/642/725/744" of one way to store, in the cases of operation @k. */
static void list_rates(const struct wc_bench *b, size_t k,
		       const struct kind *kind, const char *store, char *text,
		       size_t size)
{
	size_t at = 0;

	*text = '\0';
	for (size_t i = 0; i < b->suite.n_cases; i++) {
		const struct bench_case *c = &b->suite.cases[i];
		const struct bench_side *side = find_side(c, store);

		if (strcmp(c->op, b->op[k]) || at >= size)
			continue;
		at += (size_t)snprintf(text + at, size - at, "%s",
				       at ? "/" : "");
		if (at < size)
			at += (size_t)snprintf(
				text + at, size - at, side ? "%.0f" : "-",
				side ? kind->of(c, side, b->every[k]) : 0.0);
	}
}

static void note_cost(struct wc_bench *b, const char *op)
{
	for (size_t i = 0; i < b->suite.n_cases; i++) {
		if (strcmp(b->suite.cases[i].op, op))
			continue;
		/* the same with each block size */
		bench_suite_note(&b->suite,
				 "%s: metadata of a block that replaces one: "
				 "%.2f bytes in %.2f stores, and %.3f fences.",
				 op, b->cost[i].bytes, b->cost[i].stores,
				 b->cost[i].fences);
		return;
	}
}

static void note_rates(struct wc_bench *b, size_t k, const struct kind *kind)
{
	static const char *const stores[] = { "inline", "call", "explicit",
					      "clflushopt" };
	char text[320] = "", one[64];
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(stores) && at < sizeof(text); i++) {
		list_rates(b, k, kind, stores[i], one, sizeof(one));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %s",
				       i ? ", " : "", stores[i], one);
	}
	bench_suite_note(&b->suite, "%s, %s by block size: %s.", b->op[k],
			 kind->unit, text);
}

static void explain(struct wc_bench *b)
{
	for (size_t k = 0; k < 2 && *b->op[k]; k++) {
		note_cost(b, b->op[k]);
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			note_rates(b, k, &kinds[i]);
	}
	bench_suite_note(&b->suite,
			 "Published (kernel, Optane, one thread), MB/s with "
			 "blocks of 512/1024/2048/4096: %s, %s; and 2 %% lost "
			 "with the call instead of MOVNTI inline.",
			 published[0].text, published[1].text);
	if (b->opt->beside)
		wc_compare_end(&b->suite);
}

/* The largest number of blocks between two commits that is asked for. */
static uint32_t longest(const struct bench_options *opt)
{
	return opt->commit_every ? opt->commit_every : everies[0];
}

/* Before anything is written to it. */
static int check_beside(struct wc_bench *b)
{
	const struct wc_target *t = &b->beside.target;
	char text[256];

	if (!wanted(b)) {
		out_error("wc: %s has blocks of %u bytes", b->opt->beside,
			  t->block_size);
		return EXIT_USAGE;
	}
	if (t->autocommit_blocks < longest(b->opt))
		return out_error("%s: it commits after %" PRIu64
				 " blocks by itself: make it with "
				 "autocommit_blocks %u or more",
				 b->opt->beside, t->autocommit_blocks,
				 longest(b->opt));
	wc_beside_describe(&b->beside, text, sizeof(text));
	bench_suite_fact(&b->suite, "beside", text);
	return EXIT_OK;
}

static int open_beside(struct wc_bench *b)
{
	int rc;

	if (!b->opt->overwrite)
		return out_error("%s: a device has content, which would be "
				 "lost; --overwrite allows it",
				 b->opt->beside);
	rc = wc_beside_open(&b->beside, b->opt->beside);
	return rc ? rc : check_beside(b);
}

static int open_all(struct wc_bench *b)
{
	const struct wc_beside *beside = b->opt->beside ? &b->beside : NULL;
	int rc = beside ? open_beside(b) : EXIT_OK;

	if (!rc)
		rc = bench_room_open(&b->room, &b->suite, WC_ROOM * WC_SIDES,
				     WC_ROOM_LEAST);
	if (!rc)
		rc = wc_sides_open(&b->sides, &b->room, store_of(b->opt->store),
				   beside);
	return rc;
}

static void close_all(struct wc_bench *b)
{
	wc_sides_close(&b->sides);
	bench_room_close(&b->room);
	wc_beside_close(&b->beside);
}

static int check(const struct bench_options *opt)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		if (bench_wants_size(opt, blocks[i]))
			return EXIT_OK;
	out_error("wc: blocks are 512, 1024, 2048 or 4096 bytes");
	return EXIT_USAGE;
}

int bench_wc(const struct bench_options *opt)
{
	struct wc_bench b = { .opt = opt, .beside = { .fd = -1 } };
	int rc = check(opt);

	if (rc)
		return rc;
	bench_suite_init(&b.suite, "wc", opt);
	b.suite.peer = "call";
	rc = open_all(&b);
	if (!rc)
		rc = measure_all(&b);
	close_all(&b);
	if (!rc) {
		explain(&b);
		rc = bench_suite_finish(&b.suite);
	}
	bench_suite_fini(&b.suite);
	return rc;
}
