/* SPDX-License-Identifier: BSD-3-Clause */
/* The device directories of both buses, and which lies in which. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "discover/impl.h"

static const struct {
	const char *prefix;
	bool dot;
	enum pmk_node_kind kind;
} nd_names[] = {
	{ "ndbus", false, PMK_NODE_BUS },
	{ "nmem", false, PMK_NODE_DIMM },
	{ "region", false, PMK_NODE_REGION },
	{ "namespace", true, PMK_NODE_NAMESPACE },
	{ "pfn", true, PMK_NODE_PFN },
	{ "btt", true, PMK_NODE_BTT },
	{ "dax", true, PMK_NODE_DAX },
};

/* Which kind of device has this name?  There may be others on the bus. */
static bool kind_of(enum pmk_bus_kind bus, const char *name,
		    enum pmk_node_kind *kind_ret)
{
	if (bus == PMK_BUS_DAX) {
		*kind_ret = PMK_NODE_DAXDEV;
		return pmk_name_is(name, "dax", true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(nd_names); i++)
		if (pmk_name_is(name, nd_names[i].prefix, nd_names[i].dot)) {
			*kind_ret = nd_names[i].kind;
			return true;
		}
	return false;
}

/* Where a link of a bus leads.  A device may go while we look: then nothing is
 * said. */
static bool resolve(struct pmk_inventory *inv, enum pmk_bus_kind bus,
		    const char *link, char real[PATH_MAX])
{
	size_t n = strlen(inv->root);
	struct stat st;

	if (!realpath(link, real)) {
		int error = errno;

		inv->no_memory |= error == ENOMEM;
		/* a device that went has no link either; one whose directory is
		 * hidden has, and so have all others, perhaps */
		if (error == ENOENT && !lstat(link, &st))
			pmk_view_hide(inv, bus, link);
		if (error != ENOENT)
			pmk_log(PMK_LOG_WARNING, "%s: %s; it is not listed",
				link, pmk_strerror(-error));
		return false;
	}
	if (!strncmp(real, inv->root, n) && real[n] == '/')
		return true;
	pmk_log(PMK_LOG_WARNING, "%s leads out of %s; it is not listed", link,
		inv->root);
	return false;
}

static void add_node(struct pmk_inventory *inv, enum pmk_bus_kind bus,
		     const char *name)
{
	_cleanup_free_ char *link = NULL;
	enum pmk_node_kind kind;
	char real[PATH_MAX];
	struct pmk_node *node;

	if (!kind_of(bus, name, &kind))
		return;
	if (asprintf(&link, "%s/%s", inv->views[bus].path, name) < 0) {
		link = NULL;
		inv->no_memory = true;
		return;
	}
	if (!resolve(inv, bus, link, real))
		return;
	node = pmk_arena_alloc(inv, sizeof(*node));
	if (!node)
		return;
	node->kind = kind;
	node->name = pmk_arena_str(inv, name);
	node->path = pmk_arena_str(inv, real);
	if (inv->no_memory)
		return;
	pmk_list_add(inv, &inv->nodes, node);
	pmk_list_add(inv, &inv->by_name, node);
}

static void scan_bus(struct pmk_inventory *inv, enum pmk_bus_kind bus)
{
	struct pmk_view *view = &inv->views[bus];
	struct dirent *entry;
	DIR *dir;

	if (view->state != PMK_VIEW_SEEN)
		return;
	dir = opendir(view->path);
	if (!dir) {
		inv->no_memory |= errno == ENOMEM;
		view->state = PMK_VIEW_HIDDEN;
		view->reason = pmk_arena_fmt(inv, "%s: %s", view->path,
					     pmk_strerror(-errno));
		return;
	}
	while ((entry = readdir(dir)))
		add_node(inv, bus, entry->d_name);
	closedir(dir);
}

static int compare_paths(const void *a, const void *b)
{
	const struct pmk_node *const *x = a, *const *y = b;

	return strcmp((*x)->path, (*y)->path);
}

/* A dax device behind the device of the nd bus that has the same name. */
static int compare_names(const void *a, const void *b)
{
	const struct pmk_node *const *x = a, *const *y = b;
	int order = pmk_name_compare((*x)->name, (*y)->name);

	return order ? order : (int)(*x)->kind - (int)(*y)->kind;
}

/* The nearest node whose directory @path lies in, @path itself not counted. */
static struct pmk_node *parent_of(struct pmk_inventory *inv, const char *path)
{
	_cleanup_free_ char *dir = strdup(path);
	size_t root = strlen(inv->root);
	struct pmk_node key = { .path = dir }, *key_ptr = &key, **found;
	char *slash;

	if (!dir) {
		inv->no_memory = true;
		return NULL;
	}
	while ((slash = strrchr(dir, '/')) && (size_t)(slash - dir) > root) {
		*slash = '\0';
		found = bsearch(&key_ptr, inv->nodes.items, inv->nodes.n,
				sizeof(void *), compare_paths);
		if (found)
			return *found;
	}
	return NULL;
}

static void sort(struct pmk_list *list,
		 int (*compare)(const void *, const void *))
{
	if (list->n)
		qsort(list->items, list->n, sizeof(void *), compare);
}

struct pmk_node *pmk_scan_find(const struct pmk_inventory *inv,
			       const char *name)
{
	size_t from = 0, to = inv->by_name.n;

	/* the first of two that are equal */
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		const struct pmk_node *node = inv->by_name.items[mid];

		if (pmk_name_compare(node->name, name) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	if (from < inv->by_name.n) {
		struct pmk_node *node = inv->by_name.items[from];

		if (!strcmp(node->name, name) && node->kind != PMK_NODE_DAXDEV)
			return node;
	}
	return NULL;
}

struct pmk_node *pmk_node_above(struct pmk_node *node, enum pmk_node_kind kind)
{
	while (node && node->kind != kind)
		node = node->parent;
	return node;
}

/* Two entries of a bus that lead to one directory are one device. */
static void drop_doubles(struct pmk_inventory *inv)
{
	struct pmk_list *list = &inv->nodes;
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (!i ||
		    compare_paths(&list->items[i], &list->items[kept - 1]))
			list->items[kept++] = list->items[i];
	list->n = kept;
	inv->by_name.n = 0;
	for (size_t i = 0; i < kept; i++)
		pmk_list_add(inv, &inv->by_name, list->items[i]);
}

void pmk_scan(struct pmk_inventory *inv)
{
	scan_bus(inv, PMK_BUS_ND);
	scan_bus(inv, PMK_BUS_DAX);
	sort(&inv->nodes, compare_paths);
	drop_doubles(inv);
	sort(&inv->by_name, compare_names);
	for (size_t i = 0; i < inv->nodes.n; i++) {
		struct pmk_node *node = inv->nodes.items[i];

		node->parent = parent_of(inv, node->path);
	}
}
