/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The copy kernels, one file an instruction set; contracts: pmk_copy_lines_fn
 * and pmk_copy_streams_fn in ops.h.
 */
#ifndef LIB_PERSIST_COPY_LINES_H
#define LIB_PERSIST_COPY_LINES_H

#include <stddef.h>

#include <emmintrin.h>

/*
 * What one stream stores before it is the next one's turn: four lines, which
 * begin at a multiple of it.  Media that write in units of 256 bytes (Optane)
 * get whole ones: a random store of
 * 64 bytes reaches a quarter of the bandwidth there (0.56 against 2.26 GB/s a
 * DIMM, OptaneStudy).
 */
#define PMK_STREAM_UNIT 256

void pmk_copy_lines_sse2(void *dst, const void *src, size_t lines);
void pmk_copy_lines_avx(void *dst, const void *src, size_t lines);
void pmk_copy_lines_avx512(void *dst, const void *src, size_t lines);
void pmk_copy_lines_movdir64b(void *dst, const void *src, size_t lines);
void pmk_copy_lines_backward(void *dst, const void *src, size_t lines);

void pmk_copy_streams_sse2(void *dst, const void *src, size_t piece,
			   size_t streams, size_t blocks);
void pmk_copy_streams_avx(void *dst, const void *src, size_t piece,
			  size_t streams, size_t blocks);
void pmk_copy_streams_avx512(void *dst, const void *src, size_t piece,
			     size_t streams, size_t blocks);
void pmk_copy_streams_movdir64b(void *dst, const void *src, size_t piece,
				size_t streams, size_t blocks);

/* Through the cache, neither flushed nor fenced. */
void pmk_copy_cached_sse2(void *dst, const void *src, size_t lines);
void pmk_copy_cached_avx(void *dst, const void *src, size_t lines);
void pmk_copy_cached_avx512(void *dst, const void *src, size_t lines);
void pmk_copy_cached_backward(void *dst, const void *src, size_t lines);

/*
 * In the second half of a piece, fetch one line of the piece that follows at
 * the same place in the next block, for each unit that is copied: the
 * prefetcher of the CPU stops at the end of a page and takes some lines to
 * start again, which costs 6 % (1 MiB from DRAM, 8 streams: 12.4 against 13.2
 * GB/s).  To L2: by 2 % better than to L1.  @src: the piece being copied; @at:
 * how far.
 */
static inline void pmk_prefetch_next(const char *src, size_t piece,
				     size_t streams, size_t at)
{
	if (at >= piece / 2)
		_mm_prefetch(src + streams * piece +
				     (at - piece / 2) / PMK_STREAM_UNIT * 64,
			     _MM_HINT_T1);
}

#endif /* LIB_PERSIST_COPY_LINES_H */
