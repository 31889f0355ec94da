/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a byte of a namespace is: in the device, in memory, in the memmap. */
#include <errno.h>
#include <inttypes.h>

#include <pmk/infoblock.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "memmap/infoblock.h"

/* Bytes of struct pages of a whole section. */
#define SECTION_MEMMAP (MEMMAP_SECTION / INFOBLOCK_PAGE * INFOBLOCK_STRUCT_PAGE)

PMK_EXPORT const char *pmk_infoblock_area_name(enum pmk_infoblock_area area)
{
	static const char *const names[] = {
		[PMK_INFOBLOCK_AREA_HEADER] = "header",
		[PMK_INFOBLOCK_AREA_MEMMAP] = "memmap",
		[PMK_INFOBLOCK_AREA_DATA] = "data",
		[PMK_INFOBLOCK_AREA_TAIL] = "tail",
	};

	return (size_t)area < ARRAY_SIZE(names) ? names[area] : NULL;
}

static enum pmk_infoblock_area area_of(const struct pmk_infoblock *ib,
				       uint64_t size, uint64_t off)
{
	uint64_t pad = ib->start_pad;

	if (off >= size - ib->end_trunc)
		return PMK_INFOBLOCK_AREA_TAIL;
	if (off >= pad + ib->dataoff)
		return PMK_INFOBLOCK_AREA_DATA;
	if (ib->mode != PMK_INFOBLOCK_MODE_DEV || off < pad + MEMMAP_RESERVE)
		return PMK_INFOBLOCK_AREA_HEADER;
	return PMK_INFOBLOCK_AREA_MEMMAP;
}

/*
 * A kernel takes 2 MiB of the namespace for each whole section, one behind the
 * other, from its first address behind the reserved pages that is aligned to
 * 2 MiB on.  The struct pages of a section that the namespace has a part of are
 * in ordinary memory, even with map=dev.
 */
static uint64_t struct_page_of(const struct pmk_infoblock *ib,
			       const struct pmk_infoblock_ns *ns, uint64_t off)
{
	uint64_t begin = ns->start + ib->start_pad;
	uint64_t end = ns->start + ns->size - ib->end_trunc;
	uint64_t first = pmk_align_up(begin, MEMMAP_SECTION);
	uint64_t behind = pmk_align_down(end, MEMMAP_SECTION);
	uint64_t addr = ns->start + off;
	uint64_t memmap = pmk_align_up(begin + MEMMAP_RESERVE, SECTION_MEMMAP);

	if (addr < first || addr >= behind)
		return 0;
	return memmap - ns->start +
	       (addr - first) / INFOBLOCK_PAGE * INFOBLOCK_STRUCT_PAGE;
}

static bool can_tell_struct_page(const struct pmk_infoblock *ib,
				 const struct pmk_infoblock_ns *ns)
{
	return ib->mode == PMK_INFOBLOCK_MODE_DEV && ns->start_known &&
	       ns->start <= INT64_MAX - ns->size &&
	       (!ns->struct_page || ns->struct_page == INFOBLOCK_STRUCT_PAGE);
}

/* Do the parts fit, without a sum that wraps? */
static bool fits(const struct pmk_infoblock *ib, uint64_t size)
{
	uint64_t pads = (uint64_t)ib->start_pad + ib->end_trunc;

	return size <= INT64_MAX && pads <= size && ib->dataoff <= size - pads;
}

PMK_EXPORT int pmk_infoblock_translate(const struct pmk_infoblock *ib,
				       const struct pmk_infoblock_ns *ns,
				       uint64_t namespace_off,
				       struct pmk_infoblock_place *place_ret)
{
	struct pmk_infoblock_place p = { .namespace_off = namespace_off };

	if (!ns->size_known)
		return pmk_fail(-EINVAL, "the size of the namespace is not "
					 "known");
	if (!fits(ib, ns->size))
		return pmk_fail(-EINVAL, "the parts of the info block do not "
					 "fit into the namespace");
	if (namespace_off >= ns->size)
		return pmk_fail(PMK_E_RANGE,
				"offset %" PRIu64 " is behind the end of the "
				"namespace, %" PRIu64,
				namespace_off, ns->size);
	p.area = area_of(ib, ns->size, namespace_off);
	if (p.area == PMK_INFOBLOCK_AREA_DATA)
		p.data_off = namespace_off - ib->start_pad - ib->dataoff;
	if (ns->start_known)
		p.physical = ns->start + namespace_off;
	if (can_tell_struct_page(ib, ns))
		p.struct_page_off = struct_page_of(ib, ns, namespace_off);
	*place_ret = p;
	return 0;
}
