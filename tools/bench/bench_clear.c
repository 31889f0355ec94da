/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench clear: pmk_clear() and every single way to clear memory, by what
 * the memory is cleared for.
 *
 * clear_read: read right after, all of it, at the same addresses again and
 * again; ours is pmk_clear() without flags.  clear: not read, addresses that
 * no cache holds; ours is pmk_clear() with PMK_F_NONTEMPORAL.  dd: blocks of
 * 1 MiB by pmk_clear_user(), as dd reads /dev/zero, into one buffer (hot) and
 * one block after the other (stream).
 */
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>

#include <pmk/clear.h>

#include "base/util.h"
#include "bench/bench.h"
#include "bench/room.h"
#include "bench/suite.h"
#include "out.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/* More than a share of a last-level cache, which is what makes a stream. */
#define ROOM       (1024 * MIB)
#define ROOM_QUICK (512 * MIB)
#define ROOM_LEAST (64 * MIB)
/* Below this nobody asks for a clear that bypasses the cache. */
#define STREAM_MIN (4 * KIB)
/* Beyond this nothing stays in a cache, however often it is cleared. */
#define HOT_MAX (64 * MIB)
/* What NT stores are to be twice as fast as rep stosb from. */
#define NT_TARGET (32 * MIB)

static const size_t sizes[] = {
	64,      128,      256,      512,      1 * KIB,   2 * KIB,
	4 * KIB, 8 * KIB,  16 * KIB, 64 * KIB, 256 * KIB, 1 * MIB,
	4 * MIB, 16 * MIB, 32 * MIB, 64 * MIB, 128 * MIB, 256 * MIB,
};
static const size_t sizes_quick[] = { 64,       512,     4 * KIB,
				      64 * KIB, 1 * MIB, 32 * MIB };

/* Where the next clear goes: all sides of a case walk together, so that none
 * finds in a cache what another one has just cleared. */
struct walk {
	char *base;
	size_t room, len, off;
	bool hot;  /* always the same place */
	bool read; /* back, after each */
};

struct job {
	void (*run)(void *job, uint64_t ops);
	struct walk *walk;
	unsigned int number; /* of pmk_clear_by() */
};

static char *next(struct walk *w)
{
	char *p = w->base;

	if (w->hot)
		return p;
	if (w->off + w->len > w->room)
		w->off = 0;
	p += w->off;
	w->off += pmk_align_up(w->len, PMK_LINE_SIZE);
	return p;
}

/*
 * As fast as it can be read: the less time this takes, the more a difference
 * between clears shows.  Not in line: the same loop at the same address for all
 * sides, as where it lies is worth 5 % of 512 bytes.
 */
static __attribute__((noinline)) void read_back(const struct walk *w,
						const char *p)
{
	__m128i a = _mm_setzero_si128(), b = a;

	if (!w->read)
		return;
	for (size_t i = 0; i < w->len; i += 64) {
		const __m128i *v = (const void *)(p + i);

		a = _mm_or_si128(a, _mm_loadu_si128(v));
		b = _mm_or_si128(b, _mm_loadu_si128(v + 1));
		a = _mm_or_si128(a, _mm_loadu_si128(v + 2));
		b = _mm_or_si128(b, _mm_loadu_si128(v + 3));
	}
	a = _mm_or_si128(a, b);
	__asm__ volatile("" : : "x"(a));
}

/* The flags are constants, as they are wherever pmk_clear() is called. */
static void run_default(void *arg, uint64_t ops)
{
	const struct job *j = arg;

	while (ops--) {
		char *p = next(j->walk);

		pmk_clear(p, j->walk->len, 0);
		__asm__ volatile("" : : "r"(p) : "memory");
		read_back(j->walk, p);
	}
}

static void run_nontemporal(void *arg, uint64_t ops)
{
	const struct job *j = arg;

	while (ops--) {
		char *p = next(j->walk);

		pmk_clear(p, j->walk->len, PMK_F_NONTEMPORAL);
		read_back(j->walk, p);
	}
}

static void run_by(void *arg, uint64_t ops)
{
	const struct job *j = arg;

	while (ops--) {
		char *p = next(j->walk);

		/* it is asked before, so it does not fail */
		(void)!pmk_clear_by(j->number, p, j->walk->len);
		read_back(j->walk, p);
	}
}

static void run_memset(void *arg, uint64_t ops)
{
	const struct job *j = arg;

	while (ops--) {
		char *p = next(j->walk);
		size_t len = j->walk->len;

		/* or the compiler looks into it */
		__asm__("" : "+r"(len));
		memset(p, 0, len);
		__asm__ volatile("" : : "r"(p) : "memory");
		read_back(j->walk, p);
	}
}

static void run_user(void *arg, uint64_t ops)
{
	const struct job *j = arg;

	while (ops--) {
		char *p = next(j->walk);

		(void)pmk_clear_user(p, j->walk->len);
		read_back(j->walk, p);
	}
}

/*
 * A place that is the same each time is for each side as it leaves it itself,
 * whoever was there before; not timed.  A last-level cache takes lines in
 * slowly: after a non-temporal clear of 32 MiB it was eight passes until the
 * next ones took the same time each.
 */
static void prepare(void *arg, uint64_t ops)
{
	struct job *j = arg;

	(void)ops;
	if (j->walk->hot)
		j->run(j, j->walk->len <= HOT_MAX ? 8 : 1);
}

struct bench {
	struct bench_suite s;
	struct bench_room room;
	struct walk walk;
	struct job job[BENCHFN_SIDES];
	struct bench_side_def side[BENCHFN_SIDES];
	size_t n_sides;
};

static void add_side(struct bench *b, const char *key, const char *variant,
		     void (*run)(void *, uint64_t), unsigned int number)
{
	struct bench_side_def *side = &b->side[b->n_sides];

	if (b->n_sides == BENCHFN_SIDES)
		return;
	b->job[b->n_sides] = (struct job){ run, &b->walk, number };
	*side = (struct bench_side_def){
		.key = key,
		.variant = variant,
		.fn = { .run = run,
			.prepare = prepare,
			.arg = { &b->job[b->n_sides] } },
	};
	b->n_sides++;
}

/* memset is called as everybody calls it, the others by their numbers. */
static void add_variant(struct bench *b, unsigned int number)
{
	const char *name = pmk_clear_variant_name(number);
	char byte;

	if (!strcmp(name, "memset"))
		add_side(b, name, NULL, run_memset, 0);
	else if (!pmk_clear_by(number, &byte, 1))
		add_side(b, name, NULL, run_by, number);
}

static bool is_nt(const char *name)
{
	return !strncmp(name, "nt_", 3);
}

/*
 * The non-temporal ones first.  Sides take turns in this order, and where a
 * range just fits in a cache, who comes after a non-temporal clear still pays
 * for it after eight passes: that is loop8, and neither pmk nor memset, which
 * are at the other end.
 */
static void add_variants(struct bench *b)
{
	const char *name;

	for (unsigned int i = 0; (name = pmk_clear_variant_name(i)); i++)
		if (is_nt(name))
			add_variant(b, i);
	for (unsigned int i = 0; (name = pmk_clear_variant_name(i)); i++)
		if (!is_nt(name))
			add_variant(b, i);
}

static void measure(struct bench *b, const char *op, const char *pattern,
		    size_t size)
{
	const struct bench_case what = { .op = op,
					 .size = size,
					 .pattern = pattern };
	const struct bench_work work = { 0 };

	b->walk.len = size;
	b->walk.hot = !strcmp(pattern, "hot");
	b->walk.read = !strcmp(op, "clear_read");
	bench_suite_case(&b->s, &what, b->side, b->n_sides, &work);
}

static void measure_read(struct bench *b, size_t size)
{
	b->n_sides = 0;
	add_side(b, "pmk", "default", run_default, 0);
	add_side(b, "pmk_nontemporal", NULL, run_nontemporal, 0);
	add_variants(b);
	measure(b, "clear_read", "hot", size);
}

static void measure_stream(struct bench *b, size_t size)
{
	b->n_sides = 0;
	add_side(b, "pmk", "nontemporal", run_nontemporal, 0);
	add_side(b, "pmk_default", NULL, run_default, 0);
	add_variants(b);
	measure(b, "clear", "stream", size);
}

static void measure_dd(struct bench *b)
{
	b->n_sides = 0;
	add_side(b, "pmk", "clear_user", run_user, 0);
	add_variants(b);
	measure(b, "dd", "hot", MIB);
	measure(b, "dd", "stream", MIB);
}

static bool wants(const struct bench *b, size_t size)
{
	return bench_wants_size(b->s.opt, size) && size <= b->room.size / 4;
}

/* The largest of --quick is for the stream; warming it up takes too long. */
static bool reads(const struct bench *b, size_t size)
{
	return wants(b, size) && (!b->s.opt->quick || size < NT_TARGET);
}

static bool streams(const struct bench *b, size_t size)
{
	return wants(b, size) && size >= STREAM_MIN;
}

static void measure_all(struct bench *b)
{
	bool quick = b->s.opt->quick;
	const size_t *size = quick ? sizes_quick : sizes;
	size_t n = quick ? ARRAY_SIZE(sizes_quick) : ARRAY_SIZE(sizes);
	size_t cases = 0;

	for (size_t i = 0; i < n; i++)
		cases += reads(b, size[i]) + streams(b, size[i]);
	bench_suite_expect(&b->s, cases + (wants(b, MIB) ? 2 : 0));
	for (size_t i = 0; i < n; i++)
		if (reads(b, size[i]))
			measure_read(b, size[i]);
	for (size_t i = 0; i < n; i++)
		if (streams(b, size[i]))
			measure_stream(b, size[i]);
	if (wants(b, MIB))
		measure_dd(b);
}

/* The worst ratio to @key among the cases of @op from @min bytes on. */
static void add_target(struct bench_suite *s, struct bench_target t,
		       const char *op, const char *key, size_t min)
{
	t.at_least = true;
	t.why_not = "none of these sizes";
	for (size_t i = 0; i < s->n_cases; i++) {
		const struct bench_case *c = &s->cases[i];
		double ratio = bench_case_ratio(c, key);

		if (strcmp(c->op, op) || c->size < min || ratio <= 0)
			continue;
		if (!t.known || ratio < t.value)
			t.value = ratio;
		t.known = true;
	}
	bench_suite_target(s, &t);
}

static void conclude(struct bench_suite *s)
{
	add_target(s,
		   (struct bench_target){
			   .key = "read_over_memset",
			   .text = "clear_read: memset / pmk, worst",
			   .bound = 0.97 },
		   "clear_read", "memset", 0);
	add_target(s,
		   (struct bench_target){
			   .key = "nt_over_rep_stosb",
			   .text = "clear, 32 MiB on: rep_stosb / pmk, worst",
			   .bound = 2 },
		   "clear", "rep_stosb", NT_TARGET);
	bench_suite_note(
		s,
		"loop8 is the loop of Linux up to 5.19.  The variants are "
		"called by number, which takes 2 ns; memset and pmk are not.");
	bench_suite_note(
		s, "The variants that begin with nt_, and pmk in the cases "
		   "named clear, leave the range durable; the others do not.");
	bench_suite_note(
		s, "Published for dd bs=1M, Skylake, 2021: 15.7 GB/s with "
		   "loop8, 29.8 GB/s with rep_stosb.");
}

int bench_clear(const struct bench_options *opt)
{
	size_t room = opt->quick ? ROOM_QUICK : ROOM;
	struct bench b = { .n_sides = 0 };
	int rc;

	bench_suite_init(&b.s, "clear", opt);
	rc = bench_room_open(&b.room, &b.s, room, ROOM_LEAST);
	if (rc) {
		bench_suite_fini(&b.s);
		return rc;
	}
	b.walk.base = b.room.addr;
	b.walk.room = pmk_min_size(b.room.size, room);
	measure_all(&b);
	bench_room_close(&b.room);
	conclude(&b.s);
	return bench_suite_finish(&b.s);
}
