/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes of a file could not be read. */
#ifndef TOOLS_DAMAGE_H
#define TOOLS_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

struct json_object;

struct damage_range {
	uint64_t off;
	uint64_t len;
};

/* Ascending, none adjacent; all zero is an empty list. */
struct damage {
	struct damage_range *ranges;
	size_t n;
	uint64_t bytes;
};

/* @off: not before the end of the last range. */
void damage_add(struct damage *d, uint64_t off, uint64_t len);
void damage_free(struct damage *d);

/* The index of the first range that ends behind @off; d->n if there is none. */
size_t damage_find(const struct damage *d, uint64_t off);

/* A message for each range, "PATH: damaged: N bytes at offset M WHATNAME", and
 * one for all others if there are many. */
void damage_report(const struct damage *d, const char *path, const char *what,
		   const char *name);

/* Members "damaged_bytes" and "damaged". */
void damage_json(struct json_object *o, const struct damage *d);

#endif /* TOOLS_DAMAGE_H */
