/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about one file or device from its own sysfs nodes; nothing here walks
 * over devices that were not asked for.
 */
#ifndef LIB_MAP_PROBE_H
#define LIB_MAP_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/map.h>

struct pmk_devdax_facts {
	uint64_t size;   /* bytes */
	uint64_t align;  /* bytes, a power of two */
	char name[64];   /* "dax1.0" */
	char driver[32]; /* "device_dax", "kmem"; empty: none bound */
	char dir[256];   /* its directory in sysfs */
};

/* sysfs root of a call: @root or "/sys". */
const char *pmk_sysfs_root(const char *root);

/* 0 if @rdev is a devdax node whose facts could be read, PMK_E_FILE_TYPE if it
 * is another character device, PMK_E_SYSFS if sysfs does not tell. */
int pmk_probe_devdax(const char *root, dev_t rdev,
		     struct pmk_devdax_facts *facts_ret);

/* The nvdimm region above a device directory, as a new string; NULL if there
 * is none (or no memory). */
char *pmk_probe_region(const char *dir);

/* The persistence domain that a region reports; @region may be NULL. */
enum pmk_domain pmk_probe_domain(const char *region);

/* What survives behind a file of a file system without DAX. */
enum pmk_domain pmk_probe_fs_domain(int fd);

struct pmk_block_facts {
	char name[64]; /* "pmem0", "vda1"; empty: not a block device of sysfs */
	char dir[256]; /* its directory in sysfs */
	bool dax;      /* queue/dax is 1 */
	bool nvdimm;   /* below an nvdimm region */
};

/* The block device under a file system; all empty if it has none. */
void pmk_probe_block(const char *root, dev_t dev,
		     struct pmk_block_facts *facts_ret);

#endif /* LIB_MAP_PROBE_H */
