/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation: its parameters, and where in memory each struct page is. */
#include <errno.h>
#include <stdlib.h>

#include "base/export.h"
#include "base/util.h"
#include "memmap/params.h"
#include "memmap/sim.h"

#define NODE_SHIFT   54
#define ZONE_SHIFT   51
#define CPUPID_SHIFT 30

static void fill_init(struct pmk_memmap *m)
{
	const struct pmk_memmap_sim *sim = &m->sim;
	bool section = sim->section_in_flags;

	m->init = (struct memmap_init){
		.bytes = m->bytes,
		.vmemmap = sim->vmemmap_base,
		.pgmap = sim->pgmap,
		.section = section,
		.refs = sim->ns.mode == PMK_MODE_FSDAX ? m->profile->fsdax_refs
						       : 1,
		.profile = m->profile,
		.zone = (uint64_t)sim->zone
			<< (section ? MEMMAP_SECTION_SHIFT - 3 : ZONE_SHIFT),
		.node = section ? 0 : (uint64_t)sim->nid << NODE_SHIFT,
		/* larger struct pages have it in a word of its own; with a
		 * section beside it there is no room for it */
		.cpupid = section || m->bytes > 64
				  ? 0
				  : (uint64_t)MEMMAP_CPUPID_MASK
					    << CPUPID_SHIFT,
	};
}

static void fill_frames(struct pmk_memmap *m)
{
	const struct pmk_memmap_params *ns = &m->sim.ns;
	const struct pmk_memmap_layout *l = &m->layout;
	bool dev = ns->map == PMK_MEMMAP_DEV;

	m->base = ns->start / MEMMAP_PAGE;
	m->frames = (ns->size - l->end_trunc) / MEMMAP_PAGE;
	m->altmap_first = dev ? l->altmap_reserve : 0;
	m->data = dev ? l->dataoff / MEMMAP_PAGE : 0;
	if (ns->mode == PMK_MODE_DEVDAX && ns->align > MEMMAP_PAGE)
		m->order = ns->align == MEMMAP_1G ? 18 : 9;
	/* no altmap, and a struct page that is a power of two */
	m->dedup = m->order && !dev && m->bytes == 64;
}

/* @pfn is in a section that RAM has a part of. */
static bool is_early(const struct pmk_memmap *m, uint64_t pfn)
{
	uint64_t start = pmk_align_down(pfn * MEMMAP_PAGE, MEMMAP_SECTION);

	return pmk_memmap_overlaps_ram(&m->sim.ns, start,
				       start + MEMMAP_SECTION);
}

static uint64_t compound_size(const struct pmk_memmap *m)
{
	return (uint64_t)1 << m->order;
}

/* The struct pages of the compound at @frame that have memory. */
static uint64_t count_compound(const struct pmk_memmap *m, uint64_t frame)
{
	uint64_t n = compound_size(m), left = m->frames - frame;

	if (m->dedup && !is_early(m, m->base + frame))
		n = MEMMAP_KEPT;
	return n < left ? n : left;
}

/* Where compounds differ in what they keep, a table says where each begins. */
static int fill_slots(struct pmk_memmap *m)
{
	uint64_t n = (m->frames + compound_size(m) - 1) >> m->order;
	uint64_t slot = 0;

	if (!m->dedup)
		return 0;
	m->slots_total =
		(n - 1) * MEMMAP_KEPT + count_compound(m, (n - 1) << m->order);
	if (!m->sim.ns.n_ram)
		return 0;
	m->slots = calloc(n + 1, sizeof(*m->slots));
	if (!m->slots)
		return -ENOMEM;
	for (uint64_t c = 0; c < n; c++) {
		m->slots[c] = slot;
		slot += count_compound(m, c << m->order);
	}
	m->slots[n] = slot;
	m->slots_total = slot;
	return 0;
}

static int fill(struct pmk_memmap *m)
{
	int rc = pmk_memmap_lay_out(&m->sim, &m->layout);

	if (rc)
		return rc;
	m->profile = pmk_memmap_profile(m->sim.ns.kernel);
	fill_init(m);
	fill_frames(m);
	rc = fill_slots(m);
	if (rc)
		return rc;
	m->pageblocks = calloc(m->frames / MEMMAP_PAGEBLOCK + 1, 1);
	return m->pageblocks ? 0 : -ENOMEM;
}

PMK_EXPORT int pmk_memmap_new(const struct pmk_memmap_sim *sim,
			      struct pmk_memmap **map_ret)
{
	struct pmk_memmap *m;
	int rc = pmk_memmap_check_sim(sim);

	if (rc)
		return rc;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->sim = *sim;
	pmk_memmap_complete_sim(&m->sim);
	m->bytes = m->sim.page_bytes;
	rc = fill(m);
	if (rc) {
		pmk_memmap_free(m);
		return rc;
	}
	/* the caller's; all that was to be known of it is */
	m->sim.ns.ram = NULL;
	m->sim.ns.n_ram = 0;
	*map_ret = m;
	return 0;
}

PMK_EXPORT void pmk_memmap_free(struct pmk_memmap *map)
{
	if (!map)
		return;
	free(map->slots);
	free(map->pageblocks);
	free(map);
}

PMK_EXPORT const struct pmk_memmap_layout *pmk_memmap_layout(
	const struct pmk_memmap *map)
{
	return &map->layout;
}

PMK_EXPORT uint64_t pmk_memmap_frames(const struct pmk_memmap *map)
{
	return map->frames;
}

PMK_EXPORT const uint8_t *pmk_memmap_pageblocks(const struct pmk_memmap *map)
{
	return map->pageblocks;
}

PMK_EXPORT uint64_t pmk_memmap_cut(const struct pmk_memmap *map, uint64_t frame)
{
	uint64_t piece = compound_size(map);

	if (piece < MEMMAP_PAGEBLOCK)
		piece = MEMMAP_PAGEBLOCK;
	if (frame >= map->frames)
		return map->frames;
	if (frame < map->data)
		return pmk_align_down(frame, MEMMAP_PAGEBLOCK);
	return map->data + pmk_align_down(frame - map->data, piece);
}

uint64_t pmk_memmap_compound_memory(const struct pmk_memmap *m, uint64_t frame)
{
	uint64_t c = frame >> m->order;

	return m->slots ? m->slots[c + 1] - m->slots[c]
			: count_compound(m, frame);
}

uint64_t pmk_memmap_compound_pages(const struct pmk_memmap *m, uint64_t frame)
{
	uint64_t n = pmk_memmap_compound_memory(m, frame);

	if (m->dedup && !m->profile->early_sections && n > MEMMAP_KEPT)
		n = MEMMAP_KEPT;
	return n;
}

uint64_t pmk_memmap_slot(const struct pmk_memmap *m, uint64_t frame)
{
	uint64_t c, in, kept, before;

	if (!m->dedup)
		return frame;
	if (frame >= m->frames) /* behind the last: all that there are */
		return m->slots_total;
	c = frame >> m->order;
	before = m->slots ? m->slots[c] : c * MEMMAP_KEPT;
	kept = pmk_memmap_compound_memory(m, c << m->order);
	in = frame & (compound_size(m) - 1);
	if (in >= kept)
		in = MEMMAP_KEPT_TAILS + in % MEMMAP_KEPT_TAILS;
	return before + in;
}

PMK_EXPORT uint64_t pmk_memmap_bytes(const struct pmk_memmap *map,
				     uint64_t first, uint64_t n)
{
	return (pmk_memmap_slot(map, first + n) - pmk_memmap_slot(map, first)) *
	       map->bytes;
}

PMK_EXPORT const void *pmk_memmap_page(const struct pmk_memmap *map,
				       uint64_t first, const void *buf,
				       uint64_t frame)
{
	return (const char *)buf +
	       (pmk_memmap_slot(map, frame) - pmk_memmap_slot(map, first)) *
		       map->bytes;
}
