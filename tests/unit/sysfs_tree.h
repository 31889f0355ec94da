/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A directory that looks like /sys of Linux 6.1 with two NVDIMMs: region0 is in
 * fsdax mode (block device 259:0), region1 in devdax mode (character device
 * 253:0).  Paths and values were read in a guest.
 */
#ifndef TESTS_UNIT_SYSFS_TREE_H
#define TESTS_UNIT_SYSFS_TREE_H

#define NDBUS   "devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0"
#define DAXDEV  NDBUS "/region1/dax1.1/dax1.0"
#define PMEMDEV NDBUS "/region0/pfn0.0/block/pmem0"

/* The directory, once it is made. */
extern char sysfs_tree[];

/* Setup and teardown of a cmocka group. */
int sysfs_tree_make(void **state);
int sysfs_tree_remove(void **state);

/* Write an attribute; @path is relative to the tree. */
void sysfs_tree_write(const char *path, const char *text);
/* Run a script for the shell; the tree is at $PMK_TEST_ROOT. */
void sysfs_tree_run(const char *script);

#endif /* TESTS_UNIT_SYSFS_TREE_H */
