/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guarded access among other handlers of the process: who gets which fault,
 * with which mask and on which stack, and what ends a process still does.
 *
 * Covered: pmk_fault_call, pmk_fault_look, pmk_copy_mc.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <pmk/copy.h>

#include "fault_case.h"

/* What the handlers of the cases saw. */
static volatile sig_atomic_t calls_a, calls_b;
static const void *volatile seen_addr;
static sigset_t seen_mask;
static char *volatile seen_stack;
/* The kinds of handler an application may have.  They repair what failed. */

static void repair(const void *addr)
{
	seen_addr = addr;
	EXPECT(!mprotect(no_access, PAGE, PROT_READ | PROT_WRITE));
}

static void on_fault_a(int sig, siginfo_t *info, void *context)
{
	char here;

	(void)context;
	EXPECT(sig == SIGSEGV);
	calls_a++;
	sigprocmask(SIG_BLOCK, NULL, &seen_mask);
	seen_stack = &here;
	repair(info->si_addr);
}

static void on_plain(int sig)
{
	EXPECT(sig == SIGSEGV);
	calls_a++;
	sigprocmask(SIG_BLOCK, NULL, &seen_mask);
	repair(NULL);
}

static void touch_unguarded(void)
{
	EXPECT(!mprotect(no_access, PAGE, PROT_NONE));
	touch(no_access + 7);
}

static void case_before(void)
{
	handle_info(SIGSEGV, on_fault_a, 0, NULL);
	expect_guarded();
	EXPECT(!calls_a);
	touch_unguarded();
	EXPECT(calls_a == 1 && seen_addr == no_access + 7);
	EXPECT(!mprotect(no_access, PAGE, PROT_NONE));
	expect_guarded();
	EXPECT(calls_a == 1);
}

static void case_before_plain(void)
{
	handle(SIGSEGV, on_plain, 0);
	expect_guarded();
	touch_unguarded();
	EXPECT(calls_a == 1);
}

/* Not guarded: an address outside the range, in the middle of a guarded call.
 */
static void case_outside_the_range(void)
{
	handle_info(SIGSEGV, on_fault_a, 0, NULL);
	EXPECT(!pmk_fault_call(touch, no_access + 7, no_access + 8, 10, NULL));
	EXPECT(calls_a == 1 && seen_addr == no_access + 7);
	EXPECT(!mprotect(no_access, PAGE, PROT_NONE));
	EXPECT(!pmk_fault_call(touch, no_access + 7, no_access, 7, NULL));
	EXPECT(calls_a == 2);
	EXPECT(!mprotect(no_access, PAGE, PROT_NONE));
	EXPECT(!pmk_fault_call(touch, no_access + 7, no_access + 7, 0, NULL));
	EXPECT(calls_a == 3);
}

static void handler__from_before(void **state)
{
	(void)state;
	runs(case_before);
	runs(case_before_plain);
	runs(case_outside_the_range);
}

/* A handler that passes on what is not its own, to whom it found. */

static struct sigaction found_by_b;

static void on_fault_b(int sig, siginfo_t *info, void *context)
{
	calls_b++;
	EXPECT(found_by_b.sa_flags & SA_SIGINFO);
	found_by_b.sa_sigaction(sig, info, context);
}

/* In front: it sees all faults, and passes on. */
static void case_after(void)
{
	handle_info(SIGSEGV, on_fault_a, 0, NULL);
	expect_guarded();
	handle_info(SIGSEGV, on_fault_b, SA_NODEFER, &found_by_b);
	expect_guarded();
	EXPECT(calls_b == 1 && !calls_a);
	touch_unguarded();
	EXPECT(calls_b == 2 && calls_a == 1);
}

/* Each has the other one behind it: no endless loop, and all get their turn. */
static void case_after_and_look(void)
{
	case_after();
	for (int i = 0; i < 20; i++) {
		pmk_fault_look();
		calls_a = calls_b = 0;
		EXPECT(!mprotect(no_access, PAGE, PROT_NONE));
		expect_guarded();
		EXPECT(!calls_a && !calls_b);
		touch_unguarded();
		EXPECT(calls_b == 1 && calls_a == 1);
		/* once more over it, with the same handler */
		if (i < 10)
			handle_info(SIGSEGV, on_fault_b, 0, NULL);
	}
}

static char large[65536];

/* One that passes on nothing is replaced at the next look. */
static void case_replaced(void)
{
	char buf[8];

	expect_guarded();
	handle_info(SIGSEGV, on_fault_a, 0, NULL);
	EXPECT(pmk_copy_mc(NULL, NULL, 0) == 0);
	EXPECT(pmk_copy_mc(buf, no_access, 8) == 8);
	EXPECT(!calls_a);
	touch_unguarded();
	EXPECT(calls_a == 1);
	handle(SIGBUS, on_plain, 0);
	EXPECT(pmk_copy_mc(large, behind_end, sizeof(large)) == sizeof(large));
}

static sigjmp_buf escape;

static void on_escape(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	calls_a++;
	siglongjmp(escape, 1);
}

/* Left by longjmp(), again and again, as language runtimes do. */
static void case_escapes(void)
{
	handle_info(SIGSEGV, on_escape, 0, NULL);
	for (volatile int i = 0; i < 10; i++) {
		expect_guarded();
		if (!sigsetjmp(escape, 1)) {
			touch(no_access);
			_exit(98);
		}
		EXPECT(calls_a == i + 1);
		expect_guarded();
	}
}

static void handler__from_after(void **state)
{
	(void)state;
	runs(case_after);
	runs(case_after_and_look);
	runs(case_replaced);
	runs(case_escapes);
}

/* Flags and mask of the handler behind. */

static void case_mask(void)
{
	struct sigaction sa = { .sa_sigaction = on_fault_a,
				.sa_flags = SA_SIGINFO };

	sigemptyset(&sa.sa_mask);
	sigaddset(&sa.sa_mask, SIGUSR1);
	EXPECT(!sigaction(SIGSEGV, &sa, NULL));
	expect_guarded();
	touch_unguarded();
	EXPECT(calls_a == 1);
	EXPECT(sigismember(&seen_mask, SIGUSR1) == 1);
	EXPECT(sigismember(&seen_mask, SIGSEGV) == 1);
	EXPECT(sigismember(&seen_mask, SIGUSR2) == 0);
	/* and afterwards as before */
	sigprocmask(SIG_BLOCK, NULL, &seen_mask);
	EXPECT(sigismember(&seen_mask, SIGUSR1) == 0);
	EXPECT(sigismember(&seen_mask, SIGSEGV) == 0);
}

static void case_nodefer(void)
{
	handle_info(SIGSEGV, on_fault_a, SA_NODEFER, NULL);
	expect_guarded();
	touch_unguarded();
	EXPECT(calls_a == 1);
	EXPECT(sigismember(&seen_mask, SIGSEGV) == 0);
}

/* The mask of a thread outlives its faults. */
static void case_own_mask(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 3; i++) {
		expect_guarded();
		sigprocmask(SIG_BLOCK, NULL, &set);
		EXPECT(sigismember(&set, SIGUSR1) == 1);
		EXPECT(sigismember(&set, SIGSEGV) == 0);
		EXPECT(sigismember(&set, SIGBUS) == 0);
		EXPECT(sigismember(&set, SIGUSR2) == 0);
	}
}

static void case_onstack(void)
{
	use_alternate_stack();
	handle_info(SIGSEGV, on_fault_a, SA_ONSTACK, NULL);
	expect_guarded();
	touch_unguarded();
	EXPECT(calls_a == 1 && on_alternate_stack(seen_stack));
}

static void case_not_onstack(void)
{
	use_alternate_stack();
	handle_info(SIGSEGV, on_fault_a, 0, NULL);
	expect_guarded();
	touch_unguarded();
	EXPECT(calls_a == 1 && !on_alternate_stack(seen_stack));
}

/* Many faults on the alternate stack: each leaves it. */
static void case_stays_off_stack(void)
{
	stack_t before, st;

	use_alternate_stack();
	EXPECT(!sigaltstack(NULL, &before));
	for (int i = 0; i < 1000; i++)
		expect_guarded();
	EXPECT(!sigaltstack(NULL, &st));
	EXPECT(st.ss_flags == before.ss_flags);
	EXPECT(st.ss_sp == before.ss_sp && st.ss_size == before.ss_size);
}

static void handler__mask_and_stack(void **state)
{
	(void)state;
	runs(case_mask);
	runs(case_nodefer);
	runs(case_own_mask);
	runs(case_onstack);
	runs(case_not_onstack);
	runs(case_stays_off_stack);
}

/* What ends a process. */

static void case_default_segv(void)
{
	expect_guarded();
	touch(no_access);
}

static void case_default_bus(void)
{
	expect_guarded();
	touch(behind_end);
}

static void case_default_sent(void)
{
	expect_guarded();
	kill(getpid(), SIGBUS);
	pause();
}

/* An address that no CPU accepts comes without si_addr: in a range it is a
 * guarded one, else the end. */
static void case_not_canonical(void)
{
	void *addr = (void *)(uintptr_t)(UINT64_MAX / 3);

	expect_guarded();
	EXPECT(pmk_fault_call(touch, addr, addr, 100, NULL));
	pmk_fault_call(touch, addr, no_access, PAGE, NULL);
}

static void case_ignored(void)
{
	handle(SIGBUS, SIG_IGN, 0);
	expect_guarded();
	kill(getpid(), SIGBUS); /* ignored */
	touch(behind_end);      /* not: the kernel cannot go on */
}

static void case_ignored_sent(void)
{
	handle(SIGBUS, SIG_IGN, 0);
	expect_guarded();
	kill(getpid(), SIGBUS);
}

static void case_resethand(void)
{
	handle_info(SIGSEGV, on_fault_a, (int)SA_RESETHAND, NULL);
	expect_guarded();
	touch_unguarded();
	EXPECT(calls_a == 1);
	EXPECT(!mprotect(no_access, PAGE, PROT_NONE));
	expect_guarded();
	touch_unguarded(); /* the default, this time */
}

static void on_set_default(int sig)
{
	handle(sig, SIG_DFL, 0);
}

/* Handlers that print and then let the default happen. */
static void case_handler_sets_default(void)
{
	handle(SIGSEGV, on_set_default, 0);
	expect_guarded();
	touch(no_access);
}

static void on_raise(int sig)
{
	calls_a++;
	raise(sig);
}

static void case_handler_raises(void)
{
	handle(SIGSEGV, on_raise, (int)SA_RESETHAND | SA_NODEFER);
	expect_guarded();
	touch(no_access);
}

static void case_blocked(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigprocmask(SIG_BLOCK, &set, NULL);
	expect_guarded();
}

static void death__as_without(void **state)
{
	(void)state;
	dies(case_default_segv, SIGSEGV);
	dies(case_default_bus, SIGBUS);
	dies(case_default_sent, SIGBUS);
	dies(case_not_canonical, SIGSEGV);
	dies(case_ignored, SIGBUS);
	runs(case_ignored_sent);
	dies(case_resethand, SIGSEGV);
	dies(case_handler_sets_default, SIGSEGV);
	dies(case_handler_raises, SIGSEGV);
	dies(case_blocked, SIGSEGV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handler__from_before),
		cmocka_unit_test(handler__from_after),
		cmocka_unit_test(handler__mask_and_stack),
		cmocka_unit_test(death__as_without),
	};

	return cmocka_run_group_tests_name("fault chain", tests, NULL, NULL);
}
