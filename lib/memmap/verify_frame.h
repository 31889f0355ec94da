/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checker's idea of a memmap: what each frame of a namespace is, and what
 * its struct page must hold.
 */
#ifndef LIB_MEMMAP_VERIFY_FRAME_H
#define LIB_MEMMAP_VERIFY_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/memmap.h>

#include "memmap/flag_bits.h"

struct memmap_profile;

/* Words of the largest struct page. */
#define VERIFY_WORDS 12

enum verify_kind {
	VERIFY_UNTOUCHED, /* nobody initialises it */
	VERIFY_ALTMAP,    /* holds struct pages, or is left over from that */
	VERIFY_DATA,      /* a device page by itself */
	VERIFY_HEAD,      /* of a compound, and its tails */
	VERIFY_TAIL1,
	VERIFY_TAIL2,
	VERIFY_TAIL, /* any further one */
};

struct verify_ns {
	struct pmk_memmap_sim sim; /* with defaults filled in */
	const struct memmap_profile *profile;
	struct memmap_flag_bits bits;
	uint64_t first_pfn; /* of the namespace */
	uint64_t skipped;   /* frames at the front that nobody initialises */
	uint64_t data;      /* the first frame that is a device page */
	uint64_t frames;    /* the end of these */
	unsigned int order; /* of compounds; 0: there are none */
	bool dedup;         /* their tails share struct pages */
};

/* 0, or an error of pmk_memmap_new(). */
int pmk_verify_ns_init(struct verify_ns *ns, const struct pmk_memmap_sim *sim);

enum verify_kind pmk_verify_kind(const struct verify_ns *ns, uint64_t frame);

/*
 * Is the struct page of @frame, a device page, written for that frame?  Tails
 * that share the struct page of another one are not; nor, in the kernels that
 * forget them, those that could share and do not.
 */
bool pmk_verify_is_written(const struct verify_ns *ns, uint64_t frame);

/* The words of the struct page of @frame, which is of @kind and not
 * VERIFY_UNTOUCHED. */
void pmk_verify_expect(const struct verify_ns *ns, uint64_t frame,
		       enum verify_kind kind, uint64_t words[VERIFY_WORDS]);

#endif /* LIB_MEMMAP_VERIFY_FRAME_H */
