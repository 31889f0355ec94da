/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of stream.h. */
#include <emmintrin.h>
#include <immintrin.h>

#include <pmk/cpu.h>

#include "base/util.h"
#include "memmap/stream.h"
#include "persist/prim.h"

/* @lines is a constant in each of these: the group stays in registers. */
#define BY_LINES(fn, dst, group, lines, n)    \
	do {                                  \
		switch (lines) {              \
		case 4:                       \
			fn(dst, group, 4, n); \
			break;                \
		case 5:                       \
			fn(dst, group, 5, n); \
			break;                \
		default:                      \
			fn(dst, group, 6, n); \
			break;                \
		}                             \
	} while (0)

__attribute__((target("avx512f"), always_inline)) static inline void
groups_avx512(char *dst, const char *group, const unsigned int lines,
	      uint64_t n)
{
	__m512i v[MEMMAP_GROUP_MAX];

	PMK_UNROLL
	for (unsigned int i = 0; i < lines; i++)
		v[i] = _mm512_load_si512(group + (size_t)i * MEMMAP_LINE);
	for (; n--; dst += (size_t)lines * MEMMAP_LINE) {
		PMK_UNROLL
		for (unsigned int i = 0; i < lines; i++)
			_mm512_stream_si512(
				(__m512i *)(dst + (size_t)i * MEMMAP_LINE),
				v[i]);
	}
}

__attribute__((target("avx512f"))) static void stream_avx512(char *dst,
							     const char *group,
							     unsigned int lines,
							     uint64_t n)
{
	BY_LINES(groups_avx512, dst, group, lines, n);
}

static inline __attribute__((always_inline)) void groups_movdir64b(
	char *dst, const char *group, const unsigned int lines, uint64_t n)
{
	for (; n--; dst += (size_t)lines * MEMMAP_LINE) {
		PMK_UNROLL
		for (unsigned int i = 0; i < lines; i++)
			pmk_movdir64b(dst + (size_t)i * MEMMAP_LINE,
				      group + (size_t)i * MEMMAP_LINE);
	}
}

static void stream_movdir64b(char *dst, const char *group, unsigned int lines,
			     uint64_t n)
{
	BY_LINES(groups_movdir64b, dst, group, lines, n);
}

/* Up to 24 vectors of 16 bytes: more than there are registers, but the loads
 * are from a cache. */
static inline __attribute__((always_inline)) void groups_sse2(
	char *dst, const char *group, const unsigned int lines, uint64_t n)
{
	for (; n--; dst += (size_t)lines * MEMMAP_LINE) {
		for (unsigned int i = 0; i < lines * MEMMAP_LINE; i += 16)
			_mm_stream_si128(
				(__m128i *)(dst + i),
				_mm_load_si128((const __m128i *)(group + i)));
	}
}

static void stream_sse2(char *dst, const char *group, unsigned int lines,
			uint64_t n)
{
	BY_LINES(groups_sse2, dst, group, lines, n);
}

const struct memmap_stream_kernel pmk_memmap_stream_kernels[] = {
	{ "avx512", PMK_CPU_AVX512F, stream_avx512 },
	{ "movdir64b", PMK_CPU_MOVDIR64B, stream_movdir64b },
	{ "sse2", 0, stream_sse2 },
};
const size_t pmk_memmap_n_stream_kernels =
	ARRAY_SIZE(pmk_memmap_stream_kernels);

const struct memmap_stream_kernel *pmk_memmap_stream_kernel(void)
{
	const struct memmap_stream_kernel *k = pmk_memmap_stream_kernels;

	while ((k->needs & pmk_cpu_features()) != k->needs)
		k++;
	return k;
}
