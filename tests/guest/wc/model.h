/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each block of the origin may hold.  A content is a version, a number
 * that is given once; 0 is a block of zeros.
 */
#ifndef TESTS_GUEST_WC_MODEL_H
#define TESTS_GUEST_WC_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_BLOCKS 64U
#define MOST_ALTS   64U

struct model {
	size_t n;
	uint32_t now[MOST_BLOCKS];
	uint32_t durable[MOST_BLOCKS]; /* as of the last commit */
	/* written since, of which background work may have made some durable */
	uint32_t alt[MOST_BLOCKS][MOST_ALTS];
	size_t n_alts[MOST_BLOCKS];
};

void model_init(struct model *m, size_t n);
/* The bytes of a version, and back: -1 if it is none of this block. */
void model_fill(uint32_t version, size_t block, unsigned char *p, size_t len);
int64_t model_version(size_t block, const unsigned char *p, size_t len);

void model_write(struct model *m, size_t block, uint32_t version);
void model_commit(struct model *m);
/* Reads find @version after a discard; false if the block never was that. */
bool model_discarded(struct model *m, size_t block, uint32_t version);
/* May it be that after a crash?  Strictly: only as of the last commit. */
bool model_may_be(const struct model *m, size_t block, uint32_t version,
		  bool strict);
/* A crash has come, and that is what there is. */
void model_crashed(struct model *m, const uint32_t *versions);

#endif /* TESTS_GUEST_WC_MODEL_H */
