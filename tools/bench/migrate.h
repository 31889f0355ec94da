/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk bench page --migrate: move_pages(2) between NUMA nodes. */
#ifndef TOOLS_BENCH_MIGRATE_H
#define TOOLS_BENCH_MIGRATE_H

struct bench_options;

/* Measures, prints, and returns an exit code. */
int bench_migrate(const struct bench_options *opt);

#endif /* TOOLS_BENCH_MIGRATE_H */
