/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory between two pages that may not be touched. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "support/guard.h"

#define PAGE 4096

void guard_init(struct guard *g, size_t len)
{
	unsigned char *map;

	g->len = (len + PAGE - 1) & ~(size_t)(PAGE - 1);
	map = mmap(NULL, g->len + 2 * PAGE, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED ||
	    mprotect(map + PAGE, g->len, PROT_READ | PROT_WRITE)) {
		perror("guard_init");
		exit(1);
	}
	g->start = map + PAGE;
}

void guard_fini(struct guard *g)
{
	munmap(g->start - PAGE, g->len + 2 * PAGE);
	g->start = NULL;
}

unsigned char *guard_tail(const struct guard *g, size_t len)
{
	return g->start + g->len - len;
}
