/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timing engine: runs the sides of a comparison in turn and says how long
 * an operation of each took.  It does no input or output and knows nothing of
 * what it times.
 *
 * A side is timed over many operations at a time, so that reading the clock
 * does not count, and in many rounds that alternate with the other sides, so
 * that a disturbance of the machine falls on all of them.
 */
#ifndef TOOLS_BENCH_BENCHFN_H
#define TOOLS_BENCH_BENCHFN_H

#include <stddef.h>
#include <stdint.h>

#define BENCHFN_SIDES 3 /* at most */

struct benchfn_side {
	/* do @ops operations; timed */
	void (*run)(void *arg, uint64_t ops);
	/* make room for them; not timed; or NULL */
	void (*prepare)(void *arg, uint64_t ops);
	void *arg;
};

struct benchfn_params {
	const struct benchfn_side *sides;
	size_t n_sides;
	unsigned int rounds;
	/* How long one side runs at a time, about: much shorter than a time
	 * slice, so that most rounds are not interrupted. */
	uint64_t round_ns;
	uint64_t unit;    /* operations come in multiples of this */
	uint64_t max_ops; /* that a side may be asked for at once */
};

/* Nanoseconds an operation: the median of the rounds and their quartiles. */
struct benchfn_figure {
	double median_ns;
	double p25_ns;
	double p75_ns;
	uint64_t ops; /* in each round */
};

struct benchfn_outcome {
	struct benchfn_figure side[BENCHFN_SIDES];
};

/* 0 or -ENOMEM. */
int benchfn_measure(const struct benchfn_params *p,
		    struct benchfn_outcome *outcome_ret);

/*
 * Percentiles of single operations: the time from the end of one to the end of
 * the next, the clock included.  Not from begin to end: a fence lets later
 * instructions, reading the clock among them, begin before it is done.
 */
struct benchfn_latency {
	double p50_ns;
	double p99_ns;
};

/* 0 or -ENOMEM. */
int benchfn_latency(const struct benchfn_side *side, uint64_t ops,
		    struct benchfn_latency *latency_ret);

#endif /* TOOLS_BENCH_BENCHFN_H */
