/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of bad blocks: the format is the kernel's, Documentation/ABI/stable/
 * sysfs-block; what is no such list must be refused, and not counted.
 *
 * Covered: pmk_badblocks_parse, pmk_badblocks_read.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "base/badblocks.h"
#include "base/io.h"

struct heard {
	uint64_t off[8], len[8];
	size_t count;
	uint64_t total;
	int answer; /* of the callback */
};

static int hear(uint64_t off, uint64_t len, void *arg)
{
	struct heard *h = arg;

	if (h->count < 8) {
		h->off[h->count] = off;
		h->len[h->count] = len;
	}
	h->count++;
	h->total += len;
	return h->answer;
}

static int parse(const char *text, struct heard *h)
{
	int fd = memfd_create("badblocks", MFD_CLOEXEC), rc;

	memset(h, 0, sizeof(*h));
	assert_true(fd >= 0);
	assert_int_equal(pmk_write_full(fd, text, strlen(text)), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	rc = pmk_badblocks_parse(fd, hear, h);
	close(fd);
	return rc;
}

static void badblocks__ranges_in_bytes(void **state)
{
	struct heard h;

	(void)state;
	assert_int_equal(parse("", &h), 0);
	assert_int_equal(h.count, 0);
	assert_int_equal(parse("\n", &h), 0);
	assert_int_equal(h.count, 0);
	assert_int_equal(parse("0 1\n8 16\n24 8\n", &h), 0);
	assert_int_equal(h.count, 3);
	assert_int_equal(h.off[0], 0);
	assert_int_equal(h.len[0], 512);
	assert_int_equal(h.off[1], 4096);
	assert_int_equal(h.len[1], 8192);
	assert_int_equal(h.off[2], 12288); /* begins where that one ends */
	/* the last sectors that a byte offset can name */
	assert_int_equal(parse("36028797018963966 1\n", &h), 0);
	assert_true(h.off[0] == UINT64_MAX - 1023);
}

static void badblocks__what_is_no_list(void **state)
{
	static const char *const bad[] = {
		"1\n",
		"1 \n",
		"1 0\n",
		"1 2 3\n",
		"-1 2\n",
		"0x10 2\n",
		"1\t2\n",
		"1 2\r\n",
		"one two\n",
		"16 8\n8 8\n",
		"0 16\n8 16\n",
		"18446744073709551616 1\n",
		"36028797018963968 1\n",
		"1 36028797018963968\n",
		"36028797018963967 1\n",
		"99999999999999999999999999999999 1\n",
	};
	struct heard h;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse(bad[i], &h) != PMK_E_SYSFS)
			fail_msg("taken for a list: %s", bad[i]);
	}
}

/* sysfs ends at one page, wherever that is in a line. */
static void badblocks__a_list_that_goes_on(void **state)
{
	char text[8192] = "";
	struct heard h;

	(void)state;
	assert_int_equal(parse("8 8\n16 1", &h), 1);
	assert_int_equal(h.count, 1);
	assert_int_equal(parse("8 8\n16", &h), 1);
	assert_int_equal(h.count, 1);
	/* 585 whole lines of 7 bytes fill the page: the next may be lost */
	for (size_t i = 0; i < 585; i++)
		snprintf(text + 7 * i, 8, "%04zu 1\n", i);
	assert_int_equal(strlen(text), 4095);
	assert_int_equal(parse(text, &h), 1);
	assert_int_equal(h.count, 585);
	text[7 * 584] = '\0';
	/* nor is a list sure that has all the ranges the kernel keeps: 512 */
	assert_int_equal(parse(text, &h), 1);
	assert_int_equal(h.total, 584 * 512);
	text[7 * 512] = '\0';
	assert_int_equal(parse(text, &h), 1);
	text[7 * 511] = '\0';
	assert_int_equal(parse(text, &h), 0);
	assert_int_equal(h.total, 511 * 512);
}

/* However the text comes in pieces. */
static void badblocks__from_a_pipe(void **state)
{
	static const char text[] = "12345 678\n23456 789\n";
	struct heard h = { .answer = 0 };
	int end[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(end), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		for (size_t i = 0; text[i]; i++)
			if (write(end[1], text + i, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(end[1]);
	assert_int_equal(pmk_badblocks_parse(end[0], hear, &h), 0);
	close(end[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(h.count, 2);
	assert_int_equal(h.off[1], 23456 * 512);
	assert_int_equal(h.len[1], 789 * 512);
}

static void badblocks__of_a_directory(void **state)
{
	char dir[] = "/tmp/pmk-test-badblocks-XXXXXX", path[64];
	struct heard h = { .answer = -ENOSPC };
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/badblocks", dir);
	assert_int_equal(pmk_badblocks_read(dir, hear, &h), -ENOENT);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(pmk_write_full(fd, "1 1\n3 1\n", 8), 0);
	close(fd);
	/* the listener ends it */
	assert_int_equal(pmk_badblocks_read(dir, hear, &h), -ENOSPC);
	assert_int_equal(h.count, 1);
	h.answer = 0;
	assert_int_equal(pmk_badblocks_read(dir, hear, &h), 0);
	assert_int_equal(h.count, 3);
	assert_int_equal(unlink(path), 0);
	/* opens, but cannot be read */
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(pmk_badblocks_read(dir, hear, &h), -EISDIR);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(badblocks__ranges_in_bytes),
		cmocka_unit_test(badblocks__what_is_no_list),
		cmocka_unit_test(badblocks__a_list_that_goes_on),
		cmocka_unit_test(badblocks__from_a_pipe),
		cmocka_unit_test(badblocks__of_a_directory),
	};

	return cmocka_run_group_tests_name("badblocks", tests, NULL, NULL);
}
