/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writecache target of the kernel, by the ioctls of device mapper: what its
 * table says, and what it has counted.
 */
#ifndef TOOLS_BENCH_WC_TARGET_H
#define TOOLS_BENCH_WC_TARGET_H

#include <stdint.h>

struct wc_target {
	char mode;      /* 'p' or 's' */
	char cache[32]; /* the cache device, as "259:1" */
	uint32_t block_size;
	uint64_t autocommit_blocks;
};

/* Since it was made; in blocks, flushes aside. */
struct wc_counts {
	uint64_t writes;
	uint64_t write_hits;
	uint64_t flushes;
};

/* The table of the device that is open as @fd.  0, -ENODEV if it is no device
 * of one writecache target, or another -errno. */
int wc_target_read(int fd, struct wc_target *target_ret);

/* 0, -EIO if the target is in its error state, -ENODATA if it does not count
 * (before Linux 5.15), or another -errno. */
int wc_target_count(int fd, struct wc_counts *counts_ret);

#endif /* TOOLS_BENCH_WC_TARGET_H */
