/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers that can be had again: the seed is printed, fixed by default,
 * and taken from the environment variable PMK_TEST_SEED.
 */
#ifndef TESTS_SUPPORT_SEED_H
#define TESTS_SUPPORT_SEED_H

#include <stddef.h>
#include <stdint.h>

/* The state of a generator; one per test, so that tests do not move others. */
struct rng {
	uint64_t state;
};

/* Start a generator from the seed and @name, and print both. */
void rng_init(struct rng *r, const char *name);
uint64_t rng_next(struct rng *r);
/* A number below @n; @n > 0. */
size_t rng_below(struct rng *r, size_t n);
void rng_fill(struct rng *r, void *buf, size_t len);

#endif /* TESTS_SUPPORT_SEED_H */
