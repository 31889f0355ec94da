/* SPDX-License-Identifier: BSD-3-Clause */
/* The timing engine: calibration, rounds, medians. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "bench/benchfn.h"
#include "clock.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* @v: sorted */
static double percentile(const double *v, size_t n, unsigned int percent)
{
	return v[(n - 1) * percent / 100];
}

/* Nanoseconds that @ops operations took. */
static uint64_t time_side(const struct benchfn_side *side, uint64_t ops)
{
	uint64_t start;

	if (side->prepare)
		side->prepare(side->arg, ops);
	start = clock_now_ns();
	side->run(side->arg, ops);
	return clock_now_ns() - start;
}

/* A multiple of the unit from one unit to the most there may be. */
static uint64_t round_ops(const struct benchfn_params *p, double ops)
{
	uint64_t n;

	if (ops >= (double)p->max_ops)
		ops = (double)p->max_ops;
	n = (uint64_t)ops / p->unit * p->unit;
	return n ? n : p->unit;
}

/* How many operations take about as long as a round should; the runs that
 * find it out warm the side up. */
static uint64_t calibrate(const struct benchfn_params *p,
			  const struct benchfn_side *side)
{
	uint64_t ops = p->unit, ns = time_side(side, ops), again;

	while (ns < p->round_ns / 4 && ops < round_ops(p, (double)ops * 4)) {
		ops = round_ops(p, (double)ops * 4);
		ns = time_side(side, ops);
	}
	/* one of them may have been interrupted */
	for (int i = 0; i < 2; i++) {
		again = time_side(side, ops);
		ns = again < ns ? again : ns;
	}
	return round_ops(p, (double)ops * (double)p->round_ns /
				    (double)(ns ? ns : 1));
}

static struct benchfn_figure summarize(double *samples, size_t n, uint64_t ops)
{
	qsort(samples, n, sizeof(*samples), compare);
	return (struct benchfn_figure){
		.median_ns = percentile(samples, n, 50),
		.p25_ns = percentile(samples, n, 25),
		.p75_ns = percentile(samples, n, 75),
		.ops = ops,
	};
}

int benchfn_measure(const struct benchfn_params *p,
		    struct benchfn_outcome *outcome_ret)
{
	_cleanup_free_ double *samples =
		calloc(p->n_sides * p->rounds, sizeof(*samples));
	uint64_t ops[BENCHFN_SIDES];

	if (!samples)
		return -ENOMEM;
	for (size_t s = 0; s < p->n_sides; s++)
		ops[s] = calibrate(p, &p->sides[s]);
	for (unsigned int r = 0; r < p->rounds; r++)
		/* each side follows each other one equally often */
		for (size_t i = 0; i < p->n_sides; i++) {
			size_t s = (i + r) % p->n_sides;
			uint64_t ns = time_side(&p->sides[s], ops[s]);

			samples[s * p->rounds + r] =
				(double)ns / (double)ops[s];
		}
	for (size_t s = 0; s < p->n_sides; s++)
		outcome_ret->side[s] =
			summarize(samples + s * p->rounds, p->rounds, ops[s]);
	return 0;
}

int benchfn_latency(const struct benchfn_side *side, uint64_t ops,
		    struct benchfn_latency *latency_ret)
{
	_cleanup_free_ double *samples = calloc(ops, sizeof(*samples));
	uint64_t last;

	if (!samples)
		return -ENOMEM;
	if (side->prepare)
		side->prepare(side->arg, ops);
	last = clock_now_ns();
	for (uint64_t i = 0; i < ops; i++) {
		uint64_t now;

		side->run(side->arg, 1);
		now = clock_now_ns();
		samples[i] = (double)(now - last);
		last = now;
	}
	qsort(samples, ops, sizeof(*samples), compare);
	latency_ret->p50_ns = percentile(samples, ops, 50);
	latency_ret->p99_ns = percentile(samples, ops, 99);
	return 0;
}
