/* SPDX-License-Identifier: BSD-3-Clause */
/* What a fuzz target is: one function, and a check that is never left out. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Must give the same for the same bytes, and return 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An assert() that release builds have, too. */
#define FUZZ_CHECK(cond)                                                   \
	do {                                                               \
		if (!(cond)) {                                             \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, \
				__LINE__, #cond);                          \
			abort();                                           \
		}                                                          \
	} while (0)

#endif /* TESTS_FUZZ_FUZZ_H */
