/* SPDX-License-Identifier: BSD-3-Clause */
/* What is promised of copies against libpmem. */
#ifndef TOOLS_BENCH_COPY_TARGETS_H
#define TOOLS_BENCH_COPY_TARGETS_H

#include "bench/suite.h"

/* Judge the cases that were measured. */
void copy_targets(struct bench_suite *s);

#endif /* TOOLS_BENCH_COPY_TARGETS_H */
