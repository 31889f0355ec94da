/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops that pmk bench copy and set time.  A loop is written once, as a
 * function that is inlined into each of its users, and what it calls is passed
 * as a constant: the compiler makes a direct call, or inline code, of it.
 */
#include <string.h>

#include <pmk/copy.h>
#include <pmk/flush.h>
#include <pmk/kernel.h>
#include <pmk/tune.h>

#include "base/util.h"
#include "bench/copy_sides.h"

const char *const copy_policy_names[COPY_POLICIES] = {
	[COPY_PERSIST] = "persist",
	[COPY_NODRAIN] = "nodrain",
	[COPY_BATCHED] = "batch64",
};

/* One operation: @dst is where, and @src from where. */
typedef void one_fn(const struct copy_job *j, char *dst, const char *src);
typedef void drain_fn(const struct copy_job *j);

#define INLINE static inline __attribute__((always_inline))

/* The offset of the next @n destinations. */
INLINE size_t advance(struct copy_job *j, size_t n)
{
	size_t at = j->place->at, span = n * j->step;

	if (at + span > j->room)
		at = 0;
	j->place->at = at + span;
	return at;
}

/* One after the other, then a drain if there is one. */
INLINE void run_single(struct copy_job *j, uint64_t ops, one_fn *one,
		       drain_fn *drain)
{
	for (; ops; ops--) {
		size_t at = advance(j, 1);

		one(j, j->dst + at, j->src + (j->follow ? at : 0));
	}
	if (drain)
		drain(j); /* the round */
}

/* 64 at a time, without gaps, from one source. */
INLINE void run_batch(struct copy_job *j, uint64_t ops, one_fn *one,
		      drain_fn *drain)
{
	for (; ops; ops -= COPY_BATCH) {
		char *dst = j->dst + advance(j, COPY_BATCH);

		for (size_t i = 0; i < COPY_BATCH; i++, dst += j->step)
			one(j, dst, j->src);
		drain(j); /* the batch */
	}
}

INLINE void drain_pmk(const struct copy_job *j)
{
	(void)j;
	pmk_drain();
}

INLINE void drain_peer(const struct copy_job *j)
{
	j->peer->drain();
}

/* Copies. */

INLINE void copy_persist_pmk(const struct copy_job *j, char *dst,
			     const char *src)
{
	pmk_memcpy(dst, src, j->len, 0);
}

INLINE void copy_nodrain_pmk(const struct copy_job *j, char *dst,
			     const char *src)
{
	pmk_memcpy(dst, src, j->len, PMK_F_NODRAIN);
}

INLINE void copy_persist_peer(const struct copy_job *j, char *dst,
			      const char *src)
{
	j->peer->memcpy_persist(dst, src, j->len);
}

INLINE void copy_nodrain_peer(const struct copy_job *j, char *dst,
			      const char *src)
{
	j->peer->memcpy_nodrain(dst, src, j->len);
}

INLINE void copy_persist_libc(const struct copy_job *j, char *dst,
			      const char *src)
{
	memcpy(dst, src, j->len);
	pmk_persist(dst, j->len);
}

INLINE void copy_nodrain_libc(const struct copy_job *j, char *dst,
			      const char *src)
{
	memcpy(dst, src, j->len);
	pmk_flush(dst, j->len);
}

/* Fills: what is filled in is the first byte of the source. */

INLINE void set_persist_pmk(const struct copy_job *j, char *dst,
			    const char *src)
{
	pmk_memset(dst, *src, j->len, 0);
}

INLINE void set_nodrain_pmk(const struct copy_job *j, char *dst,
			    const char *src)
{
	pmk_memset(dst, *src, j->len, PMK_F_NODRAIN);
}

INLINE void set_persist_peer(const struct copy_job *j, char *dst,
			     const char *src)
{
	j->peer->memset_persist(dst, *src, j->len);
}

INLINE void set_nodrain_peer(const struct copy_job *j, char *dst,
			     const char *src)
{
	j->peer->memset_nodrain(dst, *src, j->len);
}

INLINE void set_persist_libc(const struct copy_job *j, char *dst,
			     const char *src)
{
	memset(dst, *src, j->len);
	pmk_persist(dst, j->len);
}

INLINE void set_nodrain_libc(const struct copy_job *j, char *dst,
			     const char *src)
{
	memset(dst, *src, j->len);
	pmk_flush(dst, j->len);
}

/* libc's batch is flushed as a whole: nobody who knows that 64 pieces lie side
 * by side flushes them one by one. */
INLINE void plain_copy(const struct copy_job *j, char *dst, const char *src)
{
	memcpy(dst, src, j->len);
}

INLINE void plain_set(const struct copy_job *j, char *dst, const char *src)
{
	memset(dst, *src, j->len);
}

INLINE void run_libc_batch(struct copy_job *j, uint64_t ops, one_fn *one)
{
	for (; ops; ops -= COPY_BATCH) {
		char *start = j->dst + advance(j, COPY_BATCH), *dst = start;

		for (size_t i = 0; i < COPY_BATCH; i++, dst += j->step)
			one(j, dst, j->src);
		pmk_persist(start, COPY_BATCH * j->step);
	}
}

#define RUN(name, loop, one, drain)               \
	static void name(void *arg, uint64_t ops) \
	{                                         \
		loop(arg, ops, one, drain);       \
	}

RUN(run_copy_persist_pmk, run_single, copy_persist_pmk, NULL)
RUN(run_copy_nodrain_pmk, run_single, copy_nodrain_pmk, drain_pmk)
RUN(run_copy_batch_pmk, run_batch, copy_nodrain_pmk, drain_pmk)
RUN(run_copy_persist_peer, run_single, copy_persist_peer, NULL)
RUN(run_copy_nodrain_peer, run_single, copy_nodrain_peer, drain_peer)
RUN(run_copy_batch_peer, run_batch, copy_nodrain_peer, drain_peer)
RUN(run_copy_persist_libc, run_single, copy_persist_libc, NULL)
RUN(run_copy_nodrain_libc, run_single, copy_nodrain_libc, drain_pmk)
RUN(run_set_persist_pmk, run_single, set_persist_pmk, NULL)
RUN(run_set_nodrain_pmk, run_single, set_nodrain_pmk, drain_pmk)
RUN(run_set_batch_pmk, run_batch, set_nodrain_pmk, drain_pmk)
RUN(run_set_persist_peer, run_single, set_persist_peer, NULL)
RUN(run_set_nodrain_peer, run_single, set_nodrain_peer, drain_peer)
RUN(run_set_batch_peer, run_batch, set_nodrain_peer, drain_peer)
RUN(run_set_persist_libc, run_single, set_persist_libc, NULL)
RUN(run_set_nodrain_libc, run_single, set_nodrain_libc, drain_pmk)

static void run_copy_batch_libc(void *arg, uint64_t ops)
{
	run_libc_batch(arg, ops, plain_copy);
}

static void run_set_batch_libc(void *arg, uint64_t ops)
{
	run_libc_batch(arg, ops, plain_set);
}

/* Inline flushcache: a loop for each size that is a constant in it. */

#define FLUSHCACHE(n)                                                          \
	INLINE void flushcache_##n(const struct copy_job *j, char *dst,        \
				   const char *src)                            \
	{                                                                      \
		(void)j;                                                       \
		pmk_memcpy_flushcache(dst, src, n);                            \
	}                                                                      \
	RUN(run_flushcache_nodrain_##n, run_single, flushcache_##n, drain_pmk) \
	RUN(run_flushcache_batch_##n, run_batch, flushcache_##n, drain_pmk)

FLUSHCACHE(4)
FLUSHCACHE(8)
FLUSHCACHE(16)
FLUSHCACHE(24)
FLUSHCACHE(32)
FLUSHCACHE(48)
FLUSHCACHE(64)
FLUSHCACHE(80)
FLUSHCACHE(96)

typedef void run_fn(void *arg, uint64_t ops);

const size_t flushcache_sizes[] = { 4, 8, 16, 24, 32, 48, 64, 80, 96, 0 };

/* In the order of flushcache_sizes. */
static run_fn *const flushcache_runs[][2] = {
	{ run_flushcache_nodrain_4, run_flushcache_batch_4 },
	{ run_flushcache_nodrain_8, run_flushcache_batch_8 },
	{ run_flushcache_nodrain_16, run_flushcache_batch_16 },
	{ run_flushcache_nodrain_24, run_flushcache_batch_24 },
	{ run_flushcache_nodrain_32, run_flushcache_batch_32 },
	{ run_flushcache_nodrain_48, run_flushcache_batch_48 },
	{ run_flushcache_nodrain_64, run_flushcache_batch_64 },
	{ run_flushcache_nodrain_80, run_flushcache_batch_80 },
	{ run_flushcache_nodrain_96, run_flushcache_batch_96 },
};

static run_fn *const copy_runs[COPY_POLICIES][COPY_SIDES] = {
	[COPY_PERSIST] = { run_copy_persist_pmk, run_copy_persist_peer,
			   run_copy_persist_libc },
	[COPY_NODRAIN] = { run_copy_nodrain_pmk, run_copy_nodrain_peer,
			   run_copy_nodrain_libc },
	[COPY_BATCHED] = { run_copy_batch_pmk, run_copy_batch_peer,
			   run_copy_batch_libc },
};

static run_fn *const set_runs[COPY_POLICIES][COPY_SIDES] = {
	[COPY_PERSIST] = { run_set_persist_pmk, run_set_persist_peer,
			   run_set_persist_libc },
	[COPY_NODRAIN] = { run_set_nodrain_pmk, run_set_nodrain_peer,
			   run_set_nodrain_libc },
	[COPY_BATCHED] = { run_set_batch_pmk, run_set_batch_peer,
			   run_set_batch_libc },
};

/* @run: of pmk, libpmem, libc */
static size_t fill(run_fn *const run[COPY_SIDES], const char *variant,
		   const struct peer_pmem *peer,
		   struct bench_side_def sides[COPY_SIDES])
{
	size_t n = 0;

	sides[n++] = (struct bench_side_def){ .key = "pmk",
					      .variant = variant,
					      .fn = { .run = run[0] } };
	if (*peer->file)
		sides[n++] =
			(struct bench_side_def){ .key = "libpmem",
						 .variant = peer->copy_variant,
						 .fn = { .run = run[1] } };
	sides[n++] = (struct bench_side_def){ .key = "libc",
					      .fn = { .run = run[2] } };
	return n;
}

/* The kernel that does most of such a copy, by the thresholds in force. */
static const char *kernel_of(enum copy_policy policy, size_t size,
			     size_t dst_offset)
{
	bool drained = policy == COPY_PERSIST;
	bool lines = !(dst_offset % PMK_LINE_SIZE) && !(size % PMK_LINE_SIZE);
	struct pmk_tuning t;

	if (pmk_tuning_get(PMK_MEDIUM_DRAM, &t))
		return NULL;
	if (size >= t.eight_streams)
		return pmk_op_kernel(PMK_OP_COPY_BLOCKS);
	if (size >= (drained ? t.two_streams : t.two_streams_nodrain))
		return pmk_op_kernel(PMK_OP_COPY_STREAMS);
	if (drained && size < (lines ? t.nt_lines : t.nt_edges))
		return pmk_op_kernel(PMK_OP_COPY_CACHED);
	return pmk_op_kernel(drained ? PMK_OP_COPY_DRAINED : PMK_OP_COPY);
}

size_t copy_sides(enum copy_policy policy, size_t size, size_t dst_offset,
		  const struct peer_pmem *peer,
		  struct bench_side_def sides[COPY_SIDES])
{
	return fill(copy_runs[policy], kernel_of(policy, size, dst_offset),
		    peer, sides);
}

size_t set_sides(enum copy_policy policy, const struct peer_pmem *peer,
		 struct bench_side_def sides[COPY_SIDES])
{
	return fill(set_runs[policy], pmk_op_kernel(PMK_OP_SET), peer, sides);
}

size_t flushcache_sides(enum copy_policy policy, size_t size,
			const struct peer_pmem *peer,
			struct bench_side_def sides[COPY_SIDES])
{
	run_fn *run[COPY_SIDES];

	memcpy(run, copy_runs[policy], sizeof(run));
	for (size_t i = 0; flushcache_sizes[i]; i++)
		if (flushcache_sizes[i] == size)
			run[0] = flushcache_runs[i][policy == COPY_BATCHED];
	return fill(run, "movnti", peer, sides);
}
