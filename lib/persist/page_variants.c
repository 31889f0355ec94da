/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways to copy pages that a kernel uses or was offered, and the table of
 * all.  They do 4096 bytes at a time, as it does with huge pages; they are asm,
 * or no compiler would leave them what their names say.
 */
#include <pmk/cpu.h>
#include <pmk/flush.h>
#include <pmk/page.h>

#include "base/util.h"
#include "persist/page_variants.h"

#define INLINE static inline __attribute__((always_inline))

/* @copy for each 4096 bytes; always inline, so that it is no call. */
INLINE void each_base_page(void *const dst[], const void *const src[], size_t n,
			   size_t page_size,
			   void (*copy)(void *dst, const void *src))
{
	for (size_t i = 0; i < n; i++)
		for (size_t off = 0; off < page_size; off += PMK_PAGE_SIZE)
			copy((char *)dst[i] + off, (const char *)src[i] + off);
}

INLINE void page_rep_movsq(void *dst, const void *src)
{
	size_t words = PMK_PAGE_SIZE / 8;

	__asm__ volatile("rep movsq"
			 : "+D"(dst), "+S"(src), "+c"(words)
			 :
			 : "memory");
}

static void copy_rep_movsq(void *const dst[], const void *const src[], size_t n,
			   size_t page_size)
{
	each_base_page(dst, src, n, page_size, page_rep_movsq);
}

INLINE void page_rep_movsb(void *dst, const void *src)
{
	size_t bytes = PMK_PAGE_SIZE;

	__asm__ volatile("rep movsb"
			 : "+D"(dst), "+S"(src), "+c"(bytes)
			 :
			 : "memory");
}

static void copy_rep_movsb(void *const dst[], const void *const src[], size_t n,
			   size_t page_size)
{
	each_base_page(dst, src, n, page_size, page_rep_movsb);
}

INLINE void page_mc_loop8(void *dst, const void *src)
{
	size_t words = PMK_PAGE_SIZE / 8;
	uint64_t word;

	__asm__ volatile("1:	mov	(%[src]), %[word]\n"
			 "	mov	%[word], (%[dst])\n"
			 "	add	$8, %[src]\n"
			 "	add	$8, %[dst]\n"
			 "	dec	%[words]\n"
			 "	jnz	1b"
			 : [dst] "+r"(dst), [src] "+r"(src),
			   [words] "+r"(words), [word] "=&r"(word)
			 :
			 : "memory", "cc");
}

static void copy_mc_loop8(void *const dst[], const void *const src[], size_t n,
			  size_t page_size)
{
	each_base_page(dst, src, n, page_size, page_mc_loop8);
}

/*
 * One round of the proposal of 2021: 64 bytes through 8 registers.  Eight
 * variables and no array: gcc 12 would store an array to the stack each time,
 * eight stores that are not in the proposal.
 */
INLINE void line_movnti(char *dst, const char *src)
{
	uint64_t a, b, c, d, e, f, g, h;

	__asm__ volatile("mov	(%[src]), %0\n"
			 "mov	8(%[src]), %1\n"
			 "mov	16(%[src]), %2\n"
			 "mov	24(%[src]), %3\n"
			 "mov	32(%[src]), %4\n"
			 "mov	40(%[src]), %5\n"
			 "mov	48(%[src]), %6\n"
			 "mov	56(%[src]), %7\n"
			 "movnti	%0, (%[dst])\n"
			 "movnti	%1, 8(%[dst])\n"
			 "movnti	%2, 16(%[dst])\n"
			 "movnti	%3, 24(%[dst])\n"
			 "movnti	%4, 32(%[dst])\n"
			 "movnti	%5, 40(%[dst])\n"
			 "movnti	%6, 48(%[dst])\n"
			 "movnti	%7, 56(%[dst])"
			 : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d), "=&r"(e),
			   "=&r"(f), "=&r"(g), "=&r"(h)
			 : [dst] "r"(dst), [src] "r"(src)
			 : "memory");
}

INLINE void page_movnti_2021(void *dst, const void *src)
{
	const size_t ahead = 5 * PMK_LINE_SIZE;
	const char *s = src;
	char *d = dst;
	size_t off = 0;

	for (; off < PMK_PAGE_SIZE - ahead; off += PMK_LINE_SIZE) {
		__builtin_prefetch(s + off + ahead, 0, 3);
		line_movnti(d + off, s + off);
	}
	for (; off < PMK_PAGE_SIZE; off += PMK_LINE_SIZE)
		line_movnti(d + off, s + off);
}

INLINE void page_movnti_2021_drain(void *dst, const void *src)
{
	page_movnti_2021(dst, src);
	pmk_drain(); /* this page, before the next: what was proposed */
}

static void copy_movnti_2021(void *const dst[], const void *const src[],
			     size_t n, size_t page_size)
{
	each_base_page(dst, src, n, page_size, page_movnti_2021_drain);
}

static void copy_movnti_2021_batch(void *const dst[], const void *const src[],
				   size_t n, size_t page_size)
{
	each_base_page(dst, src, n, page_size, page_movnti_2021);
}

const struct pmk_page_kernel pmk_page_variants[] = {
	{ "rep_movsq", 0, PMK_PAGE_CACHED, copy_rep_movsq },
	{ "rep_movsb", 0, PMK_PAGE_CACHED, copy_rep_movsb },
	{ "mc_loop8", 0, PMK_PAGE_CACHED, copy_mc_loop8 },
	{ "movnti_2021", 0, PMK_PAGE_DRAINED, copy_movnti_2021 },
	{ "movnti_2021_batch", 0, PMK_PAGE_NT, copy_movnti_2021_batch },
	{ "avx512_nt", PMK_CPU_AVX512F, PMK_PAGE_NT, pmk_copy_pages_avx512_nt },
	{ "movdir64b", PMK_CPU_MOVDIR64B, PMK_PAGE_NT,
	  pmk_copy_pages_movdir64b },
	{ "sse2_streams", 0, PMK_PAGE_NT, pmk_copy_pages_sse2_streams },
	{ "avx512_streams", PMK_CPU_AVX512F, PMK_PAGE_NT,
	  pmk_copy_pages_avx512_streams },
	{ "movdir64b_streams", PMK_CPU_MOVDIR64B, PMK_PAGE_NT,
	  pmk_copy_pages_movdir64b_streams },
	{ "avx512_cached_streams", PMK_CPU_AVX512F, PMK_PAGE_CACHED,
	  pmk_copy_pages_avx512_cached_streams },
};
const size_t pmk_n_page_variants = ARRAY_SIZE(pmk_page_variants);

/* Best first, each the same function as the variant of its name.  Scattered
 * pages of 4 KiB on DRAM of a Sapphire Rapids, ms/GiB: 101 to 111, 115 to 124,
 * 117 to 130. */
const struct pmk_page_kernel pmk_copy_page_kernels[] = {
	{ "avx512_streams", PMK_CPU_AVX512F, PMK_PAGE_NT,
	  pmk_copy_pages_avx512_streams },
	{ "movdir64b_streams", PMK_CPU_MOVDIR64B, PMK_PAGE_NT,
	  pmk_copy_pages_movdir64b_streams },
	{ "sse2_streams", 0, PMK_PAGE_NT, pmk_copy_pages_sse2_streams },
};
const size_t pmk_n_copy_page_kernels = ARRAY_SIZE(pmk_copy_page_kernels);

const struct pmk_page_kernel pmk_copy_page_from_kernels[] = {
	{ "avx512_cached_streams", PMK_CPU_AVX512F, PMK_PAGE_CACHED,
	  pmk_copy_pages_avx512_cached_streams },
	{ "rep_movsb", PMK_CPU_ERMS, PMK_PAGE_CACHED, copy_rep_movsb },
	{ "rep_movsq", 0, PMK_PAGE_CACHED, copy_rep_movsq },
};
const size_t pmk_n_copy_page_from_kernels =
	ARRAY_SIZE(pmk_copy_page_from_kernels);
