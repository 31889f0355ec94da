/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * That the sides of pmk bench wc do the same job: each writes the same blocks,
 * each of them with other content, with the same commits between, and they are
 * read back.  Not timed.
 */
#ifndef TOOLS_BENCH_WC_PROOF_H
#define TOOLS_BENCH_WC_PROOF_H

#include <stdint.h>

struct wc_side;

struct wc_proof {
	uint64_t blocks;  /* that were written */
	uint64_t commits; /* by the engine's count, or calls of fdatasync(2) */
	uint64_t same;    /* blocks that read back as they were written */
};

/* Of a side that has committed all that it wrote.  0, or what a call of the
 * engine or the system failed with. */
int wc_prove(struct wc_side *s, struct wc_proof *proof_ret);

#endif /* TOOLS_BENCH_WC_PROOF_H */
