/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record log as its user sees it: what goes in comes out, and bad input is
 * refused without harm.
 *
 * Covered: pmk_rlog_create, _format, _open, _attach, _close, _append,
 * _append_batch, _rewind, _next, _info, _map, _check.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rlog_fixture.h"

#define SIZE (256U << 10)

static char dir[] = "/tmp/pmk-test-rlog-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static const char *path_in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void append__comes_back(void **state)
{
	struct pmk_map *map = fixture_log_map(SIZE);
	struct pmk_rlog *log = fixture_writer(map);

	(void)state;
	fixture_append(log, 1, 500);
	assert_int_equal(fixture_count(log), 500);
	assert_int_equal(pmk_rlog_close(log), 0);
	log = fixture_reader(map);
	assert_int_equal(fixture_count(log), 500);
	assert_ptr_equal(pmk_rlog_map(log), map);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

static void append__goes_on_after_reopen(void **state)
{
	struct pmk_map *map = fixture_log_map(SIZE);

	(void)state;
	for (unsigned int i = 0; i < 10; i++) {
		struct pmk_rlog *log = fixture_writer(map);
		struct pmk_rlog_info info;

		pmk_rlog_get_info(log, &info);
		assert_int_equal(info.opens, i + 1);
		assert_int_equal(info.clean, 0);
		fixture_append(log, 1 + 20 * (uint64_t)i, 20);
		assert_int_equal(pmk_rlog_close(log), 0);
	}
	struct pmk_rlog *log = fixture_reader(map);
	struct pmk_rlog_info info;

	assert_int_equal(fixture_count(log), 200);
	pmk_rlog_get_info(log, &info);
	assert_int_equal(info.clean, 1);
	assert_int_equal(info.emulated, 1);
	assert_int_equal(info.version, 1);
	assert_int_equal(info.size_bytes, SIZE);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

/* Lengths around every line boundary, with all byte values. */
static void append__every_length(void **state)
{
	static unsigned char data[1024];
	struct pmk_map *map = fixture_log_map(2U << 20);
	struct pmk_rlog *log = fixture_writer(map);
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 7);
	for (size_t len = 0; len <= sizeof(data); len++)
		assert_int_equal(pmk_rlog_append(log, data + sizeof(data) - len,
						 len, NULL),
				 0);
	pmk_rlog_rewind(&cursor);
	for (size_t len = 0; len <= sizeof(data); len++) {
		assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 1);
		assert_int_equal(rec.len, len);
		assert_memory_equal(rec.data, data + sizeof(data) - len, len);
	}
	assert_int_equal(pmk_rlog_next(log, &cursor, &rec), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

static void batch__comes_back(void **state)
{
	unsigned char buf[64][FIXTURE_MAX_LEN];
	struct pmk_map *map = fixture_log_map(SIZE);
	struct pmk_rlog *log = fixture_writer(map);
	struct pmk_rlog_iov iov[64];
	uint64_t first = 0;

	(void)state;
	for (uint64_t round = 0; round < 4; round++) {
		for (size_t i = 0; i < 64; i++) {
			iov[i].data = buf[i];
			iov[i].len = fixture_record(1 + round * 64 + i, buf[i],
						    sizeof(buf[i]));
		}
		assert_int_equal(pmk_rlog_append_batch(log, iov, 64, &first),
				 64);
		assert_int_equal(first, 1 + round * 64);
	}
	assert_int_equal(pmk_rlog_append_batch(log, iov, 0, &first), 0);
	assert_int_equal(fixture_count(log), 256);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

/*
 * 64 lines of 64 bytes behind the header page: by docs/rlog-format.md a record
 * of 64 bytes takes two, so 32 fit, and then not even an empty one.
 */
static void full__keeps_what_there_is(void **state)
{
	struct pmk_map *map = fixture_log_map(4096 + 64 * 64);
	struct pmk_rlog *log = fixture_writer(map);
	struct pmk_rlog_iov iov[40];
	unsigned char data[64] = { 1 };
	struct pmk_rlog_report report;
	uint64_t first;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		iov[i] = (struct pmk_rlog_iov){ data, sizeof(data) };
	assert_int_equal(pmk_rlog_append_batch(log, iov, 30, &first), 30);
	assert_int_equal(pmk_rlog_append_batch(log, iov, 40, &first), 2);
	assert_int_equal(first, 31);
	first = 7;
	assert_int_equal(pmk_rlog_append_batch(log, iov, 40, &first),
			 PMK_E_LOG_FULL);
	assert_int_equal(first, 7);
	assert_int_equal(pmk_rlog_append(log, "", 0, NULL), PMK_E_LOG_FULL);
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	assert_int_equal(report.records, 32);
	assert_int_equal(report.record_bytes, 32 * 64);
	assert_int_equal(report.problems, 0);
	assert_int_equal(report.free_bytes, 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	log = fixture_writer(map);
	assert_int_equal(pmk_rlog_append(log, "", 0, NULL), PMK_E_LOG_FULL);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

static void record_size__larger_than_the_log(void **state)
{
	struct pmk_map *map = fixture_log_map(4096 + 1024);
	struct pmk_rlog *log = fixture_writer(map);
	unsigned char data[1024] = { 0 };

	(void)state;
	/* 1024 bytes of room, 32 of header */
	assert_int_equal(pmk_rlog_append(log, data, 993, NULL),
			 PMK_E_RECORD_SIZE);
	assert_int_equal(pmk_rlog_append(log, data, 992, NULL), 0);
	assert_int_equal(pmk_rlog_append(log, data, 992, NULL), PMK_E_LOG_FULL);
	assert_int_equal(pmk_rlog_append(log, data, SIZE_MAX, NULL),
			 PMK_E_RECORD_SIZE);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

static void writer__is_alone(void **state)
{
	struct pmk_map *map = fixture_log_map(SIZE);
	struct pmk_rlog *log = fixture_writer(map), *second = NULL;

	(void)state;
	assert_int_equal(pmk_rlog_attach(map, PMK_RLOG_WRITE, &second),
			 PMK_E_LOG_LOCKED);
	assert_null(second);
	assert_int_equal(pmk_rlog_format(map, PMK_RLOG_FORCE),
			 PMK_E_LOG_LOCKED);
	/* readers are not held off */
	second = fixture_reader(map);
	fixture_append(log, 1, 3);
	assert_int_equal(fixture_count(second), 3);
	assert_int_equal(pmk_rlog_append(second, "x", 1, NULL),
			 PMK_E_READ_ONLY);
	assert_int_equal(pmk_rlog_close(second), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	log = fixture_writer(map);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

static void format__wants_an_empty_mapping(void **state)
{
	struct pmk_map *map = fixture_map(SIZE);
	unsigned char *p = pmk_map_addr(map);
	struct pmk_rlog *log;

	(void)state;
	assert_int_equal(pmk_rlog_attach(map, 0, &log), PMK_E_NOT_A_LOG);
	p[4095] = 1;
	assert_int_equal(pmk_rlog_format(map, 0), PMK_E_LOG_EXISTS);
	assert_int_equal(p[4095], 1);
	assert_int_equal(p[0], 0);
	assert_int_equal(pmk_rlog_format(map, 1U << 9), -EINVAL);
	assert_int_equal(pmk_rlog_format(map, PMK_RLOG_FORCE), 0);
	pmk_map_close(map);
	map = fixture_map(PMK_RLOG_MIN_SIZE - 1);
	assert_int_equal(pmk_rlog_format(map, 0), -EINVAL);
	pmk_map_close(map);
}

/* The smallest log takes exactly one record of at most 32 bytes. */
static void format__smallest(void **state)
{
	struct pmk_map *map = fixture_log_map(PMK_RLOG_MIN_SIZE);
	struct pmk_rlog *log = fixture_writer(map);
	unsigned char data[33] = { 0 };

	(void)state;
	assert_int_equal(pmk_rlog_append(log, data, 33, NULL),
			 PMK_E_RECORD_SIZE);
	assert_int_equal(pmk_rlog_append(log, data, 32, NULL), 0);
	assert_int_equal(pmk_rlog_append(log, data, 0, NULL), PMK_E_LOG_FULL);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

/* A new log in the place of an old one never shows the old one's records. */
static void format__forgets_the_old_log(void **state)
{
	struct pmk_map *map = fixture_log_map(SIZE);
	struct pmk_rlog *log = fixture_writer(map);

	(void)state;
	fixture_append(log, 1, 100);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(pmk_rlog_format(map, PMK_RLOG_FORCE), 0);
	log = fixture_writer(map);
	assert_int_equal(fixture_count(log), 0);
	/* record 1 is empty and takes one line, as the old one's */
	fixture_append(log, 1, 1);
	assert_int_equal(fixture_count(log), 1);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

static void create__and_open_by_path(void **state)
{
	const char *path = path_in_dir("a.log");
	struct pmk_rlog *log, *second;
	struct stat st;

	(void)state;
	assert_int_equal(pmk_rlog_create(path, 100000, PMK_RLOG_EMULATED), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 99968); /* whole lines of 64 */
	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log), 0);
	/* the log remembers that it is emulated */
	assert_int_equal(pmk_map_kind(pmk_rlog_map(log)),
			 PMK_MAP_KIND_EMULATED);
	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &second),
			 PMK_E_LOG_LOCKED);
	assert_int_equal(pmk_rlog_create(path, 100000, PMK_RLOG_FORCE),
			 PMK_E_LOG_LOCKED);
	fixture_append(log, 1, 100);
	assert_int_equal(pmk_rlog_open(path, 0, &second), 0);
	assert_int_equal(fixture_count(second), 100);
	assert_int_equal(pmk_rlog_close(second), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(pmk_rlog_create(path, 100000, 0), PMK_E_LOG_EXISTS);
	assert_int_equal(pmk_rlog_open(path, 0, &log), 0);
	assert_int_equal(fixture_count(log), 100);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(unlink(path), 0);
}

/* Not emulated, on a file system that is not DAX: durable by msync(2). */
static void create__plain_file(void **state)
{
	const char *path = path_in_dir("b.log");
	struct pmk_rlog *log;

	(void)state;
	assert_int_equal(pmk_rlog_create(path, SIZE, 0), 0);
	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log), 0);
	assert_int_equal(pmk_map_granularity(pmk_rlog_map(log)),
			 PMK_GRANULARITY_PAGE);
	fixture_append(log, 1, 100);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(pmk_rlog_open(path, 0, &log), 0);
	assert_int_equal(fixture_count(log), 100);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(unlink(path), 0);
}

static void create__leaves_data_alone(void **state)
{
	const char *path = path_in_dir("c.log");
	struct pmk_rlog *log;
	struct stat st;
	FILE *f = fopen(path, "w");

	(void)state;
	/* one byte, far behind the header page */
	assert_non_null(f);
	assert_int_equal(fseek(f, 1000000, SEEK_SET), 0);
	assert_int_equal(fputc('x', f), 'x');
	assert_int_equal(fclose(f), 0);
	assert_int_equal(pmk_rlog_create(path, 2000000, 0), PMK_E_LOG_EXISTS);
	assert_int_equal(pmk_rlog_create(path, 5000, 0), PMK_E_LOG_EXISTS);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 1000001);
	/* with force, in a longer file: the file keeps its length */
	assert_int_equal(pmk_rlog_create(path, 5000, PMK_RLOG_FORCE), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 1000001);
	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log), 0);
	fixture_append(log, 1, 2);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(unlink(path), 0);
}

static void create__bad_arguments_leave_nothing(void **state)
{
	const char *path = path_in_dir("d.log");
	struct stat st;

	(void)state;
	assert_int_equal(pmk_rlog_create(path, PMK_RLOG_MIN_SIZE - 1, 0),
			 -EINVAL);
	assert_int_equal(pmk_rlog_create(path, SIZE, 1U << 9), -EINVAL);
	assert_int_equal(pmk_rlog_create(path, 0, 0), -ENOENT);
	/* more than any file system has: tmpfs and ext4 differ in the errno */
	assert_true(pmk_rlog_create(path, UINT64_MAX, 0) < 0);
	assert_true(pmk_rlog_create(path, 1ULL << 60, 0) < 0);
	assert_int_equal(stat(path, &st), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(pmk_rlog_create(dir, SIZE, 0), PMK_E_FILE_TYPE);
	assert_int_equal(pmk_rlog_create("/dev/null", SIZE, 0),
			 PMK_E_FILE_TYPE);
}

static void open__what_is_no_log(void **state)
{
	const char *path = path_in_dir("e.log");
	struct pmk_rlog *log = NULL;

	(void)state;
	assert_int_equal(pmk_rlog_open(path, 0, &log), -ENOENT);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(pmk_rlog_open(path, 0, &log), PMK_E_NOT_A_LOG);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(pmk_rlog_open(path, 0, &log), PMK_E_NOT_A_LOG);
	assert_int_equal(truncate(path, 100000), 0);
	assert_int_equal(pmk_rlog_open(path, 0, &log), PMK_E_NOT_A_LOG);
	assert_int_equal(pmk_rlog_open(path, 1U << 9, &log), -EINVAL);
	assert_null(log);
	assert_int_equal(unlink(path), 0);
}

/* A sparse log reserves its blocks as it grows. */
static void create__sparse(void **state)
{
	const char *path = path_in_dir("f.log");
	struct pmk_rlog *log;
	struct stat st;

	(void)state;
	assert_int_equal(pmk_rlog_create(path, 1U << 30,
					 PMK_RLOG_SPARSE | PMK_RLOG_EMULATED),
			 0);
	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log), 0);
	fixture_append(log, 1, 1000);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 1 << 30);
	/* two windows of 1 MiB at the most, and the header page */
	assert_in_range(st.st_blocks * 512, 1, (2 << 20) + 8192);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(unlink(path), 0);
}

/* Of several creators one wins, and the others leave its log alone. */
static void create__race(void **state)
{
	const char *path = path_in_dir("g.log");

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct pmk_rlog *log;
		int status, wins = 0;
		pid_t pids[3];

		for (int i = 0; i < 3; i++) {
			pids[i] = fork();
			assert_true(pids[i] >= 0);
			if (!pids[i])
				_exit(pmk_rlog_create(path, SIZE,
						      PMK_RLOG_EMULATED) != 0);
		}
		for (int i = 0; i < 3; i++) {
			assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
			assert_true(WIFEXITED(status));
			wins += WEXITSTATUS(status) == 0;
		}
		assert_int_equal(wins, 1);
		assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log), 0);
		assert_int_equal(pmk_rlog_close(log), 0);
		assert_int_equal(unlink(path), 0);
	}
}

/* A lock is not the business of children that know nothing of it. */
static void close__gives_the_lock_back(void **state)
{
	struct pmk_map *map = fixture_log_map(SIZE);
	struct pmk_rlog *log = fixture_writer(map);
	int block[2], status;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(block), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(block[1]);
		_exit(read(block[0], &byte, 1) != 0);
	}
	close(block[0]);
	assert_int_equal(pmk_rlog_close(log), 0);
	log = fixture_writer(map);
	assert_int_equal(pmk_rlog_close(log), 0);
	close(block[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pmk_map_close(map);
}

/* Where nothing was written, a sparse file has no block to look at: on a full
 * tmpfs a load there is SIGBUS.  On a memfd it shows as a block too many. */
static void read__touches_no_hole(void **state)
{
	struct pmk_map *map = fixture_log_map(64U << 20);
	struct pmk_rlog *log = fixture_reader(map);
	struct pmk_rlog_report report;
	struct stat st;

	(void)state;
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	assert_int_equal(report.problems, 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(fstat(pmk_map_fd(map), &st), 0);
	assert_int_equal(st.st_blocks * 512, 4096);
	pmk_map_close(map);
}

/* What would make a plain log durable is not done on an emulated mapping. */
static void attach__plain_log_on_an_emulated_mapping(void **state)
{
	const char *path = path_in_dir("h.log");
	struct pmk_map_params p = { .flags = PMK_MAP_EMULATED };
	struct pmk_rlog *log;
	struct pmk_map *map;

	(void)state;
	assert_int_equal(pmk_rlog_create(path, SIZE, 0), 0);
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	assert_int_equal(pmk_rlog_attach(map, PMK_RLOG_WRITE, &log), -EINVAL);
	assert_int_equal(pmk_rlog_attach(map, 0, &log), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
	assert_int_equal(unlink(path), 0);
}

static void create__not_through_a_link_to_nothing(void **state)
{
	const char *link = path_in_dir("link");
	struct stat st;

	(void)state;
	assert_int_equal(symlink("nothing-there", link), 0);
	assert_int_equal(pmk_rlog_create(link, SIZE, 0), -ENOENT);
	assert_int_equal(lstat(link, &st), 0);
	assert_int_equal(stat(link, &st), -1);
	assert_int_equal(unlink(link), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(append__comes_back),
		cmocka_unit_test(append__goes_on_after_reopen),
		cmocka_unit_test(append__every_length),
		cmocka_unit_test(batch__comes_back),
		cmocka_unit_test(full__keeps_what_there_is),
		cmocka_unit_test(record_size__larger_than_the_log),
		cmocka_unit_test(writer__is_alone),
		cmocka_unit_test(format__wants_an_empty_mapping),
		cmocka_unit_test(format__smallest),
		cmocka_unit_test(format__forgets_the_old_log),
		cmocka_unit_test(create__and_open_by_path),
		cmocka_unit_test(create__plain_file),
		cmocka_unit_test(create__leaves_data_alone),
		cmocka_unit_test(create__bad_arguments_leave_nothing),
		cmocka_unit_test(open__what_is_no_log),
		cmocka_unit_test(create__sparse),
		cmocka_unit_test(create__race),
		cmocka_unit_test(close__gives_the_lock_back),
		cmocka_unit_test(read__touches_no_hole),
		cmocka_unit_test(attach__plain_log_on_an_emulated_mapping),
		cmocka_unit_test(create__not_through_a_link_to_nothing),
	};

	return cmocka_run_group_tests_name("rlog", tests, make_dir, remove_dir);
}
