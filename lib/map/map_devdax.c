/* SPDX-License-Identifier: BSD-3-Clause */
/* A mapping of a devdax node. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "map/probe.h"

static int check_mode(const struct pmk_devdax_facts *f, const char *path)
{
	if (!strcmp(f->driver, "kmem"))
		return pmk_fail(PMK_E_DEVDAX_MODE,
				"%s: in system-ram mode; daxctl "
				"reconfigure-device -m devdax %s",
				path, f->name);
	if (!f->driver[0] || !f->size)
		return pmk_fail(PMK_E_DEVDAX_MODE,
				"%s: not enabled; daxctl enable-device %s",
				path, f->name);
	return 0;
}

int pmk_map_check_devdax(const struct pmk_map_params *p, dev_t rdev,
			 const char *path)
{
	struct pmk_devdax_facts f;

	return pmk_probe_devdax(p->sysfs_root, rdev, &f) ? 0
							 : check_mode(&f, path);
}

/* The kernel does not check a length against the end of the device. */
static int check_range(const struct pmk_devdax_facts *f,
		       const struct pmk_map_params *p, const char *path,
		       size_t *len_ret)
{
	uint64_t len = p->len;

	if (p->off > f->size)
		return pmk_fail(PMK_E_RANGE,
				"%s: offset %" PRIu64 " of %" PRIu64 " bytes",
				path, p->off, f->size);
	if (!len)
		len = f->size - p->off;
	if (!pmk_is_aligned(p->off | len, f->align))
		return pmk_fail(PMK_E_ALIGNMENT,
				"%s: offset %" PRIu64 " and length %" PRIu64
				" must be multiples of %" PRIu64,
				path, p->off, len, f->align);
	if (!len || len > f->size - p->off)
		return pmk_fail(PMK_E_RANGE,
				"%s: %" PRIu64 " bytes at %" PRIu64
				", but the device has %" PRIu64,
				path, len, p->off, f->size);
	*len_ret = len;
	return 0;
}

int pmk_map_init_devdax(struct pmk_map *map, const struct pmk_map_params *p,
			const struct stat *st, const char *path)
{
	struct pmk_devdax_facts f;
	int rc = pmk_probe_devdax(p->sysfs_root, st->st_rdev, &f);

	if (rc == PMK_E_FILE_TYPE)
		return pmk_fail(rc, "%s: a character device, but not devdax",
				path);
	if (rc)
		return pmk_fail(rc, "%s: sysfs does not tell its %s", path,
				f.attr[0] ? f.attr : "type");
	if (p->flags & PMK_MAP_EMULATED)
		return pmk_fail(-EINVAL, "%s: a device is never emulated",
				path);
	rc = check_mode(&f, path);
	if (!rc)
		rc = check_range(&f, p, path, &map->len);
	if (rc)
		return rc;
	map->kind = PMK_MAP_KIND_DEVDAX;
	map->region = pmk_probe_region(f.dir);
	map->domain = pmk_devdax_domain(f.dir, map->region).domain;
	if (map->domain == PMK_DOMAIN_DEVICE)
		return pmk_fail(PMK_E_GRANULARITY,
				"%s: virtio-pmem needs flush commands, which a "
				"devdax node cannot send; use fsdax mode",
				path);
	map->granularity = pmk_domain_granularity(map->domain);
	map->align = f.align;
	return pmk_vma_map(map->fd, p->off, map->len,
			   f.align > PMK_VMA_ALIGN ? f.align : PMK_VMA_ALIGN,
			   pmk_map_prot(p), MAP_SHARED, &map->addr);
}
