/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flush and drain: how a store to persistent memory becomes durable.
 *
 * Two steps, as in libpmem.  A flush starts the write-back of cache lines; a
 * drain waits until earlier flushes and non-temporal stores *of this thread*
 * have reached the persistence domain.  Neither knows what an address is
 * mapped to: on a mapping whose granularity is a page they do nothing useful,
 * and pmk_map_persist() is the call to use.
 */
#ifndef PMK_FLUSH_H
#define PMK_FLUSH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Inline functions of these headers exist in the library as symbols too, for
 * callers that cannot use a C header; lib/persist/inline_syms.c makes them.
 */
#ifndef PMK_INLINE
#define PMK_INLINE static inline __attribute__((always_inline))
#endif

/* Bytes in a cache line on every x86-64 CPU with persistent memory. */
#define PMK_LINE_SIZE 64

/**
 * pmk_flush() - start write-back of the cache lines of a range
 * @addr: first byte; no alignment needed
 * @len: bytes; 0 does nothing
 *
 * Executes clwb, else clflushopt, else clflush on each 64-byte line that
 * [@addr, @addr + @len) touches.  Nothing is durable until pmk_drain(); lines
 * of one call may become durable in any order (Intel SDM vol. 2, CLWB: ordered
 * only by SFENCE, MFENCE and locked instructions).  A store to the same line
 * after the flush is not covered by it.
 *
 * Always flushes, also where the domain includes the caches: pmk_map_flush()
 * knows better.  Thread safe; signal safe once pmk_cpu_features() has been
 * called.
 */
void pmk_flush(const void *addr, size_t len);

/**
 * pmk_drain() - wait for this thread's flushes and non-temporal stores
 *
 * One SFENCE, on every CPU: a clflush-only CPU still needs it for
 * non-temporal stores.  When it has retired, everything this thread flushed or
 * stored non-temporally before is in the persistence domain (ADR: accepted by
 * the memory controller's write-pending queue).  Another thread's flushes are
 * not covered.
 *
 * Thread and signal safe.
 */
PMK_INLINE void pmk_drain(void)
{
	/* orders earlier clwb, clflushopt, movnti, movdir64b; keeps the
	 * compiler from moving stores across */
	__asm__ volatile("sfence" ::: "memory");
}

/**
 * pmk_persist() - flush a range and drain
 * @addr: first byte; no alignment needed
 * @len: bytes; 0 only drains
 *
 * On return the range, as this thread last saw it, is durable on memory whose
 * granularity is a cache line or finer.
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 */
void pmk_persist(const void *addr, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* PMK_FLUSH_H */
