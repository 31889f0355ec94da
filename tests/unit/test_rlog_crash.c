/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power failures of a record log, by enumeration.
 *
 * A recording ops table takes a snapshot of the log at every drain.  Between
 * two drains the hardware may write back any subset of the lines that changed
 * (and of a line that was not stored whole, any subset of its 8-byte words), so
 * for each pair of snapshots such mixtures are made and opened as after a
 * crash.  What must hold is said here, not computed by the log: all records
 * that were acknowledged at the first snapshot are there; those behind them
 * are the next ones, whole and in order; a new writer can go on, and nothing
 * of what was lost ever comes back.
 *
 * Covered: pmk_rlog_append_batch, _attach, _next, _check, _close.
 */
#include <stdlib.h>
#include <string.h>

#include "map/map_impl.h"
#include "rlog_fixture.h"
#include "support/seed.h"

#define LINE 64U
/* Subsets of up to this many changed lines are all tried, else a sample. */
#define ALL_SUBSETS_OF 8U
#define SAMPLES        64U
#define MAX_SNAPSHOTS  128U

struct snapshot {
	unsigned char *image;
	uint64_t acked; /* records that were durable before this drain */
	uint64_t begun; /* records that were begun before this drain */
};

/* One recorded run. */
static struct recording {
	const struct pmk_map_ops *real;
	struct pmk_map_ops ops;
	struct snapshot shots[MAX_SNAPSHOTS];
	size_t n, size;
	uint64_t acked, begun;
} run;

static void take_snapshot(const struct pmk_map *map)
{
	struct snapshot *s = &run.shots[run.n];

	assert_true(run.n < MAX_SNAPSHOTS);
	s->image = malloc(run.size);
	assert_non_null(s->image);
	memcpy(s->image, map->addr, run.size);
	s->acked = run.acked;
	s->begun = run.begun;
	run.n++;
}

static int recording_drain(struct pmk_map *map, const void *addr, size_t len)
{
	take_snapshot(map);
	return run.real->drain(map, addr, len);
}

static void start_recording(struct pmk_map *map)
{
	memset(&run, 0, sizeof(run));
	run.size = map->len;
	run.real = map->ops;
	run.ops = *map->ops;
	run.ops.drain = recording_drain;
	map->ops = &run.ops;
	take_snapshot(map);
}

static void stop_recording(struct pmk_map *map)
{
	take_snapshot(map);
	map->ops = run.real;
}

static void free_recording(void)
{
	for (size_t i = 0; i < run.n; i++)
		free(run.shots[i].image);
}

/* Append records by number, with extra bytes so that records can be large;
 * @variant tells two records of one number apart. */
static size_t make(uint64_t number, unsigned char variant, size_t extra,
		   unsigned char *buf)
{
	size_t len = 9 + (size_t)(number * 67 % 150) + extra;

	memcpy(buf, &number, sizeof(number));
	for (size_t i = 8; i < len; i++)
		buf[i] = (unsigned char)(variant + i * 3 + number);
	return len;
}

static void append(struct pmk_rlog *log, size_t n, unsigned char variant,
		   size_t extra)
{
	struct pmk_rlog_iov iov[8];
	uint64_t first;

	assert_true(n <= 8);
	for (size_t i = 0; i < n; i++) {
		unsigned char *buf = malloc(200 + extra);

		assert_non_null(buf);
		iov[i].data = buf;
		iov[i].len = make(run.begun + 1 + i, variant, extra, buf);
	}
	run.begun += n;
	assert_int_equal(pmk_rlog_append_batch(log, iov, n, &first), n);
	run.acked += n;
	assert_int_equal(first + n - 1, run.acked);
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)iov[i].data);
}

static int is_right(const struct pmk_rlog_record *rec, unsigned char variant,
		    size_t extra)
{
	unsigned char *want = malloc(200 + extra);
	size_t len;
	int right;

	assert_non_null(want);
	len = make(rec->number, variant, extra, want);
	right = rec->len == len && !memcmp(rec->data, want, len);
	free(want);
	return right;
}

/* Read all; the first @first_variant records have variant 1, the others 2. */
static uint64_t count(struct pmk_rlog *log, uint64_t first_variant,
		      size_t extra)
{
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	uint64_t n = 0;
	int rc;

	pmk_rlog_rewind(&cursor);
	while ((rc = pmk_rlog_next(log, &cursor, &rec)) == 1) {
		n++;
		assert_int_equal(rec.number, n);
		assert_true(is_right(&rec, n <= first_variant ? 1 : 2, extra));
	}
	assert_int_equal(rc, 0);
	return n;
}

/* After the crash: append other records where the lost ones were, crash in
 * the middle again (here: the process only), and read what is there. */
static void go_on(struct pmk_map *map, uint64_t found, size_t extra)
{
	struct pmk_rlog *log = fixture_writer(map);
	unsigned char *buf = malloc(200 + extra);

	assert_non_null(buf);
	for (uint64_t n = found + 1; n <= found + 2; n++) {
		size_t len = make(n, 2, extra, buf);

		assert_int_equal(pmk_rlog_append(log, buf, len, NULL), 0);
		assert_int_equal(count(log, found, extra), n);
	}
	free(buf);
	assert_int_equal(pmk_rlog_close(log), 0);
}

static void check_image(struct pmk_map *map, const struct snapshot *from,
			const struct snapshot *to, size_t extra)
{
	struct pmk_rlog_report report;
	struct pmk_rlog *log = fixture_reader(map);
	uint64_t found = count(log, UINT64_MAX, extra);

	assert_in_range(found, from->acked, to->begun);
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	assert_int_equal(report.problems, 0);
	assert_int_equal(report.records, found);
	assert_int_equal(pmk_rlog_close(log), 0);
	go_on(map, found, extra);
	log = fixture_reader(map);
	assert_int_equal(count(log, found, extra), found + 2);
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	assert_int_equal(report.problems, 0);
	assert_int_equal(pmk_rlog_close(log), 0);
}

/* Take lines by the bits of @mask, or, if @torn, words at random. */
static void mix(unsigned char *image, const struct snapshot *to,
		const size_t *changed, size_t n, uint64_t mask,
		struct rng *torn)
{
	for (size_t i = 0; i < n; i++) {
		size_t off = changed[i] * LINE;

		if (!torn && mask >> (i % 64) & 1)
			memcpy(image + off, to->image + off, LINE);
		for (size_t w = 0; torn && w < LINE; w += 8)
			if (rng_next(torn) & 1)
				memcpy(image + off + w, to->image + off + w, 8);
	}
}

static void crash_between(struct pmk_map *map, const struct snapshot *from,
			  const struct snapshot *to, size_t extra,
			  struct rng *rng)
{
	static size_t changed[1U << 16];
	size_t n = 0;
	uint64_t tries;

	for (size_t i = 0; i < run.size / LINE; i++)
		if (memcmp(from->image + i * LINE, to->image + i * LINE, LINE))
			changed[n++] = i;
	tries = n <= ALL_SUBSETS_OF ? 1U << n : SAMPLES;
	for (uint64_t i = 0; i < 2 * tries; i++) {
		uint64_t mask = n <= ALL_SUBSETS_OF ? i : rng_next(rng);

		memcpy(map->addr, from->image, run.size);
		mix(map->addr, to, changed, n, mask, i < tries ? NULL : rng);
		check_image(map, from, to, extra);
	}
}

static void crash_everywhere(size_t extra, const char *name)
{
	struct pmk_map *map = fixture_map(run.size);
	struct rng rng;

	rng_init(&rng, name);
	for (size_t i = 0; i + 1 < run.n; i++)
		crash_between(map, &run.shots[i], &run.shots[i + 1], extra,
			      &rng);
	pmk_map_close(map);
	free_recording();
}

static void crash__small_records(void **state)
{
	struct pmk_map *map = fixture_log_map(32768);
	struct pmk_rlog *log;

	(void)state;
	start_recording(map);
	for (int i = 0; i < 3; i++) { /* opening and closing crash, too */
		log = fixture_writer(map);
		append(log, 1, 1, 0);
		append(log, 3, 1, 0);
		append(log, 1, 1, 0);
		append(log, 8, 1, 0);
		assert_int_equal(pmk_rlog_close(log), 0);
	}
	stop_recording(map);
	pmk_map_close(map);
	assert_int_equal(run.acked, 39);
	crash_everywhere(0, "crash__small_records");
}

/* Records of 200 to 700 KiB: windows move, with a drain of their own if need
 * be, in the middle of it. */
static void crash__windows_move(void **state)
{
	struct pmk_map *map = fixture_log_map(3U << 20);
	struct pmk_rlog *log;

	(void)state;
	start_recording(map);
	log = fixture_writer(map);
	append(log, 1, 1, 300000);
	append(log, 2, 1, 300000);
	append(log, 1, 1, 300000);
	assert_int_equal(pmk_rlog_close(log), 0);
	stop_recording(map);
	pmk_map_close(map);
	/* go_on() needs room for two more */
	crash_everywhere(300000, "crash__windows_move");
}

/* A drain that fails leaves what was acknowledged, and a handle that refuses
 * to go on rather than to guess. */
static int failing_drain(struct pmk_map *map, const void *addr, size_t len)
{
	(void)map;
	(void)addr;
	(void)len;
	return -5; /* EIO */
}

static void append__drain_fails(void **state)
{
	struct pmk_map *map = fixture_log_map(32768);
	struct pmk_map_ops ops = *map->ops;
	const struct pmk_map_ops *real = map->ops;
	struct pmk_rlog *log = fixture_writer(map);

	(void)state;
	fixture_append(log, 1, 10);
	ops.drain = failing_drain;
	map->ops = &ops;
	assert_int_equal(pmk_rlog_append(log, "x", 1, NULL), -5);
	map->ops = real;
	assert_int_equal(pmk_rlog_append(log, "x", 1, NULL), PMK_E_LOG_BROKEN);
	assert_int_equal(pmk_rlog_close(log), 0);
	log = fixture_writer(map);
	/* the record was stored all the same: whole or absent, here whole */
	assert_int_equal(pmk_rlog_append(log, "y", 1, NULL), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crash__small_records),
		cmocka_unit_test(crash__windows_move),
		cmocka_unit_test(append__drain_fails),
	};

	return cmocka_run_group_tests_name("rlog crash", tests, NULL, NULL);
}
