/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pmk bench wc compares: the same engine, which stores its metadata and
 * data in different ways.  Each side has a cache of its own, of the same size,
 * and writes the blocks of half of it again and again, in order; there is no
 * origin, so nothing else is measured.  The kernel's dm-writecache may be one
 * more side (wc_beside.h).
 */
#ifndef TOOLS_BENCH_WC_SIDES_H
#define TOOLS_BENCH_WC_SIDES_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/wc.h>

#include "bench/suite.h"

/* Ours, and inline, call, explicit, clflushopt without that. */
#define WC_SIDES 5
/* With the kernel's. */
#define WC_SIDES_ALL (WC_SIDES + 1)
/* Of each side: more than the last level of a cache keeps of all of them. */
#define WC_ROOM ((size_t)16 << 20)
/* Whatever the block, 64 commits of 64. */
#define WC_ROOM_LEAST ((size_t)34 << 20)

struct bench_room;
struct wc_beside;

struct wc_side {
	enum pmk_wc_store store;
	struct pmk_wc *wc;
	const struct wc_beside *kernel; /* in place of wc */
	uint64_t syncs;                 /* of the kernel's */
	uint64_t blocks;                /* that are written in turn */
	uint64_t next;
	uint64_t left; /* writes until a commit */
	uint32_t block;
	uint32_t every; /* writes to a commit */
	const unsigned char *src;
	int *failure;
};

/* What one block costs in metadata, on average over many. */
struct wc_cost {
	double bytes, stores, fences;
};

struct wc_sides {
	size_t n;
	struct pmk_map *map;
	size_t each; /* bytes of a side */
	struct wc_side side[WC_SIDES];
	const struct wc_beside *beside; /* or NULL */
	struct wc_side kernel;
	unsigned char *src;
	int failure;
};

/* In @room; side 0 stores as @ours says; @beside is open, or NULL.  EXIT_OK, or
 * an exit code after a message. */
int wc_sides_open(struct wc_sides *w, const struct bench_room *room,
		  enum pmk_wc_store ours, const struct wc_beside *beside);
void wc_sides_close(struct wc_sides *w);

/* New caches of @block bytes a block, a commit after each @every writes; all
 * that will be written has been, once.  EXIT_OK, or an exit code. */
int wc_sides_ready(struct wc_sides *w, uint32_t block, uint32_t every,
		   struct bench_side_def defs[WC_SIDES_ALL]);
/* How many that are: those of the engine, and the kernel's. */
size_t wc_sides_count(const struct wc_sides *w);
/* Counted by the engine, after the measurement.  EXIT_OK, or an exit code if
 * any call of the engine has failed so far. */
int wc_sides_cost(struct wc_sides *w, struct wc_cost *cost_ret);

/* A block, from or to memory aligned to a page, and a commit, by the engine or
 * the kernel; 0, or what it failed with. */
int wc_side_write(struct wc_side *s, uint64_t block, const void *buf);
int wc_side_read(struct wc_side *s, uint64_t block, void *buf);
int wc_side_commit(struct wc_side *s);
/* Commits so far. */
uint64_t wc_side_commits(const struct wc_side *s);

#endif /* TOOLS_BENCH_WC_SIDES_H */
