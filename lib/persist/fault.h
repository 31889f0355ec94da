/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access to memory that may fail: a page behind the end of its file, a bad
 * block of a DAX file, poisoned memory.  The hardware's answer is SIGBUS or
 * SIGSEGV; here it becomes a result.
 *
 * The handlers are the process's, installed on first use.  A fault that is not
 * a guarded one goes to the handler that was there before, as if this one were
 * not.  See pmk_fault_look() for one that is installed later.
 */
#ifndef LIB_PERSIST_FAULT_H
#define LIB_PERSIST_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an access failed. */
struct pmk_fault {
	uintptr_t addr; /* of poison: the beginning of what is poisoned */
	int sig;        /* SIGBUS or SIGSEGV */
	int code;       /* si_code, such as BUS_ADRERR */
};

struct pmk_fault_range {
	const void *addr;
	size_t len;
};

typedef void (*pmk_fault_fn)(void *arg);

/*
 * Run @fn(@arg).  If it faults on an address in one of the @n ranges, it is
 * abandoned where it stands: it must hold nothing that wants to be released,
 * and what it leaves behind for the caller has to be volatile, or stored before
 * the access that may fail.  Calls nest; a fault in a range of an outer call
 * abandons that one.  @fault_ret may be NULL; it is set on true only.
 *
 * Thread safe and, if neither signal is blocked, signal safe; blocked, a fault
 * ends the process, as the kernel does without any handler.  A signal handler
 * must not leave @fn by longjmp().
 *
 * Returns true if @fn was abandoned.
 */
bool pmk_fault_guard(pmk_fault_fn fn, void *arg,
		     const struct pmk_fault_range *ranges, size_t n,
		     struct pmk_fault *fault_ret);

/* The same for one range. */
static inline bool pmk_fault_call(pmk_fault_fn fn, void *arg, const void *addr,
				  size_t len, struct pmk_fault *fault_ret)
{
	const struct pmk_fault_range range = { addr, len };

	return pmk_fault_guard(fn, arg, &range, 1, fault_ret);
}

/*
 * If a handler has been installed over the one of this file, put that back in
 * front, and the other behind it.  Two system calls: for the beginning of work,
 * not for each access.  Signal safe.
 */
void pmk_fault_look(void);

#endif /* LIB_PERSIST_FAULT_H */
