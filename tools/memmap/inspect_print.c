/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk memmap inspect prints. */
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include "base/size.h"
#include "base/uuid.h"
#include "memmap/inspect.h"
#include "out.h"

static bool is_pfn(const struct infoblock_look *l)
{
	return l->ib.type == PMK_INFOBLOCK_PFN ||
	       l->ib.type == PMK_INFOBLOCK_DAX;
}

static const char *mode_name(enum pmk_infoblock_type type)
{
	switch (type) {
	case PMK_INFOBLOCK_PFN:
		return pmk_mode_name(PMK_MODE_FSDAX);
	case PMK_INFOBLOCK_DAX:
		return pmk_mode_name(PMK_MODE_DEVDAX);
	case PMK_INFOBLOCK_BTT:
		return pmk_mode_name(PMK_MODE_SECTOR);
	default:
		return NULL;
	}
}

static const char *map_name(const struct infoblock_look *l)
{
	if (!is_pfn(l))
		return NULL;
	switch (l->ib.mode) {
	case PMK_INFOBLOCK_MODE_MEM:
		return "mem";
	case PMK_INFOBLOCK_MODE_DEV:
		return "dev";
	default:
		return NULL;
	}
}

/* As fdisk and the like have it: no "passed" of what was not looked at. */
static const char *result_name(enum pmk_infoblock_result r)
{
	static const char *const names[] = {
		[PMK_INFOBLOCK_NOT_REACHED] = "not reached",
		[PMK_INFOBLOCK_PASSED] = "passed",
		[PMK_INFOBLOCK_FAILED] = "failed",
		[PMK_INFOBLOCK_SKIPPED] = "skipped",
		[PMK_INFOBLOCK_NOT_APPLICABLE] = "not applicable",
	};

	return names[r];
}

static bool is_any_skipped(const struct infoblock_look *l)
{
	for (unsigned int i = 0; pmk_infoblock_check_name(i); i++)
		if (l->rep.results[i] == PMK_INFOBLOCK_SKIPPED)
			return true;
	return false;
}

static void verdict(const struct infoblock_look *l, char *buf, size_t len)
{
	const char *check;

	if (l->rep.error) {
		check = pmk_infoblock_check_name((unsigned int)l->rep.failed);
		snprintf(buf, len, "%s: %s (%s)",
			 l->ib.type == PMK_INFOBLOCK_NONE ? "no info block"
							  : "not loaded",
			 pmk_error_name(l->rep.error), check);
		return;
	}
	snprintf(buf, len, "loaded, as %s%s", mode_name(l->ib.type),
		 is_any_skipped(l) ? ", if what is not known here is right"
				   : "");
}

static void row_if(struct libscols_table *tb, const char *name, const char *s)
{
	if (s && *s)
		out_row(tb, name, s, NULL);
}

static void row_hex(struct libscols_table *tb, const char *name, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	out_row(tb, name, text, NULL);
}

/* "VALUE (where from)", or why it is not known. */
static void row_from(struct libscols_table *tb, const char *name, bool known,
		     const char *value, const char *from)
{
	char text[160];

	if (known)
		snprintf(text, sizeof(text), "%s (%s)", value, from);
	else
		snprintf(text, sizeof(text), "not known: %s",
			 from ? from : "nothing here tells it");
	out_row(tb, name, text, NULL);
}

static void rows_namespace(struct libscols_table *tb,
			   const struct infoblock_look *l)
{
	char text[PMK_UUID_TEXT], iec[32], size[64];

	out_row_u64(tb, "offset in it", l->offset);
	snprintf(size, sizeof(size), "0x%" PRIx64, l->ns.start);
	row_from(tb, "namespace start", l->ns.start_known, size, l->start_from);
	pmk_size_format(l->ns.size, iec, sizeof(iec));
	snprintf(size, sizeof(size), "%" PRIu64 " B, %s", l->ns.size, iec);
	row_from(tb, "namespace size", l->ns.size_known, size, l->size_from);
	row_from(tb, "namespace uuid", l->ns.parent_uuid_known,
		 pmk_uuid_format(l->ns.parent_uuid, text), l->parent_from);
	out_row(tb, "kernel", pmk_memmap_kernel_name(l->ns.kernel), NULL);
	out_row_u64(tb, "its struct page",
		    l->ns.struct_page ? l->ns.struct_page : 64);
}

static void row_checksum(struct libscols_table *tb,
			 const struct pmk_infoblock *ib)
{
	char text[80];

	if (ib->checksum == ib->checksum_computed)
		snprintf(text, sizeof(text), "0x%016" PRIx64 " (right)",
			 ib->checksum);
	else
		snprintf(text, sizeof(text),
			 "0x%016" PRIx64 " (wrong: 0x%016" PRIx64 " is right)",
			 ib->checksum, ib->checksum_computed);
	out_row(tb, "checksum", text, NULL);
}

/* With what the kernel takes instead, where that is another value. */
static void row_field(struct libscols_table *tb, const char *name,
		      uint64_t stored, uint64_t taken)
{
	char text[64];

	if (stored == taken)
		snprintf(text, sizeof(text), "%" PRIu64, stored);
	else
		snprintf(text, sizeof(text), "%" PRIu64 ", taken as %" PRIu64,
			 stored, taken);
	out_row(tb, name, text, NULL);
}

static void rows_pfn(struct libscols_table *tb, const struct infoblock_look *l)
{
	const struct pmk_infoblock *ib = &l->ib, *e = &l->rep.effective;
	const char *map = map_name(l);
	char text[64];

	row_field(tb, "dataoff", ib->dataoff, e->dataoff);
	row_field(tb, "npfns", ib->npfns,
		  l->rep.npfns ? l->rep.npfns : ib->npfns);
	snprintf(text, sizeof(text), "%" PRIu32 " (%s)", ib->mode,
		 map ? map : "neither mem nor dev");
	out_row(tb, "mode", text, NULL);
	row_field(tb, "start_pad", ib->start_pad, e->start_pad);
	row_field(tb, "end_trunc", ib->end_trunc, e->end_trunc);
	row_field(tb, "align", ib->align, e->align);
	row_field(tb, "page_size", ib->page_size, e->page_size);
	row_field(tb, "page_struct_size", ib->page_struct_size,
		  e->page_struct_size);
}

static void rows_block(struct libscols_table *tb,
		       const struct infoblock_look *l)
{
	const struct pmk_infoblock *ib = &l->ib;
	char text[PMK_UUID_TEXT];

	if (ib->type == PMK_INFOBLOCK_NONE)
		return;
	out_row(tb, "signature", pmk_infoblock_signature(ib->type), NULL);
	out_row(tb, "uuid", pmk_uuid_format(ib->uuid, text), NULL);
	out_row(tb, "parent_uuid", pmk_uuid_format(ib->parent_uuid, text),
		NULL);
	row_hex(tb, "flags", ib->flags);
	snprintf(text, sizeof(text), "%u.%u", ib->version_major,
		 ib->version_minor);
	out_row(tb, "version", text, NULL);
	if (is_pfn(l))
		rows_pfn(tb, l);
	row_checksum(tb, ib);
	if (l->rep.usable)
		out_row_size(tb, "usable", l->rep.usable);
}

static void rows_verdict(struct libscols_table *tb,
			 const struct infoblock_look *l)
{
	char text[192];

	verdict(l, text, sizeof(text));
	out_row(tb, "verdict", text, NULL);
	row_if(tb, "reason", l->rep.reason);
	row_if(tb, "detail", l->rep.detail);
	row_if(tb, "the kernel says", l->rep.says);
	if (l->ib.type == PMK_INFOBLOCK_NONE && *l->holder) {
		snprintf(text, sizeof(text),
			 "this is the device that comes of %s: its info block "
			 "is in front of it, in the raw namespace",
			 l->holder);
		out_row(tb, "remedy", text, NULL);
	} else {
		row_if(tb, "remedy", l->rep.remedy);
	}
	for (const char *const *n = l->rep.notes; *n; n++)
		out_row(tb, "note", *n, NULL);
}

static void rows_place(struct libscols_table *tb,
		       const struct infoblock_look *l)
{
	const struct pmk_infoblock_place *p = &l->place;
	bool in_data = p->area == PMK_INFOBLOCK_AREA_DATA;

	out_row(tb, "offset is in", pmk_infoblock_area_name(p->area), NULL);
	out_row_u64(tb, "device offset", l->offset + p->namespace_off);
	out_row_u64(tb, "namespace offset", p->namespace_off);
	if (in_data)
		out_row_u64(tb, "data offset", p->data_off);
	if (l->ns.start_known)
		row_hex(tb, "physical address", p->physical);
	if (p->struct_page_off)
		out_row_u64(tb, "its struct page at device offset",
			    l->offset + p->struct_page_off);
}

static void print_checks(const struct infoblock_look *l)
{
	struct libscols_table *tb =
		out_table("CHECK", "RESULT", "DEMAND", NULL);
	const char *name;

	for (unsigned int i = 0; (name = pmk_infoblock_check_name(i)); i++)
		out_row(tb, name, result_name(l->rep.results[i]),
			pmk_infoblock_check_text(i), NULL);
	out_table_end(tb);
}

void infoblock_print_table(const struct infoblock_look *l)
{
	struct libscols_table *tb = out_table("", "", NULL);

	rows_verdict(tb, l);
	out_row(tb, "path", l->path, NULL);
	rows_namespace(tb, l);
	rows_block(tb, l);
	if (l->translate)
		rows_place(tb, l);
	out_table_end(tb);
	puts("");
	print_checks(l);
}

static void json_str_or_null(struct json_object *o, const char *key,
			     const char *s)
{
	if (s)
		out_json_str(o, key, s);
	else
		out_json_null(o, key);
}

static void json_u64_if(struct json_object *o, const char *key, bool known,
			uint64_t v)
{
	if (known)
		out_json_u64(o, key, v);
	else
		out_json_null(o, key);
}

static void json_uuid_if(struct json_object *o, const char *key, bool known,
			 const uint8_t uuid[16])
{
	char text[PMK_UUID_TEXT];

	json_str_or_null(o, key, known ? pmk_uuid_format(uuid, text) : NULL);
}

static void json_hex_if(struct json_object *o, const char *key, bool known,
			uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%016" PRIx64, v);
	json_str_or_null(o, key, known ? text : NULL);
}

static void json_namespace(struct json_object *o,
			   const struct infoblock_look *l)
{
	out_json_u64(o, "offset_bytes", l->offset);
	json_u64_if(o, "namespace_start", l->ns.start_known, l->ns.start);
	json_u64_if(o, "namespace_size_bytes", l->ns.size_known, l->ns.size);
	json_uuid_if(o, "namespace_uuid", l->ns.parent_uuid_known,
		     l->ns.parent_uuid);
	out_json_str(o, "kernel", pmk_memmap_kernel_name(l->ns.kernel));
	out_json_u64(o, "struct_page_bytes",
		     l->ns.struct_page ? l->ns.struct_page : 64);
}

/* What a struct pmk_infoblock has of fsdax and devdax only. */
static void json_pfn(struct json_object *o, const struct pmk_infoblock *ib,
		     bool is)
{
	json_u64_if(o, "dataoff_bytes", is, ib->dataoff);
	json_u64_if(o, "npfns", is, ib->npfns);
	json_u64_if(o, "mode", is, ib->mode);
	json_u64_if(o, "start_pad_bytes", is, ib->start_pad);
	json_u64_if(o, "end_trunc_bytes", is, ib->end_trunc);
	json_u64_if(o, "align_bytes", is, ib->align);
	json_u64_if(o, "page_size_bytes", is, ib->page_size);
	json_u64_if(o, "page_struct_size_bytes", is, ib->page_struct_size);
}

static void json_block(struct json_object *o, const struct infoblock_look *l)
{
	const struct pmk_infoblock *ib = &l->ib;
	bool is = ib->type != PMK_INFOBLOCK_NONE;
	char version[16];

	snprintf(version, sizeof(version), "%u.%u", ib->version_major,
		 ib->version_minor);
	json_str_or_null(o, "signature",
			 is ? pmk_infoblock_signature(ib->type) : NULL);
	json_str_or_null(o, "type", mode_name(ib->type));
	json_str_or_null(o, "map", map_name(l));
	json_uuid_if(o, "uuid", is, ib->uuid);
	json_uuid_if(o, "parent_uuid", is, ib->parent_uuid);
	json_u64_if(o, "flags", is, ib->flags);
	json_str_or_null(o, "version", is ? version : NULL);
	json_pfn(o, ib, is_pfn(l));
	json_hex_if(o, "checksum", is, ib->checksum);
	json_hex_if(o, "checksum_computed", is, ib->checksum_computed);
	if (is)
		out_json_bool(o, "checksum_ok",
			      ib->checksum == ib->checksum_computed);
	else
		out_json_null(o, "checksum_ok");
}

static void json_verdict(struct json_object *o, const struct infoblock_look *l)
{
	const struct pmk_infoblock_report *r = &l->rep;
	struct json_object *effective = NULL;

	out_json_bool(o, "loads", !r->error);
	json_str_or_null(o, "errno",
			 r->error ? pmk_error_name(r->error) : NULL);
	json_str_or_null(
		o, "check",
		r->error ? pmk_infoblock_check_name((unsigned int)r->failed)
			 : NULL);
	json_str_or_null(o, "reason", r->reason);
	json_str_or_null(o, "detail", *r->detail ? r->detail : NULL);
	json_str_or_null(o, "kernel_says", *r->says ? r->says : NULL);
	json_str_or_null(o, "remedy", r->remedy);
	json_u64_if(o, "usable_bytes", r->usable, r->usable);
	if (is_pfn(l)) {
		effective = json_object_new_object();
		json_pfn(effective, &r->effective, true);
		out_json_add(o, "effective", effective);
	} else {
		out_json_null(o, "effective");
	}
}

static void json_lists(struct json_object *o, const struct infoblock_look *l)
{
	struct json_object *checks = json_object_new_array();
	struct json_object *notes = json_object_new_array();
	const char *name;

	for (unsigned int i = 0; (name = pmk_infoblock_check_name(i)); i++) {
		struct json_object *c = json_object_new_object();

		out_json_str(c, "name", name);
		out_json_name(c, "result", result_name(l->rep.results[i]));
		out_json_str(c, "demand", pmk_infoblock_check_text(i));
		if (json_object_array_add(checks, c))
			out_of_memory();
	}
	for (const char *const *n = l->rep.notes; *n; n++)
		if (json_object_array_add(notes, json_object_new_string(*n)))
			out_of_memory();
	out_json_add(o, "checks", checks);
	out_json_add(o, "notes", notes);
}

static void json_place(struct json_object *o, const struct infoblock_look *l)
{
	const struct pmk_infoblock_place *p = &l->place;
	struct json_object *t;

	if (!l->translate) {
		out_json_null(o, "translate");
		return;
	}
	t = json_object_new_object();
	out_json_str(t, "area", pmk_infoblock_area_name(p->area));
	out_json_u64(t, "device_bytes", l->offset + p->namespace_off);
	out_json_u64(t, "namespace_bytes", p->namespace_off);
	json_u64_if(t, "data_bytes", p->area == PMK_INFOBLOCK_AREA_DATA,
		    p->data_off);
	json_u64_if(t, "physical_address", l->ns.start_known, p->physical);
	json_u64_if(t, "struct_page_device_bytes", p->struct_page_off,
		    l->offset + p->struct_page_off);
	out_json_add(o, "translate", t);
}

void infoblock_print_json(const struct infoblock_look *l)
{
	struct json_object *o = out_json();

	out_json_path(o, "path", l->path);
	json_namespace(o, l);
	json_verdict(o, l);
	json_block(o, l);
	json_lists(o, l);
	json_place(o, l);
	out_json_end(o);
}
