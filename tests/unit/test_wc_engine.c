/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making and opening caches, and the medium after it: against
 * what kernels 6.1 and 6.12 did with the same images (test vectors: a cache of
 * 1 MiB, 254 blocks, sequence 10).
 *
 * Covered: pmk_wc_create_map, _create_fd, _open_map, _open_fd, _close,
 * _store_name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/endian.h"
#include "base/util.h"
#include "support/seed.h"
#include "wc/engine.h"
#include "wc_fixture.h"
#include "wc_recorder.h"

#define FREE UINT64_MAX

static const char modes[] = { 'p', 's' };

#define for_each_mode(m) for (size_t m = 0; m < ARRAY_SIZE(modes); m++)

static void expect_entry(const struct cache *c, unsigned int i, uint64_t sector,
			 uint64_t seq)
{
	struct vector_entry e = media_entry(c, i);

	assert_int_equal(e.sector, sector);
	assert_int_equal(e.seq, seq);
}

static void create__golden_bytes(void **state)
{
	static const unsigned char golden[32] =
		"\x21\x93\x48\x23\x01\0\0\0\0\x10\0\0\0\0\0\0"
		"\xfe\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_blank(&c, modes[m], VECTOR_BYTES, VECTOR_ORIGIN);
		assert_int_equal(modes[m] == 'p'
					 ? pmk_wc_create_map(c.map, NULL)
					 : pmk_wc_create_fd(c.fd, NULL),
				 0);
		assert_memory_equal(c.base, golden, sizeof(golden));
		assert_true(pmk_is_zero(c.base + 32, 32));
		for (size_t i = 64; i < 4128; i++)
			assert_int_equal(c.base[i], 0xff);
		assert_true(pmk_is_zero(c.base + 8192, VECTOR_BYTES - 8192));
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(cache_info(&c).free, 254);
		assert_int_equal(cache_info(&c).high_threshold, 127);
		assert_int_equal(cache_info(&c).low_threshold, 140);
		cache_free(&c);
	}
}

static void create__keeps_what_is_there(void **state)
{
	const struct pmk_wc_params force = { .flags = PMK_WC_FORCE };
	const struct vector_entry e = { 0, 0, 1 };
	struct cache c;

	(void)state;
	cache_vector(&c, 'p', 10, &e, 1);
	assert_int_equal(pmk_wc_create_map(c.map, NULL), -EEXIST);
	assert_int_equal(pmk_wc_create_fd(c.fd, NULL), -EEXIST);
	assert_int_equal(media_seq(&c), 10);
	expect_entry(&c, 0, 0, 1);
	assert_int_equal(pmk_wc_create_fd(c.fd, &force), 0);
	expect_entry(&c, 0, FREE, FREE);
	assert_int_equal(media_seq(&c), 0);
	/* a file system begins with as many zero bytes */
	memset(c.base, 0, VECTOR_BYTES);
	c.base[1080] = 0x53;
	assert_int_equal(pmk_wc_create_map(c.map, NULL), -EEXIST);
	cache_free(&c);
}

static void open__clean_remove_touches_nothing(void **state)
{
	static const struct vector_entry e[] = { { 0, 0, 1 },
						 { 5, 80, 9 },
						 { 249, 160, 3 } };

	(void)state;
	for_each_mode(m)
	{
		static unsigned char before[VECTOR_BYTES];
		struct cache c;

		cache_vector(&c, modes[m], 10, e, ARRAY_SIZE(e));
		memcpy(before, c.base, sizeof(before));
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(cache_info(&c).free, 251);
		assert_int_equal(read_byte(&c, 0), 'A');
		assert_int_equal(read_byte(&c, 80), 'A' + 5);
		assert_int_equal(read_byte(&c, 160),
				 (unsigned char)('A' + 249));
		assert_int_equal(read_byte(&c, 8), 'o');
		cache_close(&c);
		assert_memory_equal(c.base, before, sizeof(before));
		cache_free(&c);
	}
}

static void open__resolves_duplicates(void **state)
{
	static const struct {
		struct vector_entry e[2];
		unsigned int winner;
	} rows[] = {
		{ { { 0, 0, 3 }, { 1, 0, 5 } }, 1 },
		{ { { 0, 0, 5 }, { 1, 0, 3 } }, 0 },
	};

	(void)state;
	for_each_mode(m)
	{
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			unsigned int w = rows[i].winner;
			struct cache c;

			cache_vector(&c, modes[m], 10, rows[i].e, 2);
			assert_int_equal(cache_open(&c, NULL), 0);
			assert_int_equal(cache_info(&c).error, 0);
			assert_int_equal(cache_info(&c).free, 253);
			assert_int_equal(read_byte(&c, 0), 'A' + w);
			expect_entry(&c, w, 0, 5);
			expect_entry(&c, 1 - w, 0, FREE);
			cache_free(&c);
		}
	}
}

static void open__equal_sequences_are_an_error(void **state)
{
	static const struct vector_entry e[] = { { 0, 0, 5 },
						 { 1, 0, 5 },
						 { 2, 8, 5 } };

	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, e, ARRAY_SIZE(e));
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(cache_info(&c).error, -EINVAL);
		expect_entry(&c, 0, 0, FREE);
		expect_entry(&c, 1, 0, 5);
		assert_int_equal(read_byte(&c, 0), 'B');
		assert_int_equal(read_byte(&c, 8), 'C');
		assert_int_equal(write_byte(&c, 16, 'x'), -EIO);
		assert_int_equal(pmk_wc_commit(c.wc), -EIO);
		assert_int_equal(pmk_wc_discard(c.wc, 0, 4096), -EIO);
		assert_int_equal(pmk_wc_clean(c.wc), -EIO);
		assert_int_equal(pmk_wc_work(c.wc), -EIO);
		assert_int_equal(media_seq(&c), 10);
		cache_free(&c);
	}
}

static void open__erases_what_was_not_committed(void **state)
{
	static const struct vector_entry e[] = { { 0, 0, 9 },
						 { 1, 0, 10 },
						 { 2, 8, 11 } };

	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, e, ARRAY_SIZE(e));
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(read_byte(&c, 0), 'A');
		assert_int_equal(read_byte(&c, 8), 'o');
		expect_entry(&c, 1, 0, FREE);
		expect_entry(&c, 2, 8, FREE);
		assert_int_equal(cache_stats(&c).erased, 2);
		cache_free(&c);
	}
}

/* Which entry serves a sector, by a look at all of them: the highest sequence
 * below that of the superblock, of equal ones the last. */
static int winner(const struct vector_entry *e, size_t n, uint64_t sector,
		  bool *tie_ret)
{
	int best = -1;

	for (size_t k = 0; k < n; k++) {
		if (e[k].sector != sector || e[k].seq >= 10)
			continue;
		*tie_ret |= best >= 0 && e[k].seq == e[best].seq;
		if (best < 0 || e[k].seq >= e[best].seq)
			best = (int)k;
	}
	return best;
}

/* Any entries: of few sectors, some of them no multiple of a block, or behind
 * the end, and any sequences. */
static void random_entries(struct rng *rng, struct vector_entry *e, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		e[k].i = (unsigned int)k;
		e[k].sector = rng_below(rng, 20) * 8;
		if (!rng_below(rng, 8))
			e[k].sector = rng_next(rng) >> rng_below(rng, 64);
		e[k].seq = rng_below(rng, 14);
		if (!rng_below(rng, 4))
			e[k].seq = FREE;
	}
}

static void open__any_entries(void **state)
{
	struct vector_entry e[40];
	struct rng rng;

	(void)state;
	rng_init(&rng, "open__any_entries");
	for (int k = 0; k < 100; k++) {
		size_t n = rng_below(&rng, ARRAY_SIZE(e) + 1);
		bool tie = false;
		struct cache c;

		random_entries(&rng, e, n);
		cache_vector(&c, modes[k % 2], 10, e, n);
		assert_int_equal(cache_open(&c, NULL), 0);
		for (size_t i = 0; i < n; i++)
			winner(e, n, e[i].sector, &tie);
		assert_int_equal(cache_info(&c).error, tie ? -EINVAL : 0);
		for (uint64_t s = 0; s < 160; s += 8) {
			int w = winner(e, n, s, &tie);

			assert_int_equal(read_byte(&c, s),
					 w < 0 ? 'o' : 'A' + w);
		}
		if (tie)
			assert_int_equal(pmk_wc_clean(c.wc), -EIO);
		else
			assert_true(pmk_wc_clean(c.wc) >= 0);
		cache_free(&c);
	}
}

struct refusal {
	const char *name;
	size_t at;
	uint32_t value;
	int rc;
};

static void open__refuses(void **state)
{
	static const struct refusal rows[] = {
		{ "magic", 0, 0x23489322, -EINVAL },
		{ "version 0", 4, 0, -EINVAL },
		{ "version 2", 4, 2, -EINVAL },
		{ "block size 0", 8, 0, -EINVAL },
		{ "block size 512", 8, 512, -EINVAL },
		{ "block size 3000", 8, 3000, -EINVAL },
		{ "no blocks", 16, 0, -ENOMEM },
		{ "255 blocks", 16, 255, -EINVAL },
		{ "2^28 blocks", 16, 1U << 28, -EINVAL },
		{ "2^48 blocks", 20, 1U << 16, -EINVAL },
	};
	const struct pmk_wc_params p = { .block_size = 4096 };
	const struct vector_entry e = { 0, 0, 12 };

	(void)state;
	for_each_mode(m)
	{
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			struct cache c;

			cache_vector(&c, modes[m], 10, &e, 1);
			pmk_put_le32(c.base + rows[i].at, rows[i].value);
			assert_int_equal(cache_open(&c, &p), rows[i].rc);
			expect_entry(&c, 0, 0, 12);
			cache_free(&c);
		}
	}
}

static void open__blank_is_not_formatted(void **state)
{
	(void)state;
	for_each_mode(m)
	{
		const struct vector_entry e = { 0, 0, 1 };
		struct cache c;

		cache_vector(&c, modes[m], 10, &e, 1);
		pmk_put_le64(c.base, 0);
		assert_int_equal(cache_open(&c, NULL), -ENODATA);
		expect_entry(&c, 0, 0, 1);
		cache_free(&c);
	}
}

static void open__refuses_what_a_fence_does_not_make_durable(void **state)
{
	char path[] = "/tmp/pmk-test-wc-XXXXXX";
	struct pmk_map_params p = { .len = 1U << 20, .flags = PMK_MAP_CREATE };
	struct pmk_wc *wc;
	int fd = mkstemp(path);
	struct cache c;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pmk_map_open(path, &p, &c.map), 0);
	assert_int_equal(pmk_map_granularity(c.map), PMK_GRANULARITY_PAGE);
	assert_int_equal(pmk_wc_create_map(c.map, NULL), PMK_E_GRANULARITY);
	assert_int_equal(pmk_wc_open_map(c.map, -1, NULL, &wc),
			 PMK_E_GRANULARITY);
	pmk_map_close(c.map);
	p.flags = PMK_MAP_READ_ONLY | PMK_MAP_EMULATED;
	assert_int_equal(pmk_map_open(path, &p, &c.map), 0);
	assert_int_equal(pmk_wc_open_map(c.map, -1, NULL, &wc),
			 PMK_E_READ_ONLY);
	pmk_map_close(c.map);
	close(fd);
	unlink(path);
}

static void params__are_checked(void **state)
{
	static const struct {
		struct pmk_wc_params p;
		int rc;
	} rows[] = {
		{ { .block_size = 256 }, -EINVAL },
		{ { .block_size = 3000 }, -EINVAL },
		{ { .block_size = 131072 }, -EINVAL },
		{ { .flags = 2 }, -EINVAL },
		{ { .high_watermark = 101 }, -EINVAL },
		{ { .high_watermark = 40, .low_watermark = 45 }, -EINVAL },
		{ { .store = (enum pmk_wc_store)5 }, -EINVAL },
		{ { .reserved = { 0, 0, 0, 1 } }, -EINVAL },
		{ { .offset = 8 }, -EINVAL },
		{ { .offset = VECTOR_BYTES }, PMK_E_RANGE },
		{ { .size = VECTOR_BYTES + 1 }, PMK_E_RANGE },
		{ { .offset = 4096, .size = VECTOR_BYTES }, PMK_E_RANGE },
		{ { .origin_size = VECTOR_ORIGIN + 1 }, -EINVAL },
	};

	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, NULL, 0);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			assert_int_equal(cache_open(&c, &rows[i].p),
					 rows[i].rc);
		cache_free(&c);
	}
}

static void store__all_ways_write_the_same(void **state)
{
	static unsigned char first[VECTOR_BYTES];
	static unsigned char buf[3 * VECTOR_BS];

	(void)state;
	memset(buf, 0x5a, sizeof(buf));
	for (int s = PMK_WC_STORE_AUTO; s <= PMK_WC_STORE_CLFLUSHOPT; s++) {
		const struct pmk_wc_params p = {
			.store = (enum pmk_wc_store)s,
			.autocommit_blocks = 2,
		};
		struct cache c;

		if (!pmk_wc_store_name(p.store, 0))
			continue;
		cache_vector(&c, 'p', 10, NULL, 0);
		assert_int_equal(cache_open(&c, &p), 0);
		assert_int_equal(pmk_wc_write(c.wc, 4096, buf, sizeof(buf), 0),
				 0);
		assert_int_equal(pmk_wc_write(c.wc, 4096, buf + 64, 8192, 0),
				 0);
		cache_close(&c);
		if (s == PMK_WC_STORE_AUTO)
			memcpy(first, c.base, sizeof(first));
		assert_memory_equal(c.base, first, sizeof(first));
		cache_free(&c);
	}
}

static void store__names(void **state)
{
	(void)state;
	assert_string_equal(pmk_wc_store_name(PMK_WC_STORE_INLINE, 4096),
			    "inline");
	assert_string_equal(pmk_wc_store_name(PMK_WC_STORE_CALL, 0), "call");
	assert_string_equal(pmk_wc_store_name(PMK_WC_STORE_EXPLICIT, 0),
			    "explicit");
	assert_string_equal(pmk_wc_store_name(PMK_WC_STORE_AUTO, 512),
			    "inline");
	assert_null(pmk_wc_store_name((enum pmk_wc_store)5, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(create__golden_bytes),
		cmocka_unit_test(create__keeps_what_is_there),
		cmocka_unit_test(open__clean_remove_touches_nothing),
		cmocka_unit_test(open__resolves_duplicates),
		cmocka_unit_test(open__equal_sequences_are_an_error),
		cmocka_unit_test(open__erases_what_was_not_committed),
		cmocka_unit_test(open__any_entries),
		cmocka_unit_test(open__refuses),
		cmocka_unit_test(open__blank_is_not_formatted),
		cmocka_unit_test(
			open__refuses_what_a_fence_does_not_make_durable),
		cmocka_unit_test(params__are_checked),
		cmocka_unit_test(store__all_ways_write_the_same),
		cmocka_unit_test(store__names),
	};

	return cmocka_run_group_tests_name("wc engine", tests, NULL, NULL);
}
