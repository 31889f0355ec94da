/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and writes of the writecache engine, and the medium after each: against
 * what kernels 6.1 and 6.12 left on it (test vectors: a cache of 1 MiB, 254
 * blocks, sequence 10); and what it does when something fails.
 *
 * Covered: pmk_wc_read, _write, _commit, _discard, _work, _clean, _close,
 * _get_info, _get_stats.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/endian.h"
#include "base/util.h"
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

/* p: entry e1(0,10) is visible at once; a second write changes no metadata. */
static void write__committed_sector_p(void **state)
{
	const struct vector_entry e = { 0, 0, 1 };
	struct cache c;

	(void)state;
	cache_vector(&c, 'p', 10, &e, 1);
	assert_int_equal(cache_open(&c, NULL), 0);
	assert_int_equal(write_byte(&c, 0, 'x'), 0);
	expect_entry(&c, 0, 0, 1);
	expect_entry(&c, 1, 0, 10);
	assert_int_equal(media_block(&c, 0), 'A');
	assert_int_equal(media_block(&c, 1), 'x');
	assert_int_equal(write_byte(&c, 0, 'y'), 0);
	expect_entry(&c, 1, 0, 10);
	assert_int_equal(read_byte(&c, 0), 'y');
	assert_int_equal(media_seq(&c), 10);
	assert_int_equal(pmk_wc_commit(c.wc), 0);
	assert_int_equal(media_seq(&c), 11);
	expect_entry(&c, 0, 0, FREE); /* stale sector 0 */
	expect_entry(&c, 1, 0, 10);
	cache_free(&c);
}

/* s: metadata unchanged until the sync; the data are overwritten in place. */
static void write__committed_sector_s(void **state)
{
	const struct vector_entry e = { 0, 0, 1 };
	struct cache c;

	(void)state;
	cache_vector(&c, 's', 10, &e, 1);
	assert_int_equal(cache_open(&c, NULL), 0);
	assert_int_equal(write_byte(&c, 0, 'x'), 0);
	assert_int_equal(write_byte(&c, 8, 'y'), 0);
	expect_entry(&c, 0, 0, 1);
	expect_entry(&c, 1, FREE, FREE);
	assert_int_equal(media_block(&c, 0), 'x');
	assert_int_equal(read_byte(&c, 8), 'y');
	assert_int_equal(media_seq(&c), 10);
	assert_int_equal(pmk_wc_commit(c.wc), 0);
	assert_int_equal(media_seq(&c), 11);
	expect_entry(&c, 0, 0, 1);
	expect_entry(&c, 1, 8, 10);
	/* in place only: synced, and no new sequence */
	assert_int_equal(write_byte(&c, 0, 'z'), 0);
	assert_int_equal(pmk_wc_commit(c.wc), 0);
	assert_int_equal(media_seq(&c), 11);
	cache_free(&c);
}

static void write__64_blocks_at_once(void **state)
{
	static const unsigned char buf[64 * VECTOR_BS];

	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, NULL, 0);
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(pmk_wc_write(c.wc, 0, buf, sizeof(buf), 0), 0);
		/* p: autocommit; s: nothing on the medium until it is closed */
		assert_int_equal(media_seq(&c), modes[m] == 'p' ? 11 : 10);
		expect_entry(&c, 63, modes[m] == 'p' ? 63 * 8 : FREE,
			     modes[m] == 'p' ? 10 : FREE);
		cache_close(&c);
		assert_int_equal(media_seq(&c), 11);
		expect_entry(&c, 63, 63 * 8, 10);
		cache_free(&c);
	}
}

static void write__fua_commits(void **state)
{
	static const unsigned char buf[VECTOR_BS];

	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, NULL, 0);
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(
			pmk_wc_write(c.wc, 8 * 512, buf, VECTOR_BS, PMK_WC_FUA),
			0);
		assert_int_equal(media_seq(&c), 11);
		expect_entry(&c, 0, 8, 10);
		cache_free(&c);
	}
}

static void write__bad_ranges(void **state)
{
	static unsigned char buf[2 * VECTOR_BS];
	struct cache c;

	(void)state;
	cache_vector(&c, 'p', 10, NULL, 0);
	assert_int_equal(cache_open(&c, NULL), 0);
	assert_int_equal(pmk_wc_write(c.wc, 512, buf, VECTOR_BS, 0), -EINVAL);
	assert_int_equal(pmk_wc_write(c.wc, 0, buf, 512, 0), -EINVAL);
	assert_int_equal(pmk_wc_write(c.wc, 0, buf, VECTOR_BS, 2), -EINVAL);
	assert_int_equal(pmk_wc_write(c.wc, VECTOR_ORIGIN, buf, VECTOR_BS, 0),
			 -EINVAL);
	assert_int_equal(
		pmk_wc_read(c.wc, VECTOR_ORIGIN - VECTOR_BS, buf, sizeof(buf)),
		-EINVAL);
	assert_int_equal(
		pmk_wc_read(c.wc, UINT64_MAX - VECTOR_BS + 1, buf, VECTOR_BS),
		-EINVAL);
	assert_int_equal(pmk_wc_discard(c.wc, 0, VECTOR_ORIGIN + VECTOR_BS),
			 -EINVAL);
	assert_int_equal(pmk_wc_write(c.wc, 0, buf, 0, 0), 0);
	assert_int_equal(cache_stats(&c).writes, 0);
	cache_free(&c);
}

static void write__without_origin(void **state)
{
	static unsigned char buf[VECTOR_BS];
	struct cache c;
	struct pmk_wc *wc;

	(void)state;
	cache_vector(&c, 'p', 10, NULL, 0);
	assert_int_equal(pmk_wc_open_map(c.map, -1, NULL, &wc), 0);
	for (uint64_t i = 0; i < VECTOR_N; i++)
		assert_int_equal(pmk_wc_write(wc, (1ULL << 40) + i * VECTOR_BS,
					      buf, VECTOR_BS, 0),
				 0);
	assert_int_equal(pmk_wc_write(wc, 0, buf, VECTOR_BS, 0), -ENOSPC);
	assert_int_equal(pmk_wc_read(wc, 1ULL << 40, buf, VECTOR_BS), 0);
	assert_int_equal(pmk_wc_read(wc, 0, buf, VECTOR_BS), -ENXIO);
	assert_int_equal(pmk_wc_clean(wc), -ENXIO);
	assert_int_equal(pmk_wc_close(wc), 0);
	assert_int_equal(media_entry(&c, 253).seq != FREE, 1);
	cache_free(&c);
}

static void discard__frees_on_the_medium_at_once(void **state)
{
	static const struct vector_entry e[] = { { 0, 72, 1 },
						 { 1, 80, 2 },
						 { 2, 88, 3 } };

	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, e, ARRAY_SIZE(e));
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(pmk_wc_discard(c.wc, 80 * 512, 4096), 0);
		expect_entry(&c, 0, 72, 1);
		expect_entry(&c, 1, 80, FREE);
		expect_entry(&c, 2, 88, 3);
		assert_int_equal(cache_info(&c).free, 252);
		/* a memfd can discard: zero */
		assert_int_equal(read_byte(&c, 80), 0);
		/* more sectors than the cache has blocks */
		assert_int_equal(pmk_wc_discard(c.wc, 0, VECTOR_ORIGIN), 0);
		assert_int_equal(cache_info(&c).free, 254);
		expect_entry(&c, 0, 72, FREE);
		cache_free(&c);
	}
}

static void seq__last_ones(void **state)
{
	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], UINT64_MAX - 1, NULL, 0);
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(write_byte(&c, 8, 'x'), 0);
		assert_int_equal(pmk_wc_commit(c.wc), 0);
		expect_entry(&c, 0, 8, UINT64_MAX - 1);
		assert_int_equal(media_seq(&c), UINT64_MAX);
		/* the kernel goes on with 0, and loses all */
		assert_int_equal(write_byte(&c, 16, 'y'), -EOVERFLOW);
		assert_int_equal(pmk_wc_commit(c.wc), 0);
		cache_close(&c);
		assert_int_equal(media_seq(&c), UINT64_MAX);
		assert_int_equal(cache_open(&c, NULL), 0);
		assert_int_equal(read_byte(&c, 8), 'x');
		assert_int_equal(pmk_wc_clean(c.wc), 1);
		assert_int_equal(origin_byte(&c, 8), 'x');
		cache_free(&c);
	}
}

/* More blocks than the cache has: p writes back, s writes around. */
static void full__goes_on(void **state)
{
	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, NULL, 0);
		assert_int_equal(cache_open(&c, NULL), 0);
		for (uint64_t i = 0; i < 256; i++)
			assert_int_equal(
				write_byte(&c, i * 8, (unsigned char)i), 0);
		assert_int_equal(cache_stats(&c).writes_around,
				 modes[m] == 's' ? 2 : 0);
		assert_int_equal(cache_stats(&c).writes_blocked,
				 modes[m] == 'p' ? 1 : 0);
		assert_int_equal(origin_byte(&c, modes[m] == 's' ? 255 * 8 : 0),
				 modes[m] == 's' ? 255 : 0);
		assert_int_equal(pmk_wc_commit(c.wc), 0);
		/* what went around is synced by a commit */
		assert_int_equal(cache_stats(&c).origin_syncs, 1);
		for (uint64_t i = 0; i < 256; i++)
			assert_int_equal(read_byte(&c, i * 8), i);
		cache_free(&c);
	}
}

static void work__between_the_watermarks(void **state)
{
	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, NULL, 0);
		assert_int_equal(cache_open(&c, NULL), 0);
		for (uint64_t i = 0; i < 126; i++)
			assert_int_equal(write_byte(&c, i * 8, 'w'), 0);
		assert_int_equal(cache_info(&c).free, 128);
		assert_int_equal(pmk_wc_work(c.wc), 0);
		assert_int_equal(write_byte(&c, 126 * 8, 'w'), 0);
		assert_true(pmk_wc_work(c.wc) > 0);
		assert_true(cache_info(&c).free > 140);
		assert_int_equal(pmk_wc_work(c.wc), 0);
		assert_int_equal(origin_byte(&c, 0), 'w'); /* the oldest */
		cache_free(&c);
	}
}

/* Blocks that are partly, or not, inside the origin; and the last sector. */
static void clean__end_of_the_origin(void **state)
{
	static const struct vector_entry e[] = {
		{ 0, 2040, 1 },       /* the last block */
		{ 1, 2048, 1 },       /* right behind it */
		{ 2, UINT64_MAX, 1 }, /* a kernel hangs */
		{ 3, UINT64_MAX / 512, 1 },
	};
	const struct pmk_wc_params p = { .origin_size = 2042 * 512 };

	(void)state;
	for_each_mode(m)
	{
		struct cache c;

		cache_vector(&c, modes[m], 10, e, ARRAY_SIZE(e));
		assert_int_equal(cache_open(&c, &p), 0);
		assert_int_equal(pmk_wc_clean(c.wc), 4);
		assert_int_equal(cache_stats(&c).dropped, 3);
		assert_int_equal(origin_byte(&c, 2041), 'A');
		assert_int_equal(origin_byte(&c, 2042), 'o');
		assert_int_equal(lseek(c.origin, 0, SEEK_END), VECTOR_ORIGIN);
		assert_int_equal(cache_info(&c).free, 254);
		cache_free(&c);
	}
}

/* An origin that fails: an error state, all entries kept, and no waiting. */
static void clean__origin_fails(void **state)
{
	static struct recorder r;
	const struct pmk_wc_params p = { .block_size = 512 };
	unsigned char buf[512] = "x", got[512];

	(void)state;
	for_each_mode(m)
	{
		struct pmk_wc_info info;
		struct wc_target t;
		struct pmk_wc *wc;

		recorder_init(&r, modes[m], 1024 + 40 * 512, 40 * 512);
		t = recorder_target(&r);
		assert_int_equal(pmk_wc_create_target(&t, &p), 0);
		assert_int_equal(pmk_wc_open_target(&t, &p, &wc), 0);
		for (uint64_t i = 0; i < 31; i++)
			assert_int_equal(pmk_wc_write(wc, i * 512, buf, 512, 0),
					 0);
		assert_int_equal(pmk_wc_commit(wc), 0);
		r.error[WC_ORIGIN] = -EIO;
		assert_int_equal(pmk_wc_clean(wc), -EIO);
		pmk_wc_get_info(wc, &info);
		assert_int_equal(info.error, -EIO);
		assert_int_equal(info.committed, 31);
		r.error[WC_ORIGIN] = 0;
		assert_int_equal(pmk_wc_clean(wc), -EIO); /* for good */
		assert_int_equal(pmk_wc_write(wc, 0, buf, 512, 0), -EIO);
		assert_int_equal(pmk_wc_read(wc, 0, got, 512), 0);
		assert_memory_equal(got, buf, 512);
		for (size_t i = 0; i < 31; i++)
			assert_int_equal(
				pmk_get_le64(r.m.now[WC_CACHE] + 72 + i * 16),
				0);
		assert_int_equal(pmk_wc_close(wc), -EIO);
		/* opened again it can finish */
		recorder_settle(&r);
		assert_int_equal(pmk_wc_open_target(&t, &p, &wc), 0);
		assert_int_equal(pmk_wc_clean(wc), 31);
		assert_int_equal(r.m.now[WC_ORIGIN][30 * 512], 'x');
		assert_int_equal(pmk_wc_close(wc), 0);
	}
}

/* A disk that is full, or fails: what has no data is never committed. */
static void write__cache_fails(void **state)
{
	static struct recorder r;
	static const int errors[] = { -ENOSPC, -EIO };
	const struct pmk_wc_params p = { .block_size = 512 };
	unsigned char buf[1024] = "x";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct wc_target t;
		struct pmk_wc *wc;

		recorder_init(&r, 's', 1024 + 40 * 512, 40 * 512);
		t = recorder_target(&r);
		assert_int_equal(pmk_wc_create_target(&t, &p), 0);
		assert_int_equal(pmk_wc_open_target(&t, &p, &wc), 0);
		r.error[WC_CACHE] = errors[i];
		assert_int_equal(pmk_wc_write(wc, 0, buf, 1024, 0), errors[i]);
		r.error[WC_CACHE] = 0;
		assert_int_equal(pmk_wc_write(wc, 0, buf, 512, 0), -EIO);
		assert_int_equal(pmk_wc_commit(wc), -EIO);
		assert_int_equal(pmk_wc_close(wc), -EIO);
		assert_int_equal(pmk_get_le64(r.m.now[WC_CACHE] + 24), 0);
		assert_int_equal(pmk_get_le64(r.m.now[WC_CACHE] + 72), FREE);
	}
}

/* A commit whose sync fails is none, and nothing is after it. */
static void commit__cache_fails(void **state)
{
	static struct recorder r;
	const struct pmk_wc_params p = { .block_size = 512 };
	unsigned char buf[512] = "x";
	struct wc_target t;
	struct pmk_wc *wc;

	(void)state;
	recorder_init(&r, 's', 1024 + 40 * 512, 40 * 512);
	t = recorder_target(&r);
	assert_int_equal(pmk_wc_create_target(&t, &p), 0);
	assert_int_equal(pmk_wc_open_target(&t, &p, &wc), 0);
	assert_int_equal(pmk_wc_write(wc, 0, buf, 512, 0), 0);
	r.error[WC_CACHE] = -EIO;
	assert_int_equal(pmk_wc_commit(wc), -EIO);
	r.error[WC_CACHE] = 0;
	assert_int_equal(pmk_wc_commit(wc), -EIO);
	assert_int_equal(pmk_wc_read(wc, 0, buf, 512), 0);
	assert_int_equal(buf[0], 'x');
	assert_int_equal(pmk_wc_close(wc), -EIO);
	assert_int_equal(pmk_get_le64(r.m.now[WC_CACHE] + 24), 0);
}

/* Memory that cannot be read, here behind the end of its file. */
static void read__bad_memory(void **state)
{
	static const struct vector_entry e[] = { { 0, 0, 1 }, { 9, 80, 2 } };
	unsigned char buf[VECTOR_BS];
	struct cache c;

	(void)state;
	cache_vector(&c, 'p', 10, e, ARRAY_SIZE(e));
	assert_int_equal(cache_open(&c, NULL), 0);
	assert_int_equal(ftruncate(c.fd, VECTOR_DATA + VECTOR_BS), 0);
	assert_int_equal(pmk_wc_read(c.wc, 80 * 512, buf, VECTOR_BS), -EIO);
	assert_int_equal(cache_info(&c).error, -EIO);
	assert_int_equal(read_byte(&c, 0), 'A');
	assert_int_equal(write_byte(&c, 0, 'x'), -EIO);
	expect_entry(&c, 1, FREE, FREE);
	cache_free(&c);
}

/* No entry is taken for free, or old, because another cannot be read. */
static void open__bad_metadata(void **state)
{
	static const struct vector_entry e[] = { { 0, 0, 1 }, { 1, 8, 10 } };
	struct cache c;

	(void)state;
	cache_vector(&c, 'p', 10, e, ARRAY_SIZE(e));
	assert_int_equal(ftruncate(c.fd, 4096), 0);
	assert_int_equal(cache_open(&c, NULL), -EIO);
	expect_entry(&c, 1, 8, 10);
	c.mode = 's';
	assert_true(cache_open(&c, NULL) < 0);
	expect_entry(&c, 1, 8, 10);
	cache_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write__committed_sector_p),
		cmocka_unit_test(write__committed_sector_s),
		cmocka_unit_test(write__64_blocks_at_once),
		cmocka_unit_test(write__fua_commits),
		cmocka_unit_test(write__bad_ranges),
		cmocka_unit_test(write__without_origin),
		cmocka_unit_test(discard__frees_on_the_medium_at_once),
		cmocka_unit_test(seq__last_ones),
		cmocka_unit_test(full__goes_on),
		cmocka_unit_test(work__between_the_watermarks),
		cmocka_unit_test(clean__end_of_the_origin),
		cmocka_unit_test(clean__origin_fails),
		cmocka_unit_test(write__cache_fails),
		cmocka_unit_test(commit__cache_fails),
		cmocka_unit_test(read__bad_memory),
		cmocka_unit_test(open__bad_metadata),
	};

	return cmocka_run_group_tests_name("wc io", tests, NULL, NULL);
}
