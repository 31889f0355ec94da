/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The histogram of pmk bench, against sorting the same samples.
 *
 * APIs covered: hdr_init(), hdr_record(), hdr_percentile().
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/util.h"
#include "bench/hdr.h"
#include "support/seed.h"

#define SAMPLES 10000

static const double percents[] = { 0.01, 1, 25, 50, 90, 99, 99.9, 99.99, 100 };

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By the definition: the smallest sample that at least @percent of all do not
 * exceed.  @v: sorted. */
static uint64_t by_sorting(const uint64_t *v, size_t n, double percent)
{
	for (size_t i = 0; i < n; i++)
		if ((double)(i + 1) * 100 >= percent * (double)n - 1e-6)
			return v[i];
	return v[n - 1];
}

static void check(struct hdr *h, uint64_t *v, size_t n)
{
	hdr_init(h);
	for (size_t i = 0; i < n; i++)
		hdr_record(h, v[i]);
	qsort(v, n, sizeof(*v), compare);
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		uint64_t want = by_sorting(v, n, percents[i]);
		uint64_t got = hdr_percentile(h, percents[i]);

		/* never too small, and by 1/64 too large at most */
		assert_true(got >= want);
		assert_true(got - want <= want / 64);
		if (want < 128)
			assert_int_equal(got, want);
	}
	assert_int_equal(hdr_percentile(h, 100), v[n - 1]);
}

static void percentile__is_that_of_the_sorted_samples(void **state)
{
	static uint64_t v[SAMPLES];
	static struct hdr h;
	struct rng r;

	(void)state;
	rng_init(&r, "hdr");
	/* values of every magnitude: below 2^1 to below 2^40 */
	for (unsigned int bits = 1; bits <= 40; bits++) {
		for (size_t i = 0; i < SAMPLES; i++)
			v[i] = rng_next(&r) & (((uint64_t)1 << bits) - 1);
		check(&h, v, SAMPLES);
	}
	/* and of all at once, as latencies are: many small, few large */
	for (size_t i = 0; i < SAMPLES; i++)
		v[i] = rng_next(&r) >> (24 + rng_below(&r, 40));
	check(&h, v, SAMPLES);
}

static void percentile__of_few_samples(void **state)
{
	static struct hdr h;
	uint64_t one[] = { 1000 }, three[] = { 5, 70, 100000 };

	(void)state;
	hdr_init(&h);
	assert_int_equal(hdr_percentile(&h, 50), 0);
	check(&h, one, 1);
	check(&h, three, 3);
}

/* Each value and its neighbours at every step of the buckets. */
static void record__at_the_edges_of_buckets(void **state)
{
	static struct hdr h;

	(void)state;
	for (unsigned int bits = 0; bits < 40; bits++)
		for (int d = -1; d <= 1; d++) {
			uint64_t v = ((uint64_t)1 << bits) + (uint64_t)d;

			hdr_init(&h);
			hdr_record(&h, v);
			hdr_record(&h, ((uint64_t)1 << 40) - 1);
			assert_in_range(hdr_percentile(&h, 50), v, v + v / 64);
			assert_int_equal(h.total, 2);
		}
}

static void record__what_is_too_large_is_the_largest(void **state)
{
	static struct hdr h;

	(void)state;
	hdr_init(&h);
	hdr_record(&h, UINT64_MAX);
	hdr_record(&h, (uint64_t)1 << 40);
	assert_int_equal(hdr_percentile(&h, 100), ((uint64_t)1 << 40) - 1);
	assert_int_equal(hdr_percentile(&h, 1), ((uint64_t)1 << 40) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentile__is_that_of_the_sorted_samples),
		cmocka_unit_test(percentile__of_few_samples),
		cmocka_unit_test(record__at_the_edges_of_buckets),
		cmocka_unit_test(record__what_is_too_large_is_the_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
