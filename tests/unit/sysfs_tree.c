/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory that looks like /sys; see sysfs_tree.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sysfs_tree.h"

char sysfs_tree[] = "/tmp/pmk-test-sysfs-XXXXXX";

void sysfs_tree_run(const char *script)
{
	assert_int_equal(setenv("PMK_TEST_ROOT", sysfs_tree, 1), 0);
	assert_int_equal(system(script), 0);
}

void sysfs_tree_write(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", sysfs_tree, path);
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

int sysfs_tree_make(void **state)
{
	(void)state;
	if (!mkdtemp(sysfs_tree))
		return -1;
	sysfs_tree_run(
		"cd $PMK_TEST_ROOT && "
		"mkdir -p dev/char dev/block "
		"bus/dax/drivers/device_dax bus/dax/drivers/kmem " PMEMDEV
		"/queue " DAXDEV " && "
		"ln -s ../../" DAXDEV " dev/char/253:0 && "
		"ln -s ../../" PMEMDEV " dev/block/259:0");
	sysfs_tree_run(
		"cd $PMK_TEST_ROOT/" DAXDEV " && "
		"ln -s $PMK_TEST_ROOT/bus/dax subsystem && "
		"ln -s $PMK_TEST_ROOT/bus/dax/drivers/device_dax driver");
	sysfs_tree_write(DAXDEV "/size", "1054867456\n");
	sysfs_tree_write(DAXDEV "/align", "2097152\n");
	sysfs_tree_write(NDBUS "/region1/persistence_domain",
			 "memory_controller\n");
	sysfs_tree_write(NDBUS "/region0/persistence_domain", "cpu_cache\n");
	sysfs_tree_write(PMEMDEV "/queue/dax", "1\n");
	return 0;
}

int sysfs_tree_remove(void **state)
{
	(void)state;
	sysfs_tree_run("rm -r $PMK_TEST_ROOT");
	return 0;
}
