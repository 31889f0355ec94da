/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guarded access: calls in calls, whole units of poison, and signal handlers
 * that interrupt guarded calls and make some themselves.
 *
 * Covered: pmk_fault_call, pmk_copy_mc.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <cmocka.h>

#include <pmk/copy.h>

#include "fault_case.h"

static volatile sig_atomic_t calls;

/* Calls in calls. */

struct nest {
	char *inner, *touched;
	volatile int inner_returned, inner_faulted;
};

static void run_inner(void *arg)
{
	struct nest *n = arg;

	n->inner_faulted =
		pmk_fault_call(touch, n->touched, n->inner, PAGE, NULL);
	n->inner_returned = 1;
}

static void case_nested(void)
{
	struct nest n = { .inner = behind_end, .touched = behind_end };
	struct pmk_fault f;

	EXPECT(!pmk_fault_call(run_inner, &n, no_access, PAGE, &f));
	EXPECT(n.inner_returned && n.inner_faulted);
	/* the inner call touches what the outer one guards */
	n = (struct nest){ .inner = behind_end, .touched = no_access + 3 };
	EXPECT(pmk_fault_call(run_inner, &n, no_access, PAGE, &f));
	EXPECT(!n.inner_returned && f.addr == (uintptr_t)no_access + 3);
	/* both do: the inner one's */
	n = (struct nest){ .inner = no_access, .touched = no_access };
	EXPECT(!pmk_fault_call(run_inner, &n, no_access, PAGE, &f));
	EXPECT(n.inner_returned && n.inner_faulted);
	expect_guarded();
}

static void guarded__in_guarded(void **state)
{
	(void)state;
	runs(case_nested);
}

/* Poison: the kernel's own signal, sent by the process to itself. */

struct poison {
	char *addr;
	int code;
	short lsb;
	volatile int went_on;
};

static void meet_poison(void *arg)
{
	struct poison *p = arg;
	siginfo_t info = { .si_signo = SIGBUS, .si_code = p->code };

	info.si_addr = p->addr;
	info.si_addr_lsb = p->lsb;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGBUS, &info);
	p->went_on = 1;
}

/* The address is anywhere in what is poisoned, the range too. */
static void expect_poison(short lsb, uintptr_t addr, uintptr_t range, int hit)
{
	struct poison p = { (char *)addr, BUS_MCEERR_AR, lsb, 0 };
	struct pmk_fault f;
	int was_hit = pmk_fault_call(meet_poison, &p, (char *)range, 64, &f);

	EXPECT(was_hit == hit && p.went_on == !hit);
	if (hit) {
		EXPECT(f.sig == SIGBUS && f.code == BUS_MCEERR_AR);
		EXPECT(f.addr == (addr >> lsb << lsb));
	}
}

static void count(int sig)
{
	(void)sig;
	calls++;
}

static void case_poison(void)
{
	struct poison early = { no_access, BUS_MCEERR_AO, 12, 0 };

	handle(SIGBUS, count, 0);
	expect_poison(12, 0x5000, 0x5fc0, 1);
	expect_poison(12, 0x5fff, 0x5000, 1);
	expect_poison(12, 0x5000, 0x4fc1, 1);
	expect_poison(21, 0x200000, 0x3fffc0, 1);
	EXPECT(!calls);
	expect_poison(12, 0x5000, 0x4fc0, 0);
	expect_poison(12, 0x5000, 0x6000, 0);
	expect_poison(21, 0x200000, 0x400000, 0);
	EXPECT(calls == 3);
	/* found by the kernel, touched by nobody yet */
	EXPECT(!pmk_fault_call(meet_poison, &early, no_access, PAGE, NULL));
	EXPECT(early.went_on && calls == 4);
}

static void poison__whole_units(void **state)
{
	(void)state;
	runs(case_poison);
}

static char ticks_buf[PAGE];

static void on_tick(int sig)
{
	(void)sig;
	EXPECT(pmk_copy_mc(ticks_buf, no_access, 100) == 100);
	EXPECT(pmk_copy_mc(ticks_buf + 50, ticks_buf, 50) == 0);
	calls++;
}

/* A handler that copies, at any moment of copies that it interrupts. */
static void interrupted_by_ticks(int flags)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } };
	char buf[600];

	handle(SIGPROF, on_tick, flags);
	EXPECT(!setitimer(ITIMER_PROF, &often, NULL));
	for (int i = 0; calls < 100; i++) {
		size_t n = (size_t)i % 600;

		EXPECT(pmk_copy_mc(buf, behind_end, n) == n);
		EXPECT(pmk_copy_mc(buf, &i, sizeof(i)) == 0);
		if (i % 64 == 0)
			pmk_fault_look();
	}
}

static void case_ticks(void)
{
	interrupted_by_ticks(0);
}

static void case_ticks_on_stack(void)
{
	use_alternate_stack();
	interrupted_by_ticks(SA_ONSTACK);
}

/* The first call of all, in a handler. */
static void case_first_in_handler(void)
{
	handle(SIGUSR1, on_tick, 0);
	raise(SIGUSR1);
	EXPECT(calls == 1);
	expect_guarded();
}

static void guarded__in_a_handler(void **state)
{
	(void)state;
#ifdef __SANITIZE_THREAD__
	/* it puts handlers off and then runs them with all signals blocked */
	skip();
#endif
	runs(case_first_in_handler);
	runs(case_ticks);
	runs(case_ticks_on_stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guarded__in_guarded),
		cmocka_unit_test(poison__whole_units),
		cmocka_unit_test(guarded__in_a_handler),
	};

	return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
