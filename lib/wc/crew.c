/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered jobs that a few threads share. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "wc/crew.h"

#define MAX_THREADS 64U

struct run {
	const struct wc_crew *crew;
	_Atomic uint64_t next;
	atomic_bool stop;
};

struct lane {
	struct run *run;
	void *memory;
	pthread_t thread;
	bool first; /* the caller's */
};

static void *lane_main(void *arg)
{
	struct lane *l = arg;
	const struct wc_crew *crew = l->run->crew;

	while (!atomic_load(&l->run->stop)) {
		uint64_t job = atomic_fetch_add(&l->run->next, 1);

		if (job >= crew->jobs)
			break;
		crew->work(job, l->memory, crew->arg);
		if (l->first && !crew->tick(crew->arg))
			atomic_store(&l->run->stop, true);
	}
	return NULL;
}

/* As many as there is memory for, at least one. */
static unsigned int make_lanes(struct run *run, struct lane *lanes)
{
	const struct wc_crew *crew = run->crew;
	unsigned int n = 0;

	while (n < MAX_THREADS && n < crew->jobs && (!n || n < crew->threads)) {
		/* pages: what is read and written directly wants them */
		void *memory = aligned_alloc(4096, crew->lane_bytes);

		if (!memory)
			break;
		lanes[n] = (struct lane){ run, memory, 0, !n };
		n++;
	}
	return n;
}

int pmk_wc_crew_run(const struct wc_crew *crew, uint64_t *done_ret)
{
	struct run run = { .crew = crew };
	struct lane lanes[MAX_THREADS];
	unsigned int n = make_lanes(&run, lanes), started = 1;
	uint64_t next;

	*done_ret = 0;
	if (!n)
		return crew->jobs ? -ENOMEM : 0;
	/* fewer threads do the same work */
	while (started < n && !pthread_create(&lanes[started].thread, NULL,
					      lane_main, &lanes[started]))
		started++;
	lane_main(&lanes[0]);
	for (unsigned int i = 1; i < started; i++)
		pthread_join(lanes[i].thread, NULL);
	for (unsigned int i = 0; i < n; i++)
		free(lanes[i].memory);
	next = atomic_load(&run.next);
	*done_ret = next < crew->jobs ? next : crew->jobs;
	return 0;
}
