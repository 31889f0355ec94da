/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of an inventory: much, in small pieces, freed at once. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "discover/impl.h"

#define CHUNK_BYTES ((size_t)64 << 10)
#define ALIGN_BYTES _Alignof(max_align_t)

struct pmk_chunk {
	struct pmk_chunk *next;
	size_t used;
	size_t size;
	max_align_t data[];
};

static struct pmk_chunk *new_chunk(struct pmk_inventory *inv, size_t size)
{
	struct pmk_chunk *c = calloc(1, sizeof(*c) + size);

	if (!c)
		return NULL;
	c->size = size;
	c->next = inv->chunks;
	inv->chunks = c;
	return c;
}

void *pmk_arena_alloc(struct pmk_inventory *inv, size_t size)
{
	struct pmk_chunk *c = inv->chunks;
	size_t n = (size + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
	char *p;

	if (n < size)
		c = NULL;
	else if (!c || c->size - c->used < n)
		c = new_chunk(inv, n > CHUNK_BYTES ? n : CHUNK_BYTES);
	if (!c) {
		inv->no_memory = true;
		return NULL;
	}
	p = (char *)c->data + c->used;
	c->used += n;
	return p;
}

const char *pmk_arena_str(struct pmk_inventory *inv, const char *s)
{
	size_t len = strlen(s) + 1;
	char *copy = pmk_arena_alloc(inv, len);

	return copy ? memcpy(copy, s, len) : "";
}

const char *pmk_arena_fmt(struct pmk_inventory *inv, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		inv->no_memory = true;
		return "";
	}
	return pmk_arena_str(inv, text);
}

void pmk_list_add(struct pmk_inventory *inv, struct pmk_list *list, void *item)
{
	if (!item)
		return;
	if (list->n == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 16;
		void **items = reallocarray(list->items, cap, sizeof(*items));

		if (!items) {
			inv->no_memory = true;
			return;
		}
		list->items = items;
		list->cap = cap;
	}
	list->items[list->n++] = item;
}

void pmk_arena_free(struct pmk_inventory *inv)
{
	free(inv->nodes.items);
	free(inv->by_name.items);
	free(inv->buses.items);
	free(inv->dimms.items);
	free(inv->regions.items);
	free(inv->dax_regions.items);
	free(inv->devs.items);
	while (inv->chunks) {
		struct pmk_chunk *next = inv->chunks->next;

		free(inv->chunks);
		inv->chunks = next;
	}
}
