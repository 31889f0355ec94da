/* SPDX-License-Identifier: BSD-3-Clause */
/* The copy kernels, one file each; contract: pmk_copy_lines_fn in ops.h. */
#ifndef LIB_PERSIST_COPY_LINES_H
#define LIB_PERSIST_COPY_LINES_H

#include <stddef.h>

void pmk_copy_lines_sse2(void *dst, const void *src, size_t lines);
void pmk_copy_lines_avx512(void *dst, const void *src, size_t lines);
void pmk_copy_lines_movdir64b(void *dst, const void *src, size_t lines);
void pmk_copy_lines_backward(void *dst, const void *src, size_t lines);

/* Through the cache, neither flushed nor fenced. */
void pmk_copy_lines_cached(void *dst, const void *src, size_t lines);
void pmk_copy_lines_cached_backward(void *dst, const void *src, size_t lines);

#endif /* LIB_PERSIST_COPY_LINES_H */
