/* SPDX-License-Identifier: BSD-3-Clause */
/* Clear memory: for use right after, for good, or where it may fail. */
#ifndef PMK_CLEAR_H
#define PMK_CLEAR_H

#include <stddef.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/error.h>
#include <pmk/flush.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * pmk_clear_any() - pmk_clear() out of line
 * @dst: see pmk_clear()
 * @len: see pmk_clear()
 * @flags: see pmk_clear()
 *
 * What pmk_clear() calls where it is not memset(3); callers have no reason to.
 * Ordering, alignment and safety are those of pmk_clear().
 *
 * Return: @dst.
 */
void *pmk_clear_any(void *dst, size_t len, unsigned int flags);

/* 16 bytes that may alias anything, at any alignment. */
typedef long long __attribute__((vector_size(16), may_alias, aligned(1)))
pmk_u128_any;

/* The first and the last bytes, which overlap in the middle. */
static inline __attribute__((always_inline)) void pmk_clear_16_to_64(char *p,
								     size_t len)
{
	const pmk_u128_any zero = { 0, 0 };

	*(pmk_u128_any *)p = zero;
	*(pmk_u128_any *)(p + len - 16) = zero;
	if (len > 32) {
		*(pmk_u128_any *)(p + 16) = zero;
		*(pmk_u128_any *)(p + len - 32) = zero;
	}
}

/**
 * pmk_clear() - fill memory with zeros
 * @dst: destination; no alignment needed, not NULL
 * @len: bytes; 0 clears nothing
 * @flags: PMK_F_* of <pmk/copy.h>
 *
 * The difference to pmk_memset() is what @flags 0 means: memory that is used
 * next, of which nobody asked that it survive a loss of power.
 *
 * flags 0, PMK_F_NODRAIN: as after memset(3), nothing is durable.  Goes through
 * the cache up to 128 MiB (nt_clear of <pmk/tune.h>); longer ranges, which no
 * cache keeps, bypass it and, unless PMK_F_NODRAIN is given, are drained, so
 * that other threads see them before what the caller stores next.
 *
 * PMK_F_NONTEMPORAL: will not be read soon.  Whole lines bypass the cache, what
 * is less at each end is written back, and all of it is durable on return; with
 * PMK_F_NODRAIN it is so, and sure to be seen by other threads, after the
 * caller's next pmk_drain().  Short ranges pay for that: 64 bytes take 190 ns
 * with the drain, 2.4 ns without the flag.
 *
 * PMK_F_TEMPORAL, PMK_F_NOFLUSH: through the cache whatever the length, as
 * after memset(3): no flush and no fence.
 *
 * PMK_F_NOFLUSH wins over PMK_F_NONTEMPORAL, which wins over PMK_F_TEMPORAL;
 * unknown bits are ignored.  The 8-byte guarantee of pmk_memmove() holds with
 * PMK_F_NONTEMPORAL.
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 *
 * Return: @dst.
 */
PMK_INLINE void *pmk_clear(void *dst, size_t len, unsigned int flags)
{
	/* one comparison for both bounds: a second would show in 128 bytes */
	const size_t libc_min = __builtin_constant_p(len) ? 0 : 65;
	const size_t libc_max = 2048;
	const int nt = (flags & (PMK_F_NOFLUSH | PMK_F_NONTEMPORAL)) ==
		       PMK_F_NONTEMPORAL;

	if (len - libc_min > libc_max - libc_min || nt) {
		if (nt || len > libc_max)
			return pmk_clear_any(dst, len, flags);
		if (len >= 16) {
			pmk_clear_16_to_64((char *)dst, len);
			return dst;
		}
	}
	/* or gcc makes REP STOSQ of a memset() that it knows a bound of: 64
	 * bytes in 11 instead of 3 ns */
	if (!__builtin_constant_p(len))
		__asm__("" : "+r"(len));
	return memset(dst, 0, len);
}

/**
 * pmk_clear_user() - clear memory that may not be writable
 * @dst: destination; no alignment needed
 * @len: bytes; 0 clears nothing, see below
 *
 * As memset(3): nothing is flushed.  But where @dst cannot be written it ends,
 * and no signal is delivered: behind the end of a file that was cut off, at
 * poisoned memory, at a bad block under a DAX mapping (all SIGBUS), at a page
 * without access (SIGSEGV).  The contract is that of clear_user() of Linux.
 * Clearing does not repair a bad block: that takes write(2), or a hole.
 *
 * The count is exact: all bytes before the first one that cannot be cleared
 * are, none behind it is, and it may go on behind that one by another call.
 * Memory fails in pages or larger units.
 *
 * The first call installs handlers for SIGBUS and SIGSEGV, those of
 * pmk_copy_mc(), of which all that is said there of signals holds here:
 * neither may be blocked, handlers pass on what is not theirs, calls with @len
 * 0 or at least 65536 put the library's in front again.
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.  A signal
 * handler that interrupts a clear must not end it by longjmp(3).
 *
 * Return: the number of bytes not cleared, at most @len; 0 is all cleared.
 */
size_t pmk_clear_user(void *dst, size_t len);

/**
 * pmk_clear_variant_name() - the name of one way to clear memory
 * @variant: counting from 0 lists them all
 *
 * For comparison: the 8-byte loop of Linux up to 5.19 with its counter put
 * right ("loop8"), 64 bytes a round ("unrolled"), "rep_stosq", "rep_stosb",
 * 64-byte stores ("avx512"), "memset" of libc, and non-temporal stores of 8, 16
 * and 64 bytes ("nt_movnti", "nt_sse2", "nt_avx512", "nt_movdir64b").  New ones
 * may come with any version, at any place: look for the name.
 *
 * Thread and signal safe.
 *
 * Return: a static string, or NULL past the last variant.
 */
const char *pmk_clear_variant_name(unsigned int variant);

/**
 * pmk_clear_by() - clear memory in one particular way
 * @variant: as pmk_clear_variant_name() counts
 * @dst: destination; no alignment needed, not NULL
 * @len: bytes
 *
 * The variants whose names begin with "nt_" bypass the cache, but for less than
 * a line at each end, which they write back, and drain: the range is durable on
 * return.  The others are as memset(3): nothing is flushed or fenced.
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called and if the
 * variant exists on this CPU (it logs on error: see pmk_log_set()).
 *
 * Return: 0.  -ENOENT: no such variant.  -EOPNOTSUPP: this CPU cannot, or a
 * feature is disabled.  On error nothing has been cleared.
 */
int pmk_clear_by(unsigned int variant, void *dst, size_t len) PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_CLEAR_H */
