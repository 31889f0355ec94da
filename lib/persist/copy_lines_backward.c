/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of whole lines from the last to the first, for overlap with dst > src:
 * past the cache and through it.
 */
#include <emmintrin.h>

#include "persist/copy_lines.h"
#include "persist/prim.h"

#define PER_LINE (PMK_LINE_SIZE / sizeof(__m128i))

static inline void load_line(__m128i v[PER_LINE], const void *src)
{
	const __m128i *s = src;

	for (size_t i = 0; i < PER_LINE; i++)
		v[i] = _mm_loadu_si128(s + i);
}

void pmk_copy_lines_backward(void *dst, const void *src, size_t lines)
{
	while (lines--) {
		__m128i v[PER_LINE];
		__m128i *d = (__m128i *)dst + lines * PER_LINE;

		load_line(v, (const __m128i *)src + lines * PER_LINE);
		for (size_t i = 0; i < PER_LINE; i++)
			_mm_stream_si128(d + i, v[i]);
	}
}

static inline void cached_line(void *dst, const void *src)
{
	__m128i v[PER_LINE];
	__m128i *d = dst;

	load_line(v, src);
	for (size_t i = 0; i < PER_LINE; i++)
		_mm_store_si128(d + i, v[i]);
}

void pmk_copy_cached_backward(void *dst, const void *src, size_t lines)
{
	while (lines--)
		cached_line((__m128i *)dst + lines * PER_LINE,
			    (const __m128i *)src + lines * PER_LINE);
}
