/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first calls, from several threads at once: the kernels are chosen without
 * a data race (ThreadSanitizer looks) and alike for all.
 *
 * APIs covered: pmk_cpu_features(), pmk_kernels(), pmk_op_kernel(),
 * pmk_memcpy(), pmk_memset(), pmk_flush(), pmk_memcpy_flushcache_any().
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmk/kernel.h>

#include "kernel_test.h"

#define N_THREADS 8
/* Each round is a new process: there is one first call in each. */
#define N_ROUNDS 16

struct worker {
	pthread_t thread;
	unsigned int number;
	uint32_t features;
	const struct pmk_kernels *kernels;
	const char *flush_name;
	uint8_t src[1000], dst[1024];
};

static pthread_barrier_t start;

/* Each thread has another function for its first call. */
static void first_call(struct worker *w)
{
	switch (w->number % 6) {
	case 0:
		w->features = pmk_cpu_features();
		break;
	case 1:
		pmk_memcpy(w->dst, w->src, sizeof(w->src), 0);
		break;
	case 2:
		pmk_flush(w->dst, sizeof(w->dst));
		break;
	case 3:
		pmk_memset(w->dst, 0, sizeof(w->dst), PMK_F_NODRAIN);
		break;
	case 4:
		pmk_memcpy_flushcache_any(w->dst + 1, w->src, 5);
		break;
	case 5:
		w->flush_name = pmk_op_kernel(PMK_OP_FLUSH);
		break;
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;

	memset(w->src, (int)w->number + 1, sizeof(w->src));
	pthread_barrier_wait(&start);
	first_call(w);
	pmk_memcpy(w->dst + 3, w->src, sizeof(w->src), 0);
	w->features = pmk_cpu_features();
	w->kernels = pmk_kernels();
	w->flush_name = pmk_op_kernel(PMK_OP_FLUSH);
	return NULL;
}

static int check(const struct worker *workers)
{
	for (size_t i = 0; i < N_THREADS; i++) {
		const struct worker *w = &workers[i];

		if (w->features != workers[0].features ||
		    w->kernels != workers[0].kernels ||
		    w->flush_name != workers[0].flush_name ||
		    memcmp(w->dst + 3, w->src, sizeof(w->src))) {
			fprintf(stderr, "thread %zu: another result\n", i);
			return 1;
		}
	}
	return 0;
}

static int one_round(void)
{
	static struct worker workers[N_THREADS];

	if (pthread_barrier_init(&start, NULL, N_THREADS))
		return 1;
	for (unsigned int i = 0; i < N_THREADS; i++) {
		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&start);
	return check(workers);
}

static void first_call__from_eight_threads(void **state)
{
	(void)state;
	for (int i = 0; i < N_ROUNDS; i++) {
		int status;
		pid_t pid;

		fflush(NULL);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			exit(one_round()); /* a sanitizer reports at exit */
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_call__from_eight_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
