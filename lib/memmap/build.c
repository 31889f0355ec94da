/* SPDX-License-Identifier: BSD-3-Clause */
/* What a bind writes, in the order of Linux: pages of the altmap, then those of
 * the device, then the types of page blocks. */
#include <errno.h>

#include <pmk/flush.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "memmap/build.h"
#include "persist/prim.h"

static const struct {
	const char *name;
	memmap_build_fn *fn;
} engines[] = {
	[PMK_MEMMAP_SLOW] = { "slow", pmk_memmap_build_slow },
	[PMK_MEMMAP_TEMPLATE] = { "template", pmk_memmap_build_template },
	[PMK_MEMMAP_CALL] = { "call", pmk_memmap_build_call },
	[PMK_MEMMAP_INLINE] = { "inline", pmk_memmap_build_inline },
	[PMK_MEMMAP_STREAM] = { "stream", pmk_memmap_build_stream },
};

PMK_EXPORT const char *pmk_memmap_engine_name(unsigned int engine)
{
	return engine < ARRAY_SIZE(engines) ? engines[engine].name : NULL;
}

PMK_EXPORT void pmk_memmap_build_altmap(struct pmk_memmap *map, uint64_t first,
					uint64_t n, void *buf)
{
	uint64_t end = first + n < map->data ? first + n : map->data;
	uint64_t frame = first > map->altmap_first ? first : map->altmap_first;

	for (; frame < end; frame++) {
		char *page = (char *)buf + (frame - first) * map->bytes;

		pmk_memmap_init_reserved(&map->init, (void *)page,
					 map->base + frame);
		if ((map->base + frame) % MEMMAP_PAGEBLOCK == 0)
			memmap_set_movable(map, frame);
	}
}

/* What kernels with a pass for it have behind the loop over pages. */
static void set_movable(struct pmk_memmap *m, uint64_t first, uint64_t end)
{
	for (uint64_t f = first; f < end; f += MEMMAP_PAGEBLOCK)
		memmap_set_movable(m, f);
}

PMK_EXPORT int64_t pmk_memmap_build(struct pmk_memmap *map, unsigned int engine,
				    uint64_t first, uint64_t n, void *buf)
{
	uint64_t begin = first > map->data ? first : map->data;
	uint64_t end = first + n;
	int64_t written;
	char *page;

	if (engine >= ARRAY_SIZE(engines))
		return pmk_fail(-ENOENT, "no engine %u", engine);
	PMK_BUG_ON(!pmk_is_aligned((uintptr_t)buf, 64));
	PMK_BUG_ON(pmk_memmap_cut(map, first) != first);
	PMK_BUG_ON(end > map->frames);
	if (begin >= end)
		return 0;
	page = (char *)buf + pmk_memmap_bytes(map, first, begin - first);
	pmk_check_region(page, pmk_memmap_bytes(map, begin, end - begin));
	written = engines[engine].fn(map, begin, end, page);
	if (map->profile->pageblock_pass)
		set_movable(map, begin, end);
	if (engine != PMK_MEMMAP_SLOW && engine != PMK_MEMMAP_TEMPLATE)
		pmk_drain(); /* all struct pages, before others read them */
	return written;
}
