/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each event of a writecache costs in stores and fences, counted by the
 * engine, and, of what a medium that records was told, by that.  The table is
 * that of the kernel's mode p on x86-64 (docs/design/0011-writecache.md).
 *
 * Covered: pmk_wc_get_stats, and the cost of _create_map, _open_map, _write,
 * _commit, _discard, _work, _clean.
 */
#include <string.h>

#include "base/util.h"
#include "wc_fixture.h"
#include "wc_recorder.h"

#define BS     512U
#define BLOCKS 40U

/* One run, on a medium that counts as well. */
static struct run {
	struct recorder r;
	struct wc_ops ops;
	struct wc_ops real;
	struct pmk_wc *wc;
	struct pmk_wc_stats was;
	/* what the medium was told */
	uint64_t stores4, stores8, stores16, fences;
} run;

static void count4(void *ctx, void *dst, const void *src)
{
	run.stores4++;
	run.real.store4(ctx, dst, src);
}

static void count8(void *ctx, void *dst, const void *src)
{
	run.stores8++;
	run.real.store8(ctx, dst, src);
}

static void count16(void *ctx, void *dst, const void *src)
{
	run.stores16++;
	run.real.store16(ctx, dst, src);
}

static void count_fence(void *ctx, enum wc_barrier which)
{
	run.fences++;
	run.real.fence(ctx, which);
}

/* Each of the recorder's units takes room: none of them is wanted here. */
static void no_data(void *ctx, void *dst, const void *src, size_t len)
{
	(void)ctx;
	memcpy(dst, src, len);
}

static struct wc_target counting(void)
{
	struct wc_target t = recorder_target(&run.r);

	run.real = *t.ops;
	run.ops = *t.ops;
	run.ops.store4 = count4;
	run.ops.store8 = count8;
	run.ops.store16 = count16;
	run.ops.fence = count_fence;
	run.ops.data = no_data;
	t.ops = &run.ops;
	return t;
}

static int begin(void **state)
{
	const struct pmk_wc_params create = { .block_size = BS };
	const struct pmk_wc_params p = { .autocommit_blocks = UINT32_MAX };
	struct wc_target t;

	(void)state;
	memset(&run, 0, sizeof(run));
	recorder_init(&run.r, 'p', 1024 + BLOCKS * BS, 64 * BS);
	t = counting();
	assert_int_equal(pmk_wc_create_target(&t, &create), 0);
	run.stores4 = run.stores8 = run.stores16 = run.fences = 0;
	assert_int_equal(pmk_wc_open_target(&t, &p, &run.wc), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pmk_wc_abandon(run.wc);
	return 0;
}

static void write_blocks(unsigned int first, unsigned int n)
{
	static const unsigned char buf[BLOCKS * BS];

	assert_int_equal(pmk_wc_write(run.wc, (uint64_t)first * BS, buf,
				      (size_t)n * BS, 0),
			 0);
}

/* Since the last call: stores of 4, 8 and 16 bytes, and fences. */
static void expect(uint64_t s4, uint64_t s8, uint64_t s16, uint64_t fences)
{
	struct pmk_wc_stats now;

	pmk_wc_get_stats(run.wc, &now);
	assert_int_equal(now.assigns4 - run.was.assigns4, s4);
	assert_int_equal(now.assigns8 - run.was.assigns8, s8);
	assert_int_equal(now.assigns16 - run.was.assigns16, s16);
	assert_int_equal(now.fences - run.was.fences, fences);
	assert_int_equal(now.metadata_stores - run.was.metadata_stores,
			 s4 + s8 + 2 * s16);
	assert_int_equal(now.metadata_bytes - run.was.metadata_bytes,
			 4 * s4 + 8 * s8 + 16 * s16);
	/* the medium agrees */
	assert_int_equal(run.stores4, s4);
	assert_int_equal(run.stores8, s8);
	assert_int_equal(run.stores16, s16);
	assert_int_equal(run.fences, fences);
	run.stores4 = run.stores8 = run.stores16 = run.fences = 0;
	run.was = now;
	recorder_settle(&run.r);
}

static void commit(void)
{
	assert_int_equal(pmk_wc_commit(run.wc), 0);
}

static void count__create(void **state)
{
	const struct pmk_wc_params p = { .block_size = BS,
					 .flags = PMK_WC_FORCE };
	struct wc_target t = counting();

	(void)state;
	/* the usual: 64 bytes zeroed as 8x8, four fields, an entry each, the
	 * magic; FORCE: 8 bytes and a fence before */
	assert_int_equal(pmk_wc_create_target(&t, &p), 0);
	assert_int_equal(run.stores4, 3);
	assert_int_equal(run.stores8, 8 + 2 + 1);
	assert_int_equal(run.stores16, BLOCKS);
	assert_int_equal(run.fences, 2 + 1);
	memset(run.r.m.now[WC_CACHE], 0, run.r.m.bytes[WC_CACHE]);
	recorder_settle(&run.r);
	run.stores8 = run.fences = 0;
	t.ops = &run.ops;
	assert_int_equal(
		pmk_wc_create_target(
			&t, &(struct pmk_wc_params){ .block_size = BS }),
		0);
	assert_int_equal(run.stores8, 8 + 2);
	assert_int_equal(run.fences, 2);
}

static void count__write_and_commit(void **state)
{
	(void)state;
	expect(0, 0, 0, 0); /* opening a new one */
	write_blocks(0, 1);
	expect(0, 0, 1, 0); /* new block */
	write_blocks(0, 1);
	expect(0, 0, 0, 0); /* rewrite of an uncommitted one */
	commit();
	expect(0, 1, 0, 2);
	commit();
	expect(0, 0, 0, 0); /* nothing to commit */
	write_blocks(0, 1);
	expect(0, 0, 1, 0); /* rewrite of a committed one */
	commit();
	expect(0, 1 + 1, 0, 2 + 1); /* and the old one freed */
	write_blocks(0, 8);
	expect(0, 0, 8, 0);
	commit();
	expect(0, 1 + 1, 0, 2 + 1); /* the third fence is shared */
	write_blocks(0, 8);
	commit();
	expect(0, 1 + 8, 8, 2 + 1);
}

static void count__writeback(void **state)
{
	(void)state;
	write_blocks(0, 1);
	commit();
	expect(0, 1, 1, 2);
	assert_int_equal(pmk_wc_clean(run.wc), 1);
	expect(0, 1, 0, 1);
	write_blocks(0, 35);
	commit();
	expect(0, 1, 35, 2);
	assert_int_equal(pmk_wc_clean(run.wc), 35);
	expect(0, 35, 0, 2 + 1); /* each 16, and at the end */
}

static void count__discard(void **state)
{
	(void)state;
	write_blocks(0, 3);
	commit();
	write_blocks(2, 2);
	expect(0, 1, 3 + 2, 2);
	/* three committed, and two that are not */
	assert_int_equal(pmk_wc_discard(run.wc, 0, 8 * BS), 0);
	expect(0, 5, 0, 1);
	assert_int_equal(pmk_wc_discard(run.wc, 0, 8 * BS), 0);
	expect(0, 0, 0, 0);
}

static void count__resume_erases(void **state)
{
	const struct pmk_wc_params p = { .autocommit_blocks = UINT32_MAX };
	struct wc_target t = counting();

	(void)state;
	write_blocks(0, 3);
	pmk_wc_abandon(run.wc);
	run.stores16 = 0;
	memset(&run.was, 0, sizeof(run.was));
	assert_int_equal(pmk_wc_open_target(&t, &p, &run.wc), 0);
	expect(0, 3, 0, 1);
}

/* Life of a block, one commit each: 32 to 40 bytes in 4 to 5 instructions. */
static void count__life_of_a_block(void **state)
{
	struct pmk_wc_stats s;

	(void)state;
	write_blocks(0, 1);
	commit();
	assert_int_equal(pmk_wc_clean(run.wc), 1);
	pmk_wc_get_stats(run.wc, &s);
	assert_int_equal(s.metadata_bytes, 16 + 8 + 8);
	assert_int_equal(s.metadata_stores, 4);
	assert_int_equal(s.fences, 3);
}

/* Each 64 blocks are a commit; 63 more are none yet. */
static void count__autocommit(void **state)
{
	static const unsigned char buf[VECTOR_BS];
	struct cache c;

	(void)state;
	cache_vector(&c, 'p', 10, NULL, 0);
	assert_int_equal(cache_open(&c, NULL), 0);
	for (unsigned int i = 0; i < 127; i++)
		assert_int_equal(pmk_wc_write(c.wc, (uint64_t)i * VECTOR_BS,
					      buf, VECTOR_BS, 0),
				 0);
	assert_int_equal(cache_stats(&c).commits, 1);
	assert_int_equal(cache_info(&c).uncommitted, 63);
	assert_int_equal(cache_stats(&c).metadata_bytes, 127 * 16 + 8);
	assert_int_equal(cache_stats(&c).fences, 2);
	assert_int_equal(media_seq(&c), 11);
	cache_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(count__create, begin, end),
		cmocka_unit_test_setup_teardown(count__write_and_commit, begin,
						end),
		cmocka_unit_test_setup_teardown(count__writeback, begin, end),
		cmocka_unit_test_setup_teardown(count__discard, begin, end),
		cmocka_unit_test_setup_teardown(count__resume_erases, begin,
						end),
		cmocka_unit_test_setup_teardown(count__life_of_a_block, begin,
						end),
		cmocka_unit_test(count__autocommit),
	};

	return cmocka_run_group_tests_name("wc count", tests, NULL, NULL);
}
