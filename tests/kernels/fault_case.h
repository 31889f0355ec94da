/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases of the tests of guarded access: each is a process of its own, whose
 * handlers are as after execve(2).
 */
#ifndef TESTS_KERNELS_FAULT_CASE_H
#define TESTS_KERNELS_FAULT_CASE_H

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "persist/fault.h"

#define PAGE 4096U

/* In a case: end it. */
#define EXPECT(cond)                                                       \
	do {                                                               \
		if (!(cond)) {                                             \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
				#cond);                                    \
			_exit(99);                                         \
		}                                                          \
	} while (0)

/* In a case: a page that cannot be touched, and 16 behind the end of their
 * file. */
extern char *no_access, *behind_end;

typedef void (*case_fn)(void);

/* The test fails unless a process that runs @fn comes to its end, ... */
void runs(case_fn fn);
/* ... or dies of @sig. */
void dies(case_fn fn, int sig);

/* What a case calls. */

void handle(int sig, void (*fn)(int), int flags);

typedef void (*info_fn)(int sig, siginfo_t *info, void *context);

/* With SA_SIGINFO. */
void handle_info(int sig, info_fn fn, int flags, struct sigaction *old_ret);

void use_alternate_stack(void);
int on_alternate_stack(const char *p);

/* Read a byte at @p; a pmk_fault_fn. */
void touch(void *p);
/* Guarded access works for both signals. */
void expect_guarded(void);

#endif /* TESTS_KERNELS_FAULT_CASE_H */
