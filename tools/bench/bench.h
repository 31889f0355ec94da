/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmarks of pmk bench. */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include <stdbool.h>

struct bench_options {
	bool quick;
	bool json;
	unsigned int rounds; /* 0: as many as is usual */
};

/* Each measures, prints, and returns an exit code. */
int bench_copy(const struct bench_options *opt);
int bench_log(const struct bench_options *opt);

#endif /* TOOLS_BENCH_BENCH_H */
