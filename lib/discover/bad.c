/* SPDX-License-Identifier: BSD-3-Clause */
/* Bad blocks of regions and block devices. */
#include <errno.h>
#include <string.h>

#include "base/badblocks.h"
#include "discover/impl.h"

#define BLOCK_BYTES 512
/* A page of the shortest lines, "0 1", has 1024. */
#define MAX_EXTENTS 1024

struct reader {
	struct pmk_extent extents[MAX_EXTENTS];
	size_t n;
};

static int take(uint64_t off, uint64_t len, void *arg)
{
	struct reader *r = arg;

	if (r->n == MAX_EXTENTS)
		return -E2BIG;
	r->extents[r->n++] = (struct pmk_extent){ off, len };
	return 0;
}

struct pmk_badblocks pmk_bad_unknown(const char *why)
{
	return (struct pmk_badblocks){ .count = { .unknown = why } };
}

/* @unknown: why there may be more, or NULL. */
static struct pmk_badblocks make(struct pmk_inventory *inv,
				 const struct pmk_extent *extents, size_t n,
				 const char *unknown)
{
	struct pmk_badblocks b = { .count.unknown = unknown };
	struct pmk_extent *copy;

	if (!n)
		return b;
	copy = pmk_arena_alloc(inv, n * sizeof(*copy));
	if (!copy)
		return pmk_bad_unknown(pmk_strerror(-ENOMEM));
	memcpy(copy, extents, n * sizeof(*copy));
	b.extents = copy;
	b.n_extents = n;
	/* they do not overlap and end below 2^64: so does their sum */
	for (size_t i = 0; i < n && !unknown; i++)
		b.count.value += (extents[i].len - 1) / BLOCK_BYTES + 1;
	return b;
}

struct pmk_badblocks pmk_bad_read(struct pmk_inventory *inv, const char *dir)
{
	struct reader r;
	int rc = pmk_attr_check(dir, "badblocks");

	r.n = 0;
	if (!rc)
		rc = pmk_badblocks_read(dir, take, &r);
	if (rc >= 0)
		return make(inv, r.extents, r.n,
			    rc ? "the kernel's list has no room for all"
			       : NULL);
	if (rc == -ENOENT)
		return pmk_bad_unknown("the kernel keeps no list of them here");
	return pmk_bad_unknown(pmk_attr_why(inv, "badblocks", rc));
}

struct pmk_badblocks pmk_bad_clip(struct pmk_inventory *inv,
				  const struct pmk_badblocks *all, uint64_t off,
				  uint64_t len)
{
	struct reader r;
	uint64_t end;

	r.n = 0;
	if (__builtin_add_overflow(off, len, &end))
		return pmk_bad_unknown("the device does not fit its region");
	for (size_t i = 0; i < all->n_extents; i++) {
		const struct pmk_extent *e = &all->extents[i];
		uint64_t from = e->off > off ? e->off : off;
		uint64_t to = e->off + e->len < end ? e->off + e->len : end;

		if (from < to)
			take(from - off, to - from, &r);
	}
	return make(inv, r.extents, r.n, all->count.unknown);
}
