/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to copy pages: what page.c chooses from and calls by number. */
#ifndef LIB_PERSIST_PAGE_VARIANTS_H
#define LIB_PERSIST_PAGE_VARIANTS_H

#include <stddef.h>

#include "persist/ops.h"

/* In the order in which <pmk/page.h> lists them. */
extern const struct pmk_page_kernel pmk_page_variants[];
extern const size_t pmk_n_page_variants;

/* Pages that are copied side by side. */
#define PMK_PAGE_STREAMS 8

/* page_streams.c: page by page, and by streams. */
void pmk_copy_pages_avx512_nt(void *const dst[], const void *const src[],
			      size_t n, size_t page_size);
void pmk_copy_pages_movdir64b(void *const dst[], const void *const src[],
			      size_t n, size_t page_size);
void pmk_copy_pages_sse2_streams(void *const dst[], const void *const src[],
				 size_t n, size_t page_size);
void pmk_copy_pages_avx512_streams(void *const dst[], const void *const src[],
				   size_t n, size_t page_size);
void pmk_copy_pages_movdir64b_streams(void *const dst[],
				      const void *const src[], size_t n,
				      size_t page_size);
void pmk_copy_pages_avx512_cached_streams(void *const dst[],
					  const void *const src[], size_t n,
					  size_t page_size);

#endif /* LIB_PERSIST_PAGE_VARIANTS_H */
