/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a struct page says of itself.
 *
 * Apart from what writes struct pages: nothing but the profile of a kernel is
 * shared with that.
 */
#include <errno.h>
#include <string.h>

#include <pmk/memmap.h>

#include "base/endian.h"
#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "memmap/flag_bits.h"
#include "memmap/profile.h"

/* Bit 0 of the second word: this is the tail of a compound. */
#define TAIL_BIT 1U

/*
 * Distributions build x86-64 with 1024 nodes, 8192 CPUs and five zones, and
 * with a memmap that is mapped to one virtual range.  Where struct page has a
 * field for the last CPU it is not in the flags.
 */
static const struct memmap_flag_bits vmemmap_bits = {
	.node = { 54, 10 },
	.zone = { 51, 3 },
	.last_cpupid = { 30, 21 },
};

/*
 * A memmap of classic SPARSEMEM, as this project has it: no distribution
 * builds one.  46 bits of physical address less the 27 of a section leave 19,
 * and then neither the node nor the last CPU has room.
 */
static const struct memmap_flag_bits sparse_bits = {
	.section = { 45, 19 },
	.zone = { 42, 3 },
};

void pmk_memmap_flag_bits(const struct pmk_memmap_sim *sim,
			  struct memmap_flag_bits *bits_ret)
{
	*bits_ret = sim->section_in_flags ? sparse_bits : vmemmap_bits;
	if (sim->page_bytes > 64)
		bits_ret->last_cpupid.width = 0;
}

/* The link of a tail is its head's address, or (7.1) a mask that makes that of
 * the tail's own: only if struct pages divide a page evenly. */
static uint64_t head_of(const struct pmk_memmap_sim *sim,
			const struct memmap_profile *profile,
			unsigned int page_bytes, uint64_t pfn, uint64_t link)
{
	uint64_t own = sim->vmemmap_base + page_bytes * pfn;

	link &= ~(uint64_t)TAIL_BIT;
	return profile->compound_mask && page_bytes == 64 ? own & link : link;
}

PMK_EXPORT int pmk_memmap_decode(const struct pmk_memmap_sim *sim, uint64_t pfn,
				 const void *page,
				 struct pmk_memmap_page_info *info_ret)
{
	const struct memmap_profile *profile =
		pmk_memmap_profile(sim->ns.kernel);
	unsigned int page_bytes = sim->page_bytes ? sim->page_bytes : 64;
	struct pmk_memmap_page_info info = { 0 };
	struct memmap_flag_bits bits;

	if (!profile)
		return pmk_fail(-ENOENT, "kernel %u: no such kernel",
				sim->ns.kernel);
	if (page_bytes != 64 && page_bytes != 80 && page_bytes != 96)
		return pmk_fail(-EINVAL,
				"struct page is of 64, 80 or 96 bytes, not %u",
				page_bytes);
	for (unsigned int i = 0; i < page_bytes / 8; i++)
		info.word[i] = pmk_get_le64((const char *)page + 8 * i);
	pmk_memmap_flag_bits(sim, &bits);
	info.flags = info.word[0];
	info.nid = (unsigned int)memmap_bits_get(bits.node, info.flags);
	info.zone = (unsigned int)memmap_bits_get(bits.zone, info.flags);
	info.section = (unsigned int)memmap_bits_get(bits.section, info.flags);
	info.reserved = info.flags >> profile->pg_reserved & 1;
	info.link = info.word[1];
	info.tail = info.link & TAIL_BIT;
	/* tail 1 has the order in the low byte, where that flag may be */
	info.head = !info.tail && (info.flags >> profile->pg_head & 1);
	if (info.tail)
		info.head_page =
			head_of(sim, profile, page_bytes, pfn, info.link);
	info.mapcount = (int32_t)info.word[6];
	info.refcount = (int32_t)(info.word[6] >> 32);
	*info_ret = info;
	return 0;
}
