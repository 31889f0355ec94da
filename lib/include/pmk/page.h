/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of whole pages: what migration does.  Which copy is right depends on
 * the direction: pages that go to persistent memory must be durable and are not
 * read soon, pages that come from it are wanted in the cache.
 */
#ifndef PMK_PAGE_H
#define PMK_PAGE_H

#include <stddef.h>

#include <pmk/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a base page. */
#define PMK_PAGE_SIZE 4096

/**
 * pmk_copy_page() - copy one page and make the copy durable
 * @dst: destination, 4096 bytes; aligned to 4096
 * @src: source; aligned to 4096, must not overlap @dst
 *
 * Non-temporal stores, then one SFENCE: durable on return, and in no cache.
 * Lines may become durable in any order before that, in units of 8 bytes at
 * least.  Many pages at once are faster: see pmk_copy_pages().
 *
 * The alignment is not checked; without it the process may end by SIGSEGV.
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 */
void pmk_copy_page(void *dst, const void *src);

/**
 * pmk_copy_pages() - copy many pages and make the copies durable
 * @dst: @n destinations, 4096 bytes each; aligned to 4096, all different
 * @src: @n sources; aligned to 4096; none overlaps a destination
 * @n: pages; 0 copies nothing, but still drains
 *
 * As pmk_copy_page() for each pair, but with one SFENCE, after the last: before
 * the call returns nothing is known to be durable, on return everything is.
 * Pages are copied eight at a time, 256 bytes of each in turn, which keeps more
 * of the memory busy, and gives media that write in units of 256 bytes whole
 * units.
 *
 * Alignment and safety are those of pmk_copy_page().
 */
void pmk_copy_pages(void *const dst[], const void *const src[], size_t n);

/**
 * pmk_copy_pages_from() - copy many pages to memory that is read soon
 * @dst: @n destinations in ordinary memory; see pmk_copy_pages()
 * @src: @n sources, in persistent memory perhaps; see pmk_copy_pages()
 * @n: pages; 0 does nothing
 *
 * Ordinary stores and no fence: the copies are left in the cache, and are not
 * durable.  For a destination that is read while it is still there, less than
 * about 1 MiB later (half of the second-level cache); pmk_copy_pages() costs
 * less if it is read later or never.
 *
 * Alignment and safety are those of pmk_copy_page().
 */
void pmk_copy_pages_from(void *const dst[], const void *const src[], size_t n);

/**
 * pmk_page_variant_name() - the ways to copy pages, by name
 * @variant: counting from 0 lists them all
 *
 * Those that a kernel uses or was offered, and this library's own:
 *
 * "rep_movsq": copy_page() of Linux.  "rep_movsb": copy_mc_to_kernel(), with
 * which Linux 6.12 migrates pages, on most machines; "mc_loop8": the
 * same where machine checks need care, 8 bytes at a time.  "movnti_2021": the
 * proposal of 2021 for migration to persistent memory: 64 bytes a round
 * through 8 registers, PREFETCHT0 5 lines ahead, one SFENCE a page;
 * "movnti_2021_batch": with one SFENCE for all pages.  "avx512_nt",
 * "movdir64b": page by page.  "sse2_streams", "avx512_streams",
 * "movdir64b_streams", and, with ordinary stores, "avx512_cached_streams":
 * eight streams, see pmk_copy_pages().
 *
 * Thread and signal safe.
 *
 * Return: a static string, or NULL past the last variant.
 */
const char *pmk_page_variant_name(unsigned int variant);

/**
 * pmk_copy_pages_by() - copy pages in a given way
 * @variant: see pmk_page_variant_name()
 * @dst: @n destinations; aligned to 4096, all different
 * @src: @n sources; aligned to 4096; none overlaps a destination
 * @n: pages; 0 copies nothing
 * @page_size: bytes of each page, a multiple of 4096: 2 MiB for huge pages
 *
 * For comparisons; the calls above choose.  The variants of Linux work on a
 * huge page as Linux does, 4096 bytes at a time: "movnti_2021" has one SFENCE
 * for each 4096 bytes.  Streams of pages of 32 KiB and more are the eighths of
 * a page.
 *
 * What is durable: with "movnti_2021" each page is before the next is begun;
 * with the other non-temporal variants everything is on return, after their one
 * SFENCE.  The result of "rep_movsq", "rep_movsb", "mc_loop8" and
 * "avx512_cached_streams" is in the cache: it needs pmk_persist() for each
 * page, and the return value says so.
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 *
 * Return: 0: copied and durable; 1: copied, and the caller must flush.
 * -ENOENT: no such variant.  -EOPNOTSUPP: this CPU cannot, or a feature is
 * disabled.  -EINVAL: @page_size is 0 or no multiple of 4096.
 * PMK_E_ALIGNMENT: a page is not aligned to 4096.  On error nothing has been
 * copied.
 */
int pmk_copy_pages_by(unsigned int variant, void *const dst[],
		      const void *const src[], size_t n, size_t page_size)
	PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_PAGE_H */
