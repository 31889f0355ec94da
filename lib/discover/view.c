/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Can a bus be seen?  Containers and sandboxes hide parts of sysfs, so that
 * "no device" is believed only of a directory that is the kernel's.
 */
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "discover/impl.h"

/* What a bus is, and the modules that make it. */
struct bus {
	const char *name;
	const char *module;
};

static const struct bus buses[] = {
	[PMK_BUS_ND] = { "nd", "libnvdimm" },
	[PMK_BUS_DAX] = { "dax", "device_dax" },
};

static void hidden(struct pmk_view *view, const char *reason)
{
	view->state = PMK_VIEW_HIDDEN;
	view->reason = reason;
}

/* Is @path there, and of the same file system as the root? */
static bool is_covered(struct pmk_inventory *inv, const char *path)
{
	struct stat root, st;

	return !stat(inv->root, &root) && !stat(path, &st) &&
	       root.st_dev != st.st_dev;
}

static void missing(struct pmk_inventory *inv, struct pmk_view *view,
		    const struct bus *bus)
{
	const char *all = pmk_arena_fmt(inv, "%s/bus", inv->root);
	const char *module =
		pmk_arena_fmt(inv, "%s/module/%s", inv->root, bus->module);

	if (access(all, F_OK))
		hidden(view, pmk_arena_fmt(inv, "there is no %s", all));
	else if (is_covered(inv, all))
		hidden(view,
		       pmk_arena_fmt(inv, "something is mounted over %s", all));
	else if (!access(module, F_OK))
		hidden(view, pmk_arena_fmt(inv,
					   "%s is not there, but the module %s "
					   "that makes it is loaded",
					   view->path, bus->module));
	else
		*view = (struct pmk_view){
			PMK_VIEW_NO_BUS, view->path,
			pmk_arena_fmt(inv,
				      "%s is not there: the kernel has no "
				      "driver for such devices",
				      view->path)
		};
}

void pmk_view_hide(struct pmk_inventory *inv, enum pmk_bus_kind kind,
		   const char *link)
{
	if (inv->views[kind].state == PMK_VIEW_SEEN)
		hidden(&inv->views[kind],
		       pmk_arena_fmt(inv, "%s leads nowhere", link));
}

void pmk_view_init(struct pmk_inventory *inv, enum pmk_bus_kind kind,
		   bool default_root)
{
	const struct bus *bus = &buses[kind];
	struct pmk_view *view = &inv->views[kind];
	const char *dir = pmk_arena_fmt(inv, "%s/bus/%s", inv->root, bus->name);
	struct statfs fs;

	view->path = pmk_arena_fmt(inv, "%s/devices", dir);
	view->reason = "";
	if (default_root && !statfs(inv->root, &fs) && fs.f_type != SYSFS_MAGIC)
		hidden(view, pmk_arena_fmt(inv, "no sysfs is mounted on %s",
					   inv->root));
	else if (is_covered(inv, dir) || is_covered(inv, view->path))
		hidden(view,
		       pmk_arena_fmt(inv, "something is mounted over %s", dir));
	else if (!access(view->path, R_OK | X_OK))
		view->state = PMK_VIEW_SEEN;
	else if (errno == ENOENT)
		missing(inv, view, bus);
	else
		hidden(view, pmk_arena_fmt(inv, "%s: %s", view->path,
					   pmk_strerror(-errno)));
}
