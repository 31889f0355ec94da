/* SPDX-License-Identifier: BSD-3-Clause */
/* A mapping without a path: a memfd, as it is or emulating pmem. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"

int pmk_map_init_anon(struct pmk_map *map, const struct pmk_map_params *p)
{
	if (!p->len || p->off || p->len > INT64_MAX)
		return pmk_fail(-EINVAL,
				"a mapping without a path needs a length, and "
				"no offset");
	map->fd = memfd_create("pmk", MFD_CLOEXEC);
	if (map->fd < 0)
		return -errno;
	if (ftruncate(map->fd, (off_t)p->len))
		return -errno;
	map->kind = PMK_MAP_KIND_ANON;
	map->granularity = PMK_GRANULARITY_PAGE;
	map->domain = PMK_DOMAIN_VOLATILE;
	map->len = p->len;
	return pmk_vma_map(map->fd, 0, map->len, PMK_VMA_ALIGN, pmk_map_prot(p),
			   MAP_SHARED, &map->addr);
}
