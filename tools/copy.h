/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of pmk copy share. */
#ifndef TOOLS_COPY_H
#define TOOLS_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/map.h>

#include "replace.h"
#include "source.h"

struct copy_args {
	const char *path[2]; /* SRC DST */
	bool verify;
	bool force;
	bool skip;
	bool json;
};

struct copy {
	const struct copy_args *args;
	const char *dst;
	const char *temp; /* what is written to: dst itself for devdax */
	struct source src;
	struct replace replace;
	struct pmk_map *map; /* NULL for an empty file */
	int fd;              /* of the destination, to read back */
	int old_fd;          /* of the file to be replaced, for its lock */
	uint64_t elapsed_ns;
	uint64_t mismatch; /* offset, or UINT64_MAX */
	enum pmk_map_kind kind;
	enum pmk_granularity granularity;
	enum pmk_domain domain;
	bool devdax;
	bool skip;     /* go on behind damage */
	bool stopped;  /* at damage */
	bool in_place; /* DST is the copy */
	bool compared, verified;
};

/* A failure of a library call on the destination, in one line; returns
 * EXIT_FAIL. */
int copy_fail(const struct copy *c, int code);

/* copy_verify.c: read back and compare; EXIT_BAD if what is there is not what
 * was written, or cannot be read. */
int copy_verify(struct copy *c);

#endif /* TOOLS_COPY_H */
