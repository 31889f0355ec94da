/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that can be had again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/seed.h"

#define DEFAULT_SEED 20240229

static uint64_t seed(void)
{
	const char *text = getenv("PMK_TEST_SEED");

	return text && *text ? strtoull(text, NULL, 0) : DEFAULT_SEED;
}

void rng_init(struct rng *r, const char *name)
{
	r->state = seed();
	printf("%s: PMK_TEST_SEED=%" PRIu64 "\n", name, r->state);
	/* FNV-1a over the name: tests of one seed differ from each other */
	for (; *name; name++)
		r->state = (r->state ^ (unsigned char)*name) * 0x100000001b3U;
}

/* splitmix64: any state is good, also 0 */
uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15U;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

size_t rng_below(struct rng *r, size_t n)
{
	return (size_t)(rng_next(r) % n);
}

void rng_fill(struct rng *r, void *buf, size_t len)
{
	unsigned char *p = buf;

	for (size_t i = 0; i < len; i++)
		p[i] = (unsigned char)rng_next(r);
}
