/* SPDX-License-Identifier: BSD-3-Clause */
/* Print predictions: one as rows "name value", several as a row each. */
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include <pmk/error.h>

#include "base/size.h"
#include "memmap/ns_opt.h"
#include "memmap/predict_out.h"
#include "out.h"

static unsigned int struct_page(const struct prediction *p)
{
	return p->ns.struct_page ? p->ns.struct_page : 64;
}

/* The kernel does not say how much of it was taken by larger ones. */
static bool knows_used(const struct prediction *p)
{
	return p->ns.map == PMK_MEMMAP_MEM || struct_page(p) == 64 ||
	       struct_page(p) == 128;
}

static const char *memmap_in(const struct pmk_memmap_layout *l)
{
	if (l->memmap_pmem_bytes && l->memmap_dram_bytes)
		return "both";
	return l->memmap_pmem_bytes ? "pmem" : "dram";
}

static void row_hex(struct libscols_table *tb, const char *name, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	out_row(tb, name, text, NULL);
}

/* What has been asked for. */
static void rows_asked(struct libscols_table *tb, const struct prediction *p)
{
	out_row(tb, "mode", pmk_mode_name(p->ns.mode), NULL);
	out_row(tb, "map", memmap_opt_map_name(p->ns.map), NULL);
	out_row_size(tb, "alignment", p->ns.align);
	row_hex(tb, "start", p->ns.start);
	/* there is none if the wanted one was not found */
	if (p->ns.size)
		out_row_size(tb, "size", p->ns.size);
	out_row_size(tb, "struct page", struct_page(p));
	out_row(tb, "kernel", pmk_memmap_kernel_name(p->ns.kernel), NULL);
}

static void rows_altmap(struct libscols_table *tb, const struct prediction *p)
{
	const struct pmk_memmap_layout *l = &p->layout;

	if (p->ns.map != PMK_MEMMAP_DEV)
		return;
	out_row_u64(tb, "altmap pages reserved", l->altmap_reserve);
	out_row_u64(tb, "altmap pages free", l->altmap_free);
	if (knows_used(p))
		out_row_u64(tb, "altmap pages used", l->altmap_used);
	else
		out_row(tb, "altmap pages used", "not known", NULL);
}

static void rows_result(struct libscols_table *tb, const struct prediction *p)
{
	const struct pmk_memmap_layout *l = &p->layout;

	out_row_size(tb, "usable", l->usable);
	out_row_size(tb, "data at offset", l->dataoff);
	out_row_u64(tb, "data pages", l->npfns);
	out_row_size(tb, "left out at the end", l->end_trunc);
	rows_altmap(tb, p);
	out_row_u64(tb, "pages initialised", l->init_pages);
	out_row_u64(tb, "struct pages written", l->struct_pages_written);
	out_row_size(tb, "memmap", l->memmap_bytes);
	out_row_size(tb, "memmap in pmem", l->memmap_pmem_bytes);
	out_row_size(tb, "memmap in DRAM", l->memmap_dram_bytes);
	if (p->ns.n_ram)
		out_row_u64(tb, "sections shared with RAM", l->shared_sections);
}

static void print_one(const struct prediction *p)
{
	struct libscols_table *tb = out_table("", "", NULL);
	char text[128];

	rows_asked(tb, p);
	if (p->rc) {
		snprintf(text, sizeof(text), "%s: %s", pmk_error_name(p->rc),
			 p->layout.reason);
		out_row(tb, "refused by the kernel", text, NULL);
	} else {
		rows_result(tb, p);
	}
	if (p->layout.warning)
		out_row(tb, "warning", p->layout.warning, NULL);
	if (p->ndctl_refuses)
		out_row(tb, "refused by ndctl", p->ndctl_refuses, NULL);
	if (p->ndctl_size)
		out_row_size(tb, "size that ndctl takes", p->ndctl_size);
	out_table_end(tb);
}

static const char *size(uint64_t bytes, char buf[24])
{
	return pmk_size_format(bytes, buf, 24);
}

/* The last column: refusals and warnings. */
static void notes(const struct prediction *p, char *buf, size_t len)
{
	const char *what = p->rc ? p->layout.reason : p->layout.warning;

	snprintf(buf, len, "%s%s%s%s%s%s", p->rc ? pmk_error_name(p->rc) : "",
		 p->rc ? ": " : "", what ? what : "",
		 what && p->ndctl_refuses ? "; " : "",
		 p->ndctl_refuses ? "refused by ndctl: " : "",
		 p->ndctl_refuses ? p->ndctl_refuses : "");
}

static void print_row(struct libscols_table *tb, const struct prediction *p)
{
	char start[24], raw[24], align[24], usable[24], off[24], memmap[24];
	char written[24], note[512];
	const struct pmk_memmap_layout *l = &p->layout;

	snprintf(start, sizeof(start), "0x%" PRIx64, p->ns.start);
	snprintf(written, sizeof(written), "%" PRIu64, l->struct_pages_written);
	notes(p, note, sizeof(note));
	out_row(tb, start, size(p->ns.size, raw), pmk_mode_name(p->ns.mode),
		memmap_opt_map_name(p->ns.map), size(p->ns.align, align),
		p->rc ? "-" : size(l->usable, usable),
		p->rc ? "-" : size(l->dataoff, off), p->rc ? "-" : written,
		p->rc ? "-" : size(l->memmap_bytes, memmap), note, NULL);
}

void predict_print_table(const struct prediction *p, size_t n)
{
	struct libscols_table *tb;

	if (n == 1) {
		print_one(p);
		return;
	}
	tb = out_table("START", "SIZE", "MODE", "MAP", "ALIGN", "USABLE",
		       "DATAOFF", "WRITTEN", "MEMMAP", "NOTE", NULL);
	for (size_t i = 0; i < n; i++)
		print_row(tb, &p[i]);
	out_table_end(tb);
}

static void json_str(struct json_object *o, const char *key, const char *s)
{
	if (s)
		out_json_str(o, key, s);
	else
		out_json_null(o, key);
}

static void json_if(struct json_object *o, const char *key, bool known,
		    uint64_t v)
{
	if (known)
		out_json_u64(o, key, v);
	else
		out_json_null(o, key);
}

static void json_asked(struct json_object *o, const struct prediction *p)
{
	out_json_str(o, "mode", pmk_mode_name(p->ns.mode));
	out_json_str(o, "map", memmap_opt_map_name(p->ns.map));
	out_json_u64(o, "align_bytes", p->ns.align);
	out_json_u64(o, "start_bytes", p->ns.start);
	json_if(o, "size_bytes", p->ns.size, p->ns.size);
	json_if(o, "usable_wanted_bytes", p->wanted, p->wanted);
	out_json_u64(o, "struct_page_bytes", struct_page(p));
	out_json_str(o, "kernel", pmk_memmap_kernel_name(p->ns.kernel));
	out_json_u64(o, "ways", p->ways);
}

static void json_result(struct json_object *o, const struct prediction *p)
{
	const struct pmk_memmap_layout *l = &p->layout;
	bool ok = !p->rc;

	json_if(o, "dataoff_bytes", ok, l->dataoff);
	json_if(o, "npfns", ok, l->npfns);
	json_if(o, "usable_bytes", ok, l->usable);
	json_if(o, "end_trunc_bytes", ok, l->end_trunc);
	json_if(o, "altmap_reserve_pages", ok, l->altmap_reserve);
	json_if(o, "altmap_free_pages", ok, l->altmap_free);
	json_if(o, "altmap_used_pages", ok && knows_used(p), l->altmap_used);
	json_if(o, "pr_debug_pages", ok, l->init_pages);
	json_if(o, "struct_pages_written", ok, l->struct_pages_written);
	json_if(o, "memmap_bytes", ok, l->memmap_bytes);
	json_if(o, "memmap_dram_bytes", ok, l->memmap_dram_bytes);
	json_if(o, "memmap_pmem_bytes", ok, l->memmap_pmem_bytes);
	json_str(o, "memmap_in", ok ? memmap_in(l) : NULL);
	json_if(o, "shared_sections", ok && p->ns.n_ram, l->shared_sections);
}

static void json_one(struct json_object *o, const struct prediction *p)
{
	json_asked(o, p);
	json_result(o, p);
	json_str(o, "errno", p->rc ? pmk_error_name(p->rc) : NULL);
	json_str(o, "reason", p->layout.reason);
	json_str(o, "warning", p->layout.warning);
	json_str(o, "ndctl_refuses", p->ndctl_refuses);
	json_if(o, "ndctl_size_bytes", p->ndctl_size, p->ndctl_size);
}

void predict_print_json(const struct prediction *p, size_t n)
{
	struct json_object *o = out_json();
	struct json_object *list = n > 1 ? json_object_new_array() : NULL;

	if (n == 1)
		json_one(o, p);
	else
		out_json_add(o, "namespaces", list);
	for (size_t i = 0; list && i < n; i++) {
		struct json_object *item = json_object_new_object();

		if (!item || json_object_array_add(list, item))
			out_of_memory();
		json_one(item, &p[i]);
	}
	out_json_end(o);
}
