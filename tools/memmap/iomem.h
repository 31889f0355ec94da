/* SPDX-License-Identifier: BSD-3-Clause */
/* The ordinary memory of a machine, from its /proc/iomem. */
#ifndef TOOLS_MEMMAP_IOMEM_H
#define TOOLS_MEMMAP_IOMEM_H

#include <stddef.h>

#include <pmk/memmap.h>

struct iomem {
	struct pmk_memmap_range *ram;
	size_t n;
};

/* Read @path; EXIT_OK, or EXIT_FAIL after a message.  iomem_free() frees what
 * is there in either case. */
int iomem_read(const char *path, struct iomem *io);
void iomem_free(struct iomem *io);

#endif /* TOOLS_MEMMAP_IOMEM_H */
