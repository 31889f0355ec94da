/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmarks of pmk bench. */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_SIZES 64

struct bench_options {
	bool quick;
	bool json;
	bool migrate;        /* page */
	bool overwrite;      /* the content of --on may be lost */
	unsigned int rounds; /* 0: as many as is usual */
	const char *on;      /* NULL: DRAM */
	const char *report;  /* directory, or NULL */
	/* wc */
	const char *wc_option;     /* the last of its own that was given */
	const char *store;         /* NULL: inline */
	const char *beside;        /* a device of dm-writecache, or NULL */
	unsigned int commit_every; /* 0: the usual ones */
	/* --sizes, none: all of them */
	uint64_t sizes[BENCH_SIZES];
	size_t n_sizes;
};

/* Whether --sizes, if given, lists @size. */
bool bench_wants_size(const struct bench_options *opt, uint64_t size);

/* Each measures, prints, and returns an exit code. */
int bench_copy(const struct bench_options *opt);
int bench_set(const struct bench_options *opt);
int bench_page(const struct bench_options *opt);
int bench_clear(const struct bench_options *opt);
int bench_flush(const struct bench_options *opt);
int bench_log(const struct bench_options *opt);
int bench_wc(const struct bench_options *opt);

#endif /* TOOLS_BENCH_BENCH_H */
