/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which field of a struct page is wrong, by name.
 *
 * One word is many fields to different kinds of page: a table for each kind
 * names what is behind the flags, byte by byte to the end.
 */
#include "memmap/verify_field.h"
#include "base/util.h"
#include "memmap/profile.h"

/* Bytes of a struct page; a row without a name ends a table. */
struct field {
	const char *name;
	unsigned int off;
	unsigned int size; /* at most 8, and in one word */
};

#define FIELD_END          \
	{                  \
		NULL, 0, 0 \
	}

static const struct field device_fields[] = {
	{ "pgmap", 8, 8 },
	{ "zone_device_data", 16, 8 },
	{ "mapping", 24, 8 },
	{ "index", 32, 8 },
	{ "private", 40, 8 },
	{ "mapcount", 48, 4 },
	{ "refcount", 52, 4 },
	{ "memcg_data", 56, 8 },
	FIELD_END,
};

static const struct field altmap_fields[] = {
	{ "lru_next", 8, 8 },  { "lru_prev", 16, 8 },   { "mapping", 24, 8 },
	{ "index", 32, 8 },    { "private", 40, 8 },    { "mapcount", 48, 4 },
	{ "refcount", 52, 4 }, { "memcg_data", 56, 8 }, FIELD_END,
};

static const struct field tail_fields[] = {
	{ "compound_head", 8, 8 },
	{ "zone_device_data", 16, 8 },
	{ "mapping", 24, 8 },
	{ "index", 32, 8 },
	{ "private", 40, 8 },
	{ "mapcount", 48, 4 },
	{ "refcount", 52, 4 },
	{ "memcg_data", 56, 8 },
	FIELD_END,
};

static const struct field tail2_list_fields[] = {
	{ "compound_head", 8, 8 },
	{ "deferred_list_next", 16, 8 },
	{ "deferred_list_prev", 24, 8 },
	{ "index", 32, 8 },
	{ "private", 40, 8 },
	{ "mapcount", 48, 4 },
	{ "refcount", 52, 4 },
	{ "memcg_data", 56, 8 },
	FIELD_END,
};

static const struct field tail1_dtor_fields[] = {
	{ "compound_head", 8, 8 },
	{ "compound_dtor", 16, 1 },
	{ "order", 17, 1 },
	{ "padding", 18, 2 },
	{ "compound_mapcount", 20, 4 },
	{ "compound_pincount", 24, 4 },
	{ "nr_pages", 28, 4 },
	{ "index", 32, 8 },
	{ "private", 40, 8 },
	{ "mapcount", 48, 4 },
	{ "refcount", 52, 4 },
	{ "memcg_data", 56, 8 },
	FIELD_END,
};

static const struct field tail1_large_fields[] = {
	{ "compound_head", 8, 8 },    { "large_mapcount", 16, 4 },
	{ "entire_mapcount", 20, 4 }, { "nr_pages_mapped", 24, 4 },
	{ "pincount", 28, 4 },        { "nr_pages", 32, 4 },
	{ "padding", 36, 4 },         { "private", 40, 8 },
	{ "mapcount", 48, 4 },        { "refcount", 52, 4 },
	{ "memcg_data", 56, 8 },      FIELD_END,
};

static const struct field tail1_mm_id_fields[] = {
	{ "compound_head", 8, 8 },
	{ "large_mapcount", 16, 4 },
	{ "nr_pages_mapped", 20, 4 },
	{ "entire_mapcount", 24, 4 },
	{ "pincount", 28, 4 },
	{ "mm_id_mapcount_0", 32, 4 },
	{ "mm_id_mapcount_1", 36, 4 },
	{ "mm_ids", 40, 8 },
	{ "mapcount", 48, 4 },
	{ "refcount", 52, 4 },
	{ "nr_pages", 56, 4 },
	{ "padding", 60, 4 },
	FIELD_END,
};

/* Behind the 64 bytes that all have. */
static const struct field behind_80[] = {
	{ "last_cpupid", 64, 4 },
	{ "padding", 68, 4 },
	{ "padding", 72, 8 },
	FIELD_END,
};

static const struct field behind_96[] = {
	{ "last_cpupid", 64, 4 },  { "padding", 68, 4 },
	{ "kmsan_shadow", 72, 8 }, { "kmsan_origin", 80, 8 },
	{ "padding", 88, 8 },      FIELD_END,
};

static const struct field *tail1_table(const struct verify_ns *ns)
{
	switch (ns->profile->tail1) {
	case MEMMAP_TAIL1_DTOR:
		return tail1_dtor_fields;
	case MEMMAP_TAIL1_LARGE:
		return tail1_large_fields;
	case MEMMAP_TAIL1_MM_ID:
		break;
	}
	return tail1_mm_id_fields;
}

static const struct field *table_of(const struct verify_ns *ns,
				    enum verify_kind kind)
{
	switch (kind) {
	case VERIFY_ALTMAP:
		return altmap_fields;
	case VERIFY_TAIL1:
		return tail1_table(ns);
	case VERIFY_TAIL2:
		return ns->profile->tail2_list ? tail2_list_fields
					       : tail_fields;
	case VERIFY_TAIL:
		return tail_fields;
	default:
		return device_fields;
	}
}

void pmk_verify_fault(struct verify_report *r, uint64_t frame,
		      const char *field, uint64_t expected, uint64_t found)
{
	struct pmk_memmap_fault f = { frame, field, expected, found };

	if (r->stop)
		return;
	r->faults++;
	r->stop = r->fn && r->fn(r->arg, &f);
}

static uint64_t field_value(const struct field *f, const uint64_t *words)
{
	struct memmap_bits bits = { f->off % 8 * 8, f->size * 8 };
	uint64_t word = words[f->off / 8];

	return f->size == 8 ? word : memmap_bits_get(bits, word);
}

static void compare_table(const struct field *table, struct verify_report *r,
			  uint64_t frame, const uint64_t *expected,
			  const uint64_t *found)
{
	for (; table->name; table++) {
		uint64_t e = field_value(table, expected);
		uint64_t f = field_value(table, found);

		if (e != f)
			pmk_verify_fault(r, frame, table->name, e, f);
	}
}

/* The word of flags has numbers in it, too; each is a field, as are the two
 * flags that matter here.  The rest is one. */
static void compare_flags(const struct verify_ns *ns, struct verify_report *r,
			  uint64_t frame, enum verify_kind kind,
			  uint64_t expected, uint64_t found)
{
	bool order =
		kind == VERIFY_TAIL1 && ns->profile->tail1 != MEMMAP_TAIL1_DTOR;
	const struct {
		const char *name;
		struct memmap_bits bits;
	} parts[] = {
		{ "section", ns->bits.section },
		{ "node", ns->bits.node },
		{ "zone", ns->bits.zone },
		{ "last_cpupid", ns->bits.last_cpupid },
		{ "order", { 0, order ? 8 : 0 } },
		{ "reserved", { ns->profile->pg_reserved, 1 } },
		/* in the byte of the order there is no such flag */
		{ "head", { ns->profile->pg_head, order ? 0 : 1 } },
	};
	uint64_t rest = ~0ULL;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		uint64_t e = memmap_bits_get(parts[i].bits, expected);
		uint64_t f = memmap_bits_get(parts[i].bits, found);

		rest &= ~memmap_bits_mask(parts[i].bits);
		if (e != f)
			pmk_verify_fault(r, frame, parts[i].name, e, f);
	}
	if ((expected ^ found) & rest)
		pmk_verify_fault(r, frame, "flags", expected & rest,
				 found & rest);
}

void pmk_verify_fields(const struct verify_ns *ns, struct verify_report *r,
		       uint64_t frame, enum verify_kind kind,
		       const uint64_t expected[VERIFY_WORDS],
		       const uint64_t found[VERIFY_WORDS])
{
	compare_flags(ns, r, frame, kind, expected[0], found[0]);
	compare_table(table_of(ns, kind), r, frame, expected, found);
	if (ns->sim.page_bytes == 80)
		compare_table(behind_80, r, frame, expected, found);
	else if (ns->sim.page_bytes == 96)
		compare_table(behind_96, r, frame, expected, found);
}
