/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's dm-writecache beside ours: a device that somebody made of it, in
 * mode p, to which the same blocks are written past the page cache, with an
 * fdatasync(2) where ours commits.
 */
#ifndef TOOLS_BENCH_WC_BESIDE_H
#define TOOLS_BENCH_WC_BESIDE_H

#include <stddef.h>
#include <stdint.h>

#include "bench/wc_target.h"

struct wc_beside {
	const char *path; /* NULL: nothing is beside ours */
	int fd;
	uint64_t size;
	struct wc_target target;
};

/* EXIT_OK, or an exit code after a message: it must be a writecache in mode p,
 * in use by nobody. */
int wc_beside_open(struct wc_beside *b, const char *path);
void wc_beside_close(struct wc_beside *b);

/* What it is, for people. */
void wc_beside_describe(const struct wc_beside *b, char *text, size_t size);

/* A block, from or to memory aligned to a page; 0 or -errno. */
int wc_beside_write(const struct wc_beside *b, uint64_t off, const void *buf,
		    size_t len);
int wc_beside_read(const struct wc_beside *b, uint64_t off, void *buf,
		   size_t len);
int wc_beside_commit(const struct wc_beside *b);

#endif /* TOOLS_BENCH_WC_BESIDE_H */
