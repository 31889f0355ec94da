/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each frame of a namespace is, and what its struct page must hold.
 *
 * The words of struct pages of 64 bytes are those that kernels were seen to
 * write, profile.c says which; those of 80 and 96 bytes are from descriptions.
 */
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "memmap/params.h"
#include "memmap/profile.h"
#include "memmap/verify_frame.h"

#define PAGE          4096U
#define SECTION_PAGES 32768U /* 128 MiB */

/* Of the tails of a compound of 2 MiB or more that share struct pages, those
 * of two pages of struct pages are kept: 128 of 64 bytes each.  All behind
 * them are images of the second page. */
#define DEDUP_KEPT 128U
#define DEDUP_PAGE 64U

/* "Nobody may use this as a mapping": Linux has it in each tail. */
#define TAIL_MAPPING 0xdead000000000400U

#define LAST_CPUPID_NONE 0x1fffffU /* 21 bits */
#define DTOR_COMPOUND    1U        /* COMPOUND_PAGE_DTOR of 6.1 */

/* Two counters of 32 bits in one word. */
#define PAIR(low, high) ((uint64_t)(uint32_t)(high) << 32 | (uint32_t)(low))

int pmk_verify_ns_init(struct verify_ns *ns, const struct pmk_memmap_sim *sim)
{
	bool dev = sim->ns.map == PMK_MEMMAP_DEV;
	struct pmk_memmap_layout layout;
	int rc;

	memset(ns, 0, sizeof(*ns));
	ns->sim = *sim;
	rc = pmk_memmap_check_sim(sim);
	if (rc)
		return rc;
	pmk_memmap_complete_sim(&ns->sim);
	rc = pmk_memmap_lay_out(&ns->sim, &layout);
	if (rc)
		return rc;
	ns->profile = pmk_memmap_profile(sim->ns.kernel);
	pmk_memmap_flag_bits(&ns->sim, &ns->bits);
	ns->first_pfn = sim->ns.start / PAGE;
	ns->frames = (sim->ns.size - layout.end_trunc) / PAGE;
	/* the info block keeps its 8 KiB out of the altmap */
	ns->skipped = dev ? 2 : 0;
	/* with a memmap in ordinary memory all frames are device pages, those
	 * of the info block and of the hole behind it, too */
	ns->data = dev ? layout.dataoff / PAGE : 0;
	if (sim->ns.mode == PMK_MODE_DEVDAX && sim->ns.align > PAGE)
		ns->order = sim->ns.align == 2U << 20 ? 9 : 18;
	/* struct pages of 80 and 96 bytes do not divide a page evenly */
	ns->dedup = ns->order && !dev && ns->sim.page_bytes == 64;
	return 0;
}

/* Has this frame's section a memmap since boot, as it shares it with RAM? */
static bool is_early(const struct verify_ns *ns, uint64_t frame)
{
	uint64_t pfn = ns->first_pfn + frame;
	uint64_t start = pmk_align_down(pfn, SECTION_PAGES) * PAGE;
	uint64_t end = start + (uint64_t)SECTION_PAGES * PAGE;

	for (size_t i = 0; i < ns->sim.ns.n_ram; i++)
		if (ns->sim.ns.ram[i].start < end &&
		    ns->sim.ns.ram[i].end > start)
			return true;
	return false;
}

/* Its number in the compound: they are laid from the first device page on. */
static uint64_t compound_index(const struct verify_ns *ns, uint64_t frame)
{
	return (frame - ns->data) & ((1ULL << ns->order) - 1);
}

bool pmk_verify_is_written(const struct verify_ns *ns, uint64_t frame)
{
	uint64_t k = compound_index(ns, frame);

	if (!ns->dedup || k < DEDUP_KEPT)
		return true;
	return ns->profile->early_sections && is_early(ns, frame - k);
}

enum verify_kind pmk_verify_kind(const struct verify_ns *ns, uint64_t frame)
{
	if (frame < ns->skipped)
		return VERIFY_UNTOUCHED;
	if (frame < ns->data)
		return VERIFY_ALTMAP;
	if (!ns->order)
		return VERIFY_DATA;
	/* memory of its own since boot, and not written: what is in there is
	 * what the boot left (inferred; not seen to run) */
	if (!pmk_verify_is_written(ns, frame) && is_early(ns, frame))
		return VERIFY_UNTOUCHED;
	switch (compound_index(ns, frame)) {
	case 0:
		return VERIFY_HEAD;
	case 1:
		return VERIFY_TAIL1;
	case 2:
		return VERIFY_TAIL2;
	default:
		return VERIFY_TAIL;
	}
}

static uint64_t address(const struct verify_ns *ns, uint64_t frame)
{
	return ns->sim.vmemmap_base +
	       ns->sim.page_bytes * (ns->first_pfn + frame);
}

/* The frame that the struct page of @frame was written for. */
static uint64_t written_frame(const struct verify_ns *ns, uint64_t frame)
{
	uint64_t k;

	if (frame < ns->data || pmk_verify_is_written(ns, frame))
		return frame;
	k = compound_index(ns, frame);
	return frame - k + DEDUP_PAGE + k % DEDUP_PAGE;
}

/* What all pages have that anybody initialised: zone, node and PG_reserved. */
static uint64_t base_flags(const struct verify_ns *ns, uint64_t frame)
{
	const struct memmap_flag_bits *b = &ns->bits;
	uint64_t pfn = ns->first_pfn + written_frame(ns, frame);

	return memmap_bits_put(b->section, pfn / SECTION_PAGES) |
	       memmap_bits_put(b->node, ns->sim.nid) |
	       memmap_bits_put(b->zone, ns->sim.zone) |
	       memmap_bits_put(b->last_cpupid, LAST_CPUPID_NONE) |
	       1ULL << ns->profile->pg_reserved;
}

static uint64_t head_link(const struct verify_ns *ns, uint64_t frame)
{
	if (ns->profile->compound_mask && ns->sim.page_bytes == 64)
		return ~((64ULL << ns->order) - 1) | 1;
	return address(ns, frame - compound_index(ns, frame)) | 1;
}

static void expect_tail(const struct verify_ns *ns, uint64_t frame, uint64_t *w)
{
	w[1] = head_link(ns, frame);
	w[3] = TAIL_MAPPING;
	w[6] = PAIR(-1, 0);
}

/* What the head of a compound keeps of all of it, in the first tail. */
static void expect_tail1(const struct verify_ns *ns, uint64_t frame,
			 uint64_t *w)
{
	uint32_t pages = 1U << ns->order;

	expect_tail(ns, frame, w);
	switch (ns->profile->tail1) {
	case MEMMAP_TAIL1_DTOR:
		w[2] = PAIR(DTOR_COMPOUND | ns->order << 8, -1);
		w[3] = PAIR(0, pages);
		break;
	case MEMMAP_TAIL1_LARGE:
		w[0] |= ns->order;
		w[2] = PAIR(-1, -1);
		w[3] = 0;
		w[4] = PAIR(pages, 0);
		break;
	case MEMMAP_TAIL1_MM_ID:
		w[0] |= ns->order;
		w[2] = PAIR(-1, 0);
		w[3] = PAIR(-1, 0);
		w[4] = PAIR(-1, -1);
		w[7] = PAIR(pages, 0);
		break;
	}
}

/* Since 6.18 the head is made last, and its empty list of deferred splits stays
 * in tail 2; before, tail 2 was written over it, or it was not there. */
static void expect_tail2(const struct verify_ns *ns, uint64_t frame,
			 uint64_t *w)
{
	expect_tail(ns, frame, w);
	if (!ns->profile->tail2_list)
		return;
	w[2] = address(ns, frame) + 16;
	w[3] = w[2];
}

static void expect_device(const struct verify_ns *ns, uint64_t *w)
{
	bool fsdax = ns->sim.ns.mode == PMK_MODE_FSDAX;

	w[1] = ns->sim.pgmap;
	w[6] = PAIR(-1, fsdax ? ns->profile->fsdax_refs : 1);
}

/* An ordinary page, on no list. */
static void expect_altmap(const struct verify_ns *ns, uint64_t frame,
			  uint64_t *w)
{
	w[1] = address(ns, frame) + 8;
	w[2] = w[1];
	w[6] = PAIR(-1, 1);
}

void pmk_verify_expect(const struct verify_ns *ns, uint64_t frame,
		       enum verify_kind kind, uint64_t words[VERIFY_WORDS])
{
	memset(words, 0, VERIFY_WORDS * sizeof(words[0]));
	words[0] = base_flags(ns, frame);
	/* the field of its own, in both of the larger struct pages */
	if (ns->sim.page_bytes > 64)
		words[8] = LAST_CPUPID_NONE;
	switch (kind) {
	case VERIFY_UNTOUCHED:
		break;
	case VERIFY_ALTMAP:
		expect_altmap(ns, frame, words);
		break;
	case VERIFY_DATA:
		expect_device(ns, words);
		break;
	case VERIFY_HEAD:
		words[0] |= 1ULL << ns->profile->pg_head;
		expect_device(ns, words);
		break;
	case VERIFY_TAIL1:
		expect_tail1(ns, frame, words);
		break;
	case VERIFY_TAIL2:
		expect_tail2(ns, frame, words);
		break;
	case VERIFY_TAIL:
		expect_tail(ns, frame, words);
		break;
	}
}
