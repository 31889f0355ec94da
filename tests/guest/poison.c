/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Poison the page at a byte offset of a file or devdax node, as a memory error
 * would, and recover: poison PATH OFFSET.  The kernel tells the process that
 * meets the error with SIGBUS; one that maps the page later it lets read, as
 * QEMU's memory has no real error.  So all of it happens in one process: guard,
 * poison, look where the fault was, copy what lies before and behind.
 * Needs root, and a kernel with memory failure handling.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <pmk/copy.h>
#include <pmk/map.h>

#include "persist/fault.h"

static void poison(void *page)
{
	if (madvise(page, 4096, MADV_HWPOISON))
		perror("madvise");
}

/* Bytes of a range of the mapping that cannot be copied out of it. */
static size_t not_copied(const char *addr, size_t len)
{
	char *buf = malloc(len);
	size_t left = buf ? pmk_copy_mc(buf, addr, len) : len;

	free(buf);
	return left;
}

int main(int argc, char **argv)
{
	size_t off = argc == 3 ? strtoull(argv[2], NULL, 0) : 0, size;
	struct pmk_fault fault;
	struct pmk_map *map;
	char *addr;
	int rc;

	if (argc != 3)
		return 2;
	rc = pmk_map_open(argv[1], NULL, &map);
	if (rc) {
		printf("%s: %s\n", argv[1], pmk_strerror(rc));
		return 1;
	}
	addr = pmk_map_addr(map);
	size = pmk_map_size(map);
	*(volatile char *)(addr + off); /* the page must be mapped */
	if (!pmk_fault_call(poison, addr + off, addr, size, &fault)) {
		puts("no fault");
		return 1;
	}
	printf("signal %d (%s), code %d, at offset %zu; before it %zu of %zu "
	       "bytes missing\n",
	       fault.sig, sigabbrev_np(fault.sig), fault.code,
	       (size_t)(fault.addr - (uintptr_t)addr),
	       not_copied(addr, fault.addr - (uintptr_t)addr),
	       (size_t)(fault.addr - (uintptr_t)addr));
	pmk_map_close(map);
	return 0;
}
