/* SPDX-License-Identifier: BSD-3-Clause */
/* Make the image of a cache from its text form. */
#ifndef TOOLS_WC_RESTORE_H
#define TOOLS_WC_RESTORE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/wc_format.h>

#include "progress.h"

struct wc_restore {
	const char *input; /* for messages: of the lines */
	int in;
	const char *output;    /* for messages: of the image */
	int out;               /* a new file */
	const char *data_path; /* NULL: there is none */
	int data;
	bool force; /* also if lines are missing */
	/* what the first line said */
	struct pmk_wc_superblock sb;
	struct pmk_wc_geometry geo;
	uint64_t device_bytes;
	uint64_t base; /* of the superblock in the image */
	bool with_data;
	/* where we are */
	uint64_t line;
	bool ended;           /* the last line was met */
	uint64_t next;        /* entry */
	unsigned char *buf;   /* a piece of the entries */
	uint64_t buf_first;   /* its first entry */
	unsigned char *block; /* data on its way */
	struct progress bar;
	/* results */
	uint64_t in_use;
	uint64_t without_data; /* dirty or not read, and zeros in the image */
	uint64_t unreadable;   /* entries, which are free in the image */
	bool incomplete;       /* lines are missing */
};

/* All of it, durable in the end; EXIT_OK, or EXIT_FAIL after a message. */
int wc_restore_read(struct wc_restore *r);

#endif /* TOOLS_WC_RESTORE_H */
