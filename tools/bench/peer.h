/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libpmem and libpmemlog, loaded while the program runs if the machine has
 * them.  Types are those of pmem_memcpy_persist(3), pmemlog_create(3) and
 * pmemlog_append(3).
 */
#ifndef TOOLS_BENCH_PEER_H
#define TOOLS_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct iovec;
struct pmemlogpool; /* opaque there, and by another name */

/* @file is where the library was found; empty: not usable, and @why tells. */
struct peer_pmem {
	char file[256];
	char why[320];
	/* what it chose on this CPU: for copies ("avx512f", "sse2") and for
	 * flushes ("clwb") */
	const char *copy_variant;
	const char *flush_variant;
	void *(*memcpy_persist)(void *dst, const void *src, size_t len);
	void *(*memcpy_nodrain)(void *dst, const void *src, size_t len);
	void *(*memset_persist)(void *dst, int c, size_t len);
	void *(*memset_nodrain)(void *dst, int c, size_t len);
	void (*flush)(const void *addr, size_t len);
	void (*drain)(void);
	void (*persist)(const void *addr, size_t len);
	int (*msync)(const void *addr, size_t len);
};

struct peer_pmemlog {
	char file[256];
	char why[320];
	struct pmemlogpool *(*create)(const char *path, size_t size,
				      mode_t mode);
	void (*close)(struct pmemlogpool *log);
	int (*append)(struct pmemlogpool *log, const void *buf, size_t len);
	int (*appendv)(struct pmemlogpool *log, const struct iovec *iov, int n);
	void (*rewind)(struct pmemlogpool *log);
	size_t (*nbyte)(struct pmemlogpool *log);
	const char *(*errormsg)(void);
};

/* Both set PMEM_IS_PMEM_FORCE, so that the peer takes memory for pmem (1) where
 * the mapping does; libpmemlog does without msync(2) then.  True if the library
 * is usable. */
bool peer_load_pmem(struct peer_pmem *peer);
bool peer_load_pmemlog(struct peer_pmemlog *peer, bool is_pmem);

#endif /* TOOLS_BENCH_PEER_H */
