/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that appears whole or not at all: it is written under a temporary
 * name in the same directory, then renamed.
 */
#ifndef TOOLS_REPLACE_H
#define TOOLS_REPLACE_H

#include <stdbool.h>

struct replace {
	char *target; /* symbolic links resolved */
	char *temp;   /* does not exist yet */
	bool done;
};

/* Choose the names; signals that end the process remove temp from here on.
 * Returns 0 or -errno. */
int replace_begin(struct replace *r, const char *path);

/* Rename temp, whose content must be durable, and make that durable too.
 * Unless @may_replace, a target that has appeared meanwhile is left alone:
 * -EEXIST.  Returns 0 or -errno; the target is as it was unless done is set. */
int replace_commit(struct replace *r, bool may_replace);

/* After begin, in any case: removes temp unless it was renamed. */
void replace_end(struct replace *r);

#endif /* TOOLS_REPLACE_H */
