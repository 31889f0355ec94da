/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy and fill for persistent memory.  No mapping is needed: these work on any
 * memory, but make it durable only where a cache line is the granularity.
 */
#ifndef PMK_COPY_H
#define PMK_COPY_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/flush.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Flags.  The values are those of PMEM_F_MEM_*.  NOFLUSH wins over
 * NONTEMPORAL, which wins over TEMPORAL; unknown bits are ignored, as libpmem
 * does and as libpmemobj relies on.
 */
#define PMK_F_NODRAIN     (1U << 0) /* no fence: the caller will pmk_drain() */
#define PMK_F_NONTEMPORAL (1U << 1) /* bypass the cache wherever possible */
#define PMK_F_TEMPORAL    (1U << 2) /* leave the data in the cache */
#define PMK_F_NOFLUSH     (1U << 5) /* plain copy; implies NODRAIN */

/**
 * pmk_memmove() - copy memory and make the copy durable
 * @dst: destination; no alignment needed, 64 bytes is the fastest
 * @src: source; may overlap @dst in any way
 * @len: bytes; 0 copies nothing, but still drains
 * @flags: PMK_F_*
 *
 * With flags 0 the copy is durable on return.  With PMK_F_NODRAIN it is after
 * the caller's next pmk_drain(); until then other threads may not see it
 * either.  With PMK_F_NOFLUSH it is as durable as after memmove(3).
 * @src == @dst flushes the range (libpmem 1.12 does not).
 *
 * If @dst and @len are multiples of 8, every store is of one or more whole
 * aligned 8-byte words in one line, so no aligned 8-byte word is ever seen half
 * written, by another thread or after a power failure (libpmem's guarantee, on
 * which libpmemobj builds; the architecture gives 8-byte power-fail atomicity).
 * Larger units may tear.
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 *
 * Return: @dst.
 */
void *pmk_memmove(void *dst, const void *src, size_t len, unsigned int flags);

/**
 * pmk_memcpy() - pmk_memmove() by the name of its commoner use
 * @dst: see pmk_memmove()
 * @src: see pmk_memmove(); overlap is allowed, as in pmem_memcpy()
 * @len: see pmk_memmove()
 * @flags: see pmk_memmove()
 *
 * Ordering, alignment and safety are those of pmk_memmove().
 *
 * Return: @dst.
 */
void *pmk_memcpy(void *dst, const void *src, size_t len, unsigned int flags);

/**
 * pmk_memset() - fill memory and make it durable
 * @dst: destination; no alignment needed
 * @c: the byte, as memset(3) takes it
 * @len: bytes; 0 writes nothing, but still drains
 * @flags: PMK_F_*
 *
 * Ordering, the 8-byte guarantee and safety are those of pmk_memmove().
 *
 * Return: @dst.
 */
void *pmk_memset(void *dst, int c, size_t len, unsigned int flags);

/**
 * pmk_copy_mc() - copy memory that may be unreadable
 * @dst: destination; no alignment needed
 * @src: source; must not overlap @dst
 * @len: bytes; 0 copies nothing, see below
 *
 * As memcpy(3): nothing is flushed.  But where @src cannot be read or @dst
 * cannot be written, the copy ends there, and no signal is delivered: at a bad
 * block under a DAX mapping, at poisoned memory, behind the end of a file that
 * was cut off (all SIGBUS), at a page without access (SIGSEGV).  The contract
 * is that of copy_mc_to_kernel() of Linux, where only @src may fail.
 *
 * The count is exact: all bytes before the first one that cannot be copied are,
 * and the copy may go on behind that one by another call.  Memory fails in
 * pages or larger units.  Bytes of @dst behind the copied ones, but within
 * @len, may have been written.
 *
 * The first call installs handlers for SIGBUS and SIGSEGV.  A signal that is
 * not from such a copy has the effect that it had before.  A handler that is
 * installed later should pass on to the old one what is not its own; if it
 * replaces it, calls with @len 0 or at least 65536 put the library's handler
 * back in front of it, shorter ones do not look.  A handler in front of it
 * sees these faults, too.
 *
 * Thread safe; signal safe.  Neither SIGBUS nor SIGSEGV may be blocked, as each
 * is in its own handler without SA_NODEFER: the fault then ends the process.
 * A signal handler that interrupts a copy must not end it by longjmp(3), nor
 * touch the ranges of the copy itself, but by such a call: a fault there would
 * be taken for the copy's.
 *
 * A handler that was found in front of the library's is called for the life of
 * the process, also when it has been replaced by the library's since: it may
 * not go away (a plug-in, a frame for siglongjmp(3)) after another call.
 *
 * Return: the number of bytes not copied, at most @len; 0 is all copied.
 */
size_t pmk_copy_mc(void *dst, const void *src, size_t len);

/**
 * pmk_memcpy_flushcache_any() - the kernel's __memcpy_flushcache()
 * @dst: destination; no alignment needed
 * @src: source; must not overlap @dst
 * @len: bytes; 0 does nothing
 *
 * Never fences: durable after the caller's next pmk_drain().  The contract is
 * that of Linux 6.1 to 6.12 on x86-64: the bytes up to an 8-byte boundary of
 * @dst are stored and their line written back; then MOVNTI of 8 bytes, one of
 * 4; the last 1 to 3 bytes are stored and their line written back.
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 */
void pmk_memcpy_flushcache_any(void *dst, const void *src, size_t len);

/* A word that may alias anything, at any alignment. */
typedef uint64_t __attribute__((may_alias, aligned(1))) pmk_u64_any;
typedef uint32_t __attribute__((may_alias, aligned(1))) pmk_u32_any;

/*
 * Asm, not _mm_stream_si64(): clang 14 gathers the loads of several of those
 * into vector registers and takes them apart again (20 movq through xmm for
 * eight words at -O2), and no compiler may merge or drop these.
 */
static inline __attribute__((always_inline)) void pmk_nt_copy8(void *dst,
							       const void *src)
{
	__asm__ volatile("movnti %1, %0"
			 : "=m"(*(pmk_u64_any *)dst)
			 : "r"(*(const pmk_u64_any *)src));
}

static inline __attribute__((always_inline)) void pmk_nt_copy4(void *dst,
							       const void *src)
{
	__asm__ volatile("movnti %1, %0"
			 : "=m"(*(pmk_u32_any *)dst)
			 : "r"(*(const pmk_u32_any *)src));
}

/* @len: a constant multiple of 8, so that the loop unrolls. */
static inline __attribute__((always_inline)) void pmk_nt_copy_words(
	void *dst, const void *src, size_t len)
{
	char *d = (char *)dst;
	const char *s = (const char *)src;
	size_t i;

#ifdef __clang__
#pragma clang loop unroll(full)
#else
#pragma GCC unroll 12
#endif
	for (i = 0; i < len; i += 8)
		pmk_nt_copy8(d + i, s + i);
}

/**
 * pmk_memcpy_flushcache() - copy that bypasses the cache and never fences
 * @dst: destination
 * @src: source; must not overlap @dst
 * @len: bytes
 *
 * Durable after the caller's next pmk_drain(), like the kernel's
 * memcpy_flushcache().  When the compiler knows that @len is 4, 8, 16, 24, 32,
 * 48, 64, 80 or 96 this is MOVNTI inline, with no alignment handling: an
 * unaligned destination is legal and still non-temporal, but its words may
 * straddle lines and tear.  Any other @len is pmk_memcpy_flushcache_any().
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 */
PMK_INLINE void pmk_memcpy_flushcache(void *dst, const void *src, size_t len)
{
	if (!__builtin_constant_p(len)) {
		pmk_memcpy_flushcache_any(dst, src, len);
		return;
	}
	switch (len) {
	case 4:
		pmk_nt_copy4(dst, src);
		break;
	case 8:
		pmk_nt_copy_words(dst, src, 8);
		break;
	case 16:
		pmk_nt_copy_words(dst, src, 16);
		break;
	case 24:
		pmk_nt_copy_words(dst, src, 24);
		break;
	case 32:
		pmk_nt_copy_words(dst, src, 32);
		break;
	case 48:
		pmk_nt_copy_words(dst, src, 48);
		break;
	case 64:
		pmk_nt_copy_words(dst, src, 64);
		break;
	case 80:
		pmk_nt_copy_words(dst, src, 80);
		break;
	case 96:
		pmk_nt_copy_words(dst, src, 96);
		break;
	default:
		pmk_memcpy_flushcache_any(dst, src, len);
		break;
	}
}

#ifdef __cplusplus
}
#endif

#endif /* PMK_COPY_H */
