/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered jobs that a few threads share, the caller's among them. */
#ifndef LIB_WC_CREW_H
#define LIB_WC_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wc_crew {
	unsigned int threads; /* at most */
	size_t lane_bytes;    /* memory that each thread has for its jobs */
	uint64_t jobs;
	void (*work)(uint64_t job, void *lane, void *arg);
	/* by the caller's thread, after each job that it did itself; false: no
	 * job is begun any more */
	bool (*tick)(void *arg);
	void *arg;
};

/* Does the jobs, which are begun in their order, and returns when all that were
 * begun are done.  How many is in *@done_ret; 0 or -ENOMEM. */
int pmk_wc_crew_run(const struct wc_crew *crew, uint64_t *done_ret);

#endif /* LIB_WC_CREW_H */
