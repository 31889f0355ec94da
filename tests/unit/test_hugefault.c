/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much a page fault maps: against page sizes that are chosen here, those of
 * memfd_create(2).
 *
 * Covered: pmk_hugefault, pmk_file_extents.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "map/extents.h"
#include "map/hugefault.h"

#define HUGE ((off_t)PMK_HUGE_BYTES)

static int memory(unsigned int flags, off_t size)
{
	int fd = memfd_create("pmk-test", MFD_CLOEXEC | flags);

	if (fd < 0 || ftruncate(fd, size) || fallocate(fd, 0, 0, size)) {
		print_message("skipped: no memory of that kind: %s\n",
			      strerror(errno));
		if (fd >= 0)
			close(fd);
		skip();
	}
	return fd;
}

static void expect(int fd, uint64_t off, enum pmk_answer answer,
		   enum pmk_map_why why)
{
	enum pmk_map_why have = PMK_WHY_NOT_APPLICABLE;

	assert_int_equal(pmk_hugefault(fd, off, 0, &have), answer);
	assert_int_equal(have, why);
}

static void hugefault__small_pages(void **state)
{
	char enabled[128] = "";
	int fd;

	(void)state;
	(void)pmk_read_text("/sys/kernel/mm/transparent_hugepage/shmem_enabled",
			    enabled, sizeof(enabled));
	if (strstr(enabled, "[always]") || strstr(enabled, "[within_size]") ||
	    strstr(enabled, "[force]")) {
		print_message("skipped: the kernel makes huge pages here\n");
		skip();
	}
	fd = memory(0, 2 * HUGE);
	expect(fd, 0, PMK_ANSWER_NO, PMK_WHY_NONE);
	expect(fd, PMK_HUGE_BYTES, PMK_ANSWER_NO, PMK_WHY_NONE);
	close(fd);
}

static void hugefault__huge_pages(void **state)
{
	int fd = memory(MFD_HUGETLB | MFD_HUGE_2MB, HUGE);

	(void)state;
	expect(fd, 0, PMK_ANSWER_YES, PMK_WHY_NONE);
	close(fd);
}

/* What SIGBUS would be is an answer, for the first page and for the last. */
static void hugefault__behind_the_end(void **state)
{
	int fd = memory(0, HUGE);

	(void)state;
	expect(fd, PMK_HUGE_BYTES, PMK_ANSWER_UNKNOWN, PMK_WHY_BAD_BLOCK);
	assert_int_equal(ftruncate(fd, HUGE - 4096), 0);
	expect(fd, 0, PMK_ANSWER_UNKNOWN, PMK_WHY_BAD_BLOCK);
	close(fd);
}

static void hugefault__not_readable(void **state)
{
	char path[] = "/tmp/pmk-test-huge-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	expect(fd, 0, PMK_ANSWER_UNKNOWN, PMK_WHY_NO_ACCESS);
	close(fd);
	assert_int_equal(unlink(path), 0);
}

/* All pages are there at once, and no fault tells how. */
static void hugefault__prefaulted(void **state)
{
	int fd = memory(0, HUGE);

	(void)state;
	/* sanitizers make the function do nothing */
	if (syscall(SYS_mlockall, MCL_FUTURE)) {
		close(fd);
		print_message("skipped: mlockall: %s\n", strerror(errno));
		skip();
	}
	expect(fd, 0, PMK_ANSWER_UNKNOWN, PMK_WHY_PREFAULTED);
	syscall(SYS_munlockall);
	close(fd);
}

struct seen {
	uint64_t bytes, end;
	size_t n;
};

static int see(const struct pmk_file_extent *e, void *arg)
{
	struct seen *s = arg;

	assert_true(e->off >= s->end);
	s->bytes += e->len;
	s->end = e->off + e->len;
	s->n++;
	return 0;
}

static int stop(const struct pmk_file_extent *e, void *arg)
{
	(void)e;
	++*(int *)arg;
	return 7;
}

/* More extents than one call returns: every second block. */
static void extents__of_a_file_with_holes(void **state)
{
	char path[] = "/tmp/pmk-test-extents-XXXXXX", block[4096];
	int fd = mkstemp(path), calls = 0, rc;
	struct seen s = { 0 };

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	memset(block, 1, sizeof(block));
	for (off_t i = 0; i < 200; i++)
		assert_int_equal(pwrite(fd, block, sizeof(block), i * 8192),
				 sizeof(block));
	assert_int_equal(fsync(fd), 0);
	rc = pmk_file_extents(fd, see, &s);
	if (rc == -EOPNOTSUPP || rc == -ENOTTY) {
		close(fd);
		print_message("skipped: no FIEMAP on /tmp\n");
		skip();
	}
	assert_int_equal(rc, 0);
	assert_int_equal(s.bytes, 200 * 4096);
	assert_int_equal(s.n, 200);
	assert_int_equal(pmk_file_extents(fd, stop, &calls), 7);
	assert_int_equal(calls, 1);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pmk_file_extents(fd, stop, &calls), 0);
	assert_int_equal(pmk_file_extents(-1, stop, &calls), -EBADF);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hugefault__small_pages),
		cmocka_unit_test(hugefault__huge_pages),
		cmocka_unit_test(hugefault__behind_the_end),
		cmocka_unit_test(hugefault__not_readable),
		cmocka_unit_test(hugefault__prefaulted),
		cmocka_unit_test(extents__of_a_file_with_holes),
	};

	return cmocka_run_group_tests_name("hugefault", tests, NULL, NULL);
}
