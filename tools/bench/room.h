/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that a benchmark works on: DRAM as an emulated mapping, or what
 * --on names.  Nothing of value is overwritten unless --overwrite was given.
 */
#ifndef TOOLS_BENCH_ROOM_H
#define TOOLS_BENCH_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include <pmk/map.h>

struct bench_options;
struct bench_suite;

struct bench_room {
	struct pmk_map *map;
	char *addr;  /* aligned to 2 MiB */
	size_t size; /* at least what was asked for, see below */
	/* to be set before it is opened: a file whose granularity is a page
	 * will do; otherwise it is refused, with the reason */
	bool allow_pages;
	/* what is to be undone at the end */
	const char *path;
	bool created;
	bool was_empty;
};

/*
 * Room on the medium that is measured: an emulated mapping on a memfd, or
 * opt->on.  @want bytes; an existing file or device may have less, but not less
 * than @least (give the same twice if nothing smaller will do).  Every page has
 * been written.  Says in the suite's host facts what medium that is.  EXIT_OK,
 * or an exit code after a message.
 */
int bench_room_open(struct bench_room *r, struct bench_suite *s, size_t want,
		    size_t least);

/* Ordinary memory for the other end of a copy: never on opt->on.  @r is filled
 * in the same way.  EXIT_OK, or an exit code after a message. */
int bench_room_dram(struct bench_room *r, size_t size);

/* Also after a failed open of a room that was zero before. */
void bench_room_close(struct bench_room *r);

#endif /* TOOLS_BENCH_ROOM_H */
