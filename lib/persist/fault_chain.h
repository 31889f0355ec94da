/* SPDX-License-Identifier: BSD-3-Clause */
/* The handlers of the process behind the one of fault.c. */
#ifndef LIB_PERSIST_FAULT_CHAIN_H
#define LIB_PERSIST_FAULT_CHAIN_H

#include <signal.h>
#include <stdbool.h>

/* fault.c: what is installed. */
void pmk_fault_handler(int sig, siginfo_t *info, void *context);

/* Did an instruction of this thread fail at info->si_addr?  Not if someone sent
 * the signal, nor if the CPU gave no address. */
bool pmk_fault_is_access(const siginfo_t *info);

/* Install pmk_fault_handler() for @sig, unless it is.  Signal safe. */
void pmk_fault_install(int sig);

/* Do what would be done with the signal if pmk_fault_handler() were not
 * installed.  Returns if that returns. */
void pmk_fault_chain(int sig, siginfo_t *info, void *context);

#endif /* LIB_PERSIST_FAULT_CHAIN_H */
