/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must be in a writecache, said without the engine: a model that follows
 * a history of calls, and judges every image that a crash may leave.
 *
 * Each commit that has something to commit is a state, numbered by the
 * sequence that it raised.  An image has the sequence of one of the states that
 * were begun, none older than the last that a caller was told of; each block
 * must have the content of that state.  Excepted are blocks that are being
 * discarded, and in mode s those that are being overwritten in place: they may
 * be old or new, by sectors.
 */
#ifndef TESTS_UNIT_WC_MODEL_H
#define TESTS_UNIT_WC_MODEL_H

#include "wc_recorder.h"

#define MODEL_BLOCKS   64
#define MODEL_STATES   64
#define MODEL_VERSIONS 512
#define MODEL_ALTS     16

/* A block's content is a version, a number that no other content has. */
struct model_block {
	unsigned int now;
	bool cached; /* in use, committed or not */
	bool committed;
	/* what it may be as well, until the next commit or discard is done */
	unsigned int alt[MODEL_ALTS];
	size_t n_alts;
};

struct model {
	struct recorder r;
	struct pmk_wc *wc;
	size_t bs;
	size_t n; /* blocks of the origin */
	struct model_block block[MODEL_BLOCKS];
	unsigned int state[MODEL_STATES][MODEL_BLOCKS];
	uint64_t first_seq; /* of state 0 */
	size_t begun, acked;
	unsigned int versions;
	/* exhaustive up to so many units that are not durable */
	size_t all_of;
	size_t samples;
	struct rng rng;
	uint64_t sampled; /* times that not all were tried */
	/* verdict */
	uint64_t images;
	uint64_t wrong;
	char first_wrong[160];
};

/* A new cache of @cache_blocks in front of @n blocks; nothing is recorded of
 * making it. */
void model_init(struct model *m, char mode, size_t bs, size_t cache_blocks,
		size_t n);
/* Open what the recorder's medium holds, recording it; state 0 is as it was
 * told by model_init() or by the test. */
void model_open(struct model *m);
void model_fini(struct model *m);

/* One call each, with the crashes in and after it. */
void model_write(struct model *m, size_t b);
void model_commit(struct model *m);
void model_discard(struct model *m, size_t b);
void model_clean(struct model *m);
void model_reopen(struct model *m);
/* A crash: what was kept is drawn, and the history goes on from there. */
void model_crash(struct model *m);

/* Judge all images now. */
void model_judge_all(struct model *m);
/* All blocks as they are read now. */
void model_check_reads(struct model *m);

/* The bytes of a version. */
void model_fill(unsigned int version, unsigned char *buf, size_t len);

#endif /* TESTS_UNIT_WC_MODEL_H */
