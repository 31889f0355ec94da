/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symbols for the inline functions of the public headers, for callers that
 * cannot use a C header (other languages, dlsym).
 */
#include "base/export.h"

#define PMK_INLINE PMK_EXPORT
#include <stddef.h>

void *pmk_clear(void *dst, size_t len, unsigned int flags);
void pmk_drain(void);
void pmk_memcpy_flushcache(void *dst, const void *src, size_t len);

#include <pmk/clear.h>
#include <pmk/copy.h>
#include <pmk/flush.h>
