/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases that are processes; see fault_case.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "fault_case.h"

char *no_access, *behind_end;

static char *map_behind_end(void)
{
	int fd = memfd_create("fault", 0);
	char *p = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       0);

	EXPECT(p != MAP_FAILED);
	close(fd);
	return p;
}

void handle(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = { .sa_handler = fn, .sa_flags = flags };

	EXPECT(!sigaction(sig, &sa, NULL));
}

void handle_info(int sig, info_fn fn, int flags, struct sigaction *old_ret)
{
	struct sigaction sa = { .sa_sigaction = fn,
				.sa_flags = SA_SIGINFO | flags };

	EXPECT(!sigaction(sig, &sa, old_ret));
}

/* The wait status of a process that runs @fn. */
static int run_case(case_fn fn)
{
	const struct rlimit no_core = { 0, 0 };
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		/* not those of the test framework or of a sanitizer */
		handle(SIGBUS, SIG_DFL, 0);
		handle(SIGSEGV, SIG_DFL, 0);
		no_access = mmap(NULL, PAGE, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		EXPECT(no_access != MAP_FAILED);
		behind_end = map_behind_end();
		alarm(60);
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

void runs(case_fn fn)
{
	assert_int_equal(run_case(fn), 0);
}

void dies(case_fn fn, int sig)
{
	int status = run_case(fn);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), sig);
}

void touch(void *p)
{
	*(volatile char *)p;
}

void expect_guarded(void)
{
	struct pmk_fault f;

	EXPECT(pmk_fault_call(touch, no_access + 5, no_access, PAGE, &f));
	EXPECT(f.sig == SIGSEGV && f.code == SEGV_ACCERR);
	EXPECT(f.addr == (uintptr_t)no_access + 5);
	EXPECT(pmk_fault_call(touch, behind_end + 9, behind_end, PAGE, &f));
	EXPECT(f.sig == SIGBUS && f.code == BUS_ADRERR);
	EXPECT(f.addr == (uintptr_t)behind_end + 9);
	EXPECT(!pmk_fault_call(touch, &f, &f, sizeof(f), NULL));
}

static char alternate[65536];

int on_alternate_stack(const char *p)
{
	return p >= alternate && p < alternate + sizeof(alternate);
}

void use_alternate_stack(void)
{
	const stack_t st = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	EXPECT(!sigaltstack(&st, NULL));
}
