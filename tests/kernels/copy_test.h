/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of copies share: a source and a destination between guard
 * pages, and what the destination must become. */
#ifndef TESTS_KERNELS_COPY_TEST_H
#define TESTS_KERNELS_COPY_TEST_H

#include <stdlib.h>

#include "kernel_test.h"

static struct guard dst_g, src_g;
static uint8_t *want;     /* as large as dst_g */
static uint8_t *pristine; /* of src_g */

/* The seed of the test @name; @len bytes each. */
static inline int setup_copies(const char *name, size_t len)
{
	struct rng r;

	rng_init(&r, name);
	guard_init(&dst_g, len);
	guard_init(&src_g, len);
	want = malloc(dst_g.len);
	pristine = malloc(src_g.len);
	if (!want || !pristine)
		return -1;
	rng_fill(&r, pristine, src_g.len);
	for (size_t i = 0; i < src_g.len; i++)
		pristine[i] &= 0x7f;
	memcpy(src_g.start, pristine, src_g.len);
	return 0;
}

static int teardown_copies(void **state)
{
	(void)state;
	free(want);
	free(pristine);
	guard_fini(&dst_g);
	guard_fini(&src_g);
	return 0;
}

static inline void check_source_unchanged(void)
{
	assert_memory_equal(src_g.start, pristine, src_g.len);
}

/* Before a copy without overlap, to @dst in dst_g. */
static inline void before_copy(const struct what *w, uint8_t *dst,
			       const uint8_t *src)
{
	uint8_t *lo = margin_start(&dst_g, dst);
	uint8_t *hi = margin_end(&dst_g, dst, w->len);

	memset(lo, BEFORE, (size_t)(hi - lo));
	memset(want, BEFORE, (size_t)(hi - lo));
	memcpy(want + (dst - lo), src, w->len);
}

static inline void after_copy(const struct what *w, uint8_t *dst)
{
	uint8_t *lo = margin_start(&dst_g, dst);
	uint8_t *hi = margin_end(&dst_g, dst, w->len);

	check_same(w, lo, want, (size_t)(hi - lo), dst);
}

/* Before a move inside dst_g, whose first @span bytes are then those of
 * pristine. */
static inline void before_move(const struct what *w, size_t span)
{
	memcpy(dst_g.start, pristine, span);
	memcpy(want, pristine, span);
	memmove(want + w->dst_off, want + w->src_off, w->len);
}

static inline void after_move(const struct what *w, size_t span)
{
	check_same(w, dst_g.start, want, span, dst_g.start + w->dst_off);
}

#endif /* TESTS_KERNELS_COPY_TEST_H */
