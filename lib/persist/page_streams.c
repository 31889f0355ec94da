/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Page copies by streams: a few bytes of each of several pages in turn.
 *
 * The prefetcher of a CPU ends at each page, and page by page it starts eight
 * times for eight pages; side by side the eight starts overlap.  Scattered
 * pages of 4 KiB, ms/GiB on DRAM of a Sapphire Rapids: page by page 136 to 151,
 * two pages 115 to 125, four 105 to 116, eight 101 to 111, 16 111.  Streams
 * within one 4 KiB page gain nothing (155), within one of 2 MiB they do (130
 * page by page, 96 as eight eighths).
 */
#include <emmintrin.h>
#include <immintrin.h>
#include <stdbool.h>

#include <pmk/page.h>

#include "base/util.h"
#include "persist/page_variants.h"
#include "persist/prim.h"

#define STREAMS PMK_PAGE_STREAMS
/* What Optane media write at a time: less would be a read and a write there.
 * 128 to 512 bytes make no difference on DRAM (99 to 103 ms/GiB). */
#define UNIT 256

/* Ranges of the same length that are copied side by side. */
struct streams {
	char *dst[STREAMS];
	const char *src[STREAMS];
	size_t width; /* most of them */
	size_t n;
	size_t len; /* of each, a multiple of UNIT */
};

/* The eighths of a page. */
static void split_page(struct streams *st, void *dst, const void *src,
		       size_t page_size)
{
	st->n = STREAMS;
	st->len = page_size / STREAMS;
	for (size_t i = 0; i < STREAMS; i++) {
		st->dst[i] = (char *)dst + i * st->len;
		st->src[i] = (const char *)src + i * st->len;
	}
}

/* The streams from page *@page on, which is moved behind them; false: there is
 * no such page. */
static bool next_streams(struct streams *st, void *const dst[],
			 const void *const src[], size_t n, size_t page_size,
			 size_t *page)
{
	if (*page == n)
		return false;
	if (st->width == STREAMS && page_size >= STREAMS * PMK_PAGE_SIZE) {
		split_page(st, dst[*page], src[*page], page_size);
		(*page)++;
		return true;
	}
	st->n = pmk_min_size(n - *page, st->width);
	st->len = page_size;
	for (size_t i = 0; i < st->n; i++, (*page)++) {
		st->dst[i] = dst[*page];
		st->src[i] = src[*page];
	}
	return true;
}

#define INLINE  static inline __attribute__((always_inline))
#define AVX512F __attribute__((target("avx512f")))

/* Variables, not arrays: gcc 12 at -O2 puts an array on the stack and reads it
 * back, 166 instead of 141 ms/GiB. */
INLINE void unit_sse2(char *dst, const char *src)
{
	for (size_t off = 0; off < UNIT; off += 64) {
		const __m128i *s = (const __m128i *)(src + off);
		__m128i *d = (__m128i *)(dst + off);
		__m128i a = _mm_load_si128(s), b = _mm_load_si128(s + 1);
		__m128i c = _mm_load_si128(s + 2), e = _mm_load_si128(s + 3);

		_mm_stream_si128(d, a);
		_mm_stream_si128(d + 1, b);
		_mm_stream_si128(d + 2, c);
		_mm_stream_si128(d + 3, e);
	}
}

AVX512F INLINE void unit_avx512(char *dst, const char *src)
{
	const __m512i *s = (const __m512i *)src;
	__m512i *d = (__m512i *)dst;
	__m512i a = _mm512_load_si512(s), b = _mm512_load_si512(s + 1);
	__m512i c = _mm512_load_si512(s + 2), e = _mm512_load_si512(s + 3);

	_mm512_stream_si512(d, a);
	_mm512_stream_si512(d + 1, b);
	_mm512_stream_si512(d + 2, c);
	_mm512_stream_si512(d + 3, e);
}

AVX512F INLINE void unit_avx512_cached(char *dst, const char *src)
{
	const __m512i *s = (const __m512i *)src;
	__m512i *d = (__m512i *)dst;
	__m512i a = _mm512_load_si512(s), b = _mm512_load_si512(s + 1);
	__m512i c = _mm512_load_si512(s + 2), e = _mm512_load_si512(s + 3);

	_mm512_store_si512(d, a);
	_mm512_store_si512(d + 1, b);
	_mm512_store_si512(d + 2, c);
	_mm512_store_si512(d + 3, e);
}

INLINE void unit_movdir64b(char *dst, const char *src)
{
	for (size_t off = 0; off < UNIT; off += 64)
		pmk_movdir64b(dst + off, src + off);
}

#define KERNEL    pmk_copy_pages_avx512_nt
#define TARGET    AVX512F
#define COPY_UNIT unit_avx512
#define WIDTH     1
#include "persist/page_streams_template.h"

#define KERNEL pmk_copy_pages_movdir64b
#define TARGET
#define COPY_UNIT unit_movdir64b
#define WIDTH     1
#include "persist/page_streams_template.h"

#define KERNEL pmk_copy_pages_sse2_streams
#define TARGET
#define COPY_UNIT unit_sse2
#define WIDTH     STREAMS
#include "persist/page_streams_template.h"

#define KERNEL    pmk_copy_pages_avx512_streams
#define TARGET    AVX512F
#define COPY_UNIT unit_avx512
#define WIDTH     STREAMS
#include "persist/page_streams_template.h"

#define KERNEL pmk_copy_pages_movdir64b_streams
#define TARGET
#define COPY_UNIT unit_movdir64b
#define WIDTH     STREAMS
#include "persist/page_streams_template.h"

#define KERNEL    pmk_copy_pages_avx512_cached_streams
#define TARGET    AVX512F
#define COPY_UNIT unit_avx512_cached
#define WIDTH     STREAMS
#include "persist/page_streams_template.h"
