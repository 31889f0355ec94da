/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about one dax device or one nvdimm region, from its own sysfs nodes;
 * nothing here walks over devices that were not asked for.
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
	char dir[512];   /* its directory in sysfs */
	char attr[32];   /* on PMK_E_SYSFS: what could not be read, or nothing
			    if the device has no directory */
};

/* sysfs root of a call: @root or "/sys". */
const char *pmk_sysfs_root(const char *root);

/* Last component of the link DIR/NAME; empty if there is no such link. */
void pmk_sysfs_link_name(const char *dir, const char *name, char *buf,
			 size_t len);
/* Last component of a path, cut to fit. */
void pmk_base_name(const char *path, char *buf, size_t len);

/* 0 if @rdev is a devdax node whose facts could be read, PMK_E_FILE_TYPE if it
 * is another character device, PMK_E_SYSFS if sysfs does not tell; then, too,
 * what has been found so far. */
int pmk_probe_devdax(const char *root, dev_t rdev,
		     struct pmk_devdax_facts *facts_ret);

/* The nvdimm region above a device directory, as a new string; NULL if there
 * is none (or no memory). */
char *pmk_probe_region(const char *dir);

/* What survives a loss of power, and why that is not known, if so. */
struct pmk_domain_fact {
	enum pmk_domain domain;
	enum pmk_map_why why;
};

/* Is it flushed by its host, on demand (virtio-pmem)?  Then the CPU's flushes
 * make nothing durable, whatever else the kernel says. */
bool pmk_region_is_async(const char *region);

/* What a region says of itself; @region may be NULL.  DOMAIN_DEVICE is one that
 * is asynchronous. */
struct pmk_domain_fact pmk_probe_domain(const char *region);

/* The same for a dax device, by its directory and the region above it. */
struct pmk_domain_fact pmk_devdax_domain(const char *dir, const char *region);

/* What must be flushed on memory that is mapped directly. */
enum pmk_granularity pmk_domain_granularity(enum pmk_domain domain);

#endif /* LIB_MAP_PROBE_H */
