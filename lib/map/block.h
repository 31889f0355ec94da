/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One block device and what is below it, from sysfs: a namespace, a partition
 * of one, or a device that others are stacked into (device mapper, md).
 */
#ifndef LIB_MAP_BLOCK_H
#define LIB_MAP_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/map.h>

#include "map/probe.h"

enum pmk_block_kind {
	PMK_BLOCK_OTHER,   /* a disk or the like */
	PMK_BLOCK_FSDAX,   /* namespace in fsdax mode */
	PMK_BLOCK_SECTOR,  /* namespace in sector (btt) mode */
	PMK_BLOCK_RAW,     /* namespace in raw mode */
	PMK_BLOCK_STACKED, /* made of other block devices */
	PMK_BLOCK_LOOP,
	PMK_BLOCK_RAM, /* brd, zram: memory of the kernel */
};

struct pmk_block_facts {
	char name[64];  /* "pmem0", "pmem0p1", "dm-0" */
	char dir[512];  /* its directory in sysfs */
	char disk[512]; /* that of the disk a partition is on, else the same */
	enum pmk_block_kind kind;
	enum pmk_answer dax; /* queue/dax */
	bool partition;
	uint64_t start_bytes; /* in the disk */
	uint64_t size_bytes;  /* 0: unknown */
};

/* 0, or -errno if sysfs does not show the device. */
int pmk_probe_block(const char *root, dev_t dev,
		    struct pmk_block_facts *facts_ret);
/* The same by its directory in sysfs. */
int pmk_probe_block_dir(const char *dir, struct pmk_block_facts *facts_ret);

/*
 * Call @fn with the sysfs directory of each device at the bottom of a stack, of
 * the device itself if it is none.  Returns 0, the first nonzero result of @fn,
 * or -errno.
 */
int pmk_block_leaves(const char *dir, int (*fn)(const char *leaf, void *arg),
		     void *arg);

/*
 * What survives a loss of power of a file on a block device; of a stack, the
 * weakest of all.  @mapped: its memory is mapped directly, and flushed by the
 * CPU; else the question is what an msync(2) reaches.
 */
struct pmk_domain_fact pmk_block_domain(const char *root, dev_t dev,
					bool mapped);

#endif /* LIB_MAP_BLOCK_H */
