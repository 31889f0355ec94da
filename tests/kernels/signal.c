/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A signal handler persists something while the thread that it interrupted is
 * anywhere in its first call of the library, which chooses the kernels.
 *
 * Covered: pmk_persist() in signal handlers.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/cpu.h>
#include <pmk/flush.h>

/* Bit 8 of RFLAGS: SIGTRAP after each instruction. */
#define TRAP_FLAG 0x100
/* A child that hangs is killed by SIGALRM. */
#define HANG_SECONDS 20

static char line[64] __attribute__((aligned(64)));

static struct {
	volatile int steps;  /* places where the handler has run */
	volatile int failed; /* a child did not come to its end */
	volatile int child;  /* this is one of them */
} run;

/* After each instruction of the call: a child goes on from here with a handler
 * in between, and without more traps. */
static void on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	int status;
	pid_t pid = _Fork();

	(void)sig;
	(void)info;
	if (pid == 0) {
		run.child = 1;
		alarm(HANG_SECONDS);
		pmk_persist(line, sizeof(line));
		uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		return;
	}
	run.steps++;
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		return;
	run.failed = 1; /* one is enough: the next may hang as long */
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/* In a process of its own, as there is one first call in each; returns its exit
 * status. */
static int first_call(int *steps)
{
	struct sigaction a = { .sa_sigaction = on_step,
			       .sa_flags = SA_SIGINFO };

	pmk_cpu_features(); /* the contract: from here on */
	if (sigaction(SIGTRAP, &a, NULL))
		return 1;
	__asm__ volatile("pushfq; orl %0, (%%rsp); popfq"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
	pmk_persist(line, sizeof(line));
	__asm__ volatile("pushfq; andl %0, (%%rsp); popfq"
			 :
			 : "i"(~TRAP_FLAG)
			 : "memory", "cc");
	if (!run.child &&
	    write(steps[1], (const void *)&run.steps, sizeof(run.steps)) < 0)
		return 1;
	return run.failed;
}

static void handler__in_the_middle_of_the_first_call(void **state)
{
	int status, pipe_fds[2], steps;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(first_call(pipe_fds));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(pipe_fds[0], &steps, sizeof(steps)),
			 sizeof(steps));
	/* it was in the middle of something */
	assert_true(steps > 20);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handler__in_the_middle_of_the_first_call),
	};

	return cmocka_run_group_tests_name("signal", tests, NULL, NULL);
}
