/* SPDX-License-Identifier: BSD-3-Clause */
/* A progress bar on stderr, if that is a terminal. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what;
	uint64_t total;
	uint64_t shown_ns; /* when it was last drawn */
	bool enabled;
};

void progress_start(struct progress *p, const char *what, uint64_t total);

/* @done of the total; draws at most ten times a second. */
void progress_update(struct progress *p, uint64_t done);

/* Wipes the bar off, so that what follows begins on a clean line. */
void progress_end(const struct progress *p);

#endif /* TOOLS_PROGRESS_H */
