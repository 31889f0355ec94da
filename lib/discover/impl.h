/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this layer share, by file.  All strings and structs of an
 * inventory lie in its arena and end with it.  Memory that runs out is noted
 * there, and looked at once, at the end: until then stand-ins are good enough.
 */
#ifndef LIB_DISCOVER_IMPL_H
#define LIB_DISCOVER_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/discover.h>

struct pmk_chunk;

/* Pointers into the arena. */
struct pmk_list {
	void **items;
	size_t n;
	size_t cap;
};

enum pmk_node_kind {
	PMK_NODE_BUS,
	PMK_NODE_DIMM,
	PMK_NODE_REGION,
	PMK_NODE_NAMESPACE,
	/* what a namespace is made into, on the nd bus */
	PMK_NODE_PFN,
	PMK_NODE_BTT,
	PMK_NODE_DAX,
	/* on the dax bus */
	PMK_NODE_DAXDEV,
};

/* A device directory. */
struct pmk_node {
	enum pmk_node_kind kind;
	const char *name;
	const char *path;        /* without links */
	struct pmk_node *parent; /* the nearest one above, or NULL */
	/* a region's */
	struct pmk_region *region;
	/* a namespace's, and back */
	struct pmk_node *holder;
	struct pmk_node *held;
	bool listed; /* there is an entry of it */
};

struct pmk_inventory {
	struct pmk_chunk *chunks;
	bool no_memory;
	bool sysfs_only;
	const char *root;        /* without links */
	struct pmk_list nodes;   /* by path */
	struct pmk_list by_name; /* the same */
	struct pmk_list buses;
	struct pmk_list dimms;
	struct pmk_list regions;
	struct pmk_list dax_regions;
	struct pmk_list devs;
	struct pmk_view views[2];
};

/* arena.c: zeroed memory, or NULL. */
void *pmk_arena_alloc(struct pmk_inventory *inv, size_t size);
/* arena.c: a string, never NULL. */
const char *pmk_arena_str(struct pmk_inventory *inv, const char *s);
__attribute__((format(printf, 2, 3))) const char *pmk_arena_fmt(
	struct pmk_inventory *inv, const char *fmt, ...);
/* arena.c: NULL is not added. */
void pmk_list_add(struct pmk_inventory *inv, struct pmk_list *list, void *item);
/* arena.c: all of it, and the lists. */
void pmk_arena_free(struct pmk_inventory *inv);

/* names.c: is it @prefix and a number, or with @dot two numbers? */
bool pmk_name_is(const char *name, const char *prefix, bool dot);
/* names.c: order in which numbers count as numbers. */
int pmk_name_compare(const char *a, const char *b);

/* text.c: what attributes hold, as pure functions.  0 or PMK_E_SYSFS. */
int pmk_text_u64(const char **text, uint64_t *value_ret); /* moves on */
int pmk_text_node(const char *text, uint64_t *value_ret); /* -1: -ENODEV */
int pmk_text_selected(const char *text,
		      uint64_t *value_ret); /* none: -ENODATA */
/* The DIMM's name is the first *@name_len_ret characters, and not stored; the
 * position is UINT64_MAX if there is none. */
int pmk_text_mapping(const char *text, size_t *name_len_ret,
		     struct pmk_mapping *mapping_ret);
bool pmk_text_is_word(const char *text, size_t len);
bool pmk_text_is_uuid(const char *text);

/* attr.c: 0 if DIR/NAME is a regular file.  In a copy of sysfs anything may lie
 * in its place, and to open it could hang.  -errno or PMK_E_SYSFS. */
int pmk_attr_check(const char *dir, const char *name);
/* attr.c: the reason for what reading an attribute returned. */
const char *pmk_attr_why(struct pmk_inventory *inv, const char *name, int rc);
/* attr.c: facts of the directory @dir. */
struct pmk_fact pmk_unknown(const char *why);
struct pmk_text pmk_text_unknown(const char *why);
struct pmk_fact pmk_attr_u64(struct pmk_inventory *inv, const char *dir,
			     const char *name);
struct pmk_fact pmk_attr_node(struct pmk_inventory *inv, const char *dir,
			      const char *name);
struct pmk_fact pmk_attr_selected(struct pmk_inventory *inv, const char *dir,
				  const char *name);
struct pmk_text pmk_attr_text(struct pmk_inventory *inv, const char *dir,
			      const char *name);
struct pmk_text pmk_attr_uuid(struct pmk_inventory *inv, const char *dir);
/* The last part of where a link leads; NULL if there is none. */
const char *pmk_attr_link(struct pmk_inventory *inv, const char *dir,
			  const char *name);
bool pmk_attr_is_dir(struct pmk_inventory *inv, const char *dir,
		     const char *name);

/* bad.c: the list of DIR/badblocks. */
struct pmk_badblocks pmk_bad_read(struct pmk_inventory *inv, const char *dir);
/* bad.c: what of a region's list lies in @len bytes from @off on. */
struct pmk_badblocks pmk_bad_clip(struct pmk_inventory *inv,
				  const struct pmk_badblocks *all, uint64_t off,
				  uint64_t len);
struct pmk_badblocks pmk_bad_unknown(const char *why);

/* view.c: can a bus be seen? */
void pmk_view_init(struct pmk_inventory *inv, enum pmk_bus_kind kind,
		   bool default_root);
/* view.c: a part of it turned out to be hidden: @link is there, and leads
 * nowhere. */
void pmk_view_hide(struct pmk_inventory *inv, enum pmk_bus_kind kind,
		   const char *link);

/* scan.c: all nodes of the buses that can be. */
void pmk_scan(struct pmk_inventory *inv);
/* scan.c: by the name on the nd bus; NULL if there is none. */
struct pmk_node *pmk_scan_find(const struct pmk_inventory *inv,
			       const char *name);
/* scan.c: the nearest one of a kind, @node or above it. */
struct pmk_node *pmk_node_above(struct pmk_node *node, enum pmk_node_kind kind);

/* region.c: one entry. */
void pmk_add_bus(struct pmk_inventory *inv, struct pmk_node *node);
void pmk_add_dimm(struct pmk_inventory *inv, struct pmk_node *node);
void pmk_add_region(struct pmk_inventory *inv, struct pmk_node *node);

/* region.c: an entry by name; NULL if there is none. */
struct pmk_dimm *pmk_find_dimm(const struct pmk_inventory *inv,
			       const char *name);

/* dev.c: entries of all namespaces and dax devices. */
void pmk_add_devs(struct pmk_inventory *inv);

/* discover_ndctl.c or discover_none.c: what sysfs does not have. */
void pmk_extra_dimms(struct pmk_inventory *inv);
void pmk_extra_memory(struct pmk_inventory *inv);

#endif /* LIB_DISCOVER_IMPL_H */
