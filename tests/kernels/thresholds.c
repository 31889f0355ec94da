/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies whose length is around a threshold, and ones that go by streams:
 * contents, on guard pages.  Overlap must never take the streams.
 *
 * APIs covered: pmk_memmove(), pmk_memmove_tuned(), pmk_tuning_get().
 */
#include <pmk/tune.h>

#include "copy_test.h"

#define BLOCK     32768U /* eight streams of 4 KiB */
#define GUARD_LEN (5U * BLOCK)

static int setup(void **state)
{
	(void)state;
	return setup_copies("thresholds", GUARD_LEN);
}

/* Streams as early as they may begin. */
static const struct pmk_tuning always;
/* By two, four and eight in quick succession. */
static const struct pmk_tuning early = {
	.nt_lines = 64,
	.nt_edges = 128,
	.two_streams = 576,
	.four_streams = 1500,
	.eight_streams = BLOCK,
	.two_streams_nodrain = 1024,
};
/* Only eight streams, and no others for what they leave. */
static const struct pmk_tuning late = {
	.two_streams = BLOCK,
	.four_streams = SIZE_MAX,
	.eight_streams = 0,
	.two_streams_nodrain = BLOCK,
};
/* The names of thresholds in the wrong order. */
static const struct pmk_tuning upside_down = {
	.nt_lines = SIZE_MAX,
	.nt_edges = 1,
	.two_streams = 4096,
	.four_streams = 1,
	.eight_streams = 0,
	.two_streams_nodrain = 1,
};

static const struct pmk_tuning *const tunings[] = { NULL, &always, &early,
						    &late, &upside_down };

static void move(void *dst, const void *src, const struct what *w,
		 const struct pmk_tuning *t)
{
	void *ret = t ? pmk_memmove_tuned(dst, src, w->len, w->flags, t)
		      : pmk_memmove(dst, src, w->len, w->flags);

	if (ret != dst)
		fail_at(w, "return value is not the destination", 0);
}

static void check_copy(const struct what *w, uint8_t *dst, const uint8_t *src,
		       const struct pmk_tuning *t)
{
	before_copy(w, dst, src);
	move(dst, src, w, t);
	after_copy(w, dst);
}

static const unsigned int flags[] = { 0, PMK_F_NODRAIN, PMK_F_NONTEMPORAL,
				      PMK_F_TEMPORAL, PMK_F_NOFLUSH };

/* One length: destination and source at offsets in a line, then all four ways
 * of touching a guard page. */
static void check_length(struct what *w, const struct pmk_tuning *t)
{
	static const size_t offs[] = { 0, 1, 8, 32, 60 };
	static const size_t src_offs[] = { 0, 1, 28, 63 };
	static size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(offs); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(src_offs); j++) {
			w->dst_off = offs[i];
			w->src_off = src_offs[j];
			w->flags = flags[n++ % ARRAY_SIZE(flags)];
			check_copy(w, dst_g.start + MARGIN + w->dst_off,
				   src_g.start + 4096 + w->src_off, t);
		}
	}
	for (size_t i = 0; i < 4; i++) {
		uint8_t *dst = i % 2 ? dst_g.start : guard_tail(&dst_g, w->len);
		const uint8_t *src =
			i / 2 ? src_g.start : guard_tail(&src_g, w->len);

		w->dst_off = (uintptr_t)dst % 64;
		w->src_off = (uintptr_t)src % 64;
		w->flags = flags[n++ % ARRAY_SIZE(flags)];
		check_copy(w, dst, src, t);
	}
}

/* Around @edge by bytes and lines, and by what streams divide. */
static void check_around(const char *name, size_t edge,
			 const struct pmk_tuning *t)
{
	static const int deltas[] = { -257, -256, -65, -64, -63, -8,  -1,
				      0,    1,    8,   63,  64,  65,  124,
				      255,  256,  257, 511, 512, 1024 };
	struct what w = { .name = name };

	for (size_t i = 0; i < ARRAY_SIZE(deltas); i++) {
		if (deltas[i] < 0 && edge < (size_t)-deltas[i])
			continue;
		w.len = edge + (size_t)deltas[i];
		check_length(&w, t);
	}
}

/* The lengths at which this tuning changes its way, as far as they fit. */
static void check_edges_of(const char *name, const struct pmk_tuning *effective,
			   const struct pmk_tuning *t)
{
	const size_t edges[] = {
		effective->nt_lines,
		effective->nt_edges,
		effective->two_streams,
		effective->four_streams,
		effective->eight_streams,
		effective->two_streams_nodrain,
		BLOCK,
		2 * BLOCK,
		4 * BLOCK,
		2 * BLOCK + effective->four_streams,
		BLOCK + effective->two_streams,
	};

	for (size_t i = 0; i < ARRAY_SIZE(edges); i++)
		if (edges[i] <= 4 * BLOCK)
			check_around(name, edges[i], t);
	check_source_unchanged();
}

static void memmove__around_the_default_thresholds(void **state)
{
	struct pmk_tuning t;

	(void)state;
	assert_int_equal(pmk_tuning_get(PMK_MEDIUM_DRAM, &t), 0);
	check_edges_of("pmk_memmove", &t, NULL);
	assert_int_equal(pmk_tuning_get(PMK_MEDIUM_PMEM, &t), 0);
	check_edges_of("pmk_memmove_tuned, pmem", &t, &t);
}

static void memmove__around_other_thresholds(void **state)
{
	(void)state;
	check_edges_of("pmk_memmove_tuned, always", &always, &always);
	check_edges_of("pmk_memmove_tuned, early", &early, &early);
	check_edges_of("pmk_memmove_tuned, late", &late, &late);
	check_edges_of("pmk_memmove_tuned, upside down", &upside_down,
		       &upside_down);
}

/* Every length from which a piece of some streams may come. */
static void memmove__every_length_by_streams(void **state)
{
	struct what w = { .name = "pmk_memmove_tuned, always" };
	size_t n = 0;

	(void)state;
	for (w.len = 1; w.len <= 4200; w.len += OFF_STEP) {
		w.dst_off = n++ * 8 % 64;
		w.src_off = n % 64;
		w.flags = flags[n % 3];
		check_copy(&w, dst_g.start + MARGIN + w.dst_off,
			   src_g.start + w.src_off, &always);
		check_copy(&w, guard_tail(&dst_g, w.len),
			   guard_tail(&src_g, w.len), &early);
	}
	check_source_unchanged();
}

/* One move within dst_g by @distance, up and down. */
static void check_overlap(struct what *w, size_t distance,
			  const struct pmk_tuning *t)
{
	size_t span = MARGIN + 64 + distance + w->len + MARGIN;
	size_t lo = MARGIN + w->len % 64;

	for (int down = 0; down < 2; down++) {
		w->dst_off = down ? lo : lo + distance;
		w->src_off = down ? lo + distance : lo;
		before_move(w, span);
		move(dst_g.start + w->dst_off, dst_g.start + w->src_off, w, t);
		after_move(w, span);
	}
}

/* Distances around a line, a unit of a stream and a piece of eight; the last
 * byte of the one range in the first of the other, or just not. */
static void memmove__overlap_takes_no_streams(void **state)
{
	static const size_t distances[] = { 1,    8,    63,   64,   65,
					    127,  128,  255,  256,  257,
					    511,  512,  1023, 1024, 4095,
					    4096, 4097, 8192, 32767 };
	static const size_t lens[] = { 576,   1024,      3967,     3968,
				       3969,  4160,      8200,     12032,
				       20000, BLOCK - 1, BLOCK,    BLOCK + 8,
				       40960, 65535,     2 * BLOCK };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		struct what w = { .name = "pmk_memmove, overlap",
				  .len = lens[i] };

		for (size_t j = 0; j < ARRAY_SIZE(distances); j++, n++) {
			w.flags = flags[n / 3 % ARRAY_SIZE(flags)];
			check_overlap(&w, distances[j],
				      tunings[n % ARRAY_SIZE(tunings)]);
		}
		for (size_t d = w.len - 1; d <= w.len + 1; d++)
			for (size_t k = 0; k < ARRAY_SIZE(tunings); k++, n++) {
				w.flags = flags[n % ARRAY_SIZE(flags)];
				check_overlap(&w, d, tunings[k]);
			}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memmove__around_the_default_thresholds),
		cmocka_unit_test(memmove__around_other_thresholds),
		cmocka_unit_test(memmove__every_length_by_streams),
		cmocka_unit_test(memmove__overlap_takes_no_streams),
	};

	return cmocka_run_group_tests(tests, setup, teardown_copies);
}
