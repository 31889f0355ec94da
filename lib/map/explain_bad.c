/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of a device, and of a file, sysfs lists as bad.  A list that is not
 * there, or does not fit what is asked, is no proof that all is well.
 */
#include <errno.h>
#include <linux/fiemap.h>
#include <stdlib.h>
#include <string.h>

#include "base/badblocks.h"
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "map/explain_impl.h"
#include "map/extents.h"

/* Bad ranges that lie in [start, end), counted from start; kept for a file. */
struct bad_list {
	uint64_t start, end;
	uint64_t bytes;
	struct range {
		uint64_t start, end;
	} * ranges;
	size_t n, room;
};

static int keep(struct bad_list *l, uint64_t start, uint64_t end)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 32;
		void *p = realloc(l->ranges, room * sizeof(*l->ranges));

		if (!p)
			return -ENOMEM;
		l->ranges = p;
		l->room = room;
	}
	l->ranges[l->n++] = (struct range){ start, end };
	return 0;
}

static int take_bad(uint64_t off, uint64_t len, void *arg)
{
	struct bad_list *l = arg;
	uint64_t start = off < l->start ? l->start : off;
	uint64_t end = off + len > l->end ? l->end : off + len;

	if (start >= end)
		return 0;
	l->bytes += end - start;
	return keep(l, start - l->start, end - l->start);
}

static enum pmk_map_why read_list(const char *dir, struct bad_list *l)
{
	int rc = pmk_badblocks_read(dir, take_bad, l);

	if (rc == 0)
		return PMK_WHY_NONE;
	if (rc == 1)
		return PMK_WHY_LIST_CUT;
	return rc == -ENOENT && access(dir, F_OK) ? PMK_WHY_NO_SYSFS
	       : rc == -ENOENT                    ? PMK_WHY_NO_LIST
	       : rc == -EACCES                    ? PMK_WHY_NO_ACCESS
						  : PMK_WHY_ODD_VALUE;
}

struct stack {
	uint64_t bytes;
	enum pmk_map_why why;
	bool pmem; /* on some region */
};

static int add_leaf(const char *leaf, void *arg)
{
	_cleanup_free_ char *region = pmk_probe_region(leaf);
	struct bad_list l = { .end = UINT64_MAX };
	struct pmk_block_facts b;
	struct stack *s = arg;

	s->pmem |= region != NULL;
	if (!region || pmk_probe_block_dir(leaf, &b) ||
	    b.kind == PMK_BLOCK_SECTOR) {
		s->why = PMK_WHY_NO_LIST;
		return 0;
	}
	if (b.partition) {
		l.start = b.start_bytes;
		l.end = b.start_bytes + b.size_bytes;
	}
	if (s->why == PMK_WHY_NONE)
		s->why = read_list(b.disk, &l);
	s->bytes += l.bytes;
	free(l.ranges);
	return 0;
}

/* Of a stack only this is known: where no device has bad blocks, it has none.
 */
static enum pmk_map_why stack_list(const char *dir)
{
	struct stack s = { 0, PMK_WHY_NONE, false };

	if (pmk_block_leaves(dir, add_leaf, &s))
		return PMK_WHY_NO_SYSFS;
	if (!s.pmem)
		return PMK_WHY_NOT_APPLICABLE;
	return s.bytes ? PMK_WHY_STACKED : s.why;
}

static enum pmk_map_why device_list(const struct pmk_block_facts *b,
				    struct bad_list *l)
{
	_cleanup_free_ char *region = pmk_probe_region(b->disk);

	if (b->kind == PMK_BLOCK_STACKED)
		return stack_list(b->dir);
	/* other drivers show an empty list that they do not keep */
	if (!region)
		return PMK_WHY_NOT_APPLICABLE;
	if (b->kind != PMK_BLOCK_FSDAX && b->kind != PMK_BLOCK_RAW)
		return PMK_WHY_NO_LIST;
	l->end = UINT64_MAX;
	if (b->partition) {
		l->start = b->start_bytes;
		l->end = b->start_bytes + b->size_bytes;
	}
	return read_list(b->disk, l);
}

/* Extents that are said to lie on the device, but not where. */
#define NO_PLACE                                             \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC |    \
	 FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_INLINE | \
	 FIEMAP_EXTENT_DATA_TAIL)

struct file_count {
	const struct bad_list *list;
	uint64_t bytes;
};

static int take_extent(const struct pmk_file_extent *e, void *arg)
{
	struct file_count *c = arg;

	if (e->flags & NO_PLACE)
		return 1;
	/* nobody reads from what was never written */
	if (e->flags & FIEMAP_EXTENT_UNWRITTEN)
		return 0;
	for (size_t i = 0; i < c->list->n; i++) {
		const struct range *bad = &c->list->ranges[i];
		uint64_t start = e->physical, end = e->physical + e->len;

		if (bad->start > start)
			start = bad->start;
		if (bad->end < end)
			end = bad->end;
		if (start < end)
			c->bytes += end - start;
	}
	return 0;
}

static void count_file(struct pmk_map_report *r, int fd,
		       const struct pmk_file_facts *f, const struct bad_list *l)
{
	struct file_count c = { l, 0 };

	r->file_bad_why = r->device_bad_why;
	if (f->realtime)
		r->file_bad_why = PMK_WHY_REALTIME;
	else if ((r->device_bad_why == PMK_WHY_NONE && l->bytes) ||
		 r->device_bad_why == PMK_WHY_LIST_CUT) {
		if (pmk_file_extents(fd, take_extent, &c))
			r->file_bad_why = PMK_WHY_NO_EXTENT_MAP;
		r->file_bad_bytes = c.bytes;
	}
}

void pmk_explain_bad_file(struct pmk_map_report *r, int fd,
			  const struct pmk_file_facts *f)
{
	struct bad_list l = { 0 };

	if (!f->block_known) {
		/* a file system on no block device has no such list either */
		if (f->fs.class == PMK_FS_EXT || f->fs.class == PMK_FS_XFS ||
		    r->object == PMK_MAP_OBJECT_BLOCK)
			r->device_bad_why = PMK_WHY_NO_SYSFS;
	} else {
		r->device_bad_why = device_list(&f->block, &l);
		r->device_bad_bytes = l.bytes;
	}
	if (fd >= 0)
		count_file(r, fd, f, &l);
	free(l.ranges);
}

void pmk_explain_bad_devdax(struct pmk_map_report *r, const char *region,
			    const struct pmk_devdax_facts *f)
{
	struct bad_list l = { .end = UINT64_MAX };
	uint64_t whole, start;

	if (!region)
		return;
	/* the region's list counts from the region's beginning */
	if (pmk_sysfs_u64(region, "resource", &whole) || !whole ||
	    pmk_sysfs_u64(f->dir, "resource", &start) || start < whole) {
		r->device_bad_why = read_list(region, &l);
		/* of all the region nothing is bad, or who knows where it is */
		if (l.bytes)
			r->device_bad_why = PMK_WHY_NO_ACCESS;
	} else {
		l.start = start - whole;
		l.end = l.start + f->size;
		r->device_bad_why = read_list(region, &l);
		r->device_bad_bytes = l.bytes;
	}
	free(l.ranges);
}
