/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a path is not pmem: real paths of this machine against what stat -f and
 * /proc/self/mounts say, and device facts from trees that imitate sysfs.
 *
 * Covered: pmk_map_explain, pmk_map_reason_*, pmk_*_name, pmk_probe_devdax,
 * pmk_probe_region, pmk_probe_domain, pmk_probe_block.
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

#include "map/probe.h"
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
		assert_int_equal(r.domain, PMK_DOMAIN_DEVICE);
		assert_int_equal(r.granularity, PMK_GRANULARITY_PAGE);
		/* not on pmem, or no block device to be seen */
		assert_true(r.reason == PMK_REASON_BLOCK_NOT_DAX ||
			    r.reason == PMK_REASON_MOUNT_OPTION ||
			    r.reason == PMK_REASON_SECTOR_MODE ||
			    r.reason == PMK_REASON_UNKNOWN);
	}
	if (fs.f_type == OVERLAYFS_SUPER_MAGIC)
		assert_int_equal(r.reason, PMK_REASON_OVERLAYFS);
	if (fs.f_type == TMPFS_MAGIC)
		assert_int_equal(r.reason, PMK_REASON_VOLATILE_FS);
	assert_true(strlen(pmk_map_reason_text(r.reason)) > 0);
	assert_int_equal(unlink(path), 0);
}

static void explain__what_cannot_be_mapped(void **state)
{
	struct pmk_map_report r;
	char path[64];

	(void)state;
	assert_int_equal(pmk_map_explain(NULL, &r), -EINVAL);
	assert_int_equal(pmk_map_explain("/tmp", NULL), -EINVAL);
	r = explain("/tmp");
	assert_int_equal(r.reason, PMK_REASON_FILE_TYPE);
	assert_int_equal(r.error, PMK_E_FILE_TYPE);
	assert_int_equal(r.kind, PMK_MAP_KIND_NONE);
	assert_string_equal(r.detail, "the path is a directory");
	r = explain("/dev/null");
	assert_int_equal(r.reason, PMK_REASON_FILE_TYPE);
	r = explain("/nonexistent/file");
	assert_int_equal(r.reason, PMK_REASON_NO_ACCESS);
	assert_int_equal(r.error, -ENOENT);
	file_in("/tmp", 0, path);
	r = explain(path);
	assert_int_equal(r.reason, PMK_REASON_EMPTY);
	assert_int_equal(unlink(path), 0);
	file_in("/tmp", 1, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	r = explain(path); /* must not hang */
	assert_int_equal(r.reason, PMK_REASON_FILE_TYPE);
	assert_int_equal(unlink(path), 0);
	/* maps as nothing, has no size */
	r = explain("/proc/self/stat");
	assert_int_equal(r.reason, PMK_REASON_EMPTY);
}

static void names__every_reason_has_words(void **state)
{
	(void)state;
	for (int i = 0; i <= PMK_REASON_UNKNOWN; i++) {
		enum pmk_map_reason r = (enum pmk_map_reason)i;
		bool good = r == PMK_REASON_DAX || r == PMK_REASON_DEVDAX;

		assert_true(strlen(pmk_map_reason_text(r)) > 10);
		assert_true(strlen(pmk_map_reason_name(r)) > 2);
		/* what is good needs no remedy, all else has one */
		assert_int_equal(strlen(pmk_map_reason_remedy(r)) == 0, good);
	}
	assert_string_equal(pmk_map_reason_name((enum pmk_map_reason)99),
			    "unknown");
	assert_string_equal(pmk_map_kind_name(PMK_MAP_KIND_DEVDAX), "devdax");
	assert_string_equal(pmk_map_kind_name((enum pmk_map_kind)99), "?");
	assert_string_equal(pmk_granularity_name(PMK_GRANULARITY_CACHE_LINE),
			    "cache line");
	assert_string_equal(pmk_granularity_name((enum pmk_granularity)99),
			    "?");
	assert_string_equal(pmk_domain_name(PMK_DOMAIN_MEMORY_CONTROLLER),
			    "memory_controller");
	assert_string_equal(pmk_domain_name((enum pmk_domain)99), "?");
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
	assert_int_equal(pmk_probe_domain(region),
			 PMK_DOMAIN_MEMORY_CONTROLLER);
	free(region);
	assert_int_equal(pmk_probe_devdax(sysfs_tree, makedev(253, 1), &f),
			 PMK_E_SYSFS);
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
	}
	sysfs_tree_write(DAXDEV "/align", "0x200000\n");
	assert_int_equal(pmk_probe_devdax(sysfs_tree, makedev(253, 0), &f), 0);
	assert_int_equal(f.align, 2097152);
	sysfs_tree_write(DAXDEV "/align", "2097152\n");
}

static void probe__block_device(void **state)
{
	struct pmk_block_facts f;
	char *region;

	(void)state;
	pmk_probe_block(sysfs_tree, makedev(259, 0), &f);
	assert_string_equal(f.name, "pmem0");
	assert_true(f.dax);
	assert_true(f.nvdimm);
	region = pmk_probe_region(f.dir);
	assert_int_equal(pmk_probe_domain(region), PMK_DOMAIN_CPU_CACHE);
	free(region);
	sysfs_tree_write(PMEMDEV "/queue/dax", "0\n");
	pmk_probe_block(sysfs_tree, makedev(259, 0), &f);
	assert_false(f.dax);
	assert_true(f.nvdimm);
	pmk_probe_block(sysfs_tree, makedev(8, 1), &f);
	assert_string_equal(f.name, "");
	assert_false(f.dax);
	assert_int_equal(pmk_probe_domain(NULL), PMK_DOMAIN_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explain__tmpfs),
		cmocka_unit_test(explain__here),
		cmocka_unit_test(explain__what_cannot_be_mapped),
		cmocka_unit_test(names__every_reason_has_words),
		cmocka_unit_test(probe__devdax_in_devdax_mode),
		cmocka_unit_test(probe__odd_attributes),
		cmocka_unit_test(probe__block_device),
	};

	return cmocka_run_group_tests_name("explain", tests, sysfs_tree_make,
					   sysfs_tree_remove);
}
