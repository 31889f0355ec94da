/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The index of committed entries, against the kernel's rule played entry by
 * entry, and against qsort(3).
 *
 * APIs covered: pmk_wc_image_committed(), pmk_wc_image_nth(),
 * pmk_wc_image_wins().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include <pmk/wc_image.h>

#include "base/util.h"
#include "support/seed.h"
#include "wc_cache.h"

#define SEQ_COUNT 10

/* What the kernel makes of entries: who is left of a sector, and whether it
 * met two alike. */
struct outcome {
	bool error;
	uint64_t winners[8];
	size_t n;
};

static void is_outcome(const uint64_t (*e)[2], size_t n,
		       const struct outcome *want)
{
	const char *path = cache_new(SEQ_COUNT);
	struct pmk_wc_image *img;
	size_t w = 0;

	for (size_t i = 0; i < n; i++)
		cache_entry(path, i, e[i][0], e[i][1]);
	assert_int_equal(pmk_wc_image_open(path, NULL, &img), 0);
	assert_int_equal(pmk_wc_image_committed(img), n);
	for (uint64_t k = 0; k < n; k++)
		if (pmk_wc_image_wins(img, k)) {
			assert_true(w < want->n);
			assert_int_equal(pmk_wc_image_nth(img, k),
					 want->winners[w]);
			w++;
		}
	assert_int_equal(w, want->n);
	assert_int_equal(pmk_wc_image_load(img)->verdict,
			 want->error ? PMK_WC_LOADS_WITH_ERROR : PMK_WC_LOADS);
	assert_int_equal(pmk_wc_image_load(img)->error,
			 want->error ? -EINVAL : 0);
	if (want->error)
		assert_string_equal(pmk_wc_image_load(img)->message,
				    "two identical entries");
	pmk_wc_image_close(img);
}

#define CASE(e, ...) \
	is_outcome(e, ARRAY_SIZE(e), &(const struct outcome){ __VA_ARGS__ })

static void duplicates__as_the_kernel_says(void **state)
{
	static const uint64_t none[][2] = { { 0, 1 }, { 80, 9 }, { 160, 3 } };
	static const uint64_t newer_last[][2] = { { 0, 3 }, { 0, 5 } };
	static const uint64_t newer_first[][2] = { { 0, 5 }, { 0, 3 } };
	static const uint64_t equal[][2] = { { 0, 5 }, { 0, 5 }, { 8, 5 } };

	(void)state;
	CASE(none, false, { 0, 1, 2 }, 3);
	CASE(newer_last, false, { 1 }, 1);
	CASE(newer_first, false, { 0 }, 1);
	CASE(equal, true, { 1, 2 }, 2);
}

static void duplicates__equal_ones_that_never_meet(void **state)
{
	/* the first is gone when the third comes */
	static const uint64_t apart[][2] = { { 0, 5 }, { 0, 6 }, { 0, 5 } };
	/* they meet, though both lose afterwards */
	static const uint64_t early[][2] = { { 0, 5 }, { 0, 5 }, { 0, 6 } };
	static const uint64_t late[][2] = { { 0, 5 }, { 0, 6 }, { 0, 6 } };
	static const uint64_t behind[][2] = { { 0, 6 }, { 0, 5 }, { 0, 5 } };

	(void)state;
	CASE(apart, false, { 1 }, 1);
	CASE(early, true, { 2 }, 1);
	CASE(late, true, { 2 }, 1);
	CASE(behind, false, { 0 }, 1);
}

static void order__losers_first(void **state)
{
	static const uint64_t order[] = { 4, 0, 2, 1, 3 };
	const char *path = cache_new(SEQ_COUNT);
	struct pmk_wc_image *img;

	(void)state;
	cache_entry(path, 0, 16, 3);
	cache_entry(path, 1, 16, 9);
	cache_entry(path, 2, 16, 4);
	cache_entry(path, 3, UINT64_MAX, 0);
	cache_entry(path, 4, 8, 9);
	cache_entry(path, 5, 16, 10); /* not committed */
	assert_int_equal(pmk_wc_image_open(path, NULL, &img), 0);
	assert_int_equal(pmk_wc_image_committed(img), ARRAY_SIZE(order));
	for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
		assert_int_equal(pmk_wc_image_nth(img, k), order[k]);
		assert_int_equal(pmk_wc_image_wins(img, k),
				 k == 0 || k == 3 || k == 4);
	}
	pmk_wc_image_close(img);
}

/* An entry with its number. */
struct row {
	uint64_t sector, seq, i;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->sector != y->sector)
		return x->sector < y->sector ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->i < y->i ? -1 : 1;
}

/* Sectors that are spread, clustered at both ends, all over 64 bits, few, and
 * one. */
static uint64_t sector_of_kind(struct rng *r, unsigned int kind)
{
	switch (kind) {
	case 0:
		return rng_below(r, 1 << 24) * 8;
	case 1:
		return rng_below(r, 100) ? rng_below(r, 100000)
					 : (1ULL << 40) + rng_below(r, 9);
	case 2:
		return rng_next(r);
	case 3:
		return rng_below(r, 50) << 33 | 5;
	default:
		return 4096;
	}
}

static void is_sorted(struct rng *r, unsigned int kind, uint64_t n)
{
	uint64_t(*pairs)[2] = calloc(n, sizeof(*pairs));
	struct row *rows = calloc(n, sizeof(*rows));
	const char *path = cache_new_of(n, SEQ_COUNT);
	uint64_t n_rows = 0, losers = 0;
	struct pmk_wc_image *img;
	struct pmk_wc_counts c;

	assert_non_null(pairs);
	assert_non_null(rows);
	for (uint64_t i = 0; i < n; i++) {
		pairs[i][0] = sector_of_kind(r, kind);
		pairs[i][1] = rng_below(r, 13);
		if (pairs[i][1] == 12)
			pairs[i][1] = UINT64_MAX;
		if (pairs[i][1] < SEQ_COUNT)
			rows[n_rows++] =
				(struct row){ pairs[i][0], pairs[i][1], i };
	}
	cache_entries(path, n, (const uint64_t(*)[2])pairs);
	qsort(rows, n_rows, sizeof(*rows), compare);
	assert_int_equal(pmk_wc_image_open(path, NULL, &img), 0);
	assert_int_equal(pmk_wc_image_committed(img), n_rows);
	for (uint64_t k = 0; k < n_rows; k++) {
		bool wins =
			k + 1 == n_rows || rows[k + 1].sector != rows[k].sector;

		assert_int_equal(pmk_wc_image_nth(img, k), rows[k].i);
		assert_int_equal(pmk_wc_image_wins(img, k), wins);
		losers += !wins;
	}
	pmk_wc_image_counts(img, &c);
	assert_int_equal(c.superseded, losers);
	assert_int_equal(c.dirty_bytes, (n_rows - losers) * 512);
	pmk_wc_image_close(img);
	free(pairs);
	free(rows);
}

static void order__random(void **state)
{
	/* below and above what is inserted, and what fits the cache */
	static const uint64_t sizes[] = { 1, 2, 40, 100, 16384, 25000, 150000 };
	struct rng r;

	(void)state;
	rng_init(&r, __func__);
	for (unsigned int kind = 0; kind < 5; kind++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
			is_sorted(&r, kind, sizes[i]);
}

#ifdef PMK_TEST_LONG
/* The entries of 100 GiB in blocks of 4096, all in use, descending. */
static void limits__100_gib(void **state)
{
	const uint64_t n = 26112398;
	const char *path = cache_temp();
	uint64_t(*pairs)[2] = calloc(n, sizeof(*pairs));
	struct rlimit old, limit;
	struct pmk_wc_image *img;
	int rc;

	(void)state;
	assert_non_null(pairs);
	cache_put(path, (100ULL << 30) - 1, 0, 1);
	cache_put(path, 0, 0x23489321, 4);
	cache_put(path, 4, 1, 4);
	cache_put(path, 8, 4096, 4);
	cache_put(path, 16, n, 8);
	cache_put(path, 24, SEQ_COUNT, 8);
	for (uint64_t i = 0; i < n; i++)
		pairs[i][0] = (n - i) * 8;
	cache_entries(path, n, (const uint64_t(*)[2])pairs);
	free(pairs);
	/* 1.1 GiB of all memory is for it */
	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	limit = old;
	limit.rlim_cur = (1ULL << 30) / 10 * 11;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	rc = pmk_wc_image_open(path, NULL, &img);
	assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
	assert_int_equal(rc, 0);
	assert_int_equal(pmk_wc_image_committed(img), n);
	assert_int_equal(pmk_wc_image_load(img)->verdict, PMK_WC_LOADS);
	for (uint64_t k = 0; k < n; k += 4099)
		assert_int_equal(pmk_wc_image_nth(img, k), n - 1 - k);
	pmk_wc_image_close(img);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duplicates__as_the_kernel_says),
		cmocka_unit_test(duplicates__equal_ones_that_never_meet),
		cmocka_unit_test(order__losers_first),
		cmocka_unit_test(order__random),
#ifdef PMK_TEST_LONG
		cmocka_unit_test(limits__100_gib),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
