/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A medium that remembers what is not durable yet: it stands in for the
 * instructions and system calls of the writecache engine.
 *
 * What a fence (mode p) or a sync has not covered may be on the medium after a
 * crash, or not, in 8-byte words (data of mode p: the even words of a block,
 * and the odd ones), or in sectors where a file is written.
 */
#ifndef TESTS_UNIT_WC_RECORDER_H
#define TESTS_UNIT_WC_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/seed.h"
#include "wc/engine.h"

#define RECORDER_BYTES ((size_t)1 << 16) /* of each file, at most */
#define RECORDER_UNITS 512

enum unit_words {
	UNIT_WHOLE,
	UNIT_EVEN,
	UNIT_ODD
};

/* Bytes that become durable at once, or not. */
struct unit {
	enum wc_file file;
	size_t off, len;
	enum unit_words words;
	unsigned char bytes[512];
};

struct media {
	size_t bytes[2]; /* by enum wc_file */
	unsigned char now[2][RECORDER_BYTES];
	unsigned char sure[2][RECORDER_BYTES];
};

struct recorder {
	char mode;
	struct media m;
	struct unit pending[RECORDER_UNITS];
	size_t n_pending;
	bool whole_data; /* mode p: a block of data is one unit */
	/* this barrier is left out; WC_BARRIERS: none */
	enum wc_barrier drop;
	unsigned int dropped;
	/* before each barrier */
	void (*crash)(void *arg);
	void *arg;
	/* a sync of a file or a write to it fails */
	int error[2];
};

void recorder_init(struct recorder *r, char mode, size_t cache_bytes,
		   size_t origin_bytes);
/* What is visible now is durable. */
void recorder_settle(struct recorder *r);
/* The engine's target on it: with recording, or (on @m, as after a crash)
 * without. */
struct wc_target recorder_target(struct recorder *r);
struct wc_target media_target(struct media *m, char mode);

/* The image that has those pending units whose bit is set in @kept. */
void recorder_image(const struct recorder *r, const unsigned char *kept,
		    struct media *image);

#endif /* TESTS_UNIT_WC_RECORDER_H */
