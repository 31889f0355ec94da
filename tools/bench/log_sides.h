/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pmk bench log compares: an append to the record log, a bare store of a
 * line, and an append to a libpmemlog.  Each goes through memory of the same
 * size and kind from end to end, again and again.  The first two take the same
 * memory: on a file of a disk an msync(2) of one part took three times as long
 * as one of another part, which the page cache had in larger pages.  A log that
 * is written does not read its records, so the bare stores may overwrite them.
 */
#ifndef TOOLS_BENCH_LOG_SIDES_H
#define TOOLS_BENCH_LOG_SIDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/rlog.h>

#include "bench/benchfn.h"
#include "bench/peer.h"
#include "bench/suite.h"

/* And as much for libpmemlog; a container's /dev/shm has 64 MiB. */
#define LOG_ROOM ((size_t)32 << 20)
/* What percentiles take fits: 20000 records of two lines. */
#define LOG_ROOM_LEAST ((size_t)4 << 20)

#define LOG_LINE  64
#define LOG_BATCH 64 /* records of a batch */

enum log_side {
	LOG_PMK,
	LOG_BARE,
	LOG_PMEMLOG, /* last: may be missing */
	LOG_SIDES,
};

struct bench_room;

struct log_sides {
	size_t n; /* LOG_PMEMLOG without libpmemlog, else LOG_SIDES */
	size_t payload;
	uint64_t room; /* bytes that each goes through */
	bool pages;    /* durable by msync(2) only */
	struct pmk_map *map;
	struct pmk_rlog *log;
	uint64_t log_left; /* bytes */
	uint64_t bare_off;
	struct peer_pmemlog peer;
	struct pmemlogpool *pool;
	uint64_t pool_left;
	/* the first failure: a code of the library, and what says it */
	int failure;
	enum log_side failed;
	unsigned char record[LOG_BATCH][LOG_LINE];
};

/* In @room, at least LOG_ROOM_LEAST of it, which must outlive them. */
void log_sides_open(struct log_sides *l, const struct bench_room *room);
/* Whether all worked so far: an exit code, and a message if not. */
int log_sides_verdict(const struct log_sides *l);
void log_sides_close(struct log_sides *l);

/* Appends of @payload bytes, @batch (1 or LOG_BATCH) of them with one drain.
 * Returns the number of sides. */
size_t log_sides(struct log_sides *l, size_t payload, size_t batch,
		 struct bench_side_def sides[LOG_SIDES]);

/* Bytes that a record takes in the record log. */
size_t log_media_bytes(size_t payload);

#endif /* TOOLS_BENCH_LOG_SIDES_H */
