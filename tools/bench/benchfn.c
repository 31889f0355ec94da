/* SPDX-License-Identifier: BSD-3-Clause */
/* The timing engine: calibration, rounds, medians. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "bench/benchfn.h"
#include "bench/crew.h"
#include "bench/hdr.h"
#include "clock.h"

/* 50 MB at 10 GB/s. */
#define LONG_NS 5e6

/* What a round of a side is. */
struct plan {
	uint64_t ops;
	double ns; /* that it takes, about */
};

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

/* A multiple of the unit from one unit to the most there may be. */
static uint64_t round_ops(const struct benchfn_params *p, double ops)
{
	uint64_t n;

	if (ops >= (double)p->max_ops)
		ops = (double)p->max_ops;
	n = (uint64_t)ops / p->unit * p->unit;
	return n ? n : p->unit;
}

/* The least of three, or of two that are long: one may have been interrupted.
 */
static uint64_t time_least(struct crew *crew, const struct benchfn_side *side,
			   uint64_t ops)
{
	uint64_t ns = crew_time(crew, side, ops), again;
	int more = (double)ns < LONG_NS ? 2 : 1;

	for (int i = 0; i < more; i++) {
		again = crew_time(crew, side, ops);
		ns = again < ns ? again : ns;
	}
	return ns ? ns : 1;
}

/* How many operations take about as long as a round should; the runs that
 * find it out warm the side up. */
static struct plan calibrate(const struct benchfn_params *p, struct crew *crew,
			     const struct benchfn_side *side)
{
	uint64_t ops = p->unit, ns = time_least(crew, side, ops);
	struct plan plan;

	while (ns < p->round_ns / 4 && ops < round_ops(p, (double)ops * 4)) {
		ops = round_ops(p, (double)ops * 4);
		ns = time_least(crew, side, ops);
	}
	plan.ops = round_ops(p, (double)ops * (double)p->round_ns / (double)ns);
	plan.ns = (double)ns * (double)plan.ops / (double)ops;
	return plan;
}

static unsigned int round_count(const struct benchfn_params *p,
				const struct plan *plan)
{
	double ns = 0, fit;

	for (size_t s = 0; s < p->n_sides; s++)
		ns += plan[s].ns;
	fit = p->budget_ns ? (double)p->budget_ns / ns : (double)p->rounds;
	if (fit >= (double)p->rounds)
		return p->rounds;
	if (fit > (double)p->min_rounds)
		return (unsigned int)fit;
	return p->min_rounds < p->rounds && p->min_rounds ? p->min_rounds
							  : p->rounds;
}

static struct benchfn_figure summarize(double *samples, unsigned int n,
				       uint64_t ops)
{
	qsort(samples, n, sizeof(*samples), compare);
	return (struct benchfn_figure){
		.median_ns = percentile(samples, n, 50),
		.p25_ns = percentile(samples, n, 25),
		.p75_ns = percentile(samples, n, 75),
		.ops = ops,
		.rounds = n,
	};
}

/* Who is @i-th in round @r of @n sides: each begins equally often, and every
 * second round goes backward, so that none always follows the same other. */
static size_t turn(unsigned int r, size_t i, size_t n)
{
	return ((r & 1 ? n - 1 - i : i) + r / 2) % n;
}

/*
 * Nanoseconds an operation.  A side should find the caches as it leaves them
 * itself and not as another did, who may have evicted what this one reads, or
 * left in the cache what this one stores past it: so a unit goes before,
 * untimed, unless it is so long that it fills the caches by itself.
 */
static double time_round(const struct benchfn_params *p, struct crew *crew,
			 const struct benchfn_side *side, struct plan *plan)
{
	uint64_t ops = plan->ops, ns;

	if (plan->ns * (double)p->unit < LONG_NS * (double)ops)
		crew_time(crew, side, p->unit);
	ns = crew_time(crew, side, ops);
	/* all that calibrated it were interrupted: so short a round is mostly
	 * the threads' meeting */
	if (ns < p->round_ns / 4)
		plan->ops = round_ops(p, (double)ops * (double)p->round_ns /
						 (double)(ns ? ns : 1));
	return (double)ns / (double)ops;
}

int benchfn_measure(const struct benchfn_params *p,
		    struct benchfn_outcome *outcome_ret)
{
	_cleanup_free_ double *samples =
		calloc(p->n_sides * p->rounds, sizeof(*samples));
	struct plan plan[BENCHFN_SIDES];
	struct crew crew;
	unsigned int rounds;
	int rc;

	if (!samples)
		return -ENOMEM;
	rc = crew_start(&crew, p->threads);
	if (rc)
		return rc;
	for (size_t s = 0; s < p->n_sides; s++)
		plan[s] = calibrate(p, &crew, &p->sides[s]);
	rounds = round_count(p, plan);
	for (unsigned int r = 0; r < rounds; r++)
		for (size_t i = 0; i < p->n_sides; i++) {
			size_t s = turn(r, i, p->n_sides);

			samples[s * rounds + r] =
				time_round(p, &crew, &p->sides[s], &plan[s]);
		}
	crew_end(&crew);
	for (size_t s = 0; s < p->n_sides; s++)
		outcome_ret->side[s] =
			summarize(samples + s * rounds, rounds, plan[s].ops);
	return 0;
}

void benchfn_latency(const struct benchfn_side *side, uint64_t ops,
		     uint64_t budget_ns, struct benchfn_latency *latency_ret)
{
	/* 18 KiB, and there is one thread that measures */
	static struct hdr h;
	uint64_t start, last;

	hdr_init(&h);
	if (side->prepare)
		side->prepare(side->arg[0], ops);
	start = last = clock_now_ns();
	while (h.total < ops && (!budget_ns || last - start < budget_ns)) {
		uint64_t now;

		side->run(side->arg[0], 1);
		now = clock_now_ns();
		hdr_record(&h, now - last);
		last = now;
	}
	*latency_ret = (struct benchfn_latency){
		.p50_ns = (double)hdr_percentile(&h, 50),
		.p99_ns = (double)hdr_percentile(&h, 99),
		.p999_ns = (double)hdr_percentile(&h, 99.9),
		.samples = h.total,
	};
}
