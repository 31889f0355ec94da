/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pmk bench wc says of its side 0 and the kernel's, side by side: the
 * figures, and the proof that both did the same job.
 */
#ifndef TOOLS_BENCH_WC_COMPARE_H
#define TOOLS_BENCH_WC_COMPARE_H

#include "bench/wc_proof.h"
#include "bench/wc_target.h"

struct bench_case;
struct bench_suite;
struct wc_sides;

struct wc_compare {
	struct wc_proof pmk;
	struct wc_proof kernel;
	struct wc_counts counted; /* by the kernel, meanwhile */
};

/* After the measurement.  EXIT_OK, or an exit code after a message: also if a
 * block was read back with other content. */
int wc_compare(struct wc_sides *w, struct wc_compare *compare_ret);

/* Into the document of @c, and below the table. */
void wc_compare_say(struct bench_suite *s, const struct bench_case *c,
		    const struct wc_compare *compare);

/* The last line: what figures of an emulated CPU are. */
void wc_compare_end(struct bench_suite *s);

#endif /* TOOLS_BENCH_WC_COMPARE_H */
