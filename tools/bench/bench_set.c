/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench set: fills, against libpmem's function for the same job and against
 * memset(3) followed by a flush.
 */
#include "base/util.h"
#include "bench/bench.h"
#include "bench/copy_cells.h"
#include "pmk.h"

static const size_t sizes[] = {
	1,    4,     8,     16,        24,      32,       64,
	96,   128,   192,   256,       512,     1000,     1024,
	4096, 16384, 65536, 256 << 10, 1 << 20, 16 << 20, 256 << 20,
};
static const size_t sizes_quick[] = {
	8, 64, 192, 256, 1000, 4096, 65536, 1 << 20, 16 << 20,
};
static const size_t dst_offsets[] = { 0, 1, 8 };
static const size_t dst_offsets_quick[] = { 0, 8 };
static const size_t src_offset[] = { 0 };

static void add_cells(struct copy_bench *b)
{
	bool quick = b->opt->quick;
	struct copy_matrix m = {
		.sizes = quick ? sizes_quick : sizes,
		.n_sizes = quick ? ARRAY_SIZE(sizes_quick) : ARRAY_SIZE(sizes),
		.dst_offsets = quick ? dst_offsets_quick : dst_offsets,
		.n_dst_offsets = quick ? ARRAY_SIZE(dst_offsets_quick)
				       : ARRAY_SIZE(dst_offsets),
		.src_offsets = src_offset,
		.n_src_offsets = 1,
		.policies = 1U << COPY_PERSIST | 1U << COPY_NODRAIN |
			    1U << COPY_BATCHED,
		.patterns = quick ? 1U << COPY_STREAM
				  : 1U << COPY_HOT | 1U << COPY_STREAM,
		.threads = 1,
	};

	if (b->opt->n_sizes) {
		m.sizes = b->opt->sizes;
		m.n_sizes = b->opt->n_sizes;
	}
	copy_bench_add_all(b, &m, CELL_SET);
	if (quick)
		return;
	m.threads = 2;
	m.patterns = 1U << COPY_STREAM;
	copy_bench_add_all(b, &m, CELL_SET);
}

int bench_set(const struct bench_options *opt)
{
	struct copy_bench b;
	int rc;

	copy_bench_init(&b, "set", opt);
	rc = copy_bench_open(&b);
	if (!rc) {
		add_cells(&b);
		copy_bench_measure(&b);
		bench_suite_note(&b.suite, "libc is memset and pmk_persist, or "
					   "pmk_flush and one pmk_drain.");
		rc = bench_suite_finish(&b.suite);
	}
	copy_bench_close(&b);
	return rc;
}
