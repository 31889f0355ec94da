/* SPDX-License-Identifier: BSD-3-Clause */
/* Deep sync: durable against the failure of the persistence domain itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include <pmk/map.h>

#include "base/cleanup.h"
#include "base/export.h"
#include "base/io.h"
#include "base/log.h"
#include "base/sysfs.h"
#include "map/map_impl.h"

/*
 * deep_flush reads 0 where the platform has no flush hints (and is read-only
 * there), 1 where writing 1 flushes the write-pending queues: Linux
 * Documentation/ABI/testing/sysfs-bus-nfit.
 */
static int region_deep_flush(const char *region)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_fd_ int fd = -1;
	uint64_t has_hints;
	int rc = pmk_sysfs_u64(region, "deep_flush", &has_hints);

	if (rc)
		return pmk_fail(PMK_E_SYSFS, "%s/deep_flush: %s", region,
				pmk_strerror(rc));
	if (!has_hints)
		return 1;
	if (asprintf(&path, "%s/deep_flush", region) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return pmk_fail(PMK_E_NOT_PERMITTED, "%s: %s", path,
				pmk_strerror(-errno));
	return pmk_write_full(fd, "1", 1);
}

PMK_EXPORT int pmk_map_deep_sync(struct pmk_map *map, const void *addr,
				 size_t len)
{
	int rc = pmk_map_persist(map, addr, len);

	if (rc)
		return rc;
	switch (map->kind) {
	case PMK_MAP_KIND_DEVDAX:
		if (!map->region)
			return pmk_fail(PMK_E_SYSFS,
					"device has no nvdimm region");
		return region_deep_flush(map->region);
	case PMK_MAP_KIND_FSDAX:
		/* the file system's own flush reaches the device */
		return pmk_map_ops_for(PMK_GRANULARITY_PAGE)
			->drain(map, addr, len);
	case PMK_MAP_KIND_FILE:
		return 0; /* pmk_map_persist() was an msync() */
	default:
		return 1;
	}
}
