/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill: the same split into edges and whole lines as copy.c. */
#include <emmintrin.h>
#include <immintrin.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/cpu.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/edge.h"
#include "persist/ops.h"
#include "persist/prim.h"

__attribute__((target("avx512f"))) static void set_lines_avx512(void *dst,
								uint64_t word,
								size_t lines)
{
	__m512i v = _mm512_set1_epi64((long long)word);
	__m512i *d = dst;

	for (size_t i = 0; i < lines; i++)
		_mm512_stream_si512(d + i, v);
}

static void set_lines_sse2(void *dst, uint64_t word, size_t lines)
{
	__m128i v = _mm_set1_epi64x((long long)word);
	__m128i *d = dst;

	for (size_t i = 0; i < 4 * lines; i++)
		_mm_stream_si128(d + i, v);
}

static void set_lines_cached(void *dst, uint64_t word, size_t lines)
{
	__m128i v = _mm_set1_epi64x((long long)word);
	__m128i *d = dst;

	for (size_t i = 0; i < 4 * lines; i++) {
		_mm_store_si128(d + i, v);
		/* keeps the loop from becoming memset(), see edge.c */
		__asm__ volatile("" : : : "memory");
	}
}

static void set_lines_flush(void *dst, uint64_t word, size_t lines)
{
	set_lines_cached(dst, word, lines);
	pmk_flush(dst, lines * PMK_LINE_SIZE);
}

const struct pmk_set_kernel pmk_set_kernels[] = {
	{ "avx512", PMK_CPU_AVX512F, set_lines_avx512 },
	{ "sse2", 0, set_lines_sse2 },
};
const size_t pmk_n_set_kernels = ARRAY_SIZE(pmk_set_kernels);

/* Who fills the parts of a range; chosen as in copy.c. */
struct setter {
	pmk_set_lines_fn lines;
	pmk_edge_fn edge;
};

static struct setter setter_for(unsigned int flags)
{
	if (flags & PMK_F_NOFLUSH)
		return (struct setter){ set_lines_cached, pmk_edge_cached };
	if ((flags & PMK_F_TEMPORAL) && !(flags & PMK_F_NONTEMPORAL))
		return (struct setter){ set_lines_flush, pmk_edge_flush };
	if (flags & (PMK_F_NODRAIN | PMK_F_NONTEMPORAL))
		return (struct setter){ pmk_kernels()->set->fn,
					pmk_edge_stream };
	return (struct setter){ pmk_kernels()->set->fn, pmk_edge_flush };
}

PMK_EXPORT void *pmk_memset(void *dst, int c, size_t len, unsigned int flags)
{
	struct setter set = setter_for(flags);
	char pattern[PMK_LINE_SIZE], *d = dst;
	uint64_t word = 0x0101010101010101U * (unsigned char)c;
	size_t head = pmk_min_size(-(uintptr_t)d & (PMK_LINE_SIZE - 1), len);
	size_t lines = (len - head) / PMK_LINE_SIZE;
	size_t tail = len - head - lines * PMK_LINE_SIZE;

	pmk_check_region(dst, len);
	memset(pattern, c, sizeof(pattern));
	if (head)
		set.edge(d, pattern, head);
	if (lines)
		set.lines(d + head, word, lines);
	if (tail)
		set.edge(d + len - tail, pattern, tail);
	if (!(flags & (PMK_F_NODRAIN | PMK_F_NOFLUSH)))
		pmk_drain(); /* everything written above */
	return dst;
}
