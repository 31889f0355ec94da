/* SPDX-License-Identifier: BSD-3-Clause */
/* Buses, DIMMs and regions. */
#include <errno.h>
#include <linux/ndctl.h>
#include <stdio.h>
#include <string.h>

#include "discover/impl.h"

/* Far more than a region can have; the number of reads depends on it. */
#define MAX_MAPPINGS 1024

void pmk_add_bus(struct pmk_inventory *inv, struct pmk_node *node)
{
	struct pmk_bus *b = pmk_arena_alloc(inv, sizeof(*b));

	if (!b)
		return;
	b->name = node->name;
	b->provider = pmk_attr_text(inv, node->path, "provider");
	pmk_list_add(inv, &inv->buses, b);
}

static const char *bus_name(struct pmk_node *node)
{
	const struct pmk_node *bus = pmk_node_above(node, PMK_NODE_BUS);

	return bus ? bus->name : "";
}

static bool has_driver(struct pmk_inventory *inv, const struct pmk_node *node)
{
	return pmk_attr_link(inv, node->path, "driver") != NULL;
}

void pmk_add_dimm(struct pmk_inventory *inv, struct pmk_node *node)
{
	struct pmk_dimm *d = pmk_arena_alloc(inv, sizeof(*d));
	/* what the firmware says is below the name of its table; a link there
	 * is not the kernel's */
	const char *fw = pmk_attr_is_dir(inv, node->path, "cxl")    ? "cxl"
			 : pmk_attr_is_dir(inv, node->path, "nfit") ? "nfit"
								    : "";
	const char *dir = pmk_arena_fmt(inv, "%s/%s", node->path, fw);

	if (!d)
		return;
	d->name = node->name;
	d->bus = bus_name(node);
	d->enabled = has_driver(inv, node);
	d->id = pmk_attr_text(inv, dir, "id");
	d->handle = pmk_attr_u64(inv, dir, "handle");
	d->phys_id = pmk_attr_u64(inv, dir, "phys_id");
	d->flags = pmk_attr_text(inv, dir, "flags");
	d->dirty_shutdowns = pmk_attr_u64(inv, dir, "dirty_shutdown");
	d->state = pmk_attr_text(inv, node->path, "state");
	d->security = pmk_attr_text(inv, node->path, "security");
	d->health = pmk_text_unknown("sysfs does not say");
	pmk_list_add(inv, &inv->dimms, d);
}

struct pmk_dimm *pmk_find_dimm(const struct pmk_inventory *inv,
			       const char *name)
{
	size_t from = 0, to = inv->dimms.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		struct pmk_dimm *d = inv->dimms.items[mid];
		int order = pmk_name_compare(d->name, name);

		if (!order)
			return d;
		if (order < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

/* Sum over all DIMMs of a region, or why there is none. */
static struct pmk_fact sum_dirty(struct pmk_inventory *inv,
				 const struct pmk_region *r)
{
	struct pmk_fact sum = { 0 };

	if (r->n_mappings.unknown)
		return r->n_mappings;
	if (!r->n_mappings.value)
		return pmk_unknown("no DIMM is behind the region");
	for (size_t i = 0; i < r->n_mappings.value; i++) {
		const char *name = r->mappings[i].dimm;
		const struct pmk_dimm *d = pmk_find_dimm(inv, name);
		const char *why =
			d ? d->dirty_shutdowns.unknown : "it is not there";

		if (why)
			return pmk_unknown(
				pmk_arena_fmt(inv, "%s: %s", name, why));
		if (__builtin_add_overflow(sum.value, d->dirty_shutdowns.value,
					   &sum.value))
			return pmk_unknown("the sum is too large");
	}
	return sum;
}

static bool read_mapping(struct pmk_inventory *inv, const char *dir, size_t i,
			 struct pmk_mapping *m)
{
	char name[32];
	struct pmk_text t;
	size_t len;

	snprintf(name, sizeof(name), "mapping%zu", i);
	t = pmk_attr_text(inv, dir, name);
	if (t.unknown || pmk_text_mapping(t.value, &len, m))
		return false;
	m->dimm = pmk_arena_fmt(inv, "%.*s", (int)len, t.value);
	if (!pmk_name_is(m->dimm, "nmem", false))
		return false;
	if (m->position == UINT64_MAX)
		m->position = i;
	return true;
}

static void add_mappings(struct pmk_inventory *inv, struct pmk_region *r,
			 const char *dir)
{
	struct pmk_mapping *m;
	size_t n;

	r->n_mappings = pmk_attr_u64(inv, dir, "mappings");
	if (r->n_mappings.unknown || !r->n_mappings.value)
		return;
	if (r->n_mappings.value > MAX_MAPPINGS) {
		r->n_mappings = pmk_unknown("mappings is malformed");
		return;
	}
	n = (size_t)r->n_mappings.value;
	m = pmk_arena_alloc(inv, n * sizeof(*m));
	for (size_t i = 0; m && i < n; i++)
		if (!read_mapping(inv, dir, i, &m[i])) {
			r->n_mappings = pmk_unknown(pmk_arena_fmt(
				inv, "mapping%zu is missing or malformed", i));
			return;
		}
	if (!m)
		r->n_mappings = pmk_unknown(pmk_strerror(-ENOMEM));
	r->mappings = m;
}

static void add_domain(struct pmk_inventory *inv, struct pmk_region *r,
		       const char *dir)
{
	struct pmk_text t = pmk_attr_text(inv, dir, "persistence_domain");

	if (!strcmp(t.value, "cpu_cache"))
		r->domain = PMK_DOMAIN_CPU_CACHE;
	else if (!strcmp(t.value, "memory_controller"))
		r->domain = PMK_DOMAIN_MEMORY_CONTROLLER;
	else if (t.unknown)
		r->domain_unknown = t.unknown;
	else
		r->domain_unknown =
			*t.value ? pmk_arena_fmt(inv, "the kernel says '%s'",
						 t.value)
				 : "the platform does not say";
}

/* "nd_pmem" is "pmem" */
static struct pmk_text region_type(struct pmk_inventory *inv, const char *dir)
{
	struct pmk_text t = pmk_attr_text(inv, dir, "devtype");

	if (t.unknown)
		return t;
	if (strncmp(t.value, "nd_", 3) || !t.value[3])
		return pmk_text_unknown(
			pmk_attr_why(inv, "devtype", PMK_E_SYSFS));
	t.value += 3;
	return t;
}

static struct pmk_fact read_flag(struct pmk_inventory *inv, const char *dir,
				 const char *name)
{
	struct pmk_fact f = pmk_attr_u64(inv, dir, name);

	if (f.value > 1)
		return pmk_unknown(pmk_attr_why(inv, name, PMK_E_SYSFS));
	return f;
}

/* A region without labels is one namespace, and has room for no other: its
 * available_size, where it has one, is what labels could give. */
static struct pmk_fact available_size(struct pmk_inventory *inv,
				      const char *dir)
{
	struct pmk_fact nstype = pmk_attr_u64(inv, dir, "nstype");

	if (!nstype.unknown && nstype.value == ND_DEVICE_NAMESPACE_IO)
		return (struct pmk_fact){ .value = 0 };
	return pmk_attr_u64(inv, dir, "available_size");
}

void pmk_add_region(struct pmk_inventory *inv, struct pmk_node *node)
{
	struct pmk_region *r = pmk_arena_alloc(inv, sizeof(*r));
	const char *dir = node->path;

	if (!r)
		return;
	r->name = node->name;
	r->bus = bus_name(node);
	r->enabled = has_driver(inv, node);
	r->type = region_type(inv, dir);
	r->size = pmk_attr_u64(inv, dir, "size");
	r->available_size = available_size(inv, dir);
	r->align = pmk_attr_u64(inv, dir, "align");
	r->numa_node = pmk_attr_node(inv, dir, "numa_node");
	r->target_node = pmk_attr_node(inv, dir, "target_node");
	r->read_only = read_flag(inv, dir, "read_only");
	add_domain(inv, r, dir);
	r->badblocks = pmk_bad_read(inv, dir);
	add_mappings(inv, r, dir);
	r->dirty_shutdowns = sum_dirty(inv, r);
	node->region = r;
	pmk_list_add(inv, &inv->regions, r);
}
