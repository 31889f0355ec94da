/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy of a range onto one that it shares bytes with. */
#ifndef LIB_PERSIST_COPY_OVERLAP_H
#define LIB_PERSIST_COPY_OVERLAP_H

#include <stddef.h>

/* As pmk_memmove() for @dst != @src, but never drains. */
void pmk_copy_overlapping(char *dst, const char *src, size_t len,
			  unsigned int flags);

#endif /* LIB_PERSIST_COPY_OVERLAP_H */
