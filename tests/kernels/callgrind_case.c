/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small copies, one after the other, for callgrind.sh, which counts the
 * instructions of each function here.
 *
 * APIs covered: pmk_memcpy(), pmk_memcpy_flushcache().
 */
#include <stddef.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/kernel.h>

/* callgrind.sh divides by this, which takes what is outside the loop away. */
#define CALLS 10000

static _Alignas(64) char dst[256];
static _Alignas(64) char src[256];

/* Not one function for all: its parameters would be part of what is counted,
 * and pmk_memcpy_flushcache() wants constants. */
#define CASE(name, call)                                          \
	__attribute__((noinline, noclone)) static void name(void) \
	{                                                         \
		for (size_t i = 0; i < CALLS; i++) {              \
			call;                                     \
			__asm__ volatile("" ::: "memory");        \
		}                                                 \
	}

/* clang-format off: it takes the list for functions */
CASE(case_nodrain_8, pmk_memcpy(dst, src, 8, PMK_F_NODRAIN))
CASE(case_nodrain_24, pmk_memcpy(dst, src, 24, PMK_F_NODRAIN))
CASE(case_nodrain_24_at_8, pmk_memcpy(dst + 8, src, 24, PMK_F_NODRAIN))
CASE(case_nodrain_64, pmk_memcpy(dst, src, 64, PMK_F_NODRAIN))
CASE(case_nodrain_192, pmk_memcpy(dst, src, 192, PMK_F_NODRAIN))
CASE(case_persist_8, pmk_memcpy(dst, src, 8, 0))
CASE(case_persist_64, pmk_memcpy(dst, src, 64, 0))
CASE(case_persist_192_at_8, pmk_memcpy(dst + 8, src, 192, 0))
CASE(case_flushcache_8, pmk_memcpy_flushcache(dst, src, 8))
CASE(case_flushcache_64, pmk_memcpy_flushcache(dst, src, 64))
/* clang-format on */

int main(void)
{
	/* those that do not depend on the CPU: callgrind.sh disables others */
	if (strcmp(pmk_op_kernel(PMK_OP_COPY), "sse2") ||
	    strcmp(pmk_op_kernel(PMK_OP_FLUSH), "clflush"))
		return 1;
	case_nodrain_8();
	case_nodrain_24();
	case_nodrain_24_at_8();
	case_nodrain_64();
	case_nodrain_192();
	case_persist_8();
	case_persist_64();
	case_persist_192_at_8();
	case_flushcache_8();
	case_flushcache_64();
	return 0;
}
