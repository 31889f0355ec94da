/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a path is not pmem: real paths of this machine against what stat -f and
 * /proc/self/mounts say; the same paths with a sysfs that says otherwise; facts
 * of dax devices from trees that imitate sysfs.
 *
 * Covered: pmk_map_explain, pmk_map_explain_at, pmk_probe_devdax.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/map.h>

#include "map/explain_impl.h"
#include "sysfs_tree.h"

static struct pmk_map_report explain(const char *path)
{
	struct pmk_map_report r;

	assert_int_equal(pmk_map_explain(path, &r), 0);
	return r;
}

static void file_in(const char *dir, size_t size, char path[64])
{
	int fd;

	snprintf(path, 64, "%s/pmk-test-explain-XXXXXX", dir);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	close(fd);
}

static void explain__tmpfs(void **state)
{
	struct pmk_map_report r;
	struct statfs fs;
	char path[64];

	(void)state;
	if (statfs("/dev/shm", &fs) || fs.f_type != TMPFS_MAGIC) {
		print_message("skipped: /dev/shm is not tmpfs\n");
		skip();
	}
	file_in("/dev/shm", 5000, path);
	r = explain(path);
	assert_int_equal(r.error, 0);
	assert_int_equal(r.kind, PMK_MAP_KIND_FILE);
	assert_int_equal(r.granularity, PMK_GRANULARITY_PAGE);
	assert_int_equal(r.domain, PMK_DOMAIN_VOLATILE);
	assert_int_equal(r.reason, PMK_REASON_VOLATILE_FS);
	assert_int_equal(r.size_bytes, 5000);
	assert_string_equal(r.fs_type, "tmpfs");
	assert_string_equal(r.mount, "/dev/shm");
	assert_int_equal(unlink(path), 0);
}

/* Wherever the tests run: the verdict must fit the file system's magic. */
static void explain__here(void **state)
{
	struct pmk_map_report r;
	struct statfs fs;
	char path[64];

	(void)state;
	file_in("/tmp", 4096, path);
	assert_int_equal(statfs(path, &fs), 0);
	r = explain(path);
	assert_int_equal(r.error, 0);
	if (fs.f_type == EXT4_SUPER_MAGIC && r.kind == PMK_MAP_KIND_FILE) {
		assert_int_equal(r.pmem, PMK_ANSWER_NO);
		assert_int_equal(r.granularity, PMK_GRANULARITY_PAGE);
		assert_int_equal(r.huge_why, PMK_WHY_NOT_APPLICABLE);
		/* not on pmem, or no block device to be seen */
		assert_true(r.reason != PMK_REASON_DAX &&
			    r.reason != PMK_REASON_OLD_KERNEL);
	}
	if (fs.f_type == OVERLAYFS_SUPER_MAGIC)
		assert_int_equal(r.reason, PMK_REASON_OVERLAYFS);
	if (fs.f_type == TMPFS_MAGIC)
		assert_int_equal(r.reason, PMK_REASON_VOLATILE_FS);
	assert_true(strlen(pmk_map_reason_text(r.reason)) > 0);
	assert_int_equal(unlink(path), 0);
}

/* Not even the time of access, which mmap(2) would set. */
static void explain__writes_nothing(void **state)
{
	const struct timespec times[2] = { { 1000000, 0 }, { 1000000, 0 } };
	struct stat before, after;
	char path[64];

	(void)state;
	file_in("/tmp", 4096, path);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(stat(path, &before), 0);
	explain(path);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(after.st_atim.tv_sec, 1000000);
	assert_int_equal(before.st_ctim.tv_sec, after.st_ctim.tv_sec);
	assert_int_equal(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
}

/* An empty file is judged like one with data beside it. */
static void explain__empty_file(void **state)
{
	struct pmk_map_report empty, full;
	char path[64];

	(void)state;
	file_in("/tmp", 0, path);
	empty = explain(path);
	assert_int_equal(truncate(path, 4096), 0);
	full = explain(path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(empty.error, 0);
	assert_int_equal(empty.size_bytes, 0);
	assert_int_equal(empty.kind, full.kind);
	assert_int_equal(empty.reason, full.reason);
	assert_int_equal(empty.domain, full.domain);
	assert_non_null(strstr(empty.detail, "it is empty"));
	assert_null(strstr(full.detail, "it is empty"));
}

static void explain__what_cannot_be_mapped(void **state)
{
	struct pmk_map_report r;
	char path[64];

	(void)state;
	assert_int_equal(pmk_map_explain(NULL, &r), -EINVAL);
	assert_int_equal(pmk_map_explain("/tmp", NULL), -EINVAL);
	r = explain("/dev/null");
	assert_int_equal(r.reason, PMK_REASON_FILE_TYPE);
	assert_int_equal(r.object, PMK_MAP_OBJECT_CHAR);
	assert_int_equal(r.pmem, PMK_ANSWER_NO);
	r = explain("/nonexistent/file");
	assert_int_equal(r.reason, PMK_REASON_NO_ACCESS);
	assert_int_equal(r.object, PMK_MAP_OBJECT_UNKNOWN);
	assert_int_equal(r.pmem, PMK_ANSWER_UNKNOWN);
	assert_int_equal(r.error, -ENOENT);
	file_in("/tmp", 1, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	r = explain(path); /* must not hang */
	assert_int_equal(r.reason, PMK_REASON_FILE_TYPE);
	assert_int_equal(r.object, PMK_MAP_OBJECT_FIFO);
	assert_string_equal(r.detail, "the path is a fifo");
	assert_int_equal(unlink(path), 0);
	/* a regular file of a file system that maps nothing */
	r = explain("/proc/self/stat");
	assert_int_equal(r.error, -ENODEV);
	assert_int_equal(r.reason, PMK_REASON_FS_WITHOUT_DAX);
	assert_int_equal(r.pmem, PMK_ANSWER_NO);
}

/* Of a directory the answer is that of a file in it, and none is left. */
static void explain__directory(void **state)
{
	char dir[] = "/tmp/pmk-test-explain-XXXXXX", path[64];
	struct pmk_map_report in, of;
	struct stat before, after;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(stat(dir, &before), 0);
	of = explain(dir);
	assert_int_equal(stat(dir, &after), 0);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_int_equal(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
	assert_int_equal(of.object, PMK_MAP_OBJECT_DIRECTORY);
	assert_int_equal(of.error, PMK_E_FILE_TYPE);
	assert_int_equal(of.kind, PMK_MAP_KIND_NONE);
	snprintf(path, sizeof(path), "%s/f", dir);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	in = explain(path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	if (in.kind != PMK_MAP_KIND_FILE)
		return; /* on a DAX file system the file has the last word */
	assert_int_equal(of.reason, in.reason);
	assert_int_equal(of.domain, in.domain);
	assert_string_equal(of.mount, in.mount);
}

/* The same file, on what the tree says its device is. */
static struct pmk_map_report explain_on(const char *path, const char *device)
{
	struct pmk_map_report r;
	char script[512];
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	snprintf(script, sizeof(script),
		 "cd $PMK_TEST_ROOT/dev/block && rm -f %u:%u && "
		 "if [ -n '%s' ]; then ln -s '../../%s' %u:%u; fi",
		 major(st.st_dev), minor(st.st_dev), device, device,
		 major(st.st_dev), minor(st.st_dev));
	sysfs_tree_run(script);
	assert_int_equal(pmk_map_explain_at(sysfs_tree, path, false, &r), 0);
	return r;
}

static void explain__by_device(void **state)
{
	struct pmk_map_report r;
	struct statfs fs;
	char path[64];

	(void)state;
	file_in("/tmp", 4096, path);
	assert_int_equal(statfs(path, &fs), 0);
	r = explain(path);
	if ((fs.f_type != EXT4_SUPER_MAGIC && fs.f_type != XFS_SUPER_MAGIC) ||
	    r.kind != PMK_MAP_KIND_FILE || fs.f_bsize != 4096) {
		assert_int_equal(unlink(path), 0);
		print_message("skipped: /tmp is not on a common ext4 or xfs\n");
		skip();
	}
	r = explain_on(path, "");
	assert_int_equal(r.reason, PMK_REASON_NO_SYSFS);
	assert_int_equal(r.domain_why, PMK_WHY_NO_SYSFS);
	assert_int_equal(r.device_bad_why, PMK_WHY_NO_SYSFS);
	r = explain_on(path, PMEMDEV);
	assert_string_equal(r.device, "pmem0");
	assert_string_equal(r.region, "region0");
	assert_int_equal(r.domain, PMK_DOMAIN_DEVICE);
	if (!strstr(r.fs_options, "dax"))
		assert_int_equal(r.reason, PMK_REASON_NO_DAX_ATTRIBUTE);
	sysfs_tree_write(PMEMDEV "/queue/dax", "0\n");
	r = explain_on(path, PMEMDEV);
	assert_int_equal(r.reason, PMK_REASON_UNKNOWN);
	sysfs_tree_write(PMEMDEV "/queue/dax", "1\n");
	sysfs_tree_run("cd $PMK_TEST_ROOT/" NDBUS "/region0 && "
		       "mv pfn0.0 btt0.0");
	r = explain_on(path, NDBUS "/region0/btt0.0/block/pmem0");
	assert_int_equal(r.reason, PMK_REASON_NO_DAX_ATTRIBUTE);
	sysfs_tree_write(NDBUS "/region0/btt0.0/block/pmem0/queue/dax", "0\n");
	r = explain_on(path, NDBUS "/region0/btt0.0/block/pmem0");
	assert_int_equal(r.reason, PMK_REASON_SECTOR_MODE);
	sysfs_tree_run("cd $PMK_TEST_ROOT/" NDBUS "/region0 && "
		       "mv btt0.0 pfn0.0");
	sysfs_tree_write(PMEMDEV "/queue/dax", "1\n");
	assert_int_equal(unlink(path), 0);
}

static struct pmk_map_report explain_null(const char *root)
{
	struct pmk_map_report r;

	assert_int_equal(pmk_map_explain_at(root, "/dev/null", false, &r), 0);
	return r;
}

/* Without sysfs /proc/devices tells a dax device, and one that is none. */
static void explain__char_device_without_sysfs(void **state)
{
	(void)state;
	if (access("/proc/devices", R_OK)) {
		print_message("skipped: no /proc/devices\n");
		skip();
	}
	assert_int_equal(explain_null("/nonexistent").reason,
			 PMK_REASON_FILE_TYPE);
	assert_int_equal(explain_null(NULL).reason, PMK_REASON_FILE_TYPE);
}

static void probe__devdax_in_devdax_mode(void **state)
{
	struct pmk_devdax_facts f;
	char *region;

	(void)state;
	assert_int_equal(pmk_probe_devdax(sysfs_tree, makedev(253, 0), &f), 0);
	assert_int_equal(f.size, 1054867456);
	assert_int_equal(f.align, 2097152);
	assert_string_equal(f.name, "dax1.0");
	assert_string_equal(f.driver, "device_dax");
	region = pmk_probe_region(f.dir);
	assert_non_null(region);
	/* by the path, not by the name: the nd device is dax1.1 here */
	assert_string_equal(strrchr(region, '/'), "/region1");
	assert_int_equal(pmk_probe_domain(region).domain,
			 PMK_DOMAIN_MEMORY_CONTROLLER);
	free(region);
	assert_int_equal(pmk_probe_devdax(sysfs_tree, makedev(253, 1), &f),
			 PMK_E_SYSFS);
	assert_string_equal(f.name, "");
}

static void probe__odd_attributes(void **state)
{
	static const char *const bad[] = {
		"",    "\n",        "-1\n",        "x\n",
		"0\n", "3000000\n", "2097152 x\n", "99999999999999999999999\n",
	};
	struct pmk_devdax_facts f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		sysfs_tree_write(DAXDEV "/align", bad[i]);
		assert_int_equal(
			pmk_probe_devdax(sysfs_tree, makedev(253, 0), &f),
			PMK_E_SYSFS);
		assert_string_equal(f.name, "dax1.0");
		assert_string_equal(f.attr, "align");
	}
	sysfs_tree_write(DAXDEV "/align", "0x200000\n");
	assert_int_equal(pmk_probe_devdax(sysfs_tree, makedev(253, 0), &f), 0);
	assert_int_equal(f.align, 2097152);
	sysfs_tree_write(DAXDEV "/align", "2097152\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explain__tmpfs),
		cmocka_unit_test(explain__here),
		cmocka_unit_test(explain__writes_nothing),
		cmocka_unit_test(explain__empty_file),
		cmocka_unit_test(explain__what_cannot_be_mapped),
		cmocka_unit_test(explain__directory),
		cmocka_unit_test(explain__by_device),
		cmocka_unit_test(explain__char_device_without_sysfs),
		cmocka_unit_test(probe__devdax_in_devdax_mode),
		cmocka_unit_test(probe__odd_attributes),
	};

	return cmocka_run_group_tests_name("explain", tests, sysfs_tree_make,
					   sysfs_tree_remove);
}
