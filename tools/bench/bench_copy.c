/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench copy: copies that are durable on return, in batches that one drain
 * makes durable, or not drained at all, against libpmem's function for the same
 * job and against memcpy(3) followed by a flush.
 */
#include "base/util.h"
#include "bench/bench.h"
#include "bench/copy_cells.h"
#include "bench/copy_child.h"
#include "bench/copy_targets.h"
#include "pmk.h"

static const size_t sizes[] = {
	1,    2,     3,     4,         7,       8,        15,        16,
	24,   31,    32,    48,        63,      64,       80,        96,
	100,  128,   192,   248,       256,     512,      1000,      1024,
	4096, 16384, 65536, 256 << 10, 1 << 20, 16 << 20, 256 << 20,
};
static const size_t dst_offsets[] = { 0, 1, 8, 32, 60 };
static const size_t src_offsets[] = { 0, 1 };

static const size_t sizes_quick[] = {
	8,   16,   24,   64,   128,   192,     248,
	256, 1000, 1024, 4096, 65536, 1 << 20, 16 << 20,
};
static const size_t dst_offsets_quick[] = { 0, 8 };
/* Two threads, with --quick: what is limited by memory. */
static const size_t sizes_two[] = { 65536, 1 << 20, 16 << 20 };

#define ANY_POLICY \
	(1U << COPY_PERSIST | 1U << COPY_NODRAIN | 1U << COPY_BATCHED)
#define ANY_PATTERN (1U << COPY_HOT | 1U << COPY_STREAM)

/* The sizes of @m that --sizes names, or all it names. */
static void choose_sizes(struct copy_matrix *m, const struct bench_options *opt)
{
	if (!opt->n_sizes)
		return;
	m->sizes = opt->sizes;
	m->n_sizes = opt->n_sizes;
}

static void add_full(struct copy_bench *b)
{
	struct copy_matrix m = {
		.sizes = sizes,
		.n_sizes = ARRAY_SIZE(sizes),
		.dst_offsets = dst_offsets,
		.n_dst_offsets = ARRAY_SIZE(dst_offsets),
		.src_offsets = src_offsets,
		.n_src_offsets = ARRAY_SIZE(src_offsets),
		.policies = ANY_POLICY,
		.patterns = ANY_PATTERN,
	};

	choose_sizes(&m, b->opt);
	for (m.threads = 1; m.threads <= BENCHFN_THREADS; m.threads++)
		copy_bench_add_all(b, &m, CELL_COPY);
}

static void add_quick(struct copy_bench *b)
{
	struct copy_matrix m = {
		.sizes = sizes_quick,
		.n_sizes = ARRAY_SIZE(sizes_quick),
		.dst_offsets = dst_offsets_quick,
		.n_dst_offsets = ARRAY_SIZE(dst_offsets_quick),
		.src_offsets = src_offsets,
		.n_src_offsets = 1,
		.threads = 1,
	};

	choose_sizes(&m, b->opt);
	m.policies = 1U << COPY_PERSIST;
	m.patterns = ANY_PATTERN;
	copy_bench_add_all(b, &m, CELL_COPY);
	m.policies = 1U << COPY_NODRAIN | 1U << COPY_BATCHED;
	m.patterns = 1U << COPY_STREAM;
	copy_bench_add_all(b, &m, CELL_COPY);
	if (b->opt->n_sizes)
		return;
	m.sizes = sizes_two;
	m.n_sizes = ARRAY_SIZE(sizes_two);
	m.n_dst_offsets = 1;
	m.policies = 1U << COPY_PERSIST;
	m.threads = 2;
	copy_bench_add_all(b, &m, CELL_COPY);
}

static void add_flushcache(struct copy_bench *b)
{
	for (const size_t *size = flushcache_sizes; *size; size++) {
		struct copy_cell c = {
			.op = CELL_FLUSHCACHE,
			.size = *size,
			.policy = COPY_NODRAIN,
			.pattern = COPY_HOT,
			.threads = 1,
		};

		if (!bench_wants_size(b->opt, *size))
			continue;
		copy_bench_add(b, &c);
		c.pattern = COPY_STREAM;
		copy_bench_add(b, &c);
		c.policy = COPY_BATCHED;
		copy_bench_add(b, &c);
		c.pattern = COPY_HOT;
		copy_bench_add(b, &c);
	}
}

static void add_notes(struct bench_suite *s)
{
	bench_suite_note(s, "libc is memcpy and pmk_persist, or pmk_flush and "
			    "one pmk_drain.");
	if (benchfn_cpus() < 2)
		bench_suite_note(s, "Two threads were not measured: there is "
				    "one CPU.");
	bench_suite_note(s, "Batches larger than the room (64 copies of more "
			    "than 4 MiB, 1 MiB with --quick) are left out: "
			    "next to such copies a drain is nothing.");
}

int bench_copy(const struct bench_options *opt)
{
	struct copy_bench b;
	int rc;

	copy_bench_init(&b, "copy", opt);
	/* first: it needs the same memory, or the same file */
	rc = copy_child_measure(&b.suite);
	if (!rc)
		rc = copy_bench_open(&b);
	if (!rc) {
		if (opt->quick)
			add_quick(&b);
		else
			add_full(&b);
		add_flushcache(&b);
		copy_bench_measure(&b);
		copy_child_merge(&b.suite);
		copy_targets(&b.suite);
		add_notes(&b.suite);
		rc = bench_suite_finish(&b.suite);
	}
	copy_bench_close(&b);
	return rc;
}
