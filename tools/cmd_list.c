/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk list: the persistent-memory devices of this machine, and their health. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pmk/discover.h>

#include "base/size.h"
#include "list.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"

/* The key of --sysfs, which has no letter. */
#define OPT_SYSFS 256

static const struct argp_option options[] = {
	OPT_JSON,
	{ "sysfs", OPT_SYSFS, "DIR", 0,
	  "Read a copy of sysfs, or one that is mounted on DIR", 0 },
	OPT_END,
};

struct input {
	bool json;
	const char *sysfs;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input *in = state->input;

	switch (key) {
	case 'j':
		in->json = true;
		return 0;
	case OPT_SYSFS:
		in->sysfs = arg;
		return 0;
	default:
		return opt_positional(key, arg, state, NULL, NULL, 0);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "List the persistent-memory devices of this machine: one row a "
	       "device. --json has all that is known, and why the rest is not.",
};

static const char *or_dash(const char *s)
{
	return *s ? s : "-";
}

static const char *number(const struct pmk_fact *f, char buf[24])
{
	if (f->unknown)
		return "-";
	snprintf(buf, 24, "%" PRIu64, f->value);
	return buf;
}

static const char *bytes(const struct pmk_fact *f, char buf[24])
{
	return f->unknown ? "-" : pmk_size_format(f->value, buf, 24);
}

/* A dash says that nothing is known, a plus that there are more. */
static const char *bad_blocks(const struct pmk_badblocks *b, char buf[24])
{
	uint64_t known = 0;

	if (!b->count.unknown || !b->n_extents)
		return number(&b->count, buf);
	for (size_t i = 0; i < b->n_extents; i++)
		known += (b->extents[i].len - 1) / 512 + 1;
	snprintf(buf, 24, "%" PRIu64 "+", known);
	return buf;
}

/* The path that can be opened, or the name of what has none. */
static void device(const struct pmk_dev *d, char *buf, size_t len)
{
	const char *name = *d->chardev ? d->chardev : d->blockdev;
	bool node = d->enabled && *name && d->mode != PMK_MODE_SYSTEM_RAM;

	snprintf(buf, len, "%s%s", node ? "/dev/" : "", or_dash(name));
}

static void mode(const struct pmk_dev *d, char *buf, size_t len)
{
	snprintf(buf, len, "%s%s",
		 d->mode_unknown ? "-" : pmk_mode_name(d->mode),
		 d->enabled ? "" : ", disabled");
}

static void print_row(struct libscols_table *tb, const struct pmk_dev *d)
{
	char dev[80], mode_text[32], size[24], align[24], numa[24], bad[24];
	char dirty[24];

	device(d, dev, sizeof(dev));
	mode(d, mode_text, sizeof(mode_text));
	out_row(tb, or_dash(d->region), or_dash(d->name_space), dev, mode_text,
		or_dash(d->map.value), bytes(&d->size, size),
		bytes(&d->align, align),
		d->domain_unknown ? "-" : pmk_domain_name(d->domain),
		number(&d->numa_node, numa), bad_blocks(&d->badblocks, bad),
		number(&d->dirty_shutdowns, dirty), NULL);
}

static void print_table(const struct pmk_inventory *inv)
{
	const struct pmk_dev *d = pmk_inventory_dev(inv, 0);
	struct libscols_table *tb;

	if (!d)
		return;
	tb = out_table("REGION", "NAMESPACE", "DEVICE", "MODE", "MAP", "SIZE",
		       "ALIGN", "DOMAIN", "NUMA", "BAD", "DIRTY", NULL);
	for (size_t i = 0; (d = pmk_inventory_dev(inv, i)); i++)
		print_row(tb, d);
	out_table_end(tb);
}

/* Nothing was listed: what does that mean? */
static void say_nothing_found(const struct pmk_inventory *inv)
{
	const struct pmk_view *nd = pmk_inventory_view(inv, PMK_BUS_ND);
	const struct pmk_view *dax = pmk_inventory_view(inv, PMK_BUS_DAX);

	if (pmk_inventory_region(inv, 0))
		out_error("there are regions of persistent memory, but no "
			  "device in them; ndctl create-namespace makes one");
	else if (nd->state == PMK_VIEW_SEEN && dax->state == PMK_VIEW_SEEN)
		out_error("no persistent memory found in %s and %s", nd->path,
			  dax->path);
	else if (nd->state == PMK_VIEW_SEEN || dax->state == PMK_VIEW_SEEN)
		out_error("no persistent memory found in %s; %s",
			  nd->state == PMK_VIEW_SEEN ? nd->path : dax->path,
			  nd->state == PMK_VIEW_SEEN ? dax->reason
						     : nd->reason);
	else
		out_error("no persistent memory found: %s; %s", nd->reason,
			  dax->reason);
}

/* EXIT_FAIL, and what is hidden, if a part could not be looked at. */
static int check_views(const struct pmk_inventory *inv)
{
	const char *said = "";
	int rc = EXIT_OK;

	for (unsigned int kind = PMK_BUS_ND; kind <= PMK_BUS_DAX; kind++) {
		const struct pmk_view *v =
			pmk_inventory_view(inv, (enum pmk_bus_kind)kind);

		if (v->state == PMK_VIEW_HIDDEN && strcmp(said, v->reason)) {
			said = v->reason;
			rc = out_error("cannot see all devices: %s", said);
		}
	}
	return rc;
}

static bool has_bad_blocks(const struct pmk_inventory *inv)
{
	const struct pmk_region *r;
	const struct pmk_dev *d;

	for (size_t i = 0; (r = pmk_inventory_region(inv, i)); i++)
		if (r->badblocks.n_extents)
			return true;
	for (size_t i = 0; (d = pmk_inventory_dev(inv, i)); i++)
		if (d->badblocks.n_extents)
			return true;
	return false;
}

int cmd_list(int argc, char **argv)
{
	struct pmk_discover_params params = { 0 };
	struct input in = { false, NULL };
	struct pmk_inventory *inv;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	params.sysfs_root = in.sysfs;
	rc = pmk_discover(&params, &inv);
	if (rc)
		return out_fail(in.sysfs ? in.sysfs : "/sys", rc, NULL);
	if (in.json)
		list_print_json(inv);
	else
		print_table(inv);
	rc = check_views(inv);
	if (!rc && !pmk_inventory_dev(inv, 0))
		say_nothing_found(inv);
	if (!rc && has_bad_blocks(inv))
		rc = EXIT_BAD;
	pmk_inventory_free(inv);
	return rc;
}
