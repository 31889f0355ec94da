/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A histogram of durations in the manner of HdrHistogram: buckets that are
 * 1/64 of their value wide at most, from one nanosecond to 2^40 of them (18
 * minutes), in a fixed 18 KiB.  Recording allocates nothing and takes a few
 * instructions, so that any number of samples costs the same memory and
 * percentiles need no sorting.
 */
#ifndef TOOLS_BENCH_HDR_H
#define TOOLS_BENCH_HDR_H

#include <stdint.h>

#define HDR_SUB_BITS 6 /* 64 buckets from one power of two to the next */
#define HDR_MAX_BITS 40
#define HDR_BUCKETS  ((HDR_MAX_BITS - HDR_SUB_BITS + 1) << HDR_SUB_BITS)

struct hdr {
	uint64_t total;
	uint64_t max; /* largest value recorded, exact */
	uint64_t count[HDR_BUCKETS];
};

void hdr_init(struct hdr *h);

/* Larger values than 2^40 - 1 count as that. */
void hdr_record(struct hdr *h, uint64_t value);

/* The smallest value that at least @percent of the samples (0 < percent <=
 * 100) do not exceed: exact below 128, else the upper end of its bucket, at
 * most 1/64 too large, and never more than the largest sample.  0 without
 * samples. */
uint64_t hdr_percentile(const struct hdr *h, double percent);

#endif /* TOOLS_BENCH_HDR_H */
