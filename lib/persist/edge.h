/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edges of a range: the less than 64 bytes before its first and behind its
 * last whole line.
 *
 * Where destination and length are multiples of 8, all stores are of whole
 * aligned 8-byte words or more, and within one line: the 8-byte guarantee of
 * <pmk/copy.h>.
 */
#ifndef LIB_PERSIST_EDGE_H
#define LIB_PERSIST_EDGE_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/copy.h>
#include <pmk/flush.h>

typedef uint16_t __attribute__((may_alias, aligned(1))) pmk_u16_any;

static inline __m128i pmk_load16(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline void pmk_store16(char *p, __m128i v)
{
	_mm_storeu_si128((__m128i *)(void *)p, v);
}

/*
 * The first and the last bytes, which overlap in the middle.  All is loaded
 * before anything is stored.  volatile: no compiler may make narrower stores
 * of these, or call memcpy(), whose store width libc does not promise.
 */
static inline void pmk_edge_under_16(char *dst, const char *src, size_t len)
{
	if (len >= 8) {
		uint64_t a = *(const pmk_u64_any *)src;
		uint64_t b = *(const pmk_u64_any *)(src + len - 8);

		*(volatile pmk_u64_any *)dst = a;
		*(volatile pmk_u64_any *)(dst + len - 8) = b;
	} else if (len >= 4) {
		uint32_t a = *(const pmk_u32_any *)src;
		uint32_t b = *(const pmk_u32_any *)(src + len - 4);

		*(volatile pmk_u32_any *)dst = a;
		*(volatile pmk_u32_any *)(dst + len - 4) = b;
	} else if (len >= 2) {
		uint16_t a = *(const pmk_u16_any *)src;
		uint16_t b = *(const pmk_u16_any *)(src + len - 2);

		*(volatile pmk_u16_any *)dst = a;
		*(volatile pmk_u16_any *)(dst + len - 2) = b;
	} else if (len) {
		*(volatile char *)dst = *src;
	}
}

/* Copy @len < 64 bytes that lie in one line of @dst by plain stores; any
 * overlap. */
static inline void pmk_edge_store(char *dst, const char *src, size_t len)
{
	if (len < 16) {
		pmk_edge_under_16(dst, src, len);
		return;
	}
	__m128i first = pmk_load16(src), last = pmk_load16(src + len - 16);

	if (len > 32) {
		__m128i second = pmk_load16(src + 16);
		__m128i third = pmk_load16(src + len - 32);

		pmk_store16(dst + 16, second);
		pmk_store16(dst + len - 32, third);
	}
	pmk_store16(dst, first);
	pmk_store16(dst + len - 16, last);
}

/* The same, then write-back of the line: for a drain that follows soon. */
static inline void pmk_edge_flush(char *dst, const char *src, size_t len)
{
	pmk_edge_store(dst, src, len);
	pmk_flush(dst, len);
}

/* Can MOVNTI do all of it?  Its smallest store has 4 bytes. */
static inline bool pmk_edge_is_words(const char *dst, size_t len)
{
	return !(((uintptr_t)dst | len) & 3);
}

/*
 * Copy @len < 64 bytes, for which pmk_edge_is_words(), past the cache, in
 * ascending order; for overlap with @dst < @src.  The widest store that is
 * aligned: a line that is written by four stores and not by seven costs 27 and
 * not 29 ns (80 bytes at offset 8).
 */
static inline void pmk_edge_stream(char *dst, const char *src, size_t len)
{
	if (((uintptr_t)dst & 4) && len >= 4) {
		pmk_nt_copy4(dst, src);
		dst += 4, src += 4, len -= 4;
	}
	if (((uintptr_t)dst & 8) && len >= 8) {
		pmk_nt_copy8(dst, src);
		dst += 8, src += 8, len -= 8;
	}
	for (; len >= 16; dst += 16, src += 16, len -= 16)
		_mm_stream_si128((__m128i *)(void *)dst, pmk_load16(src));
	if (len & 8) {
		pmk_nt_copy8(dst, src);
		dst += 8, src += 8;
	}
	if (len & 4)
		pmk_nt_copy4(dst, src);
}

#endif /* LIB_PERSIST_EDGE_H */
