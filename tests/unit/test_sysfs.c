/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes of a device, in a tree of our own instead of /sys.
 *
 * APIs covered: pmk_sysfs_dev_path(), pmk_sysfs_text(), pmk_sysfs_u64(),
 * pmk_read_text().
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "base/io.h"
#include "base/sysfs.h"
#include "base/util.h"

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aU

static char root[512];

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int make_root(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(root, sizeof(root), "%s/pmk-sysfs-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void in_root(char path[1024], const char *name)
{
	snprintf(path, 1024, "%s/%s", root, name);
}

static void put(const char *name, const void *data, size_t len)
{
	char path[1024];
	int fd;

	in_root(path, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
}

static void u64__valid(void **state)
{
	static const struct {
		const char *content;
		uint64_t value;
	} cases[] = {
		{ "0\n", 0 },
		{ "1\n", 1 },
		{ "2097152\n", 2097152 },
		{ "2097152", 2097152 },
		{ "0x200000\n", 2097152 },
		{ "0xffffffffffffffff\n", UINT64_MAX },
		{ "18446744073709551615\n", UINT64_MAX },
		{ "0010\n", 10 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = UNTOUCHED;
		int rc;

		put("size", cases[i].content, strlen(cases[i].content));
		rc = pmk_sysfs_u64(root, "size", &value);
		if (rc || value != cases[i].value)
			fail_msg("'%s': %d, %llu", cases[i].content, rc,
				 (unsigned long long)value);
	}
}

static void u64__malformed(void **state)
{
	static const struct {
		const char *content;
		size_t len;
	} cases[] = {
#define TEXT(s) { s, sizeof(s) - 1 }
		TEXT(""),
		TEXT("\n"),
		TEXT("-1\n"),
		TEXT("+1\n"),
		TEXT(" 1\n"),
		TEXT("1 \n"),
		TEXT("1\n\n"),
		TEXT("1\n2\n"),
		TEXT("12 34\n"),
		TEXT("0x\n"),
		TEXT("x1\n"),
		TEXT("0xg\n"),
		TEXT("4k\n"),
		TEXT("1.5\n"),
		TEXT("unknown\n"),
		TEXT("18446744073709551616\n"),
		TEXT("99999999999999999999\n"),
		TEXT("0x10000000000000000\n"),
		TEXT("1111111111111111111111111111111111111111111111111111\n"),
		TEXT("\x7f"
		     "ELF\x02\x01\x01"),
		TEXT("\xff\xfe\n"),
		TEXT("\0"),
		TEXT("1\0"),
		TEXT("12\0garbage\n"),
#undef TEXT
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = UNTOUCHED;
		int rc;

		put("size", cases[i].content, cases[i].len);
		rc = pmk_sysfs_u64(root, "size", &value);
		if (rc != PMK_E_SYSFS || value != UNTOUCHED)
			fail_msg("case %zu '%s': %d, %llu", i, cases[i].content,
				 rc, (unsigned long long)value);
	}
}

static void u64__very_long(void **state)
{
	static char zeros[1 << 20];
	uint64_t value = UNTOUCHED;

	(void)state;
	memset(zeros, '0', sizeof(zeros));
	put("size", zeros, sizeof(zeros));
	assert_int_equal(pmk_sysfs_u64(root, "size", &value), PMK_E_SYSFS);
	assert_true(value == UNTOUCHED);
}

static void u64__unreadable(void **state)
{
	uint64_t value = UNTOUCHED;
	char path[1024];

	(void)state;
	assert_int_equal(pmk_sysfs_u64(root, "absent", &value), -ENOENT);
	assert_int_equal(pmk_sysfs_u64("/nonexistent", "size", &value),
			 -ENOENT);
	in_root(path, "dir");
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(pmk_sysfs_u64(root, "dir", &value), -EISDIR);
	put("size", "1\n", 2);
	assert_int_equal(pmk_sysfs_u64(root, "size/size", &value), -ENOTDIR);
	assert_true(value == UNTOUCHED);
}

static void text__length_and_limit(void **state)
{
	char buf[8];

	(void)state;
	put("mode", "devdax\n", 7);
	assert_int_equal(pmk_sysfs_text(root, "mode", buf, sizeof(buf)), 6);
	assert_string_equal(buf, "devdax");
	/* with its newline it does not fit 7 bytes and the terminator */
	assert_int_equal(pmk_sysfs_text(root, "mode", buf, 7), -E2BIG);
	put("mode", "", 0);
	assert_int_equal(pmk_sysfs_text(root, "mode", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	put("mode", "a\n\n", 3);
	assert_int_equal(pmk_sysfs_text(root, "mode", buf, sizeof(buf)), 2);
	assert_string_equal(buf, "a\n");
	assert_int_equal(pmk_sysfs_text(root, "absent", buf, sizeof(buf)),
			 -ENOENT);
}

static void make_link(const char *target, const char *name)
{
	char path[1024];

	in_root(path, name);
	assert_int_equal(symlink(target, path), 0);
}

static void make_dirs(const char *const *names, size_t n)
{
	char path[1024];

	for (size_t i = 0; i < n; i++) {
		in_root(path, names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
}

static void dev_path__follows_the_link(void **state)
{
	static const char *const dirs[] = { "dev", "dev/char", "dev/block",
					    "devices", "devices/dax0.0" };
	char buf[4096], want[4096], real[4096];

	(void)state;
	make_dirs(dirs, ARRAY_SIZE(dirs));
	make_link("../../devices/dax0.0", "dev/char/253:7");
	make_link("../../devices/gone", "dev/block/259:1");
	assert_int_equal(pmk_sysfs_dev_path(root, "char", makedev(253, 7), buf,
					    sizeof(buf)),
			 0);
	assert_non_null(realpath(root, real));
	snprintf(want, sizeof(want), "%.2048s/devices/dax0.0", real);
	assert_string_equal(buf, want);
	/* the exact size, and one byte less */
	assert_int_equal(pmk_sysfs_dev_path(root, "char", makedev(253, 7), buf,
					    strlen(want) + 1),
			 0);
	assert_int_equal(pmk_sysfs_dev_path(root, "char", makedev(253, 7), buf,
					    strlen(want)),
			 -ENAMETOOLONG);
	assert_int_equal(pmk_sysfs_dev_path(root, "block", makedev(253, 7), buf,
					    sizeof(buf)),
			 -ENOENT);
	assert_int_equal(pmk_sysfs_dev_path(root, "char", makedev(7, 253), buf,
					    sizeof(buf)),
			 -ENOENT);
	/* a device that goes away: its attributes are not there */
	assert_int_equal(pmk_sysfs_dev_path(root, "block", makedev(259, 1), buf,
					    sizeof(buf)),
			 0);
	assert_int_equal(pmk_sysfs_u64(buf, "size", &(uint64_t){ 0 }), -ENOENT);
	/* not as the kernel makes them, but a link all the same */
	make_link("../char/../../devices/dax0.0", "dev/block/259:2");
	assert_int_equal(pmk_sysfs_dev_path(root, "block", makedev(259, 2), buf,
					    sizeof(buf)),
			 0);
	assert_string_equal(buf, want);
}

static void dev_path__loop(void **state)
{
	static const char *const dirs[] = { "dev", "dev/char" };
	char buf[4096];

	(void)state;
	make_dirs(dirs, ARRAY_SIZE(dirs));
	make_link("1:1", "dev/char/1:1");
	assert_int_equal(pmk_sysfs_dev_path(root, "char", makedev(1, 1), buf,
					    sizeof(buf)),
			 -ELOOP);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)
	const struct CMUnitTest tests[] = {
		TEST(u64__valid),
		TEST(u64__malformed),
		TEST(u64__very_long),
		TEST(u64__unreadable),
		TEST(text__length_and_limit),
		TEST(dev_path__follows_the_link),
		TEST(dev_path__loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
