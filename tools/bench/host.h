/* SPDX-License-Identifier: BSD-3-Clause */
/* On what a figure was measured: without it, it says nothing. */
#ifndef TOOLS_BENCH_HOST_H
#define TOOLS_BENCH_HOST_H

struct json_object;

struct host {
	char cpu[128];
	char features[256]; /* that the library uses, separated by blanks */
	char kernel[160];
	char medium[256];
	char governor[64];
	char huge_pages[16]; /* of what is measured: none, in part, all */
	long nodes;          /* NUMA nodes online */
	long cpus;           /* online */
	long page_size;      /* of the mapping, in bytes */
	double load; /* average of the last minute, before the measurement */
};

/* All but the medium and the huge pages, which the room knows. */
void host_read(struct host *h);
void host_print(const struct host *h);
struct json_object *host_to_json(const struct host *h);

#endif /* TOOLS_BENCH_HOST_H */
