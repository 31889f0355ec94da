/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap verify: does each engine build the struct pages it should? */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "memmap/faults.h"
#include "memmap/verify.h"
#include "out.h"
#include "pmk.h"
#include "progress.h"

/* In struct pages before they are built: no field looks like this. */
#define STALE 0xa5

#define ENGINES_MAX 8U

/* Frames that are built at once, at most: the largest compound, 16 to 24 MiB
 * of struct pages. */
#define PIECE 262144U

/* What came of one engine. */
struct engine_result {
	uint64_t written;
	struct memmap_faults faults;
};

/* Memory for one piece: the struct pages as they are built, and one behind
 * the other for each frame, also where frames share one. */
struct window {
	void *built;
	char *expanded;
};

static void *allocate(uint64_t bytes)
{
	void *p = aligned_alloc(64, pmk_align_up(bytes, 64));

	if (!p)
		out_of_memory();
	return p;
}

static void expand(const struct pmk_memmap *map, uint64_t first, uint64_t n,
		   size_t page_bytes, const struct window *w)
{
	for (uint64_t i = 0; i < n; i++)
		memcpy(w->expanded + i * page_bytes,
		       pmk_memmap_page(map, first, w->built, first + i),
		       page_bytes);
}

/* Build and check @n frames; 0, or -errno. */
static int run_window(const struct memmap_verify *v, unsigned int engine,
		      struct pmk_memmap *map, uint64_t first, uint64_t n,
		      const struct window *w, struct engine_result *r)
{
	int stale = v->untouched < 0 ? STALE : v->untouched;
	int64_t rc;

	memset(w->built, stale, pmk_memmap_bytes(map, first, n));
	pmk_memmap_build_altmap(map, first, n, w->built);
	rc = pmk_memmap_build(map, engine, first, n, w->built);
	if (rc < 0)
		return (int)rc;
	r->written += (uint64_t)rc;
	expand(map, first, n, v->opt.sim.page_bytes, w);
	rc = pmk_memmap_verify(&v->opt.sim, first, n, w->expanded, stale,
			       memmap_faults_hear, &r->faults);
	return rc < 0 ? (int)rc : 0;
}

/* The frame behind the piece that begins with @first. */
static uint64_t piece_end(const struct pmk_memmap *map, uint64_t first)
{
	uint64_t frames = pmk_memmap_frames(map);

	return frames - first <= PIECE ? frames
				       : pmk_memmap_cut(map, first + PIECE);
}

static int run_windows(const struct memmap_verify *v, unsigned int engine,
		       struct pmk_memmap *map, struct progress *p,
		       struct engine_result *r)
{
	uint64_t frames = pmk_memmap_frames(map);
	uint64_t most = frames < PIECE ? frames : PIECE;
	_cleanup_free_ void *built = allocate(most * v->opt.sim.page_bytes);
	_cleanup_free_ char *expanded = allocate(most * v->opt.sim.page_bytes);
	const struct window w = { built, expanded };
	uint64_t first = 0;
	int rc = 0;

	while (first < frames && !rc) {
		uint64_t end = piece_end(map, first);

		rc = run_window(v, engine, map, first, end - first, &w, r);
		progress_update(p, (engine * frames + end) *
					   v->opt.sim.page_bytes);
		first = end;
	}
	return rc;
}

/* All of the namespace, and its page blocks; 0, or -errno. */
static int run_engine(const struct memmap_verify *v, unsigned int engine,
		      struct progress *p, struct engine_result *r)
{
	struct pmk_memmap *map;
	int64_t bad;
	int rc;

	rc = pmk_memmap_new(&v->opt.sim, &map);
	if (rc)
		return rc;
	rc = run_windows(v, engine, map, p, r);
	if (!rc) {
		bad = pmk_memmap_verify_pageblocks(
			&v->opt.sim, pmk_memmap_pageblocks(map),
			pmk_memmap_frames(map) / 512, memmap_faults_hear,
			&r->faults);
		rc = bad < 0 ? (int)bad : 0;
	}
	pmk_memmap_free(map);
	return rc;
}

static uint64_t all_faults(const struct engine_result *results, unsigned int n)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += results[i].faults.count;
	return sum;
}

static void print_table(const struct memmap_verify *v,
			const struct engine_result *results, unsigned int n)
{
	struct libscols_table *tb = out_table("ENGINE", "VERDICT", "FRAMES",
					      "WRITTEN", "FAULTS", NULL);

	for (unsigned int i = 0; i < n; i++) {
		char frames[24], written[24], faults[24];

		snprintf(frames, sizeof(frames), "%" PRIu64,
			 memmap_verify_frames(v));
		snprintf(written, sizeof(written), "%" PRIu64,
			 results[i].written);
		snprintf(faults, sizeof(faults), "%" PRIu64,
			 results[i].faults.count);
		out_row(tb, pmk_memmap_engine_name(i),
			results[i].faults.count ? "wrong" : "good", frames,
			written, faults, NULL);
	}
	out_table_end(tb);
	for (unsigned int i = 0; i < n; i++) {
		if (results[i].faults.count)
			printf("\n%s:", pmk_memmap_engine_name(i));
		memmap_faults_print(&results[i].faults, memmap_verify_pfn(v));
	}
}

static void print_json(const struct memmap_verify *v,
		       const struct engine_result *results, unsigned int n)
{
	struct json_object *list = json_object_new_array();
	struct json_object *o = out_json();

	for (unsigned int i = 0; i < n; i++) {
		struct json_object *row = json_object_new_object();

		out_json_str(row, "engine", pmk_memmap_engine_name(i));
		out_json_bool(row, "good", !results[i].faults.count);
		out_json_u64(row, "struct_pages_written", results[i].written);
		memmap_faults_json(&results[i].faults, memmap_verify_pfn(v),
				   row);
		if (json_object_array_add(list, row))
			out_of_memory();
	}
	out_json_bool(o, "good", !all_faults(results, n));
	out_json_str(o, "kernel", pmk_memmap_kernel_name(v->opt.sim.ns.kernel));
	out_json_u64(o, "frames", memmap_verify_frames(v));
	out_json_add(o, "engines", list);
	out_json_end(o);
}

static unsigned int count_engines(void)
{
	unsigned int n = 0;

	while (n < ENGINES_MAX && pmk_memmap_engine_name(n))
		n++;
	return n;
}

int memmap_verify_engines(struct memmap_verify *v)
{
	struct engine_result results[ENGINES_MAX] = { 0 };
	unsigned int n = count_engines();
	struct progress p;
	int rc = 0;

	progress_start(&p, "verify",
		       n * memmap_verify_frames(v) * v->opt.sim.page_bytes);
	for (unsigned int i = 0; i < n && !rc; i++)
		rc = run_engine(v, i, &p, &results[i]);
	progress_end(&p);
	if (rc)
		return out_error("%s", out_explanation(rc, NULL));
	if (v->json)
		print_json(v, results, n);
	else
		print_table(v, results, n);
	return all_faults(results, n) ? EXIT_BAD : EXIT_OK;
}
