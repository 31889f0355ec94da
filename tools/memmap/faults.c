/* SPDX-License-Identifier: BSD-3-Clause */
/* The faults that a check of struct pages finds. */
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include "memmap/faults.h"
#include "out.h"

int memmap_faults_hear(void *arg, const struct pmk_memmap_fault *f)
{
	struct memmap_faults *faults = arg;

	if (faults->count < MEMMAP_FAULTS_KEPT)
		faults->kept[faults->count] = *f;
	faults->count++;
	return 0;
}

static size_t kept(const struct memmap_faults *faults)
{
	return faults->count < MEMMAP_FAULTS_KEPT ? (size_t)faults->count
						  : MEMMAP_FAULTS_KEPT;
}

void memmap_faults_print(const struct memmap_faults *faults, uint64_t first_pfn)
{
	struct libscols_table *tb;
	size_t n = kept(faults);

	if (!n)
		return;
	putchar('\n');
	tb = out_table("FRAME", "PFN", "FIELD", "EXPECTED", "FOUND", NULL);
	for (size_t i = 0; i < n; i++) {
		const struct pmk_memmap_fault *f = &faults->kept[i];
		char frame[24], pfn[24], expected[24], found[24];

		snprintf(frame, sizeof(frame), "%" PRIu64, f->frame);
		snprintf(pfn, sizeof(pfn), "0x%" PRIx64, first_pfn + f->frame);
		snprintf(expected, sizeof(expected), "0x%" PRIx64, f->expected);
		snprintf(found, sizeof(found), "0x%" PRIx64, f->found);
		out_row(tb, frame, pfn, f->field, expected, found, NULL);
	}
	out_table_end(tb);
	if (faults->count > n)
		printf("and %" PRIu64 " more\n", faults->count - n);
}

void memmap_faults_json(const struct memmap_faults *faults, uint64_t first_pfn,
			struct json_object *o)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < kept(faults); i++) {
		const struct pmk_memmap_fault *f = &faults->kept[i];
		struct json_object *row = json_object_new_object();

		out_json_u64(row, "frame", f->frame);
		out_json_u64(row, "pfn", first_pfn + f->frame);
		out_json_str(row, "field", f->field);
		out_json_u64(row, "expected", f->expected);
		out_json_u64(row, "found", f->found);
		if (json_object_array_add(list, row))
			out_of_memory();
	}
	out_json_u64(o, "faults", faults->count);
	out_json_add(o, "first_faults", list);
}
