/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timing engine of pmk bench: what it runs, by which threads and how often.
 * No figure is compared with a time.
 *
 * APIs covered: benchfn_measure(), benchfn_latency(), benchfn_cpus().
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/util.h"
#include "bench/benchfn.h"

struct side {
	uint64_t runs;
	uint64_t ops;
	uint64_t prepared;
	uint64_t unit;
	bool wrong;
	pthread_t thread;
	long ns; /* that an operation sleeps */
};

static void run(void *arg, uint64_t ops)
{
	struct side *s = arg;
	struct timespec ts = { 0, s->ns };

	s->runs++;
	s->ops += ops;
	s->wrong |= !ops || ops % s->unit;
	s->thread = pthread_self();
	for (uint64_t i = 0; s->ns && i < ops; i++)
		nanosleep(&ts, NULL);
}

static void prepare(void *arg, uint64_t ops)
{
	struct side *s = arg;

	s->prepared += ops;
}

static struct benchfn_params params(const struct benchfn_side *sides, size_t n)
{
	return (struct benchfn_params){
		.sides = sides,
		.n_sides = n,
		.rounds = 7,
		.min_rounds = 5,
		.round_ns = 20000,
		.unit = 1,
		.max_ops = 4096,
	};
}

static void measure__runs_units_of_every_side(void **state)
{
	struct benchfn_side fn[BENCHFN_SIDES] = { { .run = NULL } };
	struct side side[BENCHFN_SIDES];
	struct benchfn_outcome out;
	struct benchfn_params p = params(fn, BENCHFN_SIDES);

	(void)state;
	memset(side, 0, sizeof(side));
	p.unit = 64;
	for (size_t i = 0; i < BENCHFN_SIDES; i++) {
		side[i].unit = 64;
		fn[i] = (struct benchfn_side){ run, prepare, { &side[i] } };
	}
	assert_int_equal(benchfn_measure(&p, &out), 0);
	for (size_t i = 0; i < BENCHFN_SIDES; i++) {
		const struct benchfn_figure *f = &out.side[i];

		assert_false(side[i].wrong);
		assert_int_equal(side[i].prepared, side[i].ops);
		assert_int_equal(f->rounds, 7);
		assert_int_equal(f->ops % 64, 0);
		assert_in_range(f->ops, 64, 4096);
		/* each round has one untimed unit; calibration comes on top */
		assert_true(side[i].runs >= 2 * 7);
		assert_true(f->p25_ns <= f->median_ns &&
			    f->median_ns <= f->p75_ns);
	}
}

/* An operation of a millisecond: ten rounds do not fit in two. */
static void measure__a_budget_takes_rounds_away(void **state)
{
	struct side side = { .unit = 1, .ns = 1000000 };
	const struct benchfn_side fn = { run, NULL, { &side } };
	struct benchfn_params p = params(&fn, 1);
	struct benchfn_outcome out;

	(void)state;
	p.rounds = 100;
	p.budget_ns = 2000000;
	assert_int_equal(benchfn_measure(&p, &out), 0);
	assert_int_equal(out.side[0].rounds, p.min_rounds);
	p.rounds = 3; /* fewer than the least: as many as asked for */
	assert_int_equal(benchfn_measure(&p, &out), 0);
	assert_int_equal(out.side[0].rounds, 3);
	assert_int_equal(out.side[0].ops, 1);
}

static void measure__two_threads_do_the_same(void **state)
{
	struct side first = { .unit = 1 }, second = { .unit = 1 };
	const struct benchfn_side fn = { run, prepare, { &first, &second } };
	struct benchfn_params p = params(&fn, 1);
	struct benchfn_outcome out;
	cpu_set_t before, after;

	(void)state;
	p.threads = 2;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(benchfn_measure(&p, &out), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(first.runs, second.runs);
	assert_int_equal(first.ops, second.ops);
	assert_int_equal(second.prepared, second.ops);
	assert_true(pthread_equal(first.thread, pthread_self()));
	assert_false(pthread_equal(second.thread, pthread_self()));
}

static void latency__takes_samples_until_the_budget_is_gone(void **state)
{
	struct side side = { .unit = 1 }, slow = { .unit = 1, .ns = 1000000 };
	const struct benchfn_side fn = { run, NULL, { &side } };
	const struct benchfn_side fn_slow = { run, NULL, { &slow } };
	struct benchfn_latency l;

	(void)state;
	benchfn_latency(&fn, 1000, 0, &l);
	assert_int_equal(l.samples, 1000);
	assert_int_equal(side.ops, 1000);
	assert_true(l.p50_ns <= l.p99_ns && l.p99_ns <= l.p999_ns);
	benchfn_latency(&fn_slow, 1000, 3000000, &l);
	assert_in_range(l.samples, 1, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measure__runs_units_of_every_side),
		cmocka_unit_test(measure__a_budget_takes_rounds_away),
		cmocka_unit_test(measure__two_threads_do_the_same),
		cmocka_unit_test(
			latency__takes_samples_until_the_budget_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
