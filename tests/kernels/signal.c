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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/cpu.h>
#include <pmk/flush.h>

/* Bit 8 of RFLAGS: SIGTRAP after each instruction. */
#define TRAP_FLAG "0x100"
/* A child that hangs is killed by SIGALRM. */
#define HANG_SECONDS 20

static char line[64] __attribute__((aligned(64)));
static volatile sig_atomic_t steps, handle_at, handled;

static void on_step(int sig)
{
	(void)sig;
	if (++steps != handle_at)
		return;
	handled = 1;
	pmk_persist(line, sizeof(line));
}

/* Child: 0 if the handler ran in the middle and all came to its end, 1 if the
 * call was over before step @at. */
static int first_call(int at)
{
	struct sigaction a = { .sa_handler = on_step, .sa_flags = SA_NODEFER };

	handle_at = at;
	alarm(HANG_SECONDS);
	pmk_cpu_features(); /* the contract: from here on */
	if (sigaction(SIGTRAP, &a, NULL))
		return 2;
	__asm__ volatile("pushfq; orl $" TRAP_FLAG ", (%%rsp); popfq"
			 :
			 :
			 : "memory", "cc");
	pmk_persist(line, sizeof(line));
	__asm__ volatile("pushfq; andl $~" TRAP_FLAG ", (%%rsp); popfq"
			 :
			 :
			 : "memory", "cc");
	return handled ? 0 : 1;
}

static void handler__in_the_middle_of_the_first_call(void **state)
{
	int status = 0, at = 1;

	(void)state;
	do {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid)
			_exit(first_call(at));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_in_range(WEXITSTATUS(status), 0, 1);
		at++;
	} while (WEXITSTATUS(status) == 0);
	/* it was in the middle of something */
	assert_true(at > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handler__in_the_middle_of_the_first_call),
	};

	return cmocka_run_group_tests_name("signal", tests, NULL, NULL);
}
