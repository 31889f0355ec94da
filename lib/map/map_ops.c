/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Durability by granularity: the three ops tables, and the public calls that
 * check a range and go through them.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/copy.h>
#include <pmk/flush.h>
#include <pmk/map.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "persist/ops.h"

/* Cache line: the persist layer as it is. */

static void line_flush(struct pmk_map *map, const void *addr, size_t len)
{
	(void)map;
	pmk_flush(addr, len);
}

static int line_drain(struct pmk_map *map, const void *addr, size_t len)
{
	(void)map;
	(void)addr;
	(void)len;
	/* drain: every flush and non-temporal store of this thread */
	pmk_drain();
	return 0;
}

static const struct pmk_tuning *tuning_of(const struct pmk_map *map)
{
	const struct pmk_tuning *t = pmk_kernels()->tuning;

	switch (map->kind) {
	case PMK_MAP_KIND_FSDAX:
	case PMK_MAP_KIND_DEVDAX:
		return &t[PMK_MEDIUM_PMEM];
	case PMK_MAP_KIND_EMULATED:
		return &t[PMK_MEDIUM_EMULATED];
	default:
		return &t[PMK_MEDIUM_DRAM];
	}
}

static int line_memmove(struct pmk_map *map, void *dst, const void *src,
			size_t len, unsigned int flags)
{
	pmk_memmove_tuned(dst, src, len, flags, tuning_of(map));
	return 0;
}

static int line_memset(struct pmk_map *map, void *dst, int c, size_t len,
		       unsigned int flags)
{
	pmk_memset_tuned(dst, c, len, flags, tuning_of(map));
	return 0;
}

static void line_store_lines(struct pmk_map *map, void *dst, const void *src,
			     size_t lines)
{
	(void)map;
	pmk_kernels()->store_line->fn(dst, src, lines);
}

static const struct pmk_map_ops line_ops = {
	.flush = line_flush,
	.drain = line_drain,
	.memmove = line_memmove,
	.memset = line_memset,
	.store_lines = line_store_lines,
};

/* Byte: the caches persist, so nothing needs flushing; non-temporal stores
 * still wait in buffers that only a fence empties. */

static void no_flush(struct pmk_map *map, const void *addr, size_t len)
{
	(void)map;
	(void)addr;
	(void)len;
}

static const struct pmk_map_ops byte_ops = {
	.flush = no_flush,
	.drain = line_drain,
	.memmove = line_memmove,
	.memset = line_memset,
	.store_lines = line_store_lines,
};

/* Page: the page cache is written by msync(), flushing lines is in vain. */

static int page_drain(struct pmk_map *map, const void *addr, size_t len)
{
	uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t start = (uintptr_t)addr & ~mask;

	(void)map;
	if (!len)
		return 0;
	if (msync((void *)start, (uintptr_t)addr + len - start, MS_SYNC))
		return -errno;
	return 0;
}

static bool drains(unsigned int flags)
{
	return !(flags & (PMK_F_NODRAIN | PMK_F_NOFLUSH));
}

static int page_memmove(struct pmk_map *map, void *dst, const void *src,
			size_t len, unsigned int flags)
{
	/* not memmove(): the 8-byte guarantee holds for other processes too */
	pmk_memmove(dst, src, len, flags | PMK_F_NOFLUSH);
	return drains(flags) ? page_drain(map, dst, len) : 0;
}

static int page_memset(struct pmk_map *map, void *dst, int c, size_t len,
		       unsigned int flags)
{
	pmk_memset(dst, c, len, flags | PMK_F_NOFLUSH);
	return drains(flags) ? page_drain(map, dst, len) : 0;
}

static void page_store_lines(struct pmk_map *map, void *dst, const void *src,
			     size_t lines)
{
	(void)map;
	pmk_memmove(dst, src, lines * PMK_LINE_SIZE, PMK_F_NOFLUSH);
}

static const struct pmk_map_ops page_ops = {
	.flush = no_flush,
	.drain = page_drain,
	.memmove = page_memmove,
	.memset = page_memset,
	.store_lines = page_store_lines,
};

const struct pmk_map_ops *pmk_map_ops_for(enum pmk_granularity granularity)
{
	switch (granularity) {
	case PMK_GRANULARITY_BYTE:
		return &byte_ops;
	case PMK_GRANULARITY_CACHE_LINE:
		return &line_ops;
	default:
		return &page_ops;
	}
}

/* Public calls. */

static int check_range(const struct pmk_map *map, const void *addr, size_t len)
{
	uintptr_t off = (uintptr_t)addr - (uintptr_t)map->addr;

	if (off > map->len || len > map->len - off)
		return pmk_fail(PMK_E_RANGE,
				"range of %zu bytes at %p is not inside the "
				"mapping of %zu bytes at %p",
				len, addr, map->len, (const void *)map->addr);
	return 0;
}

/* For calls that write: a store to a read-only mapping would be SIGSEGV. */
static int check_writable_range(const struct pmk_map *map, const void *addr,
				size_t len)
{
	if (map->read_only)
		return pmk_fail(PMK_E_READ_ONLY, "the mapping is read-only");
	return check_range(map, addr, len);
}

PMK_EXPORT int pmk_map_flush(struct pmk_map *map, const void *addr, size_t len)
{
	int rc = check_range(map, addr, len);

	if (!rc)
		map->ops->flush(map, addr, len);
	return rc;
}

PMK_EXPORT int pmk_map_drain(struct pmk_map *map, const void *addr, size_t len)
{
	int rc = check_range(map, addr, len);

	return rc ? rc : map->ops->drain(map, addr, len);
}

PMK_EXPORT int pmk_map_persist(struct pmk_map *map, const void *addr,
			       size_t len)
{
	int rc = check_range(map, addr, len);

	if (rc)
		return rc;
	map->ops->flush(map, addr, len);
	/* drain: the range just flushed */
	return map->ops->drain(map, addr, len);
}

PMK_EXPORT int pmk_map_memmove(struct pmk_map *map, void *dst, const void *src,
			       size_t len, unsigned int flags)
{
	int rc = check_writable_range(map, dst, len);

	return rc ? rc : map->ops->memmove(map, dst, src, len, flags);
}

PMK_EXPORT int pmk_map_memcpy(struct pmk_map *map, void *dst, const void *src,
			      size_t len, unsigned int flags)
{
	return pmk_map_memmove(map, dst, src, len, flags);
}

PMK_EXPORT int pmk_map_memset(struct pmk_map *map, void *dst, int c, size_t len,
			      unsigned int flags)
{
	int rc = check_writable_range(map, dst, len);

	return rc ? rc : map->ops->memset(map, dst, c, len, flags);
}
