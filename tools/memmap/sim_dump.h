/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct pages of a simulation as a file. */
#ifndef TOOLS_MEMMAP_SIM_DUMP_H
#define TOOLS_MEMMAP_SIM_DUMP_H

#include <stddef.h>

#include <pmk/memmap.h>

/* Whether a file can be written there: a new one, or in place of a regular
 * file.  EXIT_OK, or an exit code after a message. */
int sim_dump_check(const char *path);

/*
 * Write the struct page of each frame of the namespace, from the first on, as
 * @engine builds them; zeros where nobody initialises them.  Uses @len bytes at
 * @buf.  The file appears whole or not at all; one of that name is replaced.
 * EXIT_OK, or an exit code after a message.
 */
int sim_dump(struct pmk_memmap *map, unsigned int engine,
	     unsigned int page_bytes, char *buf, size_t len, const char *path);

#endif /* TOOLS_MEMMAP_SIM_DUMP_H */
