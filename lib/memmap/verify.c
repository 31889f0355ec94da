/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checker of a memmap: every byte of each struct page, and the types of
 * page blocks.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/export.h"
#include "base/log.h"
#include "memmap/profile.h"
#include "memmap/verify_field.h"
#include "memmap/verify_frame.h"

#define PAGEBLOCK 512U /* frames: 2 MiB */

static void check_untouched(const struct verify_ns *ns, struct verify_report *r,
			    uint64_t frame, int byte, const uint64_t *found)
{
	uint64_t expected = (uint8_t)byte * 0x0101010101010101ULL;

	if (byte < 0)
		return;
	for (unsigned int i = 0; i < ns->sim.page_bytes / 8; i++)
		if (found[i] != expected)
			pmk_verify_fault(r, frame, "untouched", expected,
					 found[i]);
}

static void check_page(const struct verify_ns *ns, struct verify_report *r,
		       uint64_t frame, const void *page, int untouched)
{
	uint64_t expected[VERIFY_WORDS], found[VERIFY_WORDS];
	enum verify_kind kind = pmk_verify_kind(ns, frame);

	memcpy(found, page, ns->sim.page_bytes);
	if (kind == VERIFY_UNTOUCHED) {
		check_untouched(ns, r, frame, untouched, found);
		return;
	}
	pmk_verify_expect(ns, frame, kind, expected);
	if (memcmp(expected, found, ns->sim.page_bytes))
		pmk_verify_fields(ns, r, frame, kind, expected, found);
}

PMK_EXPORT int64_t pmk_memmap_verify(const struct pmk_memmap_sim *sim,
				     uint64_t first, uint64_t n,
				     const void *pages, int untouched,
				     pmk_memmap_fault_fn *fn, void *arg)
{
	struct verify_report r = { .fn = fn, .arg = arg };
	const char *page = pages;
	struct verify_ns ns;
	int rc;

	rc = pmk_verify_ns_init(&ns, sim);
	if (rc)
		return rc;
	if (first > ns.frames || n > ns.frames - first)
		return pmk_fail(-EINVAL,
				"%" PRIu64 " frames from %" PRIu64
				" on: the namespace has %" PRIu64,
				n, first, ns.frames);
	for (uint64_t i = 0; i < n && !r.stop; i++) {
		check_page(&ns, &r, first + i, page, untouched);
		page += ns.sim.page_bytes;
	}
	return r.faults;
}

/*
 * The type is set with the first frame of a block, or (7.1, and the stable
 * kernels that have it) for all blocks of device pages at the end.  Nobody
 * initialises the first frame of a namespace that holds its struct pages, as
 * the info block is there; that its block then stays as it is follows from
 * this, and was not seen.
 */
static bool is_movable(const struct verify_ns *ns, uint64_t frame)
{
	if (frame < ns->data)
		return frame >= ns->skipped;
	return ns->profile->pageblock_pass || pmk_verify_is_written(ns, frame);
}

PMK_EXPORT int64_t pmk_memmap_verify_pageblocks(
	const struct pmk_memmap_sim *sim, const uint8_t *types, uint64_t n,
	pmk_memmap_fault_fn *fn, void *arg)
{
	struct verify_report r = { .fn = fn, .arg = arg };
	struct verify_ns ns;
	int rc;

	rc = pmk_verify_ns_init(&ns, sim);
	if (rc)
		return rc;
	/* start and end of a namespace are aligned to 2 MiB */
	if (n != ns.frames / PAGEBLOCK)
		return pmk_fail(-EINVAL,
				"%" PRIu64
				" page blocks: the namespace has %" PRIu64,
				n, ns.frames / PAGEBLOCK);
	for (uint64_t i = 0; i < n && !r.stop; i++) {
		uint8_t expected = is_movable(&ns, i * PAGEBLOCK);

		if (types[i] != expected)
			pmk_verify_fault(&r, i * PAGEBLOCK, "pageblock",
					 expected, types[i]);
	}
	return r.faults;
}
