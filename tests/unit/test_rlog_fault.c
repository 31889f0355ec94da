/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a record log that cannot be read: pages without access stand for
 * storage that failed (SIGSEGV instead of SIGBUS), and files are cut off behind
 * their mapping (SIGBUS).  Every record whose bytes can be read is read.
 *
 * Covered: pmk_rlog_attach, _next, _check, _format.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rlog_fixture.h"
#include "support/seed.h"

#define PAGE    4096U
#define PAGES   16U
#define SIZE    (PAGES * PAGE)
#define DATA    PAGE
#define RECORDS 300U

/* A log, and where its records are. */
struct fixture {
	struct pmk_map *map;
	struct pmk_rlog *writer; /* or NULL: closed */
	uint64_t begin[RECORDS + 1];
	bool bad[PAGES]; /* cannot be read */
};

static struct fixture fx;

static void find_records(void)
{
	struct pmk_rlog *log = fixture_reader(fx.map);
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;

	pmk_rlog_rewind(&cursor);
	for (size_t i = 0; i < RECORDS; i++) {
		assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 1);
		fx.begin[i] = rec.off;
	}
	fx.begin[RECORDS] = cursor.off;
	assert_int_equal(pmk_rlog_close(log), 0);
}

/* Written by two writers; some pages at the end stay free. */
static void make_log(bool closed)
{
	fx = (struct fixture){ .map = fixture_log_map(SIZE) };
	fx.writer = fixture_writer(fx.map);
	fixture_append(fx.writer, 1, RECORDS / 2);
	assert_int_equal(pmk_rlog_close(fx.writer), 0);
	fx.writer = fixture_writer(fx.map);
	fixture_append(fx.writer, 1 + RECORDS / 2, RECORDS - RECORDS / 2);
	if (closed) {
		assert_int_equal(pmk_rlog_close(fx.writer), 0);
		fx.writer = NULL;
	}
	find_records();
	assert_true(fx.begin[RECORDS] < SIZE - 2 * PAGE);
}

static char *page_at(size_t page)
{
	return (char *)pmk_map_addr(fx.map) + page * PAGE;
}

static void set_bad(size_t page, bool bad)
{
	fx.bad[page] = bad;
	assert_int_equal(mprotect(page_at(page), PAGE,
				  bad ? PROT_NONE : PROT_READ | PROT_WRITE),
			 0);
}

static void free_log(void)
{
	for (size_t page = 0; page < PAGES; page++)
		set_bad(page, false);
	assert_int_equal(pmk_rlog_close(fx.writer), 0);
	pmk_map_close(fx.map);
}

static bool touches_bad(uint64_t from, uint64_t to)
{
	for (uint64_t page = from / PAGE; page * PAGE < to; page++)
		if (fx.bad[page])
			return true;
	return false;
}

/* What a reader has to find, by the pages that are bad alone. */
struct expected {
	size_t right;
	size_t lost;
};

static struct expected expect(void)
{
	struct expected e = { 0, 0 };

	for (size_t i = 0; i < RECORDS; i++)
		if (touches_bad(fx.begin[i], fx.begin[i + 1]))
			e.lost++;
		else
			e.right++;
	return e;
}

/* A damaged range begins where the last record ended, ends where one begins or
 * behind all, and holds no record that could have been read. */
static void expect_range(const struct pmk_rlog_record *rec, uint64_t end)
{
	size_t i = 0;

	assert_int_equal(rec->off, end);
	while (fx.begin[i] < rec->off)
		i++;
	assert_int_equal(fx.begin[i], rec->off);
	assert_int_equal(rec->number, i + 1);
	for (; i < RECORDS && fx.begin[i] < rec->off + rec->len; i++)
		assert_true(touches_bad(fx.begin[i], fx.begin[i + 1]));
	assert_true(fx.begin[i] == rec->off + rec->len || i == RECORDS);
}

static void expect_readable_rest(bool all_known)
{
	struct pmk_rlog *log = fixture_reader(fx.map);
	struct expected want = expect(), have = { 0, 0 };
	struct pmk_rlog_report report;
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	uint64_t end = DATA, damaged = 0;
	size_t ranges = 0;
	int rc;

	pmk_rlog_rewind(&cursor);
	while ((rc = pmk_rlog_next(log, &cursor, &rec)) != 0) {
		if (rc == 1) {
			assert_true(fixture_is_right(&rec));
			have.right++;
		} else {
			assert_int_equal(rc, PMK_E_LOG_DAMAGED);
			expect_range(&rec, end);
			have.lost += rec.lost;
			damaged += rec.len;
			ranges++;
		}
		end = cursor.off;
	}
	assert_int_equal(have.right, want.right);
	if (all_known)
		assert_int_equal(have.lost, want.lost);
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	assert_int_equal(report.problems, ranges ? PMK_RLOG_BAD_RECORD : 0);
	assert_int_equal(report.records, have.right);
	assert_int_equal(report.damaged, ranges);
	assert_int_equal(report.damaged_bytes, damaged);
	assert_int_equal(report.lost, have.lost);
	assert_int_equal(pmk_rlog_close(log), 0);
}

static void page__each_alone(void **state)
{
	(void)state;
	for (int closed = 0; closed < 2; closed++) {
		make_log(closed);
		for (size_t page = 1; page < PAGES; page++) {
			uint64_t last = fx.begin[RECORDS - 1] / PAGE;

			set_bad(page, true);
			/* what was the last page of an open log, nobody knows
			 */
			expect_readable_rest(closed || page < last);
			set_bad(page, false);
		}
		free_log();
	}
}

static void pages__at_random(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, "pages__at_random");
	make_log(true);
	for (int round = 0; round < 2000; round++) {
		for (size_t page = 1; page < PAGES; page++)
			set_bad(page, rng_below(&rng, 4) == 0);
		expect_readable_rest(true);
	}
	free_log();
}

/* Not closed, and one batch: nothing proves that it was durable, and still no
 * record behind a bad page is dropped. */
static void batch__not_closed(void **state)
{
	static unsigned char data[RECORDS][FIXTURE_MAX_LEN];
	struct pmk_rlog_iov iov[RECORDS];

	(void)state;
	fx = (struct fixture){ .map = fixture_log_map(SIZE) };
	fx.writer = fixture_writer(fx.map);
	for (size_t i = 0; i < RECORDS; i++) {
		iov[i].data = data[i];
		iov[i].len = fixture_record(i + 1, data[i], sizeof(data[i]));
	}
	assert_int_equal(pmk_rlog_append_batch(fx.writer, iov, RECORDS, NULL),
			 RECORDS);
	find_records();
	for (size_t page = 1; page < PAGES; page++) {
		set_bad(page, true);
		expect_readable_rest(false);
		for (size_t other = 1; other < page; other++) {
			set_bad(other, true);
			expect_readable_rest(false);
			set_bad(other, false);
		}
		set_bad(page, false);
	}
	free_log();
}

/*
 * The last acknowledged record cannot be read, and the batch behind it was cut
 * short: its first record is missing, the second one is whole.  The damage is
 * reported, and nothing of the batch comes back.
 */
static void batch__torn_behind_a_bad_page(void **state)
{
	static const char whole_page[PAGE - 32];
	struct pmk_rlog_iov batch[2] = { { "three", 5 }, { "four", 4 } };
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	struct pmk_rlog *log;
	char *p;

	(void)state;
	fx = (struct fixture){ .map = fixture_log_map(SIZE) };
	fx.writer = fixture_writer(fx.map);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pmk_rlog_append(fx.writer, whole_page,
						 sizeof(whole_page), NULL),
				 0);
	assert_int_equal(pmk_rlog_append_batch(fx.writer, batch, 2, NULL), 2);
	p = page_at(3);
	memset(p, 0, 64);
	set_bad(2, true);
	log = fixture_reader(fx.map);
	pmk_rlog_rewind(&cursor);
	assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 1);
	assert_int_equal(pmk_rlog_next(log, &cursor, &rec), PMK_E_LOG_DAMAGED);
	assert_int_equal(rec.off, 2 * PAGE);
	assert_int_equal(rec.len, PAGE);
	assert_int_equal(rec.lost, 1);
	assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	free_log();
}

/* In space that was never written, or that only a torn append may have been
 * in, a closed log has lost nothing. */
static void free_space__harmless_when_closed(void **state)
{
	(void)state;
	make_log(true);
	for (size_t page = fx.begin[RECORDS] / PAGE + 1; page < PAGES; page++)
		set_bad(page, true);
	expect_readable_rest(true);
	free_log();
}

static void header__unreadable(void **state)
{
	struct pmk_rlog *log;

	(void)state;
	make_log(true);
	set_bad(0, true);
	assert_int_equal(pmk_rlog_attach(fx.map, 0, &log), PMK_E_LOG_DAMAGED);
	assert_int_equal(pmk_rlog_attach(fx.map, PMK_RLOG_WRITE, &log),
			 PMK_E_LOG_DAMAGED);
	assert_int_equal(pmk_rlog_format(fx.map, 0), -EIO);
	assert_int_equal(pmk_rlog_format(fx.map, PMK_RLOG_FORCE), -EIO);
	free_log();
}

/* While a reader has it open: it reads on. */
static void header__unreadable_later(void **state)
{
	struct pmk_rlog *log;

	(void)state;
	make_log(true);
	log = fixture_reader(fx.map);
	set_bad(0, true);
	assert_int_equal(fixture_count(log), RECORDS);
	assert_int_equal(pmk_rlog_close(log), 0);
	free_log();
}

/* A writer goes on behind bad pages that it need not touch, and refuses others;
 * it never dies of them. */
static void writer__closed_log(void **state)
{
	size_t last = 0;

	(void)state;
	make_log(true);
	last = fx.begin[RECORDS] / PAGE;
	for (size_t page = 1; page <= last; page++) {
		struct pmk_rlog *log;
		uint64_t number;
		int rc;

		set_bad(page, true);
		rc = pmk_rlog_attach(fx.map, PMK_RLOG_WRITE, &log);
		assert_int_equal(rc, page == last ? PMK_E_LOG_DAMAGED : 0);
		if (!rc) {
			assert_int_equal(pmk_rlog_append(log, "x", 1, &number),
					 0);
			assert_int_equal(number, RECORDS + page);
			assert_int_equal(pmk_rlog_close(log), 0);
		}
		set_bad(page, false);
	}
	free_log();
}

/* After a crash the writer makes records durable once more: those have to be
 * there. */
static void writer__open_log(void **state)
{
	unsigned char image[SIZE];
	struct pmk_map *copy;
	struct pmk_rlog *log;
	size_t first, last;

	(void)state;
	make_log(false);
	memcpy(image, pmk_map_addr(fx.map), SIZE);
	/* what the second writer found is committed */
	first = fx.begin[RECORDS / 2] / PAGE;
	last = fx.begin[RECORDS] / PAGE;
	free_log();
	copy = fixture_image_map(image, SIZE);
	for (size_t page = 1; page < PAGES; page++) {
		char *p = (char *)pmk_map_addr(copy) + page * PAGE;
		int rc;

		assert_int_equal(mprotect(p, PAGE, PROT_NONE), 0);
		rc = pmk_rlog_attach(copy, PMK_RLOG_WRITE, &log);
		assert_int_equal(mprotect(p, PAGE, PROT_READ | PROT_WRITE), 0);
		if (page < first || page > last) {
			assert_int_equal(rc, 0);
			assert_int_equal(pmk_rlog_close(log), 0);
			memcpy(pmk_map_addr(copy), image, SIZE);
		} else {
			assert_int_equal(rc, PMK_E_LOG_DAMAGED);
		}
	}
	pmk_map_close(copy);
}

/* The file is cut off behind the mapping of an open reader, before or in the
 * middle of reading. */
static void cut_off(size_t read_before, size_t len)
{
	struct pmk_rlog_report report;
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	struct pmk_rlog *log;
	size_t n = 0, whole = 0;
	bool told = false;
	int rc;

	make_log(true);
	log = fixture_reader(fx.map);
	pmk_rlog_rewind(&cursor);
	for (; n < read_before; n++)
		assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 1);
	assert_int_equal(ftruncate(pmk_map_fd(fx.map), (off_t)len), 0);
	while ((rc = pmk_rlog_next(log, &cursor, &rec)) != 0) {
		if (rc == 1) {
			assert_true(fixture_is_right(&rec));
			n++;
			continue;
		}
		assert_true(rc == PMK_E_LOG_DAMAGED ||
			    rc == PMK_E_LOG_TRUNCATED);
		told = true;
	}
	while (whole < RECORDS && fx.begin[whole + 1] <= len)
		whole++;
	if (whole < read_before)
		whole = read_before;
	/* one that was cut in its padding is still whole */
	assert_in_range(n, whole, whole + 1);
	assert_true(told || n == RECORDS);
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	assert_true(report.problems & PMK_RLOG_SHORT_FILE);
	assert_true(report.records <= n);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(ftruncate(pmk_map_fd(fx.map), SIZE), 0);
	free_log();
}

static void cut_off__behind_the_mapping(void **state)
{
	(void)state;
	for (size_t read_before = 0; read_before < RECORDS; read_before += 71)
		for (size_t len = 0; len < SIZE; len += 1999)
			cut_off(read_before, len);
}

/* 64 MiB that cannot be read, in pages that alternate with good ones: time
 * grows with the size, not with its square. */
static void pages__many(void **state)
{
	static const char record[16 * PAGE - 32];
	uint64_t size = 64U << 20;
	struct pmk_map *map = fixture_log_map(size);
	struct pmk_rlog *log = fixture_writer(map);
	struct pmk_rlog_report report;
	uint64_t n = 0;

	(void)state;
	while (!pmk_rlog_append(log, record, sizeof(record), NULL))
		n++;
	for (uint64_t off = DATA; off < size - 32 * PAGE; off += 32 * PAGE)
		assert_int_equal(mprotect((char *)pmk_map_addr(map) + off,
					  8 * PAGE, PROT_NONE),
				 0);
	alarm(60);
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	alarm(0);
	assert_int_equal(report.records + report.lost, n);
	assert_in_range(report.damaged, n / 2 - 1, n / 2 + 1);
	assert_int_equal(
		mprotect(pmk_map_addr(map), size, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page__each_alone),
		cmocka_unit_test(pages__at_random),
		cmocka_unit_test(batch__not_closed),
		cmocka_unit_test(batch__torn_behind_a_bad_page),
		cmocka_unit_test(free_space__harmless_when_closed),
		cmocka_unit_test(header__unreadable),
		cmocka_unit_test(header__unreadable_later),
		cmocka_unit_test(writer__closed_log),
		cmocka_unit_test(writer__open_log),
		cmocka_unit_test(cut_off__behind_the_mapping),
		cmocka_unit_test(pages__many),
	};

	return cmocka_run_group_tests_name("rlog fault", tests, NULL, NULL);
}
