/* SPDX-License-Identifier: BSD-3-Clause */
/* Print what pmk wc info has found out: as rows, and as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include "base/size.h"
#include "out.h"
#include "wc/info_out.h"
#include "wc/wc_opt.h"

static char mode_of(const struct wc_info *info)
{
	return info->params->table.mode ? info->params->table.mode : 's';
}

static uint64_t superblock_at(const struct wc_info *info)
{
	return info->params->offset +
	       info->params->table.start_sector * PMK_WC_SECTOR;
}

/* The magic or the version is not right, but the rest may be. */
static bool doubtful(const struct wc_info *info)
{
	return info->has_geo && info->layout != PMK_WC_LAYOUT_V1;
}

static void row_verdict(struct libscols_table *tb, const struct wc_info *info)
{
	const struct pmk_wc_load *l = &info->load;
	char text[160];

	switch (l->verdict) {
	case PMK_WC_LOADS:
		snprintf(text, sizeof(text), "the kernel loads it");
		break;
	case PMK_WC_FORMATS:
		snprintf(text, sizeof(text),
			 "the kernel formats it: all that is there is lost");
		break;
	case PMK_WC_LOADS_WITH_ERROR:
		snprintf(text, sizeof(text),
			 "the kernel loads it, with an error: %s",
			 l->message ? l->message : pmk_strerror(l->error));
		break;
	default:
		snprintf(text, sizeof(text), "the kernel refuses it: %s (%s)",
			 l->message, pmk_error_name(l->error));
		break;
	}
	out_row(tb, "verdict", text, NULL);
}

static void row_offset(struct libscols_table *tb, const char *name, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	out_row(tb, name, text, NULL);
}

static void rows_counts(struct libscols_table *tb, const struct wc_info *info)
{
	const struct pmk_wc_counts *c = &info->counts;
	uint64_t used = c->committed + c->uncommitted, n = info->geo.n_blocks;
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64 " (%.1f %%)",
		 used, n, n ? 100.0 * (double)used / (double)n : 0.0);
	out_row(tb, "blocks used", text, NULL);
	out_row_u64(tb, "committed", c->committed);
	out_row_u64(tb, "superseded", c->superseded);
	out_row_u64(tb, "uncommitted", c->uncommitted);
	out_row_u64(tb, "free", c->free);
	if (c->unreadable)
		out_row_u64(tb, "unreadable", c->unreadable);
	out_row_size(tb, "dirty", c->dirty_bytes);
}

static void rows_geometry(struct libscols_table *tb, const struct wc_info *info)
{
	out_row_size(tb, "block size", info->geo.block_size);
	out_row_u64(tb, "commits", info->sb.seq_count);
	rows_counts(tb, info);
	row_offset(tb, "superblock at", superblock_at(info));
	row_offset(tb, "data at", superblock_at(info) + info->geo.data_off);
	row_offset(tb, "end at", superblock_at(info) + info->geo.end);
	out_row_size(tb, "kernel memory",
		     pmk_wc_kernel_bytes(info->geo.n_blocks, mode_of(info)));
}

static void rows_readings(struct libscols_table *tb, const struct wc_info *info)
{
	char name[48], size[32], text[160];

	for (unsigned int i = 0; i < info->n_readings; i++) {
		const struct wc_reading *r = &info->readings[i];

		pmk_size_format(r->counts.dirty_bytes, size, sizeof(size));
		snprintf(name, sizeof(name), "if commits were %" PRIu64,
			 r->seq_count);
		snprintf(text, sizeof(text),
			 "%" PRIu64 " committed, %" PRIu64 " superseded, "
			 "%" PRIu64 " uncommitted, %s dirty",
			 r->counts.committed, r->counts.superseded,
			 r->counts.uncommitted, size);
		out_row(tb, name, text, NULL);
	}
}

int info_print_table(const struct wc_info *info)
{
	struct libscols_table *tb = out_table("", "", NULL);

	out_row(tb, "layout", pmk_wc_layout_name(info->layout), NULL);
	row_verdict(tb, info);
	if (doubtful(info))
		out_row(tb, "in doubt",
			"magic or version is wrong, but the rest fits the "
			"device: this is what it says",
			NULL);
	if (info->seq_lost)
		out_row(tb, "in doubt",
			"entries are newer than the superblock: its number of "
			"commits is not the right one",
			NULL);
	if (info->has_geo)
		rows_geometry(tb, info);
	rows_readings(tb, info);
	return out_table_end(tb);
}

static void json_counts(struct json_object *o, const struct pmk_wc_counts *c)
{
	out_json_u64(o, "committed", c->committed);
	out_json_u64(o, "superseded", c->superseded);
	out_json_u64(o, "uncommitted", c->uncommitted);
	out_json_u64(o, "free", c->free);
	out_json_u64(o, "unreadable", c->unreadable);
	out_json_u64(o, "dirty_bytes", c->dirty_bytes);
}

static void json_str_or_null(struct json_object *o, const char *key,
			     const char *s)
{
	if (s)
		out_json_str(o, key, s);
	else
		out_json_null(o, key);
}

static void json_verdict(struct json_object *o, const struct wc_info *info)
{
	const struct pmk_wc_load *l = &info->load;

	out_json_str(o, "verdict", wc_verdict_name(l->verdict));
	json_str_or_null(o, "errno",
			 l->error ? pmk_error_name(l->error) : NULL);
	json_str_or_null(o, "kernel_message", l->message);
}

static void json_geometry(struct json_object *o, const struct wc_info *info)
{
	out_json_u64(o, "block_size_bytes", info->geo.block_size);
	out_json_u64(o, "n_blocks", info->geo.n_blocks);
	out_json_u64(o, "seq_count", info->sb.seq_count);
	json_counts(o, &info->counts);
	out_json_u64(o, "data_offset_bytes", info->geo.data_off);
	out_json_u64(o, "end_offset_bytes", info->geo.end);
	out_json_u64(o, "kernel_memory_bytes",
		     pmk_wc_kernel_bytes(info->geo.n_blocks, mode_of(info)));
}

static void json_readings(struct json_object *o, const struct wc_info *info)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; list && i < info->n_readings; i++) {
		struct json_object *r = json_object_new_object();

		out_json_u64(r, "seq_count", info->readings[i].seq_count);
		json_counts(r, &info->readings[i].counts);
		if (json_object_array_add(list, r))
			out_of_memory();
	}
	out_json_add(o, "readings", list);
}

int info_print_json(const struct wc_info *info)
{
	struct json_object *o = out_json();
	char mode[2] = { mode_of(info), '\0' };

	out_json_path(o, "path", info->path);
	out_json_u64(o, "offset_bytes", info->params->offset);
	out_json_u64(o, "start_sector", info->params->table.start_sector);
	out_json_str(o, "layout", pmk_wc_layout_name(info->layout));
	out_json_str(o, "mode", mode);
	json_verdict(o, info);
	out_json_bool(o, "superblock_in_doubt",
		      doubtful(info) || info->seq_lost);
	if (info->has_geo)
		json_geometry(o, info);
	json_readings(o, info);
	return out_json_end(o);
}
