/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk copy reads from: a regular file or a devdax node. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "damage.h"

struct pmk_map;

#define SOURCE_CHUNK ((size_t)4 << 20)

struct source {
	const char *path;
	struct stat st;
	uint64_t size;
	int fd;              /* regular file */
	struct pmk_map *map; /* devdax */
	char *buf;
	struct damage damage; /* what was found in the current pass */
	struct damage known;  /* in an earlier one: not read again */
};

/* Both report failures themselves and return an exit code.  source_close() is
 * right after either. */
int source_open(struct source *s, const char *path);

/*
 * @len bytes at @off, at most SOURCE_CHUNK, in s->buf until the next call. What
 * storage cannot give is zeros there, and noted in s->damage; that is no
 * failure.  Offsets ascend from call to call.
 */
int source_read(struct source *s, uint64_t off, size_t len);

/* The next call begins at offset 0 again. */
void source_rewind(struct source *s);

void source_close(struct source *s);

#endif /* TOOLS_SOURCE_H */
