/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Namespaces and dax devices.  A namespace is held by what it is made into (a
 * pfn, btt or dax device of the nd bus), which has the block device, or below
 * which the dax devices lie; if nothing holds it, it has the block device.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "discover/impl.h"

#define SECTOR_BYTES 512

/* The nodes that an entry is made of; any of them may be missing. */
struct parts {
	struct pmk_node *ns;
	struct pmk_node *holder;
	struct pmk_node *dax; /* of the dax bus */
	const char *block;    /* directory of the block device */
};

/* @node's own driver; NULL if it has none. */
static const char *driver_of(struct pmk_inventory *inv,
			     const struct pmk_node *node)
{
	return node ? pmk_attr_link(inv, node->path, "driver") : NULL;
}

/* The disk of a node; its partitions lie below it. */
static const char *block_name(struct pmk_inventory *inv,
			      const struct pmk_node *node)
{
	const char *path = pmk_arena_fmt(inv, "%s/block", node->path);
	const char *name = "";
	struct dirent *entry;
	DIR *dir;

	/* the kernel has no link there, and one might lead out of the root */
	if (!pmk_attr_is_dir(inv, node->path, "block"))
		return name;
	dir = opendir(path);
	if (!dir) {
		inv->no_memory |= errno == ENOMEM;
		return name;
	}
	while ((entry = readdir(dir))) {
		const char *s = entry->d_name;

		if (s[0] != '.' && pmk_text_is_word(s, strlen(s)) &&
		    (!*name || pmk_name_compare(s, name) < 0))
			name = pmk_arena_str(inv, s);
	}
	closedir(dir);
	return name;
}

static void add_names(struct pmk_inventory *inv, struct pmk_dev *d,
		      struct parts *p)
{
	struct pmk_node *lowest = p->dax ? p->dax : p->ns;
	struct pmk_node *bus = pmk_node_above(lowest, PMK_NODE_BUS);
	struct pmk_node *region = pmk_node_above(lowest, PMK_NODE_REGION);
	struct pmk_node *disk = p->holder ? p->holder : p->ns;

	d->bus = bus ? bus->name : "";
	d->region = region ? region->name : "";
	d->name_space = p->ns ? p->ns->name : "";
	d->chardev = p->dax ? p->dax->name : "";
	d->blockdev =
		disk && disk->kind != PMK_NODE_DAX ? block_name(inv, disk) : "";
	if (*d->blockdev)
		p->block = pmk_arena_fmt(inv, "%s/block/%s", disk->path,
					 d->blockdev);
	if (p->dax)
		d->enabled = driver_of(inv, p->dax) != NULL;
	else if (inv->views[PMK_BUS_DAX].state == PMK_VIEW_SEEN)
		d->enabled = disk->kind != PMK_NODE_DAX && driver_of(inv, disk);
	else /* the dax device may be there, and not to be seen */
		d->enabled = driver_of(inv, disk) != NULL;
}

static enum pmk_mode mode_of_class(const char *name)
{
	static const struct {
		const char *name;
		enum pmk_mode mode;
	} classes[] = {
		{ "pfn", PMK_MODE_FSDAX },   { "dax", PMK_MODE_DEVDAX },
		{ "btt", PMK_MODE_SECTOR },  { "memory", PMK_MODE_FSDAX },
		{ "safe", PMK_MODE_SECTOR }, { "raw", PMK_MODE_RAW },
	};

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(name, classes[i].name))
			return classes[i].mode;
	return PMK_MODE_UNKNOWN;
}

/* Nobody holds the namespace.  If it is in use its "mode" is right; if not,
 * that only says that its content has not been looked at, and a label of
 * version 1.2 may say what it is. */
static void add_free_mode(struct pmk_inventory *inv, struct pmk_dev *d,
			  const char *dir)
{
	struct pmk_text t =
		pmk_attr_text(inv, dir, d->enabled ? "mode" : "holder_class");

	d->mode = mode_of_class(t.value);
	if (d->mode != PMK_MODE_UNKNOWN)
		return;
	if (!d->enabled)
		d->mode_unknown =
			"no driver has looked at it, and no label says";
	else if (t.unknown)
		d->mode_unknown = t.unknown;
	else
		d->mode_unknown = pmk_attr_why(inv, "mode", PMK_E_SYSFS);
}

static void add_mode(struct pmk_inventory *inv, struct pmk_dev *d,
		     const struct parts *p)
{
	const char *driver = driver_of(inv, p->dax);

	if (p->dax || (p->holder && p->holder->kind == PMK_NODE_DAX))
		d->mode = driver && !strcmp(driver, "kmem")
				  ? PMK_MODE_SYSTEM_RAM
				  : PMK_MODE_DEVDAX;
	else if (p->holder)
		d->mode = p->holder->kind == PMK_NODE_PFN ? PMK_MODE_FSDAX
							  : PMK_MODE_SECTOR;
	else
		add_free_mode(inv, d, p->ns->path);
}

static struct pmk_text read_map(struct pmk_inventory *inv,
				const struct pmk_dev *d, const struct parts *p)
{
	struct pmk_text t = { .value = "mem" };

	if (d->mode == PMK_MODE_SECTOR || d->mode == PMK_MODE_RAW)
		return pmk_text_unknown("the mode has no struct pages");
	if (!p->ns || (!p->holder && !d->enabled))
		return pmk_text_unknown("the kernel does not say");
	/* a device that was always memory: without an info block there is no
	 * place on it for them */
	if (!p->holder)
		return t;
	t = pmk_attr_text(inv, p->holder->path, "mode");
	if (t.unknown)
		return t;
	if (!strcmp(t.value, "pmem"))
		t.value = "dev";
	else if (!strcmp(t.value, "ram"))
		t.value = "mem";
	else
		t = pmk_text_unknown(pmk_attr_why(inv, "mode", PMK_E_SYSFS));
	return t;
}

static struct pmk_fact block_size(struct pmk_inventory *inv, const char *dir)
{
	struct pmk_fact f = pmk_attr_u64(inv, dir, "size");

	if (!f.unknown &&
	    __builtin_mul_overflow(f.value, SECTOR_BYTES, &f.value))
		return pmk_unknown(pmk_attr_why(inv, "size", PMK_E_SYSFS));
	return f;
}

static void add_sizes(struct pmk_inventory *inv, struct pmk_dev *d,
		      const struct parts *p)
{
	d->namespace_size = p->ns ? pmk_attr_u64(inv, p->ns->path, "size")
				  : pmk_unknown("it has no namespace");
	if (p->dax)
		d->size = pmk_attr_u64(inv, p->dax->path, "size");
	else if (p->block)
		d->size = block_size(inv, p->block);
	else
		d->size = d->namespace_size;
}

static void add_align(struct pmk_inventory *inv, struct pmk_dev *d,
		      const struct parts *p)
{
	const char *dir = p->dax      ? p->dax->path
			  : p->holder ? p->holder->path
				      : NULL;

	if (d->mode == PMK_MODE_SECTOR || d->mode == PMK_MODE_RAW)
		d->align = pmk_unknown("the mode has no alignment");
	else if (!dir)
		d->align = pmk_unknown("the kernel does not say");
	else
		d->align = pmk_attr_u64(inv, dir, "align");
	/* before 5.10 only the pool says it */
	if (p->dax && d->align.unknown)
		d->align =
			pmk_attr_u64(inv, p->dax->path, "../dax_region/align");
	if (!d->align.unknown &&
	    (!d->align.value || (d->align.value & (d->align.value - 1))))
		d->align = pmk_unknown(pmk_attr_why(inv, "align", PMK_E_SYSFS));
}

static void add_sector_size(struct pmk_inventory *inv, struct pmk_dev *d,
			    const struct parts *p)
{
	if (p->dax || (p->holder && p->holder->kind == PMK_NODE_DAX))
		d->sector_size = pmk_unknown("it is not a block device");
	else if (p->block)
		d->sector_size =
			pmk_attr_u64(inv, p->block, "queue/logical_block_size");
	else
		d->sector_size = pmk_attr_selected(
			inv, p->holder ? p->holder->path : p->ns->path,
			"sector_size");
}

static void add_nodes(struct pmk_inventory *inv, struct pmk_dev *d,
		      const struct parts *p)
{
	const char *dir = p->dax ? p->dax->path : p->ns->path;

	d->numa_node = pmk_attr_node(inv, dir, "numa_node");
	d->target_node = pmk_attr_node(inv, dir, "target_node");
}

static void add_uuids(struct pmk_inventory *inv, struct pmk_dev *d,
		      const struct parts *p)
{
	d->namespace_uuid = p->ns ? pmk_attr_uuid(inv, p->ns->path)
				  : pmk_text_unknown("it has no namespace");
	d->uuid = p->holder ? pmk_attr_uuid(inv, p->holder->path)
			    : d->namespace_uuid;
}

/* Where in the region do the bytes of a device lie? */
static struct pmk_badblocks bad_of_region(struct pmk_inventory *inv,
					  const struct pmk_node *region,
					  const struct parts *p)
{
	const struct pmk_badblocks *all = &region->region->badblocks;
	const char *dir = p->dax ? p->dax->path : p->ns->path;
	struct pmk_fact base, start, size;

	/* without addresses, which only root sees, none is still none */
	if (!all->count.unknown && !all->n_extents)
		return *all;
	base = pmk_attr_u64(inv, region->path, "resource");
	start = pmk_attr_u64(inv, dir, "resource");
	size = pmk_attr_u64(inv, dir, "size");
	if (base.unknown || start.unknown || size.unknown)
		return pmk_bad_unknown(
			"the region has some, and where this device begins "
			"in it is not known");
	if (start.value < base.value)
		return pmk_bad_unknown("the device does not fit its region");
	return pmk_bad_clip(inv, all, start.value - base.value, size.value);
}

static void add_badblocks(struct pmk_inventory *inv, struct pmk_dev *d,
			  const struct parts *p, const struct pmk_node *region)
{
	/* the disk of a btt shows an empty list whatever there is below */
	if (p->block && d->mode != PMK_MODE_SECTOR)
		d->badblocks = pmk_bad_read(inv, p->block);
	else if (region)
		d->badblocks = bad_of_region(inv, region, p);
	else
		d->badblocks = pmk_bad_unknown(
			"the kernel keeps no list of them here");
}

static void add_region_facts(struct pmk_inventory *inv, struct pmk_dev *d,
			     const struct parts *p)
{
	struct pmk_node *region =
		pmk_node_above(p->dax ? p->dax : p->ns, PMK_NODE_REGION);

	if (region && !region->region)
		region = NULL;
	add_badblocks(inv, d, p, region);
	if (region) {
		d->domain = region->region->domain;
		d->domain_unknown = region->region->domain_unknown;
		d->dirty_shutdowns = region->region->dirty_shutdowns;
	} else {
		d->domain_unknown = "it is outside any region of NVDIMMs";
		d->dirty_shutdowns = pmk_unknown(d->domain_unknown);
	}
}

static void add_dev(struct pmk_inventory *inv, struct parts *p)
{
	struct pmk_dev *d = pmk_arena_alloc(inv, sizeof(*d));

	if (!d)
		return;
	add_names(inv, d, p);
	add_mode(inv, d, p);
	d->map = read_map(inv, d, p);
	add_uuids(inv, d, p);
	add_sizes(inv, d, p);
	add_align(inv, d, p);
	add_sector_size(inv, d, p);
	add_nodes(inv, d, p);
	add_region_facts(inv, d, p);
	d->online_blocks = d->total_blocks = pmk_unknown(
		d->mode == PMK_MODE_SYSTEM_RAM ? "sysfs does not say"
					       : "it is not system RAM");
	pmk_list_add(inv, &inv->devs, d);
}

/* Seeds, of which the next device will be made, have a size of 0. */
static bool is_seed(struct pmk_inventory *inv, const struct pmk_node *node)
{
	struct pmk_fact size = pmk_attr_u64(inv, node->path, "size");

	return !size.unknown && !size.value;
}

static bool can_hold(const struct pmk_node *node)
{
	return node->kind == PMK_NODE_PFN || node->kind == PMK_NODE_BTT ||
	       node->kind == PMK_NODE_DAX;
}

static void find_holder(struct pmk_inventory *inv, struct pmk_node *ns)
{
	struct pmk_text t = pmk_attr_text(inv, ns->path, "holder");
	struct pmk_node *holder = *t.value ? pmk_scan_find(inv, t.value) : NULL;

	if (!holder || !can_hold(holder) || holder->parent != ns->parent ||
	    holder->held)
		return;
	ns->holder = holder;
	holder->held = ns;
}

static void add_daxdev(struct pmk_inventory *inv, struct pmk_node *node)
{
	struct parts p = { .dax = node };

	if (is_seed(inv, node))
		return;
	p.holder = pmk_node_above(node, PMK_NODE_DAX);
	p.ns = p.holder ? p.holder->held : NULL;
	if (p.ns)
		p.ns->listed = true;
	add_dev(inv, &p);
}

static void add_namespace(struct pmk_inventory *inv, struct pmk_node *node)
{
	struct parts p = { .ns = node, .holder = node->holder };

	if (!node->listed && !is_seed(inv, node))
		add_dev(inv, &p);
}

static void add_dax_region(struct pmk_inventory *inv,
			   const struct pmk_node *node, const char *dir)
{
	struct pmk_dax_region *r = pmk_arena_alloc(inv, sizeof(*r));
	const char *group = pmk_arena_fmt(inv, "%s/dax_region", dir);
	const char *devices = pmk_arena_fmt(inv, "%s/devices/", inv->root);
	size_t n = strlen(devices);
	struct pmk_node *region = pmk_node_above(node->parent, PMK_NODE_REGION);

	if (!r)
		return;
	r->path = strncmp(dir, devices, n) ? dir : dir + n - 1;
	r->region = region ? region->name : "";
	r->id = pmk_attr_u64(inv, group, "id");
	r->size = pmk_attr_u64(inv, group, "size");
	r->available_size = pmk_attr_u64(inv, group, "available_size");
	r->align = pmk_attr_u64(inv, group, "align");
	pmk_list_add(inv, &inv->dax_regions, r);
}

/* Nodes come by path: the devices of a pool one behind the other. */
static void add_dax_regions(struct pmk_inventory *inv)
{
	const char *last = "";

	for (size_t i = 0; i < inv->nodes.n; i++) {
		const struct pmk_node *node = inv->nodes.items[i];
		const char *dir;

		if (node->kind != PMK_NODE_DAXDEV)
			continue;
		dir = pmk_arena_fmt(
			inv, "%.*s",
			(int)(strrchr(node->path, '/') - node->path),
			node->path);
		if (strcmp(dir, last) &&
		    pmk_attr_is_dir(inv, dir, "dax_region"))
			add_dax_region(inv, node, dir);
		last = dir;
	}
}

static int compare_devs(const void *a, const void *b)
{
	const struct pmk_dev *const *x = a, *const *y = b;
	int order = (*(*x)->name_space == 0) - (*(*y)->name_space == 0);

	if (!order)
		order = pmk_name_compare((*x)->name_space, (*y)->name_space);
	return order ? order : pmk_name_compare((*x)->chardev, (*y)->chardev);
}

static int compare_dax_regions(const void *a, const void *b)
{
	const struct pmk_dax_region *const *x = a, *const *y = b;

	return pmk_name_compare((*x)->path, (*y)->path);
}

void pmk_add_devs(struct pmk_inventory *inv)
{
	void (*const passes[])(struct pmk_inventory *,
			       struct pmk_node *) = { find_holder, add_daxdev,
						      add_namespace };
	static const enum pmk_node_kind kinds[] = { PMK_NODE_NAMESPACE,
						    PMK_NODE_DAXDEV,
						    PMK_NODE_NAMESPACE };

	for (size_t pass = 0; pass < ARRAY_SIZE(passes); pass++)
		for (size_t i = 0; i < inv->by_name.n; i++) {
			struct pmk_node *node = inv->by_name.items[i];

			if (node->kind == kinds[pass])
				passes[pass](inv, node);
		}
	if (inv->devs.n)
		qsort(inv->devs.items, inv->devs.n, sizeof(void *),
		      compare_devs);
	add_dax_regions(inv);
	if (inv->dax_regions.n)
		qsort(inv->dax_regions.items, inv->dax_regions.n,
		      sizeof(void *), compare_dax_regions);
}
