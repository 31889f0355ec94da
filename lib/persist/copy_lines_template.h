/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bodies of the non-temporal copy kernels of one instruction set; include it
 * once per set.
 *
 * LINES	name of the pmk_copy_lines_fn
 * CACHED	name of another, which stores through the cache
 * STREAMS	name of the pmk_copy_streams_fn
 * TARGET	target attribute of both, or empty
 * VEC		vector type; 64 bytes are a whole number of them
 * LOADU	unaligned load from const VEC *
 * STREAM	aligned non-temporal store to VEC *
 * STORE	aligned store to VEC *
 *
 * IN_ORDER keeps the compiler from exchanging stores: gcc 12 stores the second
 * half of a line first and its first half last, and a line that is left
 * half-written for long is written twice (4 KiB with AVX, DRAM: 782 instead of
 * 557 ns).
 *
 * Four lines are loaded before the first is stored, which hides load latency
 * and keeps overlap with dst < src right: see pmk_copy_lines_fn.
 */
#if !defined(LINES) || !defined(CACHED) || !defined(STREAMS) || \
	!defined(TARGET) || !defined(VEC) || !defined(LOADU) || \
	!defined(STREAM) || !defined(STORE)
#error "copy_lines_template.h: a parameter is missing"
#endif

#define PER_LINE (PMK_LINE_SIZE / sizeof(VEC))
#define IN_ORDER __asm__ volatile("" : : : "memory")

TARGET static inline __attribute__((always_inline)) void copy_4_lines(
	void *dst, const void *src)
{
	VEC *d = dst;
	const VEC *s = src;
	VEC v[4 * PER_LINE];

	PMK_UNROLL
	for (size_t i = 0; i < 4 * PER_LINE; i++)
		v[i] = LOADU(s + i);
	PMK_UNROLL
	for (size_t i = 0; i < 4 * PER_LINE; i++) {
		STREAM(d + i, v[i]);
		IN_ORDER;
	}
}

TARGET void LINES(void *dst, const void *src, size_t lines)
{
	VEC *d = dst;
	const VEC *s = src;

	for (; lines >= 4; lines -= 4, d += 4 * PER_LINE, s += 4 * PER_LINE)
		copy_4_lines(d, s);
	for (; lines; lines--, d += PER_LINE, s += PER_LINE) {
		VEC v[PER_LINE];

		PMK_UNROLL
		for (size_t i = 0; i < PER_LINE; i++)
			v[i] = LOADU(s + i);
		PMK_UNROLL
		for (size_t i = 0; i < PER_LINE; i++) {
			STREAM(d + i, v[i]);
			IN_ORDER;
		}
	}
}

TARGET void CACHED(void *dst, const void *src, size_t lines)
{
	VEC *d = dst;
	const VEC *s = src;

	for (; lines; lines--, d += PER_LINE, s += PER_LINE) {
		VEC v[PER_LINE];

		PMK_UNROLL
		for (size_t i = 0; i < PER_LINE; i++)
			v[i] = LOADU(s + i);
		PMK_UNROLL
		for (size_t i = 0; i < PER_LINE; i++)
			STORE(d + i, v[i]);
	}
}

TARGET void STREAMS(void *dst, const void *src, size_t piece, size_t streams,
		    size_t blocks)
{
	char *d = dst;
	const char *s = src;

	for (; blocks; blocks--, d += streams * piece, s += streams * piece)
		for (size_t i = 0; i < piece; i += PMK_STREAM_UNIT)
			for (size_t k = 0; k < streams; k++) {
				size_t at = k * piece + i;

				if (blocks > 1)
					pmk_prefetch_next(s + k * piece, piece,
							  streams, i);
				copy_4_lines(d + at, s + at);
			}
}

#undef PER_LINE
#undef IN_ORDER
