/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to clear memory that pmk_clear_by() offers. */
#ifndef LIB_PERSIST_CLEAR_VARIANTS_H
#define LIB_PERSIST_CLEAR_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "persist/ops.h"

struct pmk_clear_variant {
	const char *name;
	uint32_t needs; /* CPU features */
	bool nt;        /* all of it is durable after a drain, and only then
			 * sure to be seen by other threads */
	pmk_clear_fn fn;
};

/* In the order in which <pmk/clear.h> lists them. */
extern const struct pmk_clear_variant pmk_clear_variants[];
extern const size_t pmk_n_clear_variants;

/* Those of which clear.c and clear_user.c choose. */
void pmk_clear_rep_stosq(void *dst, size_t len);
void pmk_clear_rep_stosb(void *dst, size_t len);
void pmk_clear_memset(void *dst, size_t len);
void pmk_clear_avx512(void *dst, size_t len);
void pmk_clear_nt_sse2(void *dst, size_t len);
void pmk_clear_nt_avx512(void *dst, size_t len);
void pmk_clear_nt_movdir64b(void *dst, size_t len);

#endif /* LIB_PERSIST_CLEAR_VARIANTS_H */
