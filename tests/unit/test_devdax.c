/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of devdax mappings, and deep sync, without a device: a tree that
 * imitates sysfs says what there is, a memfd is what gets mapped.
 *
 * Covered: pmk_map_init_devdax, pmk_map_deep_sync.
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
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "map/map_impl.h"
#include "sysfs_tree.h"

#define MIB ((uint64_t)1 << 20)
/* What the tree says. */
#define SIZE 1054867456U

/* The minor number of the device to open; the tree has 253:0. */
static unsigned int minor_number;

/* As pmk_map_open() does it for a character device. */
static int open_device(struct pmk_map_params p, struct pmk_map *map)
{
	struct stat node = { .st_rdev = makedev(253, minor_number) };

	*map = (struct pmk_map){ .fd = memfd_create("dax", MFD_CLOEXEC) };
	assert_true(map->fd >= 0);
	assert_int_equal(ftruncate(map->fd, SIZE), 0);
	p.sysfs_root = sysfs_tree;
	return pmk_map_init_devdax(map, &p, &node, "/dev/dax1.0");
}

static void close_device(struct pmk_map *map)
{
	if (map->addr)
		pmk_vma_unmap(map->addr, map->len);
	free(map->region);
	close(map->fd);
}

static void expect(struct pmk_map_params p, int code)
{
	struct pmk_map map;

	assert_int_equal(open_device(p, &map), code);
	assert_null(map.addr);
	close_device(&map);
}

static void devdax__whole_and_partial(void **state)
{
	static const struct {
		uint64_t off, len, want;
	} good[] = {
		{ 0, 0, SIZE },
		{ 0, SIZE, SIZE },
		{ 0, 2 * MIB, 2 * MIB },
		{ 4 * MIB, 2 * MIB, 2 * MIB },
		{ 2 * MIB, 0, SIZE - 2 * MIB },
		{ SIZE - 2 * MIB, 2 * MIB, 2 * MIB },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct pmk_map_params p = { .off = good[i].off,
					    .len = good[i].len };
		struct pmk_map map;

		assert_int_equal(open_device(p, &map), 0);
		assert_int_equal(map.len, good[i].want);
		assert_int_equal((uintptr_t)map.addr % (2 * MIB), 0);
		assert_int_equal(map.kind, PMK_MAP_KIND_DEVDAX);
		assert_int_equal(map.granularity, PMK_GRANULARITY_CACHE_LINE);
		assert_int_equal(map.domain, PMK_DOMAIN_MEMORY_CONTROLLER);
		assert_int_equal(map.align, 2 * MIB);
		assert_non_null(strstr(map.region, "/region1"));
		close_device(&map);
	}
}

static void devdax__against_the_rules(void **state)
{
	(void)state;
	expect((struct pmk_map_params){ .len = 4096 }, PMK_E_ALIGNMENT);
	expect((struct pmk_map_params){ .len = 3 * MIB }, PMK_E_ALIGNMENT);
	expect((struct pmk_map_params){ .off = MIB }, PMK_E_ALIGNMENT);
	expect((struct pmk_map_params){ .len = SIZE + 2 * MIB }, PMK_E_RANGE);
	expect((struct pmk_map_params){ .off = SIZE }, PMK_E_RANGE);
	expect((struct pmk_map_params){ .off = SIZE + 2 * MIB }, PMK_E_RANGE);
	expect((struct pmk_map_params){ .off = 2 * MIB, .len = SIZE },
	       PMK_E_RANGE);
	/* the kernel would map this: it does not look at the end */
	expect((struct pmk_map_params){ .len = (uint64_t)1 << 40 },
	       PMK_E_RANGE);
	expect((struct pmk_map_params){ .flags = PMK_MAP_EMULATED }, -EINVAL);
}

static void devdax__wrong_mode(void **state)
{
	(void)state;
	sysfs_tree_run("cd $PMK_TEST_ROOT/" DAXDEV " && "
		       "ln -sfn ../../bus/dax/drivers/kmem driver");
	expect((struct pmk_map_params){ 0 }, PMK_E_DEVDAX_MODE);
	sysfs_tree_run("rm $PMK_TEST_ROOT/" DAXDEV "/driver");
	expect((struct pmk_map_params){ 0 }, PMK_E_DEVDAX_MODE);
	sysfs_tree_run("cd $PMK_TEST_ROOT/" DAXDEV " && "
		       "ln -s ../../bus/dax/drivers/device_dax driver");
	sysfs_tree_write(DAXDEV "/size", "0\n");
	expect((struct pmk_map_params){ 0 }, PMK_E_DEVDAX_MODE);
	sysfs_tree_write(DAXDEV "/size", "1054867456\n");
	minor_number = 1;
	expect((struct pmk_map_params){ 0 }, PMK_E_SYSFS);
	minor_number = 0;
	/* another class of character device */
	sysfs_tree_run("cd $PMK_TEST_ROOT/" DAXDEV " && "
		       "ln -sfn ../../bus/mem subsystem");
	expect((struct pmk_map_params){ 0 }, PMK_E_FILE_TYPE);
	sysfs_tree_run("cd $PMK_TEST_ROOT/" DAXDEV " && "
		       "ln -sfn ../../bus/dax subsystem");
}

/* Kernels before 5.10 say the alignment of the region only. */
static void devdax__old_kernel(void **state)
{
	struct pmk_map map;

	(void)state;
	sysfs_tree_run("cd $PMK_TEST_ROOT/" DAXDEV " && "
		       "mkdir ../dax_region && mv align ../dax_region/");
	assert_int_equal(open_device((struct pmk_map_params){ 0 }, &map), 0);
	assert_int_equal(map.align, 2 * MIB);
	close_device(&map);
	sysfs_tree_run("cd $PMK_TEST_ROOT/" DAXDEV " && "
		       "mv ../dax_region/align . && rmdir ../dax_region");
}

static void devdax__caches_persist(void **state)
{
	struct pmk_map map;

	(void)state;
	sysfs_tree_write(NDBUS "/region1/persistence_domain", "cpu_cache\n");
	assert_int_equal(open_device((struct pmk_map_params){ 0 }, &map), 0);
	assert_int_equal(map.granularity, PMK_GRANULARITY_BYTE);
	close_device(&map);
	sysfs_tree_run("rm $PMK_TEST_ROOT/" NDBUS
		       "/region1/persistence_domain");
	assert_int_equal(open_device((struct pmk_map_params){ 0 }, &map), 0);
	assert_int_equal(map.domain, PMK_DOMAIN_UNKNOWN);
	assert_int_equal(map.granularity, PMK_GRANULARITY_CACHE_LINE);
	close_device(&map);
	sysfs_tree_write(NDBUS "/region1/persistence_domain",
			 "memory_controller\n");
}

/* Not needed, done, not permitted and not there are four answers. */
static void deep_sync__devdax(void **state)
{
	char path[512], text[8];
	struct pmk_map map;

	(void)state;
	assert_int_equal(
		open_device((struct pmk_map_params){ .len = 2 * MIB }, &map),
		0);
	map.ops = pmk_map_ops_for(map.granularity);
	assert_int_equal(pmk_map_deep_sync(&map, map.addr, 64), PMK_E_SYSFS);
	sysfs_tree_write(NDBUS "/region1/deep_flush", "0\n");
	assert_int_equal(pmk_map_deep_sync(&map, map.addr, 64), 1);
	sysfs_tree_write(NDBUS "/region1/deep_flush", "1\n");
	assert_int_equal(pmk_map_deep_sync(&map, map.addr, 64), 0);
	snprintf(path, sizeof(path), "%s/%s", sysfs_tree,
		 NDBUS "/region1/deep_flush");
	assert_true(pmk_read_text(path, text, sizeof(text)) > 0);
	assert_int_equal(text[0], '1');
	if (geteuid() != 0) {
		assert_int_equal(chmod(path, 0444), 0);
		assert_int_equal(pmk_map_deep_sync(&map, map.addr, 64),
				 PMK_E_NOT_PERMITTED);
	}
	close_device(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devdax__whole_and_partial),
		cmocka_unit_test(devdax__against_the_rules),
		cmocka_unit_test(devdax__wrong_mode),
		cmocka_unit_test(devdax__old_kernel),
		cmocka_unit_test(devdax__caches_persist),
		cmocka_unit_test(deep_sync__devdax),
	};

	return cmocka_run_group_tests_name("devdax", tests, sysfs_tree_make,
					   sysfs_tree_remove);
}
