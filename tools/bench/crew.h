/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads that run a side together: the caller, and with two threads
 * another one that waits for it, spinning, each on a CPU of its own.
 */
#ifndef TOOLS_BENCH_CREW_H
#define TOOLS_BENCH_CREW_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct benchfn_side;

struct crew {
	unsigned int threads; /* 1 or 2 */
	cpu_set_t before;     /* where the caller might run */
	pthread_t other;
	/* what the other one does at the next start */
	const struct benchfn_side *side;
	uint64_t ops;
	bool quit;
	/* counts of starts and of ends; on lines of their own */
	_Alignas(64) _Atomic unsigned int started;
	_Alignas(64) _Atomic unsigned int ended;
};

/* 0, or what pthread_create(3) failed with, negative. */
int crew_start(struct crew *c, unsigned int threads);

/* Nanoseconds from the start of @ops operations by each thread to the end of
 * the last one. */
uint64_t crew_time(struct crew *c, const struct benchfn_side *side,
		   uint64_t ops);

void crew_end(struct crew *c);

#endif /* TOOLS_BENCH_CREW_H */
