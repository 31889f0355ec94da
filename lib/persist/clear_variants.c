/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways to clear memory, one function each.
 *
 * The loops are asm, or no compiler would leave them what their names say: it
 * knows memset() when it sees it.  All counters have 64 bits; the loop that
 * Linux had until 5.19 counted its words with 32, which left all but 8 bytes of
 * a range of 32 GiB + 8 as they were and said that it was cleared.
 */
#include <emmintrin.h>
#include <immintrin.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/cpu.h>
#include <pmk/flush.h>

#include "base/util.h"
#include "persist/clear_variants.h"
#include "persist/prim.h"

/* The historical one: a word a round, then the bytes that are left. */
static void clear_loop8(void *dst, size_t len)
{
	size_t words = len / 8, bytes = len % 8;

	__asm__ volatile(
		"	test	%[words], %[words]\n"
		"	jz	2f\n"
		"1:	movq	$0, (%[dst])\n"
		"	add	$8, %[dst]\n"
		"	dec	%[words]\n"
		"	jnz	1b\n"
		"2:	test	%[bytes], %[bytes]\n"
		"	jz	4f\n"
		"3:	movb	$0, (%[dst])\n"
		"	inc	%[dst]\n"
		"	dec	%[bytes]\n"
		"	jnz	3b\n"
		"4:"
		: [dst] "+r"(dst), [words] "+r"(words), [bytes] "+r"(bytes)
		:
		: "memory", "cc");
}

void pmk_clear_rep_stosq(void *dst, size_t len)
{
	size_t words = len / 8;

	__asm__ volatile("rep stosq\n"
			 "mov %[bytes], %%rcx\n"
			 "rep stosb"
			 : "+&D"(dst), "+&c"(words)
			 : "a"(0UL), [bytes] "r"(len % 8)
			 : "memory");
}

void pmk_clear_rep_stosb(void *dst, size_t len)
{
	__asm__ volatile("rep stosb"
			 : "+D"(dst), "+c"(len)
			 : "a"(0)
			 : "memory");
}

/* Eight words a round, then words, then bytes. */
static void clear_unrolled(void *dst, size_t len)
{
	size_t lines = len / 64;

	if (lines)
		__asm__ volatile("1:	mov	%[zero], (%[dst])\n"
				 "	mov	%[zero], 8(%[dst])\n"
				 "	mov	%[zero], 16(%[dst])\n"
				 "	mov	%[zero], 24(%[dst])\n"
				 "	mov	%[zero], 32(%[dst])\n"
				 "	mov	%[zero], 40(%[dst])\n"
				 "	mov	%[zero], 48(%[dst])\n"
				 "	mov	%[zero], 56(%[dst])\n"
				 "	add	$64, %[dst]\n"
				 "	dec	%[lines]\n"
				 "	jnz	1b"
				 : [dst] "+r"(dst), [lines] "+r"(lines)
				 : [zero] "r"(0UL)
				 : "memory", "cc");
	clear_loop8(dst, len % 64);
}

/* Less than a line, of one line, by whole words where it has them. */
static void clear_edge(char *p, size_t len)
{
	char *end = p + len;

	for (; p < end && (uintptr_t)p % 8; p++)
		*(volatile char *)p = 0;
	for (; end - p >= 8; p += 8)
		*(volatile pmk_u64_any *)p = 0;
	for (; p < end; p++)
		*(volatile char *)p = 0;
}

/* Whole lines by @lines, then the edges, through the cache; both are stored
 * before one is written back, as a store waits for a write-back before it. */
static inline __attribute__((always_inline)) void clear_nt(
	char *dst, size_t len, void (*lines)(char *line, size_t n))
{
	size_t head = pmk_min_size(-(uintptr_t)dst & (PMK_LINE_SIZE - 1), len);
	size_t n = (len - head) / PMK_LINE_SIZE;
	size_t tail = (len - head) % PMK_LINE_SIZE;

	if (n)
		lines(dst + head, n);
	clear_edge(dst, head);
	clear_edge(dst + len - tail, tail);
	pmk_flush(dst, head);
	pmk_flush(dst + len - tail, tail);
}

static void lines_movnti(char *line, size_t n)
{
	for (; n--; line += PMK_LINE_SIZE)
		for (size_t i = 0; i < PMK_LINE_SIZE; i += 8)
			_mm_stream_si64((long long *)(line + i), 0);
}

static void lines_sse2(char *line, size_t n)
{
	for (; n--; line += PMK_LINE_SIZE)
		for (size_t i = 0; i < PMK_LINE_SIZE; i += 16)
			_mm_stream_si128((__m128i *)(line + i),
					 _mm_setzero_si128());
}

__attribute__((target("avx512f"))) static void lines_avx512(char *line,
							    size_t n)
{
	for (; n--; line += PMK_LINE_SIZE)
		_mm512_stream_si512((__m512i *)line, _mm512_setzero_si512());
}

static void lines_movdir64b(char *line, size_t n)
{
	static const _Alignas(64) char zeros[PMK_LINE_SIZE];

	for (; n--; line += PMK_LINE_SIZE)
		pmk_movdir64b(line, zeros);
}

static void clear_nt_movnti(void *dst, size_t len)
{
	clear_nt(dst, len, lines_movnti);
}

void pmk_clear_nt_sse2(void *dst, size_t len)
{
	clear_nt(dst, len, lines_sse2);
}

void pmk_clear_nt_avx512(void *dst, size_t len)
{
	clear_nt(dst, len, lines_avx512);
}

void pmk_clear_nt_movdir64b(void *dst, size_t len)
{
	clear_nt(dst, len, lines_movdir64b);
}

void pmk_clear_memset(void *dst, size_t len)
{
	memset(dst, 0, len);
}

/* Lines by one store each; those at the ends overlap their neighbours. */
__attribute__((target("avx512f"))) void pmk_clear_avx512(void *dst, size_t len)
{
	const __m512i zero = _mm512_setzero_si512();
	char *line = dst, *last;

	if (len < PMK_LINE_SIZE) {
		memset(dst, 0, len);
		return;
	}
	last = line + len - PMK_LINE_SIZE;
	_mm512_storeu_si512(line, zero);
	line += PMK_LINE_SIZE - ((uintptr_t)line & (PMK_LINE_SIZE - 1));
#ifdef __clang__
#pragma clang loop unroll_count(4)
#else
#pragma GCC unroll 4
#endif
	for (; line < last; line += PMK_LINE_SIZE) {
		_mm512_store_si512(line, zero);
		/* keeps the loop from becoming memset() */
		__asm__ volatile("" : : : "memory");
	}
	_mm512_storeu_si512(last, zero);
}

const struct pmk_clear_variant pmk_clear_variants[] = {
	{ "loop8", 0, false, clear_loop8 },
	{ "unrolled", 0, false, clear_unrolled },
	{ "rep_stosq", 0, false, pmk_clear_rep_stosq },
	{ "rep_stosb", 0, false, pmk_clear_rep_stosb },
	{ "avx512", PMK_CPU_AVX512F, false, pmk_clear_avx512 },
	{ "memset", 0, false, pmk_clear_memset },
	{ "nt_movnti", 0, true, clear_nt_movnti },
	{ "nt_sse2", 0, true, pmk_clear_nt_sse2 },
	{ "nt_avx512", PMK_CPU_AVX512F, true, pmk_clear_nt_avx512 },
	{ "nt_movdir64b", PMK_CPU_MOVDIR64B, true, pmk_clear_nt_movdir64b },
};
const size_t pmk_n_clear_variants = ARRAY_SIZE(pmk_clear_variants);
