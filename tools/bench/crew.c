/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a measurement. */
#include <emmintrin.h>

#include "bench/benchfn.h"
#include "bench/crew.h"
#include "clock.h"

/* A waiting thread gives its CPU away after about a millisecond of spinning:
 * the other one may need it to get anywhere. */
#define SPINS 20000

static void wait_for(_Atomic unsigned int *count, unsigned int value)
{
	unsigned int spins = 0;

	while (atomic_load_explicit(count, memory_order_acquire) != value) {
		if (++spins < SPINS)
			_mm_pause();
		else
			sched_yield();
	}
}

static void *work(void *arg)
{
	struct crew *c = arg;

	for (unsigned int turn = 1;; turn++) {
		wait_for(&c->started, turn);
		if (c->quit)
			return NULL;
		c->side->run(c->side->arg[1], c->ops);
		atomic_store_explicit(&c->ended, turn, memory_order_release);
	}
}

/* The @n-th of the CPUs that the caller may run on, as a set; all of them if
 * there are not so many. */
static cpu_set_t nth_cpu(const cpu_set_t *allowed, unsigned int n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, allowed) || n--)
			continue;
		CPU_SET(cpu, &set);
		return set;
	}
	return *allowed;
}

unsigned int benchfn_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

/* Each thread on a CPU of its own; where CPUs cannot be had, they run as the
 * system likes. */
static void pin(struct crew *c)
{
	cpu_set_t first, second;

	if (sched_getaffinity(0, sizeof(c->before), &c->before)) {
		CPU_ZERO(&c->before);
		return;
	}
	first = nth_cpu(&c->before, 0);
	second = nth_cpu(&c->before, 1);
	sched_setaffinity(0, sizeof(first), &first);
	pthread_setaffinity_np(c->other, sizeof(second), &second);
}

static void start_other(struct crew *c)
{
	unsigned int turn =
		atomic_load_explicit(&c->started, memory_order_relaxed);

	/* orders side, ops and quit before the count that publishes them */
	atomic_store_explicit(&c->started, turn + 1, memory_order_release);
}

static void do_nothing(void *arg, uint64_t ops)
{
	(void)arg;
	(void)ops;
}

static const struct benchfn_side nothing = { .run = do_nothing };

int crew_start(struct crew *c, unsigned int threads)
{
	int rc;

	c->threads = threads > 1 ? 2 : 1;
	if (c->threads == 1)
		return 0;
	c->quit = false;
	atomic_init(&c->started, 0);
	atomic_init(&c->ended, 0);
	rc = pthread_create(&c->other, NULL, work, c);
	if (rc)
		return -rc;
	pin(c);
	/* until it is there, so that the first measurement does not wait */
	c->side = &nothing;
	c->ops = 0;
	start_other(c);
	wait_for(&c->ended, c->started);
	return 0;
}

uint64_t crew_time(struct crew *c, const struct benchfn_side *side,
		   uint64_t ops)
{
	uint64_t start;

	for (unsigned int t = 0; side->prepare && t < c->threads; t++)
		side->prepare(side->arg[t], ops);
	c->side = side;
	c->ops = ops;
	start = clock_now_ns();
	if (c->threads > 1)
		start_other(c);
	side->run(side->arg[0], ops);
	if (c->threads > 1)
		wait_for(&c->ended, c->started);
	return clock_now_ns() - start;
}

void crew_end(struct crew *c)
{
	if (c->threads == 1)
		return;
	c->quit = true;
	start_other(c);
	pthread_join(c->other, NULL);
	if (CPU_COUNT(&c->before))
		sched_setaffinity(0, sizeof(c->before), &c->before);
}
