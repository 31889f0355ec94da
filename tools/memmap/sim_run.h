/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulation that is timed: every engine builds the memmap once a rebind, in
 * turn with the others and with a bare fill of the same memory.
 */
#ifndef TOOLS_MEMMAP_SIM_RUN_H
#define TOOLS_MEMMAP_SIM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/memmap.h>

#include "progress.h"

#define SIM_ENGINES 5
/* What takes turns: the engines, and the fill behind them. */
#define SIM_FILL    SIM_ENGINES
#define SIM_SIDES   (SIM_ENGINES + 1)
#define SIM_REBINDS 1000 /* at most */
#define SIM_THREADS 64   /* at most */

struct sim_side {
	bool measured;
	double *ms; /* of each rebind */
	double mean_ms;
	double median_ms;
	double min_ms;
};

struct sim_run {
	struct pmk_memmap *map;
	unsigned int page_bytes;
	unsigned int threads;
	unsigned int rebinds;
	/* the memory, and the window of the memmap that it holds */
	char *buf;
	size_t len;
	uint64_t windows; /* of the memmap, one after the other; 1: all of it */
	uint64_t written; /* struct pages that an engine writes in a rebind */
	double altmap_ms; /* mean; pages of the altmap, before an engine */
	struct sim_side side[SIM_SIDES];
	struct progress bar;
	uint64_t done; /* bytes, for the bar */
};

/* The first frame of data: what engines write begins there. */
uint64_t sim_data_frame(const struct pmk_memmap *map);

/* The first frame behind @frame at which the memmap may be cut. */
uint64_t sim_next_cut(const struct pmk_memmap *map, uint64_t frame);

/* The frame behind the window that begins with @first: as many as there is room
 * for in @len bytes, which are enough for a piece. */
uint64_t sim_window_end(const struct pmk_memmap *map, uint64_t first,
			size_t len);

/* Time all rebinds of the sides that are to be measured.  EXIT_OK, or an exit
 * code after a message. */
int sim_run(struct sim_run *r);
void sim_run_free(struct sim_run *r);

#endif /* TOOLS_MEMMAP_SIM_RUN_H */
