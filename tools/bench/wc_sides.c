/* SPDX-License-Identifier: BSD-3-Clause */
/* The sides of pmk bench wc. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/map.h>

#include "base/util.h"
#include "bench/room.h"
#include "bench/wc_beside.h"
#include "bench/wc_sides.h"
#include "out.h"
#include "pmk.h"

/* Blocks of which what they cost is averaged; a multiple of all that can be
 * between two commits would be best, many are as good. */
#define COST_COMMITS 64U

static void fail(struct wc_side *s, int rc)
{
	if (rc && !*s->failure)
		*s->failure = rc;
}

int wc_side_write(struct wc_side *s, uint64_t block, const void *buf)
{
	uint64_t off = block * s->block;

	if (s->kernel)
		return wc_beside_write(s->kernel, off, buf, s->block);
	return pmk_wc_write(s->wc, off, buf, s->block, 0);
}

int wc_side_read(struct wc_side *s, uint64_t block, void *buf)
{
	uint64_t off = block * s->block;

	if (s->kernel)
		return wc_beside_read(s->kernel, off, buf, s->block);
	return pmk_wc_read(s->wc, off, buf, s->block);
}

int wc_side_commit(struct wc_side *s)
{
	if (!s->kernel)
		return pmk_wc_commit(s->wc);
	s->syncs++;
	return wc_beside_commit(s->kernel);
}

uint64_t wc_side_commits(const struct wc_side *s)
{
	struct pmk_wc_stats stats;

	if (s->kernel)
		return s->syncs;
	pmk_wc_get_stats(s->wc, &stats);
	return stats.commits;
}

static void write_next(struct wc_side *s)
{
	fail(s, wc_side_write(s, s->next, s->src));
	if (++s->next == s->blocks)
		s->next = 0;
	if (--s->left)
		return;
	fail(s, wc_side_commit(s));
	s->left = s->every;
}

static void run(void *arg, uint64_t ops)
{
	struct wc_side *s = arg;

	for (uint64_t i = 0; i < ops && !*s->failure; i++)
		write_next(s);
}

static const char *name(enum pmk_wc_store store, uint32_t block)
{
	return pmk_wc_store_name(store, block);
}

int wc_sides_open(struct wc_sides *w, const struct bench_room *room,
		  enum pmk_wc_store ours, const struct wc_beside *beside)
{
	*w = (struct wc_sides){ .map = room->map, .beside = beside };
	w->each = room->size / WC_SIDES / 4096 * 4096;
	if (w->each > WC_ROOM)
		w->each = WC_ROOM;
	if (!name(ours, 0))
		return out_error("this CPU has no CLFLUSHOPT");
	/* the kernel's side reads it with O_DIRECT */
	w->src = aligned_alloc(4096, 65536);
	if (!w->src)
		out_of_memory();
	memset(w->src, 0x5a, 65536);
	w->side[0].store = ours;
	return EXIT_OK;
}

static void close_all(struct wc_sides *w)
{
	for (size_t i = 0; i < w->n; i++) {
		int rc = pmk_wc_close(w->side[i].wc);

		w->side[i].wc = NULL;
		fail(&w->side[i], rc);
	}
	w->n = 0;
}

void wc_sides_close(struct wc_sides *w)
{
	close_all(w);
	free(w->src);
}

/* Nobody is ours a second time. */
static void choose(struct wc_sides *w, uint32_t block)
{
	const char *ours = name(w->side[0].store, block);

	w->n = 1;
	for (int s = PMK_WC_STORE_INLINE; s <= PMK_WC_STORE_CLFLUSHOPT; s++) {
		enum pmk_wc_store store = (enum pmk_wc_store)s;

		if (name(store, block) && strcmp(name(store, block), ours))
			w->side[w->n++].store = store;
	}
}

/* Write everything once, so that each block after that replaces one. */
static void fill(struct wc_side *s)
{
	for (uint64_t k = 0; k < s->blocks && !*s->failure; k++)
		write_next(s);
	fail(s, wc_side_commit(s));
	s->next = 0;
	s->left = s->every;
}

static int make(struct wc_sides *w, size_t i, uint32_t block, uint32_t every)
{
	struct wc_side *s = &w->side[i];
	const struct pmk_wc_params p = {
		.offset = i * w->each,
		.size = w->each,
		.block_size = block,
		.flags = PMK_WC_FORCE,
		.autocommit_blocks = UINT32_MAX, /* see write_next() */
		.store = s->store,
	};
	struct pmk_wc_info info;
	int rc = pmk_wc_create_map(w->map, &p);

	*s = (struct wc_side){ .store = s->store,
			       .block = block,
			       .every = every,
			       .left = every,
			       .src = w->src,
			       .failure = &w->failure };
	if (!rc)
		rc = pmk_wc_open_map(w->map, -1, &p, &s->wc);
	if (rc)
		return rc;
	pmk_wc_get_info(s->wc, &info);
	s->blocks = info.geometry.n_blocks / 2;
	fill(s);
	return w->failure;
}

/* The blocks that side 0 writes. */
static int make_kernel(struct wc_sides *w)
{
	struct wc_side *s = &w->kernel;
	uint64_t bytes = w->side[0].blocks * w->side[0].block;

	if (w->beside->size < bytes)
		return out_error("%s: too small: %" PRIu64
				 " bytes, and %" PRIu64 " are written",
				 w->beside->path, w->beside->size, bytes);
	*s = w->side[0];
	s->wc = NULL;
	s->kernel = w->beside;
	fill(s);
	return w->failure ? out_fail(w->beside->path, w->failure, NULL)
			  : EXIT_OK;
}

size_t wc_sides_count(const struct wc_sides *w)
{
	return w->n + (w->beside ? 1 : 0);
}

int wc_sides_ready(struct wc_sides *w, uint32_t block, uint32_t every,
		   struct bench_side_def defs[WC_SIDES_ALL])
{
	close_all(w);
	choose(w, block);
	for (size_t i = 0; i < w->n; i++) {
		int rc = make(w, i, block, every);

		if (rc)
			return out_fail("writecache", rc, NULL);
		defs[i] = (struct bench_side_def){
			.key = i ? name(w->side[i].store, block) : "pmk",
			.variant = i ? NULL : name(w->side[i].store, block),
			.fn = { .run = run, .arg = { &w->side[i] } },
		};
	}
	if (!w->beside)
		return EXIT_OK;
	defs[w->n] = (struct bench_side_def){
		.key = "kernel",
		.fn = { .run = run, .arg = { &w->kernel } },
	};
	return make_kernel(w);
}

int wc_sides_cost(struct wc_sides *w, struct wc_cost *cost_ret)
{
	struct wc_side *s = &w->side[0];
	uint64_t n = (uint64_t)s->every * COST_COMMITS;
	struct pmk_wc_stats was, now;

	s->left = s->every;
	fail(s, pmk_wc_commit(s->wc));
	pmk_wc_get_stats(s->wc, &was);
	run(s, n);
	pmk_wc_get_stats(s->wc, &now);
	*cost_ret = (struct wc_cost){
		.bytes = (double)(now.metadata_bytes - was.metadata_bytes) /
			 (double)n,
		.stores = (double)(now.metadata_stores - was.metadata_stores) /
			  (double)n,
		.fences = (double)(now.fences - was.fences) / (double)n,
	};
	return w->failure ? out_fail("writecache", w->failure, NULL) : EXIT_OK;
}
