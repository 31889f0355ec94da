/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk_discover() and the inventory that it gives. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "discover/impl.h"

#define DEFAULT_ROOT "/sys"

static int check_params(const struct pmk_discover_params *p)
{
	if (p->flags & ~PMK_DISCOVER_SYSFS_ONLY)
		return pmk_fail(-EINVAL, "unknown flags 0x%x", p->flags);
	if (p->reserved32 || !pmk_is_zero(p->reserved, sizeof(p->reserved)))
		return pmk_fail(-EINVAL, "a reserved field is not zero");
	return 0;
}

static int set_root(struct pmk_inventory *inv, const char *root)
{
	_cleanup_free_ char *real = realpath(root, NULL);
	_cleanup_fd_ int fd = -1;

	if (real)
		fd = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pmk_fail(-errno, "%s: %s", root, pmk_strerror(-errno));
	/* of the root directory itself nothing is left before a slash */
	inv->root = pmk_arena_str(inv, strcmp(real, "/") ? real : "");
	return 0;
}

static void add_all(struct pmk_inventory *inv, enum pmk_node_kind kind,
		    void (*add)(struct pmk_inventory *, struct pmk_node *))
{
	for (size_t i = 0; i < inv->by_name.n; i++) {
		struct pmk_node *node = inv->by_name.items[i];

		if (node->kind == kind)
			add(inv, node);
	}
}

static void find_all(struct pmk_inventory *inv, bool default_root)
{
	pmk_view_init(inv, PMK_BUS_ND, default_root);
	pmk_view_init(inv, PMK_BUS_DAX, default_root);
	pmk_scan(inv);
	add_all(inv, PMK_NODE_BUS, pmk_add_bus);
	add_all(inv, PMK_NODE_DIMM, pmk_add_dimm);
	/* before the sums over DIMMs */
	if (inv->dimms.n)
		pmk_extra_dimms(inv);
	add_all(inv, PMK_NODE_REGION, pmk_add_region);
	pmk_add_devs(inv);
	pmk_extra_memory(inv);
}

PMK_EXPORT int pmk_discover(const struct pmk_discover_params *params,
			    struct pmk_inventory **inventory_ret)
{
	struct pmk_discover_params p = { 0 };
	struct pmk_inventory *inv;
	bool default_root;
	int rc;

	if (!inventory_ret)
		return -EINVAL;
	if (params)
		p = *params;
	rc = check_params(&p);
	if (rc)
		return rc;
	inv = calloc(1, sizeof(*inv));
	if (!inv)
		return -ENOMEM;
	default_root = !p.sysfs_root || !strcmp(p.sysfs_root, DEFAULT_ROOT);
	inv->sysfs_only = (p.flags & PMK_DISCOVER_SYSFS_ONLY) || !default_root;
	rc = set_root(inv, p.sysfs_root ? p.sysfs_root : DEFAULT_ROOT);
	if (!rc)
		find_all(inv, default_root);
	if (!rc && inv->no_memory)
		rc = -ENOMEM;
	if (rc)
		pmk_inventory_free(inv);
	else
		*inventory_ret = inv;
	return rc;
}

PMK_EXPORT void pmk_inventory_free(struct pmk_inventory *inventory)
{
	if (inventory)
		pmk_arena_free(inventory);
	free(inventory);
}

static const void *item(const struct pmk_list *list, size_t i)
{
	return i < list->n ? list->items[i] : NULL;
}

PMK_EXPORT const struct pmk_bus *pmk_inventory_bus(
	const struct pmk_inventory *inventory, size_t i)
{
	return item(&inventory->buses, i);
}

PMK_EXPORT const struct pmk_dimm *pmk_inventory_dimm(
	const struct pmk_inventory *inventory, size_t i)
{
	return item(&inventory->dimms, i);
}

PMK_EXPORT const struct pmk_region *pmk_inventory_region(
	const struct pmk_inventory *inventory, size_t i)
{
	return item(&inventory->regions, i);
}

PMK_EXPORT const struct pmk_dax_region *pmk_inventory_dax_region(
	const struct pmk_inventory *inventory, size_t i)
{
	return item(&inventory->dax_regions, i);
}

PMK_EXPORT const struct pmk_dev *pmk_inventory_dev(
	const struct pmk_inventory *inventory, size_t i)
{
	return item(&inventory->devs, i);
}

PMK_EXPORT const struct pmk_view *pmk_inventory_view(
	const struct pmk_inventory *inventory, enum pmk_bus_kind kind)
{
	return &inventory
			->views[kind == PMK_BUS_DAX ? PMK_BUS_DAX : PMK_BUS_ND];
}

PMK_EXPORT const char *pmk_mode_name(enum pmk_mode mode)
{
	static const char *const names[] = {
		[PMK_MODE_UNKNOWN] = "unknown",
		[PMK_MODE_FSDAX] = "fsdax",
		[PMK_MODE_DEVDAX] = "devdax",
		[PMK_MODE_SYSTEM_RAM] = "system-ram",
		[PMK_MODE_SECTOR] = "sector",
		[PMK_MODE_RAW] = "raw",
	};

	return (unsigned int)mode < ARRAY_SIZE(names) ? names[mode] : "?";
}
