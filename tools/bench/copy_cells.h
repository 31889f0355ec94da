/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The matrix of pmk bench copy and set: which sizes, offsets, policies,
 * patterns and threads, and how a cell of it is measured.
 */
#ifndef TOOLS_BENCH_COPY_CELLS_H
#define TOOLS_BENCH_COPY_CELLS_H

#include "bench/copy_sides.h"
#include "bench/room.h"

enum copy_pattern {
	COPY_HOT,    /* the same destination and source again and again */
	COPY_STREAM, /* through all of the room */
	COPY_PATTERNS,
};

struct copy_cell {
	enum {
		CELL_COPY,
		CELL_FLUSHCACHE,
		CELL_SET,
	} op;
	size_t size;
	size_t dst_offset;
	size_t src_offset;
	enum copy_policy policy;
	enum copy_pattern pattern;
	unsigned int threads;
};

struct copy_bench {
	const struct bench_options *opt;
	struct bench_suite suite;
	struct peer_pmem peer;
	size_t stride; /* from the room of one thread to that of the next */
	size_t room;   /* of a thread, of which it uses this much */
	struct bench_room dst;
	struct bench_room src;
	struct copy_cell *cells;
	size_t n_cells;
	size_t cells_max; /* the array's size */
};

/* Facts of the host, and the peer: @op is "copy" or "set". */
void copy_bench_init(struct copy_bench *b, const char *op,
		     const struct bench_options *opt);
/* Then the memory: EXIT_OK, or an exit code after a message. */
int copy_bench_open(struct copy_bench *b);
/* In any case. */
void copy_bench_close(struct copy_bench *b);

void copy_bench_add(struct copy_bench *b, const struct copy_cell *c);

/* All cells of a list of dimensions that fit in the room. */
struct copy_matrix {
	const size_t *sizes;
	size_t n_sizes;
	const size_t *dst_offsets;
	size_t n_dst_offsets;
	const size_t *src_offsets;
	size_t n_src_offsets;
	unsigned int policies; /* mask by enum copy_policy */
	unsigned int patterns; /* mask by enum copy_pattern */
	unsigned int threads;
};

void copy_bench_add_all(struct copy_bench *b, const struct copy_matrix *m,
			int op);

/* Measure what was added. */
void copy_bench_measure(struct copy_bench *b);

#endif /* TOOLS_BENCH_COPY_CELLS_H */
