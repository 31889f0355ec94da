/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put bytes of a record into whole lines of memory, for store_lines().
 *
 * Every store is 16 bytes, aligned, and to a place of its own: a kernel that
 * loads 16 bytes gets them from the store buffer.  A load that no single
 * earlier store covers waits until the stores have reached the cache, and
 * behind a fence that is after everything before it is durable.
 */
#ifndef LIB_RLOG_STAGE_H
#define LIB_RLOG_STAGE_H

#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/endian.h"
#include "rlog/format.h"

#define RLOG_UNITS (RLOG_LINE / sizeof(__m128i)) /* in a line */

/* The @len <= 8 bytes at @src, zeros above; reads no others. */
static inline uint64_t stage_word(const unsigned char *src, size_t len)
{
	if (len == 8)
		return pmk_get_le64(src);
	if (len >= 4)
		return pmk_get_le32(src) | (uint64_t)pmk_get_le32(src + len - 4)
						   << 8 * (len - 4);
	if (!len)
		return 0;
	/* 1 to 3: the first, the middle and the last, which may be one */
	return src[0] | (uint64_t)src[len / 2] << 8 * (len / 2) |
	       (uint64_t)src[len - 1] << 8 * (len - 1);
}

/* The same for @len <= 16. */
static inline __m128i stage_unit(const unsigned char *src, size_t len)
{
	if (len == 16)
		return _mm_loadu_si128((const __m128i *)src);
	if (len > 8)
		return _mm_set_epi64x((long long)stage_word(src + 8, len - 8),
				      (long long)pmk_get_le64(src));
	return _mm_cvtsi64_si128((long long)stage_word(src, len));
}

/* Copy @len bytes to @unit, and zeros behind them to the end of the line. */
static inline void pmk_rlog_stage(__m128i *unit, const unsigned char *src,
				  size_t len)
{
	for (; len >= sizeof(*unit); len -= sizeof(*unit)) {
		_mm_store_si128(unit++, _mm_loadu_si128((const __m128i *)src));
		src += sizeof(*unit);
	}
	if (len)
		_mm_store_si128(unit++, stage_unit(src, len));
	while ((uintptr_t)unit % RLOG_LINE)
		_mm_store_si128(unit++, _mm_setzero_si128());
}

#endif /* LIB_RLOG_STAGE_H */
