/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text form of a cache: JSON lines.  The first is the superblock, the
 * others entries, in their order; an entry that has no line is all ones, as
 * after formatting.  The last one says how many are before it, so that one that
 * is cut off is seen.  Data of blocks, and other bytes, are in a file of their
 * own, of which lines have offsets.
 */
#ifndef TOOLS_WC_DUMP_H
#define TOOLS_WC_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pmk/wc_image.h>

#include "progress.h"

/* The version of this form. */
#define WC_DUMP_VERSION 1U
/* The file with data, in the directory that is given. */
#define WC_DUMP_BLOCKS "blocks"
/* Bytes that belong to no block are kept in pieces of this. */
#define WC_DUMP_PIECE 65536U

struct wc_dump {
	const char *path; /* of the cache */
	const struct pmk_wc_image *img;
	bool all;
	FILE *f;               /* gets the lines */
	int data_fd;           /* gets the data; -1: nothing does */
	const char *data_path; /* for messages */
	uint64_t data_end;     /* of what was written to it */
	unsigned char *buf;    /* WC_DUMP_PIECE */
	unsigned char *losers; /* a bit for each entry */
	uint64_t lines;        /* that were written */
	uint64_t bad_blocks;   /* whose data could not be read */
	uint64_t bad_entries;  /* that could not be read */
	/* bytes of neither that could not be read, and where the first is */
	uint64_t bad_spare, bad_spare_at;
	struct progress bar;
	uint64_t room; /* bytes of the device from the superblock on */
};

/* All lines, and the data; there is a geometry.  EXIT_OK, EXIT_FAIL after a
 * message; EXIT_BAD after messages: some could not be read. */
int wc_dump_write(struct wc_dump *d);

#endif /* TOOLS_WC_DUMP_H */
