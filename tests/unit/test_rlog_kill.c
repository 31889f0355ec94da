/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writer process is killed, 200 times, wherever it happens to be: what it
 * acknowledged is there, byte for byte, and the next writer goes on.  Readers
 * of another process watch a live writer.
 *
 * Covered: pmk_rlog_open, _append, _append_batch, _next, _check, _close across
 * processes.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rlog_fixture.h"
#include "support/seed.h"

#define ROUNDS    200
#define SIZE      (8U << 20)
#define MAX_BATCH 16U
/* A writer is killed at most this long after the last acknowledgement that was
 * waited for, which may be in the middle of anything. */
#define MAX_WAIT_US 500U

/* Runs in the child: append records from number @first on until killed or the
 * log is full, and write each last number to @ack once it is durable. */
static int write_until_killed(const char *path, uint64_t first, int ack,
			      struct rng *rng)
{
	unsigned char buf[MAX_BATCH][FIXTURE_MAX_LEN];
	struct pmk_rlog_iov iov[MAX_BATCH];
	struct pmk_rlog *log;

	if (pmk_rlog_open(path, PMK_RLOG_WRITE, &log))
		return 1;
	for (uint64_t next = first;;) {
		size_t n = 1 + rng_below(rng, MAX_BATCH);
		uint64_t number;
		int64_t done;

		for (size_t i = 0; i < n; i++) {
			iov[i].data = buf[i];
			iov[i].len = fixture_record(next + i, buf[i],
						    sizeof(buf[i]));
		}
		done = pmk_rlog_append_batch(log, iov, n, &number);
		if (done == PMK_E_LOG_FULL)
			pause();
		if (done <= 0 || number != next)
			return 2;
		next += (uint64_t)done;
		number = next - 1;
		if (write(ack, &number, sizeof(number)) != sizeof(number))
			return 3;
	}
}

/* The last number in the pipe; whole words, as they were written. */
static uint64_t last_ack(int fd, uint64_t last)
{
	uint64_t buf[512];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		assert_int_equal(n % 8, 0);
		last = buf[n / 8 - 1];
	}
	assert_int_equal(n, 0);
	return last;
}

static void sleep_us(size_t us)
{
	struct timespec t = { .tv_nsec = (long)us * 1000 };

	nanosleep(&t, NULL);
}

/* Wait for @n acknowledgements, however long they take; the last of them. */
static uint64_t wait_for_acks(int fd, size_t n, uint64_t last)
{
	while (n--)
		assert_int_equal(read(fd, &last, sizeof(last)), sizeof(last));
	return last;
}

/* One life of a writer; returns what it acknowledged last. */
static uint64_t kill_a_writer(const char *path, uint64_t first, size_t max_acks,
			      struct rng *rng)
{
	int ack[2], status;
	uint64_t last;
	pid_t pid;

	assert_int_equal(pipe(ack), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(ack[0]);
		_exit(write_until_killed(path, first, ack[1], rng));
	}
	close(ack[1]);
	last = wait_for_acks(ack[0], rng_below(rng, max_acks), first - 1);
	sleep_us(rng_below(rng, MAX_WAIT_US));
	assert_int_equal(kill(pid, SIGKILL), 0);
	last = last_ack(ack[0], last);
	close(ack[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* it did nothing wrong before, and was not done */
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	return last;
}

static uint64_t read_back(const char *path)
{
	struct pmk_rlog_report report;
	struct pmk_rlog *log;
	uint64_t n;

	assert_int_equal(pmk_rlog_open(path, 0, &log), 0);
	n = fixture_count(log);
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	assert_int_equal(report.problems, 0);
	assert_int_equal(report.records, n);
	assert_int_equal(pmk_rlog_close(log), 0);
	return n;
}

static void kill_loop(uint32_t flags, int rounds, size_t max_acks,
		      const char *name)
{
	char path[] = "/tmp/pmk-test-kill-XXXXXX";
	uint64_t found = 0, total = 0;
	struct rng rng;
	int fd = mkstemp(path);

	rng_init(&rng, name);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(pmk_rlog_create(path, SIZE, flags), 0);
	for (int i = 0; i < rounds; i++) {
		uint64_t acked = kill_a_writer(path, found + 1, max_acks, &rng);
		uint64_t now;

		now = read_back(path);
		assert_true(now >= acked);
		assert_true(now <= acked + MAX_BATCH);
		total += now - found;
		found = now;
		/* long before the log is full, where a writer would wait */
		if (found > 30000) {
			assert_int_equal(
				pmk_rlog_create(path, SIZE,
						flags | PMK_RLOG_FORCE),
				0);
			found = 0;
		}
		rng_next(&rng);
	}
	printf("%s: %d writers killed, %llu records\n", name, rounds,
	       (unsigned long long)total);
	assert_true(total > 0);
	assert_int_equal(unlink(path), 0);
}

static void kill__emulated(void **state)
{
	(void)state;
	kill_loop(PMK_RLOG_EMULATED, ROUNDS, 100, "kill__emulated");
}

static void kill__plain_file(void **state)
{
	(void)state;
	kill_loop(0, ROUNDS / 10, 5, "kill__plain_file");
}

/* The child appends, this process reads along: it sees every record once, in
 * order and right, and never takes one in flight for damage. */
static void reader__follows_a_live_writer(void **state)
{
	enum {
		N = 50000
	};
	struct pmk_map *map = fixture_log_map(16U << 20);
	struct pmk_rlog *log = fixture_reader(map);
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	uint64_t seen = 0;
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct pmk_rlog *w;
		unsigned char buf[FIXTURE_MAX_LEN];

		if (pmk_rlog_attach(map, PMK_RLOG_WRITE, &w))
			_exit(1);
		for (uint64_t n = 1; n <= N; n++) {
			size_t len = fixture_record(n, buf, sizeof(buf));

			if (pmk_rlog_append(w, buf, len, NULL))
				_exit(2);
		}
		_exit(pmk_rlog_close(w) ? 3 : 0);
	}
	pmk_rlog_rewind(&cursor);
	while (seen < N) {
		int rc = pmk_rlog_next(log, &cursor, &rec);

		assert_in_range(rc, 0, 1);
		if (rc == 0) {
			/* the writer died: do not wait for ever */
			if (waitpid(pid, &status, WNOHANG) == pid) {
				assert_int_equal(status, 0);
				pid = 0;
			}
			continue;
		}
		seen++;
		assert_int_equal(rec.number, seen);
		assert_true(fixture_is_right(&rec));
	}
	if (pid) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	assert_int_equal(pmk_rlog_close(log), 0);
	pmk_map_close(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kill__emulated),
		cmocka_unit_test(kill__plain_file),
		cmocka_unit_test(reader__follows_a_live_writer),
	};

	return cmocka_run_group_tests_name("rlog kill", tests, NULL, NULL);
}
