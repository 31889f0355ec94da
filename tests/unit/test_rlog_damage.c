/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damage to a record log: every bit of a small log flipped, ranges zeroed and
 * overwritten, files cut.  Never a crash, never a wrong record returned as
 * good, and what was closed in good order never gets lost silently.
 *
 * Covered: pmk_rlog_attach, _next, _check, _append.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rlog_fixture.h"
#include "support/seed.h"

#define SIZE    8192U
#define DATA    4096U
#define RECORDS 20U

/* A closed log of RECORDS records, written by two writers. */
static unsigned char good[SIZE];
/* Where record i + 1 begins; the last one is the end of all. */
static uint64_t offsets[RECORDS + 1];

static int make_good(void **state)
{
	struct pmk_map *map = fixture_log_map(SIZE);
	struct pmk_rlog *log = fixture_writer(map);
	struct pmk_rlog_report report;
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;

	(void)state;
	fixture_append(log, 1, RECORDS / 2);
	assert_int_equal(pmk_rlog_close(log), 0);
	log = fixture_writer(map);
	fixture_append(log, 1 + RECORDS / 2, RECORDS - RECORDS / 2);
	assert_int_equal(pmk_rlog_close(log), 0);
	log = fixture_reader(map);
	pmk_rlog_rewind(&cursor);
	for (size_t i = 0; i < RECORDS; i++) {
		assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 1);
		offsets[i] = rec.off;
	}
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	offsets[RECORDS] = report.end_off;
	assert_int_equal(pmk_rlog_close(log), 0);
	memcpy(good, pmk_map_addr(map), SIZE);
	pmk_map_close(map);
	return 0;
}

/* What a reader made of a log. */
struct outcome {
	size_t right;      /* records, each checked against its number */
	size_t damaged;    /* ranges */
	size_t lost;       /* records, as the log says */
	uint64_t off, len; /* of the first damaged range */
};

static struct outcome read_all(struct pmk_rlog *log)
{
	struct outcome o = { 0 };
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	uint64_t last = 0;
	int rc;

	pmk_rlog_rewind(&cursor);
	while ((rc = pmk_rlog_next(log, &cursor, &rec)) != 0) {
		if (rc == 1) {
			assert_true(rec.number > last);
			last = rec.number;
			assert_true(fixture_is_right(&rec));
			o.right++;
			continue;
		}
		assert_int_equal(rc, PMK_E_LOG_DAMAGED);
		if (!o.damaged++) {
			o.off = rec.off;
			o.len = rec.len;
		}
		o.lost += rec.lost;
	}
	return o;
}

static size_t record_at(uint64_t byte)
{
	size_t i = 0;

	while (offsets[i + 1] <= byte)
		i++;
	return i;
}

/* One flipped bit in a record loses that record and no other, says so, and
 * says where. */
static void expect_one_lost(const struct outcome *o, uint64_t byte)
{
	size_t i = record_at(byte);

	assert_int_equal(o->right, RECORDS - 1);
	assert_int_equal(o->damaged, 1);
	assert_int_equal(o->lost, 1);
	assert_int_equal(o->off, offsets[i]);
	assert_int_equal(o->len, offsets[i + 1] - offsets[i]);
}

static void expect_all(const struct outcome *o)
{
	assert_int_equal(o->right, RECORDS);
	assert_int_equal(o->damaged, 0);
}

/* A writer on a damaged log loses nothing that is still good. */
static void append_to(struct pmk_map *map, size_t right)
{
	struct pmk_rlog *log;
	struct outcome o;

	if (pmk_rlog_attach(map, PMK_RLOG_WRITE, &log))
		return; /* refusing is right, too: nothing was written */
	fixture_append(log, RECORDS + 1, 1);
	assert_int_equal(pmk_rlog_close(log), 0);
	log = fixture_reader(map);
	o = read_all(log);
	assert_int_equal(o.right, right + 1);
	assert_int_equal(pmk_rlog_close(log), 0);
}

static void flip__each_bit(void **state)
{
	struct pmk_map *map = fixture_image_map(good, SIZE);
	unsigned char *p = pmk_map_addr(map);

	(void)state;
	for (size_t bit = 0; bit < 8 * offsets[RECORDS]; bit++) {
		struct pmk_rlog *log = NULL;
		struct outcome o;

		p[bit / 8] ^= (unsigned char)(1U << bit % 8);
		assert_int_equal(pmk_rlog_attach(map, 0, &log), 0);
		o = read_all(log);
		if (bit / 8 < DATA)
			expect_all(&o);
		else
			expect_one_lost(&o, bit / 8);
		assert_int_equal(pmk_rlog_close(log), 0);
		if (bit % 37 == 0) { /* writing takes longer */
			append_to(map, o.right);
			memcpy(p, good, SIZE);
			continue;
		}
		p[bit / 8] ^= (unsigned char)(1U << bit % 8);
	}
	assert_memory_equal(p, good, SIZE);
	pmk_map_close(map);
}

/* Behind the end nothing is lost by a flip. */
static void flip__free_space(void **state)
{
	struct pmk_map *map = fixture_image_map(good, SIZE);
	unsigned char *p = pmk_map_addr(map);

	(void)state;
	for (size_t bit = 8 * offsets[RECORDS]; bit < 8 * SIZE; bit++) {
		struct pmk_rlog *log;
		struct outcome o;

		p[bit / 8] ^= (unsigned char)(1U << bit % 8);
		log = fixture_reader(map);
		o = read_all(log);
		expect_all(&o);
		assert_int_equal(pmk_rlog_close(log), 0);
		p[bit / 8] ^= (unsigned char)(1U << bit % 8);
	}
	pmk_map_close(map);
}

static void check__names_the_damage(void **state)
{
	struct pmk_map *map = fixture_image_map(good, SIZE);
	unsigned char *p = pmk_map_addr(map);
	struct pmk_rlog_report r;
	struct pmk_rlog *log;

	(void)state;
	p[offsets[6] + 40] ^= 4;
	log = fixture_reader(map);
	assert_int_equal(pmk_rlog_check(log, &r), 0);
	assert_int_equal(r.problems, PMK_RLOG_BAD_RECORD);
	assert_int_equal(r.records, RECORDS - 1);
	assert_int_equal(r.damaged, 1);
	assert_int_equal(r.lost, 1);
	assert_int_equal(r.first_damaged_off, offsets[6]);
	assert_int_equal(r.damaged_bytes, offsets[7] - offsets[6]);
	assert_int_equal(r.end_off, offsets[RECORDS]);
	assert_int_equal(pmk_rlog_close(log), 0);

	memcpy(p, good, SIZE);
	p[30] ^= 1; /* the first super block */
	log = fixture_reader(map);
	assert_int_equal(pmk_rlog_check(log, &r), 0);
	assert_int_equal(r.problems, PMK_RLOG_BAD_HEADER);
	assert_int_equal(r.records, RECORDS);
	assert_int_equal(pmk_rlog_close(log), 0);

	memcpy(p, good, SIZE);
	p[1024 + 16] ^= 1; /* both state lines */
	p[3072 + 16] ^= 1;
	log = fixture_reader(map);
	assert_int_equal(pmk_rlog_check(log, &r), 0);
	assert_int_equal(r.problems, PMK_RLOG_BAD_STATE);
	assert_int_equal(r.records, RECORDS);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(pmk_rlog_attach(map, PMK_RLOG_WRITE, &log),
			 PMK_E_LOG_DAMAGED);
	pmk_map_close(map);
}

/* Whole ranges gone, as by a bad block: all that is outside is still read. */
static void range__zeroed_or_garbage(void **state)
{
	struct pmk_map *map = fixture_image_map(good, SIZE);
	unsigned char *p = pmk_map_addr(map);
	struct rng rng;

	(void)state;
	rng_init(&rng, "range__zeroed_or_garbage");
	for (int i = 0; i < 20000; i++) {
		uint64_t span = offsets[RECORDS] - DATA;
		uint64_t from = DATA + rng_below(&rng, span);
		uint64_t len = 1 + rng_below(&rng, offsets[RECORDS] - from);
		size_t hit = record_at(from + len - 1) - record_at(from) + 1;
		struct pmk_rlog *log;
		struct outcome o;

		if (i & 1)
			memset(p + from, 0, len);
		else
			rng_fill(&rng, p + from, len);
		log = fixture_reader(map);
		o = read_all(log);
		/* zeros may fall on zeros, which harms nothing */
		assert_in_range(o.right, RECORDS - hit, RECORDS);
		assert_int_equal(o.right + o.lost, RECORDS);
		assert_int_equal(pmk_rlog_close(log), 0);
		memcpy(p, good, SIZE);
	}
	pmk_map_close(map);
}

/* The last writer did not close: only what it appended in its last batch may
 * pass for an append that was cut short; all else is reported. */
static void flip__not_closed(void **state)
{
	static unsigned char image[SIZE];
	struct pmk_map *map = fixture_image_map(good, SIZE);
	struct pmk_rlog *log = fixture_writer(map);
	unsigned char *p = pmk_map_addr(map);

	(void)state;
	fixture_append(log, RECORDS + 1, 3);
	memcpy(image, p, SIZE);
	assert_int_equal(pmk_rlog_close(log), 0);
	for (size_t bit = 8 * DATA; bit < 8 * SIZE; bit++) {
		struct outcome o;

		memcpy(p, image, SIZE);
		p[bit / 8] ^= (unsigned char)(1U << bit % 8);
		log = fixture_reader(map);
		o = read_all(log);
		assert_int_equal(pmk_rlog_close(log), 0);
		assert_in_range(o.right, RECORDS + 2, RECORDS + 3);
		if (o.right == RECORDS + 2 && !o.damaged) {
			/* the last record, and it is the last that is gone */
			struct pmk_rlog_report r;

			log = fixture_reader(map);
			assert_int_equal(pmk_rlog_check(log, &r), 0);
			assert_in_range(bit / 8, r.end_off, SIZE);
			assert_true(r.torn_bytes > 0);
			assert_int_equal(pmk_rlog_close(log), 0);
		}
	}
	pmk_map_close(map);
}

/* At the cut: perhaps a damaged record, then, once, the cut, then the end. */
static void expect_word_of_the_cut(struct pmk_rlog *log,
				   struct pmk_rlog_cursor *cursor, int rc)
{
	struct pmk_rlog_record rec;

	if (rc == PMK_E_LOG_DAMAGED)
		rc = pmk_rlog_next(log, cursor, &rec);
	assert_int_equal(rc, PMK_E_LOG_TRUNCATED);
	assert_int_equal(pmk_rlog_next(log, cursor, &rec), 0);
}

/* A file cut at any length: records before the cut, and word of the cut. */
static void truncated__at_every_length(void **state)
{
	char path[] = "/tmp/pmk-test-cut-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t len = SIZE - 1; len; len -= len > 100 ? 29 : 1) {
		struct pmk_rlog_cursor cursor;
		struct pmk_rlog_record rec;
		struct pmk_rlog *log;
		size_t n = 0, whole = 0;
		int rc;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, good, len, 0), len);
		rc = pmk_rlog_open(path, 0, &log);
		if (len < DATA) {
			assert_int_equal(rc, len < 64 ? PMK_E_NOT_A_LOG
						      : PMK_E_LOG_TRUNCATED);
			continue;
		}
		assert_int_equal(rc, 0);
		while (whole < RECORDS && offsets[whole + 1] <= len)
			whole++;
		pmk_rlog_rewind(&cursor);
		while ((rc = pmk_rlog_next(log, &cursor, &rec)) == 1) {
			assert_true(fixture_is_right(&rec));
			n++;
		}
		assert_int_equal(n, whole);
		/* cut in free space, nothing was lost */
		if (whole == RECORDS)
			assert_int_equal(rc, 0);
		else
			expect_word_of_the_cut(log, &cursor, rc);
		assert_int_equal(pmk_rlog_close(log), 0);
		assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log),
				 PMK_E_LOG_TRUNCATED);
	}
	close(fd);
	assert_int_equal(unlink(path), 0);
}

/*
 * The last acknowledged record is damaged, and the batch behind it was cut
 * short: its first record is missing, the second one is whole.  The damage is
 * reported, nothing of the batch comes back, and a writer goes on in its place.
 */
static void damage_before_a_torn_batch(bool reopened)
{
	struct pmk_rlog_iov batch[2] = { { "three", 5 }, { "four", 4 } };
	struct pmk_map *map = fixture_log_map(SIZE), *copy;
	struct pmk_rlog *log = fixture_writer(map);
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	uint64_t number;

	assert_int_equal(pmk_rlog_append(log, "one", 3, NULL), 0);
	assert_int_equal(pmk_rlog_append(log, "two", 3, NULL), 0);
	if (reopened) { /* the state line says that two was committed */
		assert_int_equal(pmk_rlog_close(log), 0);
		log = fixture_writer(map);
	}
	assert_int_equal(pmk_rlog_append_batch(log, batch, 2, NULL), 2);
	copy = fixture_image_map(pmk_map_addr(map), SIZE);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
	/* each of the four records is one line */
	memset((char *)pmk_map_addr(copy) + DATA + 2 * 64, 0, 64);
	((char *)pmk_map_addr(copy))[DATA + 64 + 40] ^= 1;

	log = fixture_writer(copy);
	assert_int_equal(pmk_rlog_append(log, "new", 3, &number), 0);
	assert_int_equal(number, 3);
	pmk_rlog_rewind(&cursor);
	assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 1);
	assert_memory_equal(rec.data, "one", 3);
	assert_int_equal(pmk_rlog_next(log, &cursor, &rec), PMK_E_LOG_DAMAGED);
	assert_int_equal(rec.off, DATA + 64);
	assert_int_equal(rec.len, 64);
	assert_int_equal(rec.lost, 1);
	assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 1);
	assert_int_equal(rec.number, 3);
	assert_memory_equal(rec.data, "new", 3);
	assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(copy);
}

static void torn_batch__behind_damage(void **state)
{
	(void)state;
	damage_before_a_torn_batch(false);
	damage_before_a_torn_batch(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flip__each_bit),
		cmocka_unit_test(flip__free_space),
		cmocka_unit_test(check__names_the_damage),
		cmocka_unit_test(range__zeroed_or_garbage),
		cmocka_unit_test(flip__not_closed),
		cmocka_unit_test(truncated__at_every_length),
		cmocka_unit_test(torn_batch__behind_damage),
	};

	return cmocka_run_group_tests_name("rlog damage", tests, make_good,
					   NULL);
}
