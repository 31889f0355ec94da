/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pmk bench copy and set time: the loops of each side.  All sides of a
 * case work on the same memory.
 */
#ifndef TOOLS_BENCH_COPY_SIDES_H
#define TOOLS_BENCH_COPY_SIDES_H

#include <stddef.h>

#include "bench/peer.h"
#include "bench/suite.h"

#define COPY_BATCH 64 /* operations of a batch */
#define COPY_SIDES 3

enum copy_policy {
	COPY_PERSIST, /* each operation is durable before the next */
	COPY_NODRAIN, /* flushed or non-temporal; one drain ends the round */
	COPY_BATCHED, /* one drain after 64 of them */
	COPY_POLICIES,
};

extern const char *const copy_policy_names[COPY_POLICIES];

/* Offset of the next destination of a thread.  All sides of a case share it:
 * else the second one would find what the first has fetched into the cache. */
struct copy_place {
	size_t at;
} __attribute__((aligned(64)));

/* What a side works on, for one thread. */
struct copy_job {
	char *dst;
	const char *src;
	size_t len;
	size_t step; /* from one destination to the next */
	size_t room; /* that destinations go through, from dst on */
	struct copy_place *place;
	bool follow; /* the source goes along */
	const struct peer_pmem *peer;
};

/* The sides of a case, in @sides: pmk, libpmem if @peer has it, libc.  Return
 * their number. */
size_t copy_sides(enum copy_policy policy, size_t size, size_t dst_offset,
		  const struct peer_pmem *peer,
		  struct bench_side_def sides[COPY_SIDES]);
size_t set_sides(enum copy_policy policy, const struct peer_pmem *peer,
		 struct bench_side_def sides[COPY_SIDES]);

/* The sizes that pmk_memcpy_flushcache() is given as constants; 0 ends. */
extern const size_t flushcache_sizes[];
/* The same for it, NODRAIN or BATCHED; @size is one of those. */
size_t flushcache_sides(enum copy_policy policy, size_t size,
			const struct peer_pmem *peer,
			struct bench_side_def sides[COPY_SIDES]);

#endif /* TOOLS_BENCH_COPY_SIDES_H */
