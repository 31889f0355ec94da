/* SPDX-License-Identifier: BSD-3-Clause */
/* The same blocks, written and read back by each side of pmk bench wc. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bench/wc_proof.h"
#include "bench/wc_sides.h"
#include "out.h"

/* Each is a system call or two with the kernel's side, and more of an emulated
 * CPU than all that is measured. */
#define PROOF_BLOCKS 2048U

static void fill(uint64_t block, void *buf, size_t len)
{
	uint64_t *word = buf;

	/* 2^64 by the golden ratio: no word is like one of another block */
	for (size_t i = 0; i < len / sizeof(*word); i++)
		word[i] = (block * 512 + i + 1) * 0x9e3779b97f4a7c15ULL;
}

static int write_all(struct wc_side *s, void *buf, struct wc_proof *p)
{
	uint64_t before = wc_side_commits(s);
	int rc = 0;

	for (uint64_t i = 0; i < p->blocks && !rc; i++) {
		fill(i, buf, s->block);
		rc = wc_side_write(s, i, buf);
		if (!rc && (i + 1) % s->every == 0)
			rc = wc_side_commit(s);
	}
	p->commits = wc_side_commits(s) - before;
	return rc;
}

static int read_all(struct wc_side *s, unsigned char *buf, struct wc_proof *p)
{
	unsigned char *want = buf + 4096;
	int rc = 0;

	for (uint64_t i = 0; i < p->blocks && !rc; i++) {
		fill(i, want, s->block);
		memset(buf, 0, s->block);
		rc = wc_side_read(s, i, buf);
		p->same += !rc && !memcmp(buf, want, s->block);
	}
	return rc;
}

int wc_prove(struct wc_side *s, struct wc_proof *proof_ret)
{
	/* O_DIRECT: aligned */
	_cleanup_free_ unsigned char *buf = aligned_alloc(4096, 2 * 4096);
	uint64_t n = s->blocks < PROOF_BLOCKS ? s->blocks : PROOF_BLOCKS;
	struct wc_proof p = { .blocks = n / s->every * s->every };
	int rc;

	if (!buf)
		out_of_memory();
	rc = write_all(s, buf, &p);
	if (!rc)
		rc = read_all(s, buf, &p);
	*proof_ret = p;
	return rc;
}
