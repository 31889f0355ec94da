/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that a memmap is built in: ordinary memory in huge pages, as
 * kernels map theirs, or what --on names.
 */
#ifndef TOOLS_MEMMAP_SIM_ROOM_H
#define TOOLS_MEMMAP_SIM_ROOM_H

#include <stdint.h>

#include "bench/room.h"

struct bench_suite;

struct sim_room {
	char *buf;
	size_t len;
	/* what is undone at the end: one of the two */
	void *anon;
	size_t anon_len;
	struct bench_room room;
};

/*
 * Room for @want bytes, all of it written once; less if there is less memory,
 * or less than @most (0: no limit), but never less than @least.  Opened on
 * s->opt->on, unless that is NULL; s->host says what it is.  EXIT_OK, or an
 * exit code after a message.
 */
int sim_room_open(struct sim_room *r, struct bench_suite *s, uint64_t want,
		  uint64_t least, uint64_t most);
void sim_room_close(struct sim_room *r);

#endif /* TOOLS_MEMMAP_SIM_ROOM_H */
