/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's __memcpy_flushcache(), in its own steps and store counts, so
 * that what is measured and traced here says something about the kernel.
 */
#include <string.h>

#include <pmk/copy.h>
#include <pmk/flush.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/prim.h"

/* Store less than 8 bytes through the cache and write their line back. */
static void copy_and_clean(char *dst, const char *src, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((volatile char *)dst)[i] = src[i];
	pmk_flush(dst, len);
}

PMK_EXPORT void pmk_memcpy_flushcache_any(void *dst, const void *src,
					  size_t len)
{
	char *d = dst;
	const char *s = src;
	size_t head = pmk_min_size(-(uintptr_t)d & 7, len);

	pmk_check_region(src, len);
	pmk_check_region(dst, len);
	if (head) {
		copy_and_clean(d, s, head);
		d += head;
		s += head;
		len -= head;
	}
	for (; len >= 32; len -= 32, d += 32, s += 32)
		pmk_nt_copy_words(d, s, 32);
	for (; len >= 8; len -= 8, d += 8, s += 8)
		pmk_nt_copy8(d, s);
	if (len >= 4) {
		pmk_nt_copy4(d, s);
		len -= 4;
		d += 4;
		s += 4;
	}
	if (len)
		copy_and_clean(d, s, len);
}
