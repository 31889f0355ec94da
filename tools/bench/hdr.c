/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log-linear buckets.  Values below 64 have a bucket each; from there on every
 * power of two is cut into 64 buckets of the same width.
 */
#include <math.h>
#include <string.h>

#include "bench/hdr.h"

#define SUB       ((uint64_t)1 << HDR_SUB_BITS)
#define MAX_VALUE (((uint64_t)1 << HDR_MAX_BITS) - 1)

void hdr_init(struct hdr *h)
{
	memset(h, 0, sizeof(*h));
}

/* How far a value is shifted down for its bucket to be numbered. */
static unsigned int shift_of(uint64_t v)
{
	return v < SUB ? 0
		       : 63 - (unsigned int)__builtin_clzll(v) - HDR_SUB_BITS;
}

/* Values of shift 0 fill the first two rows of SUB buckets, each further shift
 * one more: v >> shift is from SUB to 2 * SUB - 1. */
static unsigned int bucket_of(uint64_t v)
{
	unsigned int shift = shift_of(v);

	return shift * (unsigned int)SUB + (unsigned int)(v >> shift);
}

/* The largest value in a bucket. */
static uint64_t bucket_end(unsigned int i)
{
	unsigned int shift = i < 2 * SUB ? 0 : i / (unsigned int)SUB - 1;

	return (((uint64_t)i - shift * SUB + 1) << shift) - 1;
}

void hdr_record(struct hdr *h, uint64_t value)
{
	if (value > MAX_VALUE)
		value = MAX_VALUE;
	if (value > h->max)
		h->max = value;
	h->total++;
	h->count[bucket_of(value)]++;
}

uint64_t hdr_percentile(const struct hdr *h, double percent)
{
	uint64_t seen = 0,
		 wanted = (uint64_t)ceil((double)h->total * percent / 100);

	if (!wanted)
		wanted = 1;
	for (unsigned int i = 0; i < HDR_BUCKETS; i++) {
		seen += h->count[i];
		if (seen >= wanted && seen)
			return bucket_end(i) < h->max ? bucket_end(i) : h->max;
	}
	return h->max;
}
