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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCHFN_SIDES   16 /* at most */
#define BENCHFN_THREADS 2  /* at most */

struct benchfn_side {
	/* do @ops operations; timed */
	void (*run)(void *arg, uint64_t ops);
	/* make room for them; not timed; or NULL */
	void (*prepare)(void *arg, uint64_t ops);
	/* of each thread; they share nothing that is written */
	void *arg[BENCHFN_THREADS];
};

struct benchfn_params {
	const struct benchfn_side *sides;
	size_t n_sides;
	/* 1 or 2 threads at once, each on a CPU of its own; 0 is 1, which is
	 * the caller and goes where the system puts it */
	unsigned int threads;
	/* At least 1; fewer, but not below min_rounds, if all rounds of all
	 * sides would take longer than budget_ns (0: no limit). */
	unsigned int rounds;
	unsigned int min_rounds;
	uint64_t budget_ns;
	/* How long one side runs at a time, about: much shorter than a time
	 * slice, so that most rounds are not interrupted. */
	uint64_t round_ns;
	uint64_t unit;    /* operations come in multiples of this */
	uint64_t max_ops; /* that a side may be asked for at once */
};

/*
 * Nanoseconds an operation: the median of the rounds and their quartiles.  With
 * two threads each does ops operations, and the time is from the start of both
 * to the end of the later one: twice as many operations were done in it.
 */
struct benchfn_figure {
	double median_ns;
	double p25_ns;
	double p75_ns;
	uint64_t ops; /* in each round, a thread */
	unsigned int rounds;
};

struct benchfn_outcome {
	struct benchfn_figure side[BENCHFN_SIDES];
};

/* 0, -ENOMEM, or what pthread_create(3) failed with, negative. */
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
	double p999_ns;
	uint64_t samples; /* 0: not measured */
};

/* By one thread: @ops operations, or as many as fit in @budget_ns (0: no
 * limit). */
void benchfn_latency(const struct benchfn_side *side, uint64_t ops,
		     uint64_t budget_ns, struct benchfn_latency *latency_ret);

/* CPUs that this process may run on. */
unsigned int benchfn_cpus(void);

#endif /* TOOLS_BENCH_BENCHFN_H */
