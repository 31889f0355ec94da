/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Block devices, what is below them, and their bad blocks, in trees that
 * imitate sysfs.
 *
 * Covered: pmk_probe_block, pmk_block_leaves, pmk_block_domain,
 * pmk_probe_region, pmk_probe_domain, pmk_explain_bad_file,
 * pmk_explain_bad_devdax.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "base/util.h"
#include "map/explain_impl.h"
#include "sysfs_tree.h"

/* Adds to the common tree, which has pmem0 in fsdax mode at 259:0:
 *   259:1 a partition of it, 259:2 in sector mode, 259:3 in raw mode on a
 * region that reports no domain, 8:1 a partition of a disk, 1:0 ram0, 7:0
 * loop0, 252:0 and 252:1 without anything below yet. */
static int make(void **state)
{
	if (sysfs_tree_make(state))
		return -1;
	sysfs_tree_run(
		"cd $PMK_TEST_ROOT && nd=" NDBUS " && "
		"disk=devices/pci0000:00/ata1/block/sda && "
		"virtual=devices/virtual/block && "
		"mkdir -p " PMEMDEV "/pmem0p1 $nd/region0/btt0.1/block/pmem0s "
		"$nd/region2/namespace2.0/block/pmem2 $disk/sda1 "
		"$disk/queue $disk/slaves $nd/region2/dax2.0/dax2.0 && "
		"for d in ram0 loop0 dm-0 dm-1; do "
		"mkdir -p $virtual/$d/slaves $virtual/$d/queue; "
		"echo 0 >$virtual/$d/queue/dax; done && "
		"mkdir $nd/region0/btt0.1/block/pmem0s/queue "
		"$nd/region2/namespace2.0/block/pmem2/queue && "
		"echo 0 >$nd/region0/btt0.1/block/pmem0s/queue/dax && "
		"echo 0 >$nd/region2/namespace2.0/block/pmem2/queue/dax && "
		"echo 0 >$disk/queue/dax && "
		"ln -s ../../" PMEMDEV "/pmem0p1 dev/block/259:1 && "
		"ln -s ../../$nd/region0/btt0.1/block/pmem0s dev/block/259:2 && "
		"ln -s ../../$nd/region2/namespace2.0/block/pmem2 "
		"dev/block/259:3 && "
		"ln -s ../../$disk/sda1 dev/block/8:1 && "
		"ln -s ../../$virtual/ram0 dev/block/1:0 && "
		"ln -s ../../$virtual/loop0 dev/block/7:0 && "
		"ln -s ../../$virtual/dm-0 dev/block/252:0 && "
		"ln -s ../../$virtual/dm-1 dev/block/252:1");
	sysfs_tree_write(PMEMDEV "/size", "2060288\n");
	sysfs_tree_write(PMEMDEV "/pmem0p1/partition", "1\n");
	sysfs_tree_write(PMEMDEV "/pmem0p1/start", "2048\n");
	sysfs_tree_write(PMEMDEV "/pmem0p1/size", "614400\n");
	return 0;
}

/* Stack dm-N on devices, by their directories in the tree. */
static void stack(const char *dm, const char *on)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "cd $PMK_TEST_ROOT/devices/virtual/block/%s/slaves && "
		 "rm -f ./* && for d in %s; do "
		 "ln -s $PMK_TEST_ROOT/$d $(basename $d); done",
		 dm, on);
	sysfs_tree_run(script);
}

static void block__kinds(void **state)
{
	static const struct {
		unsigned int major, minor;
		const char *name;
		enum pmk_block_kind kind;
		enum pmk_answer dax;
	} rows[] = {
		{ 259, 0, "pmem0", PMK_BLOCK_FSDAX, PMK_ANSWER_YES },
		{ 259, 1, "pmem0p1", PMK_BLOCK_FSDAX, PMK_ANSWER_YES },
		{ 259, 2, "pmem0s", PMK_BLOCK_SECTOR, PMK_ANSWER_NO },
		{ 259, 3, "pmem2", PMK_BLOCK_RAW, PMK_ANSWER_NO },
		{ 8, 1, "sda1", PMK_BLOCK_OTHER, PMK_ANSWER_UNKNOWN },
		{ 1, 0, "ram0", PMK_BLOCK_RAM, PMK_ANSWER_NO },
		{ 7, 0, "loop0", PMK_BLOCK_LOOP, PMK_ANSWER_NO },
		{ 252, 0, "dm-0", PMK_BLOCK_OTHER, PMK_ANSWER_NO },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmk_block_facts f;

		assert_int_equal(
			pmk_probe_block(sysfs_tree,
					makedev(rows[i].major, rows[i].minor),
					&f),
			0);
		assert_string_equal(f.name, rows[i].name);
		assert_int_equal(f.kind, rows[i].kind);
		assert_int_equal(f.dax, rows[i].dax);
	}
}

static void block__partition(void **state)
{
	struct pmk_block_facts f;

	(void)state;
	assert_int_equal(pmk_probe_block(sysfs_tree, makedev(259, 1), &f), 0);
	assert_true(f.partition);
	assert_int_equal(f.start_bytes, 1 << 20);
	assert_int_equal(f.size_bytes, 300 << 20);
	assert_non_null(strstr(f.disk, "/block/pmem0"));
	assert_null(strstr(f.disk, "pmem0p1"));
	assert_int_equal(pmk_probe_block(sysfs_tree, makedev(259, 0), &f), 0);
	assert_false(f.partition);
	assert_int_equal(f.size_bytes, 1054867456);
	assert_string_equal(f.dir, f.disk);
	assert_int_equal(pmk_probe_block(sysfs_tree, makedev(8, 9), &f),
			 -ENOENT);
	assert_int_equal(pmk_probe_block("/nonexistent", makedev(8, 1), &f),
			 -ENOENT);
}

static void expect_domain(dev_t dev, bool mapped, enum pmk_domain domain,
			  enum pmk_map_why why)
{
	struct pmk_domain_fact f = pmk_block_domain(sysfs_tree, dev, mapped);

	assert_int_equal(f.domain, domain);
	assert_int_equal(f.why, why);
}

static void domain__of_one_device(void **state)
{
	(void)state;
	expect_domain(makedev(259, 0), true, PMK_DOMAIN_CPU_CACHE,
		      PMK_WHY_NONE);
	expect_domain(makedev(259, 1), true, PMK_DOMAIN_CPU_CACHE,
		      PMK_WHY_NONE);
	expect_domain(makedev(259, 3), true, PMK_DOMAIN_UNKNOWN,
		      PMK_WHY_NOT_REPORTED);
	sysfs_tree_write(NDBUS "/region2/persistence_domain", "moon\n");
	expect_domain(makedev(259, 3), true, PMK_DOMAIN_UNKNOWN,
		      PMK_WHY_ODD_VALUE);
	sysfs_tree_run("rm $PMK_TEST_ROOT/" NDBUS
		       "/region2/persistence_domain");
	expect_domain(makedev(8, 1), true, PMK_DOMAIN_UNKNOWN,
		      PMK_WHY_NO_REGION);
	expect_domain(makedev(8, 9), true, PMK_DOMAIN_UNKNOWN,
		      PMK_WHY_NO_SYSFS);
	/* after msync() */
	expect_domain(makedev(259, 0), false, PMK_DOMAIN_DEVICE, PMK_WHY_NONE);
	expect_domain(makedev(259, 2), false, PMK_DOMAIN_DEVICE, PMK_WHY_NONE);
	expect_domain(makedev(8, 1), false, PMK_DOMAIN_DEVICE, PMK_WHY_NONE);
	expect_domain(makedev(1, 0), false, PMK_DOMAIN_VOLATILE, PMK_WHY_NONE);
	expect_domain(makedev(7, 0), false, PMK_DOMAIN_UNKNOWN, PMK_WHY_HIDDEN);
}

/* The weakest of all counts. */
static void domain__of_a_stack(void **state)
{
	(void)state;
	stack("dm-0", PMEMDEV);
	expect_domain(makedev(252, 0), true, PMK_DOMAIN_CPU_CACHE,
		      PMK_WHY_NONE);
	stack("dm-0",
	      PMEMDEV "/pmem0p1 " NDBUS "/region2/namespace2.0/block/pmem2");
	expect_domain(makedev(252, 0), true, PMK_DOMAIN_UNKNOWN,
		      PMK_WHY_NOT_REPORTED);
	sysfs_tree_write(NDBUS "/region2/persistence_domain",
			 "memory_controller\n");
	expect_domain(makedev(252, 0), true, PMK_DOMAIN_MEMORY_CONTROLLER,
		      PMK_WHY_NONE);
	/* two stories */
	stack("dm-1", "devices/virtual/block/dm-0 " PMEMDEV);
	expect_domain(makedev(252, 1), true, PMK_DOMAIN_MEMORY_CONTROLLER,
		      PMK_WHY_NONE);
	/* a region of volatile memory is that, whatever domain it reports */
	sysfs_tree_write(NDBUS "/region2/uevent",
			 "DEVTYPE=nd_volatile\nDRIVER=nd_region\n");
	expect_domain(makedev(252, 1), true, PMK_DOMAIN_VOLATILE, PMK_WHY_NONE);
	expect_domain(makedev(252, 1), false, PMK_DOMAIN_VOLATILE,
		      PMK_WHY_NONE);
	sysfs_tree_run("rm $PMK_TEST_ROOT/" NDBUS "/region2/uevent");
	stack("dm-1", "devices/virtual/block/ram0 " PMEMDEV);
	expect_domain(makedev(252, 1), false, PMK_DOMAIN_VOLATILE,
		      PMK_WHY_NONE);
	/* a circle ends, and is no answer */
	stack("dm-0", "devices/virtual/block/dm-1");
	stack("dm-1", "devices/virtual/block/dm-0");
	expect_domain(makedev(252, 1), true, PMK_DOMAIN_UNKNOWN,
		      PMK_WHY_NO_SYSFS);
	stack("dm-0", "nothing");
	expect_domain(makedev(252, 0), true, PMK_DOMAIN_UNKNOWN,
		      PMK_WHY_NO_SYSFS);
	sysfs_tree_run("rm $PMK_TEST_ROOT/" NDBUS
		       "/region2/persistence_domain");
}

static void stack__facts(void **state)
{
	struct pmk_file_facts f = { .block_known = true };

	(void)state;
	stack("dm-0", PMEMDEV);
	assert_int_equal(pmk_probe_block(sysfs_tree, makedev(252, 0), &f.block),
			 0);
	assert_int_equal(f.block.kind, PMK_BLOCK_STACKED);
	pmk_explain_stack(&f);
	assert_int_equal(f.stack_dax, PMK_ANSWER_YES);
	assert_true(f.stack_pmem);
	assert_false(f.stack_async);
	stack("dm-0", PMEMDEV " devices/pci0000:00/ata1/block/sda");
	pmk_explain_stack(&f);
	assert_int_equal(f.stack_dax, PMK_ANSWER_PARTLY);
	assert_true(f.stack_pmem);
	stack("dm-0", "devices/pci0000:00/ata1/block/sda/sda1");
	pmk_explain_stack(&f);
	assert_int_equal(f.stack_dax, PMK_ANSWER_NO);
	assert_false(f.stack_pmem);
}

/* CXL has regions, too, and they are no nvdimm regions. */
static void region__by_its_bus(void **state)
{
	static const struct {
		const char *path, *region;
	} rows[] = {
		{ "/sys/devices/x/ndbus0/region0/pfn0.1/block/pmem0",
		  "/sys/devices/x/ndbus0/region0" },
		{ "/sys/devices/x/ndbus0/region12",
		  "/sys/devices/x/ndbus0/region12" },
		{ "/sys/devices/platform/ACPI0017:00/root0/decoder0.0/region0/"
		  "dax_region0/dax0.0",
		  NULL },
		{ "/sys/devices/platform/hmem.0/dax0.0", NULL },
		{ "/sys/devices/x/ndbus0/regions", NULL },
		{ "/region0", NULL },
		{ "region0", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *region = pmk_probe_region(rows[i].path);

		if (rows[i].region)
			assert_string_equal(region, rows[i].region);
		else
			assert_null(region);
		free(region);
	}
	assert_int_equal(pmk_probe_domain(NULL).why, PMK_WHY_NO_REGION);
}

static struct pmk_map_report bad(dev_t dev)
{
	struct pmk_file_facts f = { .fs = { "ext4", PMK_FS_EXT } };
	struct pmk_map_report r = { .device_bad_why = PMK_WHY_NOT_APPLICABLE };

	f.block_known = !pmk_probe_block(sysfs_tree, dev, &f.block);
	pmk_explain_bad_file(&r, -1, &f);
	return r;
}

static void bad__of_devices(void **state)
{
	struct pmk_map_report r;

	(void)state;
	r = bad(makedev(259, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_NO_LIST);
	sysfs_tree_write(PMEMDEV "/badblocks", "");
	r = bad(makedev(259, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_NONE);
	assert_int_equal(r.device_bad_bytes, 0);
	/* before, across the start of, in, across the end of the partition */
	sysfs_tree_write(PMEMDEV "/badblocks",
			 "0 8\n2040 16\n4096 8\n616444 8\n700000 1\n");
	r = bad(makedev(259, 0));
	assert_int_equal(r.device_bad_bytes, 41 * 512);
	r = bad(makedev(259, 1));
	assert_int_equal(r.device_bad_why, PMK_WHY_NONE);
	assert_int_equal(r.device_bad_bytes, (8 + 8 + 4) * 512);
	sysfs_tree_write(PMEMDEV "/badblocks", "0 8\n16 1");
	r = bad(makedev(259, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_LIST_CUT);
	assert_int_equal(r.device_bad_bytes, 8 * 512);
	sysfs_tree_write(PMEMDEV "/badblocks", "nonsense\n");
	r = bad(makedev(259, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_ODD_VALUE);
	/* drivers that keep no list */
	r = bad(makedev(259, 2));
	assert_int_equal(r.device_bad_why, PMK_WHY_NO_LIST);
	r = bad(makedev(8, 1));
	assert_int_equal(r.device_bad_why, PMK_WHY_NOT_APPLICABLE);
	r = bad(makedev(8, 9));
	assert_int_equal(r.device_bad_why, PMK_WHY_NO_SYSFS);
}

static void bad__of_a_stack(void **state)
{
	struct pmk_map_report r;

	(void)state;
	sysfs_tree_write(PMEMDEV "/badblocks", "");
	stack("dm-0", PMEMDEV "/pmem0p1");
	r = bad(makedev(252, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_NONE);
	assert_int_equal(r.device_bad_bytes, 0);
	sysfs_tree_write(PMEMDEV "/badblocks", "0 8\n");
	r = bad(makedev(252, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_NONE);
	sysfs_tree_write(PMEMDEV "/badblocks", "4096 8\n");
	r = bad(makedev(252, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_STACKED);
	sysfs_tree_write(PMEMDEV "/badblocks", "");
	stack("dm-0", PMEMDEV " devices/pci0000:00/ata1/block/sda");
	r = bad(makedev(252, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_NO_LIST);
	stack("dm-0", "devices/pci0000:00/ata1/block/sda");
	r = bad(makedev(252, 0));
	assert_int_equal(r.device_bad_why, PMK_WHY_NOT_APPLICABLE);
}

static struct pmk_map_report bad_devdax(void)
{
	struct pmk_map_report r = { .device_bad_why = PMK_WHY_NOT_APPLICABLE };
	struct pmk_devdax_facts f;
	char *region;

	assert_int_equal(pmk_probe_devdax(sysfs_tree, makedev(253, 0), &f), 0);
	region = pmk_probe_region(f.dir);
	assert_non_null(region);
	pmk_explain_bad_devdax(&r, region, &f);
	free(region);
	return r;
}

static void bad__of_devdax(void **state)
{
	struct pmk_map_report r;

	(void)state;
	sysfs_tree_write(NDBUS "/region1/badblocks", "");
	r = bad_devdax();
	assert_int_equal(r.device_bad_why, PMK_WHY_NONE);
	/* where the device is in its region only root may know */
	sysfs_tree_write(NDBUS "/region1/badblocks", "0 8\n4096 16\n");
	r = bad_devdax();
	assert_int_equal(r.device_bad_why, PMK_WHY_NO_ACCESS);
	sysfs_tree_write(NDBUS "/region1/resource", "0x140000000\n");
	sysfs_tree_write(DAXDEV "/resource", "0x140200000\n");
	r = bad_devdax();
	assert_int_equal(r.device_bad_why, PMK_WHY_NONE);
	assert_int_equal(r.device_bad_bytes, 16 * 512);
	/* some kernels show 0 to others */
	sysfs_tree_write(NDBUS "/region1/resource", "0\n");
	r = bad_devdax();
	assert_int_equal(r.device_bad_why, PMK_WHY_NO_ACCESS);
	sysfs_tree_run("rm $PMK_TEST_ROOT/" NDBUS "/region1/badblocks");
	r = bad_devdax();
	assert_int_equal(r.device_bad_why, PMK_WHY_NO_LIST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block__kinds),
		cmocka_unit_test(block__partition),
		cmocka_unit_test(domain__of_one_device),
		cmocka_unit_test(domain__of_a_stack),
		cmocka_unit_test(stack__facts),
		cmocka_unit_test(region__by_its_bus),
		cmocka_unit_test(bad__of_devices),
		cmocka_unit_test(bad__of_a_stack),
		cmocka_unit_test(bad__of_devdax),
	};

	return cmocka_run_group_tests_name("block", tests, make,
					   sysfs_tree_remove);
}
