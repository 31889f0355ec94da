/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory between two pages that may not be touched, so that an access of any
 * kind one byte outside faults.  Sanitizers do not look into asm: this does.
 */
#ifndef TESTS_SUPPORT_GUARD_H
#define TESTS_SUPPORT_GUARD_H

#include <stddef.h>

struct guard {
	unsigned char *start; /* first usable byte, page aligned */
	size_t len;           /* usable bytes, whole pages */
};

/* At least @len usable bytes, zeroed; ends the program if there are none. */
void guard_init(struct guard *g, size_t len);
void guard_fini(struct guard *g);
/* The last @len usable bytes. */
unsigned char *guard_tail(const struct guard *g, size_t len);

#endif /* TESTS_SUPPORT_GUARD_H */
