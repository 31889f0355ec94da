/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random histories of a writecache device: sessions of the kernel and of the
 * engine take turns on the same medium, and end cleanly or by a crash.
 */
#ifndef TESTS_GUEST_WC_HISTORY_H
#define TESTS_GUEST_WC_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "support/seed.h"

struct history {
	struct rng rng;
	unsigned int number;
	const char *medium; /* DAX, and so good for both modes */
	const char *origin;
	char cache[32]; /* the cache device */
	uint64_t cache_bytes, origin_bytes;
	uint64_t start; /* sectors */
	size_t bs;
	/* nothing is committed that was not asked for */
	bool strict;
	struct model m;
	uint32_t versions;    /* given so far */
	char mode;            /* of this session */
	unsigned char *a, *b; /* of the larger of the two sizes */
};

/* Who runs a session. */
struct side {
	const char *name;
	/* 0, or the negative error */
	int (*open)(struct history *h);
	int (*read)(struct history *h, size_t block, void *buf);
	int (*write)(struct history *h, size_t block, size_t n, const void *p);
	int (*discard)(struct history *h, size_t block, size_t n);
	int (*commit)(struct history *h);
	int (*clean)(struct history *h);
	int (*close)(struct history *h);
	/* cache and origin as they are at this moment */
	int (*crash)(struct history *h);
};

extern const struct side kernel_side, engine_side;

#endif /* TESTS_GUEST_WC_HISTORY_H */
