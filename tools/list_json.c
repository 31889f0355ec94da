/* SPDX-License-Identifier: BSD-3-Clause */
/* An inventory as JSON: what ndctl(1) and daxctl(1) have under the same names,
 * with units, and null with a reason for what is not known. */
#include <stdio.h>

#include <json-c/json.h>

#include <pmk/discover.h>

#include "list.h"
#include "out.h"
#include "pmk.h"

static void add_unknown(struct json_object *o, const char *key, const char *why)
{
	char reason[64];

	snprintf(reason, sizeof(reason), "%s_reason", key);
	out_json_null(o, key);
	out_json_path(o, reason, why);
}

static void add_fact(struct json_object *o, const char *key,
		     const struct pmk_fact *f)
{
	if (f->unknown)
		add_unknown(o, key, f->unknown);
	else
		out_json_u64(o, key, f->value);
}

static void add_text(struct json_object *o, const char *key,
		     const struct pmk_text *t)
{
	if (t->unknown)
		add_unknown(o, key, t->unknown);
	else
		out_json_path(o, key, t->value);
}

/* A name, or null where there is none. */
static void add_name(struct json_object *o, const char *key, const char *name)
{
	if (*name)
		out_json_path(o, key, name);
	else
		out_json_null(o, key);
}

static void add_flag(struct json_object *o, const char *key,
		     const struct pmk_fact *f)
{
	if (f->unknown)
		add_unknown(o, key, f->unknown);
	else
		out_json_bool(o, key, f->value);
}

static void add_domain(struct json_object *o, enum pmk_domain domain,
		       const char *unknown)
{
	if (unknown)
		add_unknown(o, "persistence_domain", unknown);
	else
		out_json_str(o, "persistence_domain", pmk_domain_name(domain));
}

static void add_to(struct json_object *list, struct json_object *item)
{
	if (!list || json_object_array_add(list, item))
		out_of_memory();
}

static void add_badblocks(struct json_object *o, const struct pmk_badblocks *b)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < b->n_extents; i++) {
		struct json_object *e = json_object_new_object();

		out_json_u64(e, "offset_bytes", b->extents[i].off);
		out_json_u64(e, "length_bytes", b->extents[i].len);
		add_to(list, e);
	}
	add_fact(o, "badblock_count", &b->count);
	out_json_add(o, "badblocks", list);
}

static struct json_object *view_json(const struct pmk_view *v)
{
	static const char *const states[] = {
		[PMK_VIEW_SEEN] = "seen",
		[PMK_VIEW_NO_BUS] = "no_bus",
		[PMK_VIEW_HIDDEN] = "hidden",
	};
	struct json_object *o = json_object_new_object();

	out_json_path(o, "path", v->path);
	out_json_str(o, "state", states[v->state]);
	add_name(o, "reason", v->reason);
	return o;
}

static struct json_object *buses_json(const struct pmk_inventory *inv)
{
	struct json_object *list = json_object_new_array();
	const struct pmk_bus *b;

	for (size_t i = 0; (b = pmk_inventory_bus(inv, i)); i++) {
		struct json_object *o = json_object_new_object();

		out_json_path(o, "dev", b->name);
		add_text(o, "provider", &b->provider);
		add_to(list, o);
	}
	return list;
}

static struct json_object *dimms_json(const struct pmk_inventory *inv)
{
	struct json_object *list = json_object_new_array();
	const struct pmk_dimm *d;

	for (size_t i = 0; (d = pmk_inventory_dimm(inv, i)); i++) {
		struct json_object *o = json_object_new_object();

		out_json_path(o, "dev", d->name);
		add_name(o, "bus", d->bus);
		out_json_bool(o, "enabled", d->enabled);
		add_text(o, "id", &d->id);
		add_fact(o, "handle", &d->handle);
		add_fact(o, "phys_id", &d->phys_id);
		add_text(o, "state", &d->state);
		add_text(o, "flags", &d->flags);
		add_text(o, "security", &d->security);
		add_text(o, "health", &d->health);
		add_fact(o, "dirty_shutdown_count", &d->dirty_shutdowns);
		add_to(list, o);
	}
	return list;
}

static struct json_object *mappings_json(const struct pmk_region *r)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < r->n_mappings.value; i++) {
		struct json_object *o = json_object_new_object();

		out_json_path(o, "dimm", r->mappings[i].dimm);
		out_json_u64(o, "offset_bytes", r->mappings[i].off);
		out_json_u64(o, "length_bytes", r->mappings[i].len);
		out_json_u64(o, "position", r->mappings[i].position);
		add_to(list, o);
	}
	return list;
}

static struct json_object *regions_json(const struct pmk_inventory *inv)
{
	struct json_object *list = json_object_new_array();
	const struct pmk_region *r;

	for (size_t i = 0; (r = pmk_inventory_region(inv, i)); i++) {
		struct json_object *o = json_object_new_object();

		out_json_path(o, "dev", r->name);
		add_name(o, "bus", r->bus);
		out_json_bool(o, "enabled", r->enabled);
		add_text(o, "type", &r->type);
		add_fact(o, "size_bytes", &r->size);
		add_fact(o, "available_size_bytes", &r->available_size);
		add_fact(o, "align_bytes", &r->align);
		add_fact(o, "numa_node", &r->numa_node);
		add_fact(o, "target_node", &r->target_node);
		add_flag(o, "read_only", &r->read_only);
		add_domain(o, r->domain, r->domain_unknown);
		add_badblocks(o, &r->badblocks);
		add_fact(o, "mapping_count", &r->n_mappings);
		out_json_add(o, "mappings", mappings_json(r));
		add_fact(o, "dirty_shutdown_count", &r->dirty_shutdowns);
		add_to(list, o);
	}
	return list;
}

static struct json_object *dax_regions_json(const struct pmk_inventory *inv)
{
	struct json_object *list = json_object_new_array();
	const struct pmk_dax_region *r;

	for (size_t i = 0; (r = pmk_inventory_dax_region(inv, i)); i++) {
		struct json_object *o = json_object_new_object();

		out_json_path(o, "path", r->path);
		add_name(o, "region", r->region);
		add_fact(o, "id", &r->id);
		add_fact(o, "size_bytes", &r->size);
		add_fact(o, "available_size_bytes", &r->available_size);
		add_fact(o, "align_bytes", &r->align);
		add_to(list, o);
	}
	return list;
}

static struct json_object *dev_json(const struct pmk_dev *d)
{
	struct json_object *o = json_object_new_object();

	add_name(o, "bus", d->bus);
	add_name(o, "region", d->region);
	add_name(o, "namespace", d->name_space);
	add_name(o, "blockdev", d->blockdev);
	add_name(o, "chardev", d->chardev);
	out_json_bool(o, "enabled", d->enabled);
	if (d->mode_unknown)
		add_unknown(o, "mode", d->mode_unknown);
	else
		out_json_str(o, "mode", pmk_mode_name(d->mode));
	add_text(o, "map", &d->map);
	add_text(o, "uuid", &d->uuid);
	add_text(o, "namespace_uuid", &d->namespace_uuid);
	add_fact(o, "size_bytes", &d->size);
	add_fact(o, "namespace_size_bytes", &d->namespace_size);
	add_fact(o, "align_bytes", &d->align);
	add_fact(o, "sector_size_bytes", &d->sector_size);
	add_fact(o, "numa_node", &d->numa_node);
	add_fact(o, "target_node", &d->target_node);
	add_domain(o, d->domain, d->domain_unknown);
	add_badblocks(o, &d->badblocks);
	add_fact(o, "dirty_shutdown_count", &d->dirty_shutdowns);
	add_fact(o, "online_memory_blocks", &d->online_blocks);
	add_fact(o, "total_memory_blocks", &d->total_blocks);
	return o;
}

int list_print_json(const struct pmk_inventory *inv)
{
	struct json_object *devices = json_object_new_array();
	struct json_object *o = out_json();
	const struct pmk_dev *d;

	for (size_t i = 0; (d = pmk_inventory_dev(inv, i)); i++)
		add_to(devices, dev_json(d));
	out_json_add(o, "nd_bus",
		     view_json(pmk_inventory_view(inv, PMK_BUS_ND)));
	out_json_add(o, "dax_bus",
		     view_json(pmk_inventory_view(inv, PMK_BUS_DAX)));
	out_json_add(o, "buses", buses_json(inv));
	out_json_add(o, "dimms", dimms_json(inv));
	out_json_add(o, "regions", regions_json(inv));
	out_json_add(o, "dax_regions", dax_regions_json(inv));
	out_json_add(o, "devices", devices);
	return out_json_end(o);
}
