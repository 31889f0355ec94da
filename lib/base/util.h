/* SPDX-License-Identifier: BSD-3-Clause */
/* The few helpers that every layer needs. */
#ifndef LIB_BASE_UTIL_H
#define LIB_BASE_UTIL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * In front of a loop of few, constant rounds over an array of vectors: gcc 12
 * at -O2 else unrolls one of two such loops, and puts the array on the stack
 * between them.
 */
#ifdef __clang__
#define PMK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PMK_UNROLL _Pragma("GCC unroll 16")
#endif

/* A contradiction inside the library: never the caller's doing. */
#define PMK_BUG_ON(cond) assert(!(cond))

static inline size_t pmk_min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* @align: a power of two */
static inline uint64_t pmk_align_down(uint64_t v, uint64_t align)
{
	return v & ~(align - 1);
}

/* @align: a power of two; wraps if the result passes 2^64 */
static inline uint64_t pmk_align_up(uint64_t v, uint64_t align)
{
	return pmk_align_down(v + align - 1, align);
}

static inline bool pmk_is_aligned(uint64_t v, uint64_t align)
{
	return (v & (align - 1)) == 0;
}

static inline bool pmk_is_zero(const void *p, size_t len)
{
	const unsigned char *b = p;

	return !len || (!b[0] && !memcmp(b, b + 1, len - 1));
}

#endif /* LIB_BASE_UTIL_H */
