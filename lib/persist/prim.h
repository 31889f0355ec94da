/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instructions this layer is made of, one inline function each.
 *
 * Asm operands name the whole line that an instruction reads or writes back:
 * only then does the compiler keep earlier stores to it before, and later ones
 * behind.
 */
#ifndef LIB_PERSIST_PRIM_H
#define LIB_PERSIST_PRIM_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/copy.h>
#include <pmk/flush.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PMK_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PMK_ASAN 1
#endif

#ifdef PMK_ASAN
#include <sanitizer/asan_interface.h>
#endif

struct pmk_line {
	unsigned char byte[PMK_LINE_SIZE];
} __attribute__((may_alias));

/*
 * Let AddressSanitizer see a range that asm will touch (it does not look into
 * asm): reads the first byte that must not be touched, if there is one.
 */
static inline void pmk_check_region(const void *addr, size_t len)
{
#ifdef PMK_ASAN
	const volatile char *bad =
		__asan_region_is_poisoned((void *)(uintptr_t)addr, len);

	if (len && bad)
		(void)*bad;
#else
	(void)addr;
	(void)len;
#endif
}

static inline struct pmk_line *pmk_line_at(const void *addr)
{
	return (struct pmk_line *)(uintptr_t)addr;
}

static inline void pmk_clwb(const void *line)
{
	__asm__ volatile("clwb %0" : "+m"(*pmk_line_at(line)));
}

static inline void pmk_clflushopt(const void *line)
{
	__asm__ volatile("clflushopt %0" : "+m"(*pmk_line_at(line)));
}

static inline void pmk_clflush(const void *line)
{
	__asm__ volatile("clflush %0" : "+m"(*pmk_line_at(line)));
}

/* @line is 64-byte aligned; stored whole or not at all (Intel SDM vol. 2). */
static inline void pmk_movdir64b(void *line, const void *src)
{
	__asm__ volatile("movdir64b %[src], %[dst]"
			 : "=m"(*pmk_line_at(line))
			 : [dst] "r"(line), [src] "m"(*pmk_line_at(src)));
}

#endif /* LIB_PERSIST_PRIM_H */
