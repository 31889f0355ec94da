/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file system that runs full under a sparse log.  fallocate(2) is wrapped at
 * link time and fails from a given call on.
 *
 * Covered: pmk_rlog_append, pmk_rlog_append_batch, pmk_rlog_open.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "rlog_fixture.h"

static int fail_with;    /* errno, or 0 */
static off_t fail_above; /* only for more bytes than this at once */
static unsigned int calls;

int __real_fallocate(int fd, int mode, off_t off, off_t len);
int __wrap_fallocate(int fd, int mode, off_t off, off_t len);

int __wrap_fallocate(int fd, int mode, off_t off, off_t len)
{
	calls++;
	if (!fail_with || len <= fail_above)
		return __real_fallocate(fd, mode, off, len);
	errno = fail_with;
	return -1;
}

static char path[] = "/tmp/pmk-test-space-XXXXXX";

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/pmk-test-space-XXXXXX");
	fail_with = 0;
	fail_above = 0;
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	return pmk_rlog_create(path, 64U << 20,
			       PMK_RLOG_SPARSE | PMK_RLOG_EMULATED);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static uint64_t append_until(struct pmk_rlog *log, int *rc_ret)
{
	static unsigned char data[1000];
	uint64_t n = 0;

	do {
		*rc_ret = pmk_rlog_append(log, data, sizeof(data), NULL);
		n += *rc_ret == 0;
	} while (!*rc_ret && n < 10000);
	return n;
}

static uint64_t count(struct pmk_rlog *log)
{
	struct pmk_rlog_report r;

	assert_int_equal(pmk_rlog_check(log, &r), 0);
	assert_int_equal(r.problems, 0);
	return r.records;
}

/* Open the log and append until the file system is full; how many records. */
static uint64_t open_and_fill(struct pmk_rlog **log_ret)
{
	uint64_t n;
	int rc;

	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, log_ret), 0);
	fail_with = ENOSPC;
	n = append_until(*log_ret, &rc);
	assert_int_equal(rc, -ENOSPC);
	return n;
}

/* The window that was reserved is used up to its last line; then the error,
 * and nothing acknowledged is lost; with space again, it goes on. */
static void append__no_space_and_then_some(void **state)
{
	struct pmk_rlog *log;
	uint64_t n;
	int rc;

	(void)state;
	n = open_and_fill(&log);
	/* one window of 1 MiB, records of 1088 bytes on media */
	assert_int_equal(n, (1 << 20) / 1088);
	assert_int_equal(count(log), n);
	assert_int_equal(pmk_rlog_append(log, "x", 1, NULL), 0);
	n++;
	fail_with = 0;
	rc = pmk_rlog_append(log, path, sizeof(path), NULL);
	assert_int_equal(rc, 0);
	n++;
	assert_int_equal(pmk_rlog_close(log), 0);
	assert_int_equal(pmk_rlog_open(path, 0, &log), 0);
	assert_int_equal(count(log), n);
	assert_int_equal(pmk_rlog_close(log), 0);
}

/* Less than a window is free, but enough for the record. */
static void append__no_window_but_room(void **state)
{
	static unsigned char data[20000];
	struct pmk_rlog *log;
	uint64_t n;

	(void)state;
	n = open_and_fill(&log);
	fail_above = 100000;
	for (int i = 0; i < 20; i++, n++)
		assert_int_equal(pmk_rlog_append(log, data, sizeof(data), NULL),
				 0);
	assert_int_equal(count(log), n);
	assert_int_equal(pmk_rlog_close(log), 0);
}

static void batch__takes_what_fits(void **state)
{
	static unsigned char data[100000];
	struct pmk_rlog_iov iov[20];
	struct pmk_rlog *log;
	uint64_t first;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		iov[i] = (struct pmk_rlog_iov){ data, sizeof(data) };
	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log), 0);
	fail_with = EDQUOT;
	/* 1 MiB of window, 100,032 rounded up to lines a record */
	assert_int_equal(pmk_rlog_append_batch(log, iov, 20, &first), 10);
	assert_int_equal(first, 1);
	assert_int_equal(pmk_rlog_append_batch(log, iov, 20, &first), -EDQUOT);
	assert_int_equal(count(log), 10);
	assert_int_equal(pmk_rlog_close(log), 0);
}

static void open__on_a_full_file_system(void **state)
{
	struct pmk_rlog *log;

	(void)state;
	fail_with = ENOSPC;
	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log), 0);
	assert_int_equal(pmk_rlog_append(log, "x", 1, NULL), -ENOSPC);
	assert_int_equal(count(log), 0);
	assert_int_equal(pmk_rlog_close(log), 0);
}

/* A file system without fallocate(2): nothing can be promised, appends go on.
 */
static void append__fallocate_not_supported(void **state)
{
	struct pmk_rlog *log;
	int rc;

	(void)state;
	calls = 0;
	fail_with = EOPNOTSUPP;
	assert_int_equal(pmk_rlog_open(path, PMK_RLOG_WRITE, &log), 0);
	assert_int_equal(append_until(log, &rc), 10000);
	assert_int_equal(rc, 0);
	/* asked for once in half a window or more, not for each record */
	assert_in_range(calls, 1, 30);
	assert_int_equal(pmk_rlog_close(log), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(append__no_space_and_then_some,
						setup, teardown),
		cmocka_unit_test_setup_teardown(append__no_window_but_room,
						setup, teardown),
		cmocka_unit_test_setup_teardown(batch__takes_what_fits, setup,
						teardown),
		cmocka_unit_test_setup_teardown(open__on_a_full_file_system,
						setup, teardown),
		cmocka_unit_test_setup_teardown(append__fallocate_not_supported,
						setup, teardown),
	};

	return cmocka_run_group_tests_name("rlog space", tests, NULL, NULL);
}
