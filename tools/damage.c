/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes of a file could not be read. */
#include <inttypes.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "damage.h"
#include "out.h"

/* A terminal shows as many and what came before. */
#define MAX_MESSAGES 20U

void damage_add(struct damage *d, uint64_t off, uint64_t len)
{
	struct damage_range *last = d->n ? &d->ranges[d->n - 1] : NULL;

	d->bytes += len;
	if (last && last->off + last->len == off) {
		last->len += len;
		return;
	}
	/* doubles at powers of two */
	if (!(d->n & (d->n - 1))) {
		d->ranges = reallocarray(d->ranges, d->n ? 2 * d->n : 1,
					 sizeof(*d->ranges));
		if (!d->ranges)
			out_of_memory();
	}
	d->ranges[d->n++] = (struct damage_range){ off, len };
}

void damage_free(struct damage *d)
{
	free(d->ranges);
	*d = (struct damage){ NULL, 0, 0 };
}

size_t damage_find(const struct damage *d, uint64_t off)
{
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->ranges[mid].off + d->ranges[mid].len > off)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

void damage_report(const struct damage *d, const char *path, const char *what,
		   const char *name)
{
	for (size_t i = 0; i < d->n && i < MAX_MESSAGES; i++)
		out_error("%s: damaged: %" PRIu64 " bytes at offset %" PRIu64
			  " %s%s",
			  path, d->ranges[i].len, d->ranges[i].off, what, name);
	if (d->n > MAX_MESSAGES)
		out_error("%s: damaged: ... and %zu more ranges; %" PRIu64
			  " bytes in all",
			  path, d->n - MAX_MESSAGES, d->bytes);
}

void damage_json(struct json_object *o, const struct damage *d)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < d->n; i++) {
		struct json_object *range = json_object_new_object();

		out_json_u64(range, "offset_bytes", d->ranges[i].off);
		out_json_u64(range, "size_bytes", d->ranges[i].len);
		if (json_object_array_add(list, range))
			out_of_memory();
	}
	out_json_u64(o, "damaged_bytes", d->bytes);
	out_json_add(o, "damaged", list);
}
