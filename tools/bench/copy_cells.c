/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory, the cells and the measurement of pmk bench copy and set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/flush.h>

#include "base/util.h"
#include "bench/copy_cells.h"
#include "out.h"
#include "pmk.h"

/* More than any cache holds; with --quick, more than most. */
#define ROOM       ((size_t)256 << 20)
#define ROOM_QUICK ((size_t)64 << 20)
/* The least that a file or device must have for a thread. */
#define ROOM_LEAST ((size_t)2 << 20)
/* Behind a room, for the offsets. */
#define SLACK ((size_t)4096)
/* So that all of it takes less than five minutes, and --quick less than 20
 * seconds. */
#define ROUNDS       21
#define ROUNDS_QUICK 41
#define ROUND_NS     150000
#define BUDGET_NS    120000000
/* Percentiles are told of what is over in a microsecond, at the offsets that
 * reports draw. */
#define LATENCY_MAX 4096

static const char *const pattern_names[COPY_PATTERNS] = {
	[COPY_HOT] = "hot",
	[COPY_STREAM] = "stream",
};

static size_t largest_size(const struct bench_options *opt)
{
	size_t max = 0;

	for (size_t i = 0; i < opt->n_sizes; i++)
		max = opt->sizes[i] > max ? opt->sizes[i] : max;
	return max;
}

static size_t wanted_room(const struct bench_options *opt)
{
	size_t room = opt->quick ? ROOM_QUICK : ROOM;

	return pmk_align_up(largest_size(opt) > room ? largest_size(opt) : room,
			    ROOM_LEAST);
}

int copy_bench_open(struct copy_bench *b)
{
	size_t threads = benchfn_cpus() > 1 ? 2 : 1;
	size_t want = (wanted_room(b->opt) + ROOM_LEAST) * threads;
	int rc = bench_room_open(&b->dst, &b->suite, want, 2 * ROOM_LEAST);

	if (rc)
		return rc;
	b->stride = b->dst.size / threads / ROOM_LEAST * ROOM_LEAST;
	b->room = b->stride - SLACK;
	/* whole lines and powers of two fit as often as they should */
	if (b->dst.size >= want)
		b->room = wanted_room(b->opt);
	return bench_room_dram(&b->src, b->stride * threads);
}

void copy_bench_init(struct copy_bench *b, const char *op,
		     const struct bench_options *opt)
{
	*b = (struct copy_bench){ .opt = opt };
	bench_suite_init(&b->suite, op, opt);
	peer_load_pmem(&b->peer);
	bench_suite_peer(&b->suite, "libpmem", b->peer.file, b->peer.why);
	if (*b->peer.file) {
		char text[64];

		snprintf(text, sizeof(text), "%s, %s", b->peer.copy_variant,
			 b->peer.flush_variant);
		bench_suite_fact(&b->suite, "libpmem_variant", text);
	}
}

void copy_bench_close(struct copy_bench *b)
{
	bench_room_close(&b->dst);
	bench_room_close(&b->src);
	free(b->cells);
	bench_suite_fini(&b->suite);
}

/* What does not fit, and what would be the same as another cell. */
static bool is_wanted(const struct copy_bench *b, const struct copy_cell *c)
{
	size_t span =
		c->policy == COPY_BATCHED ? c->size * COPY_BATCH : c->size;

	if (span > b->room || c->threads > benchfn_cpus())
		return false;
	/* that much again and again streams by itself */
	return c->pattern == COPY_STREAM || span <= b->room / 2;
}

void copy_bench_add(struct copy_bench *b, const struct copy_cell *c)
{
	if (!is_wanted(b, c))
		return;
	if (b->n_cells == b->cells_max) {
		struct copy_cell *cells;

		b->cells_max = b->cells_max ? 2 * b->cells_max : 256;
		cells = reallocarray(b->cells, b->cells_max, sizeof(*cells));
		if (!cells)
			out_of_memory();
		b->cells = cells;
	}
	b->cells[b->n_cells++] = *c;
}

/* The offsets of one line of the matrix. */
static void add_offsets(struct copy_bench *b, const struct copy_matrix *m,
			struct copy_cell c)
{
	for (size_t d = 0; d < m->n_dst_offsets; d++)
		for (size_t s = 0; s < m->n_src_offsets; s++) {
			c.dst_offset = m->dst_offsets[d];
			c.src_offset = m->src_offsets[s];
			copy_bench_add(b, &c);
		}
}

void copy_bench_add_all(struct copy_bench *b, const struct copy_matrix *m,
			int op)
{
	for (unsigned int policy = 0; policy < COPY_POLICIES; policy++)
		for (unsigned int p = 0; p < COPY_PATTERNS; p++)
			for (size_t i = 0; i < m->n_sizes; i++)
				if (m->policies & 1U << policy &&
				    m->patterns & 1U << p)
					add_offsets(
						b, m,
						(struct copy_cell){
							.op = op,
							.size = m->sizes[i],
							.policy = policy,
							.pattern = p,
							.threads = m->threads,
						});
}

/* From one destination to the next. */
static size_t step_of(const struct copy_cell *c)
{
	if (c->policy == COPY_BATCHED) /* without gaps, as a log is written */
		return c->size;
	if (c->pattern == COPY_HOT)
		return 0;
	/* each at the same offset in its line */
	return pmk_align_up(c->size, PMK_LINE_SIZE);
}

static struct copy_job job_of(const struct copy_bench *b,
			      const struct copy_cell *c, size_t thread)
{
	size_t step = step_of(c);

	return (struct copy_job){
		.dst = b->dst.addr + thread * b->stride + c->dst_offset,
		.src = b->src.addr + thread * b->stride + c->src_offset,
		.len = c->size,
		.step = step,
		.room = c->pattern == COPY_HOT ? step * COPY_BATCH : b->room,
		/* what is appended comes from a buffer that stays */
		.follow = c->policy != COPY_BATCHED && c->op == CELL_COPY,
		.peer = &b->peer,
	};
}

static struct bench_case case_of(const struct copy_cell *c)
{
	static const char *const ops[] = {
		[CELL_COPY] = "copy",
		[CELL_FLUSHCACHE] = "flushcache",
		[CELL_SET] = "set",
	};

	return (struct bench_case){
		.op = ops[c->op],
		.size = c->size,
		.dst_offset = c->dst_offset,
		.src_offset = c->src_offset,
		.policy = copy_policy_names[c->policy],
		.pattern = pattern_names[c->pattern],
		.threads = c->threads,
	};
}

static void measure_cell(struct copy_bench *b, const struct copy_cell *c)
{
	struct copy_place place[BENCHFN_THREADS] = { { 0 } };
	struct copy_job jobs[COPY_SIDES][BENCHFN_THREADS];
	struct bench_side_def sides[COPY_SIDES];
	const struct bench_case what = case_of(c);
	const struct bench_work work = {
		.unit = c->policy == COPY_BATCHED ? COPY_BATCH : 1,
		.rounds = b->opt->quick ? ROUNDS_QUICK : ROUNDS,
		.round_ns = ROUND_NS,
		.budget_ns = BUDGET_NS,
		.latency = c->policy == COPY_PERSIST && c->threads == 1 &&
			   !c->src_offset &&
			   (!c->dst_offset || c->dst_offset == 8) &&
			   c->size <= LATENCY_MAX,
	};
	size_t n =
		c->op == CELL_SET ? set_sides(c->policy, &b->peer, sides)
		: c->op == CELL_COPY
			? copy_sides(c->policy, c->size, c->dst_offset,
				     &b->peer, sides)
			: flushcache_sides(c->policy, c->size, &b->peer, sides);

	for (size_t s = 0; s < n; s++)
		for (size_t t = 0; t < c->threads; t++) {
			jobs[s][t] = job_of(b, c, t);
			jobs[s][t].place = &place[t];
			sides[s].fn.arg[t] = &jobs[s][t];
		}
	bench_suite_case(&b->suite, &what, sides, n, &work);
}

void copy_bench_measure(struct copy_bench *b)
{
	bench_suite_expect(&b->suite, b->suite.n_cases + b->n_cells);
	for (size_t i = 0; i < b->n_cells; i++)
		measure_cell(b, &b->cells[i]);
	b->n_cells = 0;
}
