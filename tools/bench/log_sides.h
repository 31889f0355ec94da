/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pmk bench log compares: an append to the record log, a bare store of a
 * line, and an append to a libpmemlog.  Each has its own room of the same size
 * and kind and goes through it from end to end, again and again.
 */
#ifndef TOOLS_BENCH_LOG_SIDES_H
#define TOOLS_BENCH_LOG_SIDES_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/rlog.h>

#include "bench/benchfn.h"
#include "bench/peer.h"

#define LOG_ROOM  ((uint64_t)32 << 20) /* a container's /dev/shm has 64 MiB */
#define LOG_LINE  64
#define LOG_BATCH 64 /* records of a batch */

enum log_side {
	LOG_PMK,
	LOG_BARE,
	LOG_PMEMLOG, /* last: may be missing */
	LOG_SIDES,
};

struct log_sides {
	size_t n; /* LOG_PMEMLOG without libpmemlog, else LOG_SIDES */
	size_t payload;
	struct pmk_map *log_map;
	struct pmk_rlog *log;
	uint64_t log_left; /* bytes */
	struct pmk_map *bare_map;
	uint64_t bare_off;
	struct peer_pmemlog peer;
	struct pmemlogpool *pool;
	uint64_t pool_left;
	/* the first failure: a code of the library, and what says it */
	int failure;
	enum log_side failed;
	unsigned char record[LOG_BATCH][LOG_LINE];
};

/* Both return an exit code and have reported. */
int log_sides_open(struct log_sides *l);
int log_sides_verdict(const struct log_sides *l);
void log_sides_close(struct log_sides *l);

/* Appends of @payload bytes, @batch (1 or LOG_BATCH) of them with one drain. */
struct benchfn_side log_side(struct log_sides *l, enum log_side side,
			     size_t payload, size_t batch);

/* Bytes that a record takes in the record log. */
size_t log_media_bytes(size_t payload);

#endif /* TOOLS_BENCH_LOG_SIDES_H */
