/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench flush: lines that were stored to, or not, made durable by the
 * library, by libpmem and by each of the CPU's flush instructions; on a file
 * whose granularity is a page, by msync(2).
 */
#include <stdio.h>
#include <sys/mman.h>

#include <pmk/cpu.h>
#include <pmk/flush.h>
#include <pmk/kernel.h>

#include "base/util.h"
#include "bench/bench.h"
#include "bench/peer.h"
#include "bench/room.h"
#include "bench/suite.h"
#include "pmk.h"

/* of a side */
#define ROOM       ((size_t)64 << 20)
#define ROOM_QUICK ((size_t)16 << 20)
#define MAX_SIDES  5
#define PAGE       4096

static const size_t sizes[] = {
	64, 128, 256, 1024, 4096, 16384, 65536, 1 << 20,
};

enum pattern {
	DIRTY_HOT,    /* a word of each line is stored to, then flushed */
	DIRTY_STREAM, /* the same, through all of the room */
	CLEAN_HOT,    /* nothing is stored */
	PATTERNS,
};

static const char *const pattern_names[PATTERNS] = {
	[DIRTY_HOT] = "dirty_hot",
	[DIRTY_STREAM] = "dirty_stream",
	[CLEAN_HOT] = "clean_hot",
};

struct job {
	char *base;
	size_t len;
	size_t step;
	size_t *at; /* of all sides, so that none finds what another fetched */
	size_t room;
	uint64_t value;
	bool dirty;
	const struct peer_pmem *peer;
	struct pmk_map *map;
	void (*lines)(const void *line, size_t n);
};

struct flush_bench {
	const struct bench_options *opt;
	struct bench_suite suite;
	struct bench_room room;
	struct peer_pmem peer;
	bool pages; /* what is measured is msync(2) */
};

/* The next range, with its lines as they should be. */
static inline char *next(struct job *j)
{
	char *p;

	if (*j->at + j->len > j->room)
		*j->at = 0;
	p = j->base + *j->at;
	*j->at += j->step;
	if (j->dirty) {
		j->value++;
		for (size_t i = 0; i < j->len; i += PMK_LINE_SIZE)
			*(volatile uint64_t *)(p + i) = j->value;
	}
	return p;
}

/* The bare instructions. */

#define LINES(name, instruction)                                     \
	static void name(const void *line, size_t n)                 \
	{                                                            \
		const char *p = line;                                \
                                                                     \
		for (; n; n--, p += PMK_LINE_SIZE)                   \
			__asm__ volatile(instruction " %0" ::"m"(*p) \
					 : "memory");                \
	}

LINES(lines_clwb, "clwb")
LINES(lines_clflushopt, "clflushopt")
LINES(lines_clflush, "clflush")

static const struct {
	const char *name;
	uint32_t needs;
	void (*lines)(const void *line, size_t n);
} instructions[] = {
	{ "clwb", PMK_CPU_CLWB, lines_clwb },
	{ "clflushopt", PMK_CPU_CLFLUSHOPT, lines_clflushopt },
	{ "clflush", PMK_CPU_CLFLUSH, lines_clflush },
};

static void persist_pmk(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--)
		pmk_persist(next(j), j->len);
}

static void persist_peer(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--)
		j->peer->persist(next(j), j->len);
}

static void persist_kernel(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--) {
		j->lines(next(j), j->len / PMK_LINE_SIZE);
		pmk_drain(); /* the lines just flushed */
	}
}

static void flush_pmk(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--)
		pmk_flush(next(j), j->len);
	pmk_drain(); /* the round */
}

static void flush_peer(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--)
		j->peer->flush(next(j), j->len);
	j->peer->drain();
}

static void flush_kernel(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--)
		j->lines(next(j), j->len / PMK_LINE_SIZE);
	pmk_drain(); /* the round */
}

/* A failing disk would not be a fast one: errors show as EIO at the end. */
static void msync_pmk(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--)
		(void)!pmk_map_persist(j->map, next(j), j->len);
}

static void msync_peer(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--)
		j->peer->msync(next(j), j->len);
}

static void msync_libc(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--) {
		char *p = next(j);
		size_t in_page = (size_t)(p - j->base) % PAGE;

		msync(p - in_page, in_page + j->len, MS_SYNC);
	}
}

/* Before a round in one place: clflush leaves no line in the cache, clwb
 * does. */
static void fetch(void *arg, uint64_t ops)
{
	const struct job *j = arg;

	(void)ops;
	for (size_t i = 0; i < j->len; i += PMK_LINE_SIZE)
		(void)*(volatile char *)(j->base + i);
}

/* One more side. */
static void add(struct bench_side_def *sides, struct job *jobs, size_t *n,
		const struct job *like, const struct bench_side_def *side)
{
	jobs[*n] = *like;
	sides[*n] = *side;
	sides[*n].fn.arg[0] = &jobs[*n];
	/* the same memory for all: which slice of the cache and which bank a
	 * line is in is worth 15 % */
	if (!like->step)
		sides[*n].fn.prepare = fetch;
	(*n)++;
}

static size_t line_sides(const struct flush_bench *b, const struct job *like,
			 bool drain, struct bench_side_def *sides,
			 struct job *jobs)
{
	size_t n = 0;

	add(sides, jobs, &n, like,
	    &(struct bench_side_def){
		    .key = "pmk",
		    .variant = pmk_op_kernel(PMK_OP_FLUSH),
		    .fn = { .run = drain ? persist_pmk : flush_pmk } });
	if (*b->peer.file)
		add(sides, jobs, &n, like,
		    &(struct bench_side_def){
			    .key = "libpmem",
			    .variant = b->peer.flush_variant,
			    .fn = { .run = drain ? persist_peer
						 : flush_peer } });
	for (size_t i = 0; i < ARRAY_SIZE(instructions); i++) {
		const char *name = instructions[i].name;

		if (!(pmk_cpu_features() & instructions[i].needs))
			continue;
		add(sides, jobs, &n, like,
		    &(struct bench_side_def){
			    .key = name,
			    .variant = name,
			    .fn = { .run = drain ? persist_kernel
						 : flush_kernel } });
		jobs[n - 1].lines = instructions[i].lines;
	}
	return n;
}

static size_t page_sides(const struct flush_bench *b, const struct job *like,
			 struct bench_side_def *sides, struct job *jobs)
{
	size_t n = 0;

	add(sides, jobs, &n, like,
	    &(struct bench_side_def){ .key = "pmk",
				      .variant = "msync",
				      .fn = { .run = msync_pmk } });
	if (*b->peer.file)
		add(sides, jobs, &n, like,
		    &(struct bench_side_def){ .key = "libpmem",
					      .variant = "msync",
					      .fn = { .run = msync_peer } });
	add(sides, jobs, &n, like,
	    &(struct bench_side_def){ .key = "libc",
				      .variant = "msync",
				      .fn = { .run = msync_libc } });
	return n;
}

static void measure(struct flush_bench *b, size_t size, enum pattern pattern,
		    bool drain)
{
	size_t at = 0;
	const struct job like = {
		.base = b->room.addr,
		.at = &at,
		.len = size,
		.step = pattern == DIRTY_STREAM ? size : 0,
		.room = b->room.size / PAGE * PAGE,
		.dirty = pattern != CLEAN_HOT,
		.peer = &b->peer,
		.map = b->room.map,
	};
	const struct bench_case what = {
		.op = b->pages ? "msync"
		      : drain  ? "persist"
			       : "flush",
		.size = size,
		.pattern = pattern_names[pattern],
	};
	/* one msync of a disk takes milliseconds */
	const struct bench_work work = {
		.latency = drain,
		.max_ops = b->pages ? 1024 : 0,
	};
	struct bench_side_def sides[MAX_SIDES] = { { .key = NULL } };
	struct job jobs[MAX_SIDES];
	size_t n = b->pages ? page_sides(b, &like, sides, jobs)
			    : line_sides(b, &like, drain, sides, jobs);

	bench_suite_case(&b->suite, &what, sides, n, &work);
}

static void measure_all(struct flush_bench *b)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		n += bench_wants_size(b->opt, sizes[i]);
	bench_suite_expect(&b->suite, n * PATTERNS * (b->pages ? 1 : 2));
	for (int drain = 1; drain >= (b->pages ? 1 : 0); drain--)
		for (unsigned int p = 0; p < PATTERNS; p++)
			for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
				if (bench_wants_size(b->opt, sizes[i]))
					measure(b, sizes[i], p, drain);
}

int bench_flush(const struct bench_options *opt)
{
	struct flush_bench b = { .opt = opt, .room = { .allow_pages = true } };
	size_t room = opt->quick ? ROOM_QUICK : ROOM;
	int rc;

	bench_suite_init(&b.suite, "flush", opt);
	peer_load_pmem(&b.peer);
	bench_suite_peer(&b.suite, "libpmem", b.peer.file, b.peer.why);
	rc = bench_room_open(&b.room, &b.suite, room, (size_t)8 << 20);
	if (!rc) {
		b.pages =
			pmk_map_granularity(b.room.map) == PMK_GRANULARITY_PAGE;
		measure_all(&b);
		bench_suite_note(
			&b.suite,
			b.pages ? "A page is the granularity there: each side "
				  "stores to the lines, or not, and calls "
				  "msync(2)."
				: "Each side stores a word to each line "
				  "(dirty), or not (clean), and flushes them; "
				  "persist drains each time, flush once a "
				  "round.");
		rc = bench_suite_finish(&b.suite);
	}
	bench_room_close(&b.room);
	bench_suite_fini(&b.suite);
	return rc;
}
