/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill: the policies of copy.c, from a line of the pattern. */
#include <emmintrin.h>
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/cpu.h>
#include <pmk/tune.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/edge.h"
#include "persist/ops.h"
#include "persist/prim.h"
#include "persist/span.h"

__attribute__((target("avx512f"))) static void set_lines_avx512(void *dst,
								uint64_t word,
								size_t lines)
{
	__m512i v = _mm512_set1_epi64((long long)word);
	__m512i *d = dst;

	for (size_t i = 0; i < lines; i++)
		_mm512_stream_si512(d + i, v);
}

__attribute__((target("avx"))) static void set_lines_avx(void *dst,
							 uint64_t word,
							 size_t lines)
{
	__m256i v = _mm256_set1_epi64x((long long)word);
	__m256i *d = dst;

	for (size_t i = 0; i < 2 * lines; i++)
		_mm256_stream_si256(d + i, v);
}

static void set_lines_sse2(void *dst, uint64_t word, size_t lines)
{
	__m128i v = _mm_set1_epi64x((long long)word);
	__m128i *d = dst;

	for (size_t i = 0; i < 4 * lines; i++)
		_mm_stream_si128(d + i, v);
}

static void set_lines_movdir64b(void *dst, uint64_t word, size_t lines)
{
	uint64_t line[PMK_LINE_SIZE / 8];
	char *d = dst;

	for (size_t i = 0; i < ARRAY_SIZE(line); i++)
		line[i] = word;
	for (; lines; lines--, d += PMK_LINE_SIZE)
		pmk_movdir64b(d, line);
}

static void set_lines_cached(void *dst, uint64_t word, size_t lines)
{
	__m128i v = _mm_set1_epi64x((long long)word);
	__m128i *d = dst;

	for (size_t i = 0; i < 4 * lines; i++) {
		_mm_store_si128(d + i, v);
		/* keeps the loop from becoming memset(), see edge.h */
		__asm__ volatile("" : : : "memory");
	}
}

const struct pmk_set_kernel pmk_set_kernels[] = {
	{ "avx512", PMK_CPU_AVX512F, set_lines_avx512 },
	{ "movdir64b", PMK_CPU_MOVDIR64B, set_lines_movdir64b },
	{ "avx", PMK_CPU_AVX, set_lines_avx },
	{ "sse2", 0, set_lines_sse2 },
};
const size_t pmk_n_set_kernels = ARRAY_SIZE(pmk_set_kernels);

struct fill {
	struct pmk_span span;
	uint64_t word;
	char line[PMK_LINE_SIZE];
};

static void store_edges(const struct fill *f)
{
	if (f->span.tail)
		pmk_edge_store(f->span.dst + pmk_span_body_end(&f->span),
			       f->line, f->span.tail);
	if (f->span.head)
		pmk_edge_store(f->span.dst, f->line, f->span.head);
}

static void set_lines(const struct fill *f, pmk_set_lines_fn fn)
{
	if (f->span.lines)
		fn(f->span.dst + f->span.head, f->word, f->span.lines);
}

static void set_cached(const struct fill *f)
{
	set_lines(f, set_lines_cached);
	store_edges(f);
}

static void set_drained(const struct fill *f, size_t len,
			const struct pmk_tuning *t)
{
	bool edges = f->span.head + f->span.tail;

	if (f->span.lines && len >= (edges ? t->nt_edges : t->nt_lines)) {
		set_lines(f, pmk_kernels()->set->fn);
		store_edges(f);
		pmk_span_flush_edges(pmk_kernels(), &f->span);
	} else if (len) {
		set_cached(f);
		pmk_flush(f->span.dst, len);
	}
}

static void set_streaming(const struct fill *f, size_t len)
{
	const struct pmk_span *s = &f->span;
	bool words = pmk_edge_is_words(s->dst, len);

	if (words && s->head)
		pmk_edge_stream(s->dst, f->line, s->head);
	set_lines(f, pmk_kernels()->set->fn);
	if (words && s->tail)
		pmk_edge_stream(s->dst + pmk_span_body_end(s), f->line,
				s->tail);
	if (words)
		return;
	store_edges(f);
	pmk_span_flush_edges(pmk_kernels(), s);
}

PMK_EXPORT void *pmk_memset_tuned(void *dst, int c, size_t len,
				  unsigned int flags,
				  const struct pmk_tuning *tuning)
{
	struct fill f = {
		.span = pmk_span_of(dst, len),
		.word = 0x0101010101010101U * (unsigned char)c,
	};

	pmk_check_region(dst, len);
	memset(f.line, c, sizeof(f.line));
	if (flags & PMK_F_NOFLUSH) {
		set_cached(&f);
	} else if ((flags & (PMK_F_TEMPORAL | PMK_F_NONTEMPORAL)) ==
		   PMK_F_TEMPORAL) {
		set_cached(&f);
		pmk_flush(dst, len);
	} else if (flags & (PMK_F_NODRAIN | PMK_F_NONTEMPORAL)) {
		set_streaming(&f, len);
	} else {
		set_drained(&f, len, tuning);
	}
	if (!(flags & (PMK_F_NODRAIN | PMK_F_NOFLUSH)))
		pmk_drain(); /* everything written above */
	return dst;
}

PMK_EXPORT void *pmk_memset(void *dst, int c, size_t len, unsigned int flags)
{
	return pmk_memset_tuned(dst, c, len, flags,
				&pmk_kernels()->tuning[PMK_MEDIUM_DRAM]);
}
