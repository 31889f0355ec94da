/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libnuma, loaded while the program runs if the machine has it: one option of
 * one benchmark needs it.  Types are those of numa(3).
 */
#ifndef TOOLS_BENCH_NUMA_LIB_H
#define TOOLS_BENCH_NUMA_LIB_H

#include <stdbool.h>
#include <stddef.h>

struct numa_lib {
	char why[320]; /* why it cannot be used */
	int (*available)(void);
	int (*max_node)(void);
	long long (*node_size)(int node, long long *free_ret);
	void (*tonode_memory)(void *start, size_t size, int node);
	int (*move_pages)(int pid, unsigned long count, void **pages,
			  const int *nodes, int *status, int flags);
};

/* True if the library is there and the kernel knows of nodes. */
bool numa_lib_load(struct numa_lib *numa);

#endif /* TOOLS_BENCH_NUMA_LIB_H */
