/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases measured by a process of their own: what instructions the library and
 * libpmem use is decided once, when a process starts.
 */
#ifndef TOOLS_BENCH_COPY_CHILD_H
#define TOOLS_BENCH_COPY_CHILD_H

#include "bench/suite.h"

/* Run "pmk bench copy --json" for 4 KiB with AVX-512 and MOVDIR64B disabled on
 * both sides.  Does nothing where they are not in use anyway, or --sizes leaves
 * 4 KiB out.  EXIT_OK, or EXIT_FAIL after a message. */
int copy_child_measure(struct bench_suite *s);

/* Add its cases, as those of the CPU "without avx512f". */
void copy_child_merge(struct bench_suite *s);

#endif /* TOOLS_BENCH_COPY_CHILD_H */
