/* SPDX-License-Identifier: BSD-3-Clause */
/* Clear: by which of the ways of clear_variants.c. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <pmk/clear.h>
#include <pmk/cpu.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "persist/clear_variants.h"
#include "persist/ops.h"
#include "persist/prim.h"

/*
 * From 2049 bytes on our own kernel, if the CPU has one, up to here: 16.2 ns
 * against 17.5 of memset() for 4096, and as much as it from twice that on, see
 * docs/design/0008-clear.md.  What is shorter is done in the header.
 */
#define KERNEL_MAX 8192U

const struct pmk_clear_kernel pmk_clear_kernels[] = {
	{ "avx512", PMK_CPU_AVX512F, pmk_clear_avx512 },
	{ "memset", 0, pmk_clear_memset },
};
const size_t pmk_n_clear_kernels = ARRAY_SIZE(pmk_clear_kernels);

const struct pmk_clear_kernel pmk_clear_nt_kernels[] = {
	{ "nt_avx512", PMK_CPU_AVX512F, pmk_clear_nt_avx512 },
	{ "nt_movdir64b", PMK_CPU_MOVDIR64B, pmk_clear_nt_movdir64b },
	{ "nt_sse2", 0, pmk_clear_nt_sse2 },
};
const size_t pmk_n_clear_nt_kernels = ARRAY_SIZE(pmk_clear_nt_kernels);

static bool around_cache(size_t len, unsigned int flags)
{
	if (flags & PMK_F_NOFLUSH)
		return false;
	if (flags & PMK_F_NONTEMPORAL)
		return true;
	return !(flags & PMK_F_TEMPORAL) &&
	       len >= pmk_kernels()->tuning[PMK_MEDIUM_DRAM].nt_clear;
}

static void clear_nt(void *dst, size_t len, unsigned int flags)
{
	pmk_kernels()->clear_nt->fn(dst, len);
	if (!(flags & PMK_F_NODRAIN))
		pmk_drain(); /* everything stored and written back above */
}

PMK_EXPORT void *pmk_clear_any(void *dst, size_t len, unsigned int flags)
{
	pmk_check_region(dst, len);
	if (around_cache(len, flags))
		clear_nt(dst, len, flags);
	else if (len > KERNEL_MAX || len < PMK_LINE_SIZE)
		memset(dst, 0, len);
	else
		pmk_kernels()->clear->fn(dst, len);
	return dst;
}

PMK_EXPORT const char *pmk_clear_variant_name(unsigned int variant)
{
	return variant < pmk_n_clear_variants ? pmk_clear_variants[variant].name
					      : NULL;
}

PMK_EXPORT int pmk_clear_by(unsigned int variant, void *dst, size_t len)
{
	const struct pmk_clear_variant *v;

	if (variant >= pmk_n_clear_variants)
		return pmk_fail(-ENOENT, "no clear variant %u", variant);
	v = &pmk_clear_variants[variant];
	if ((v->needs & pmk_cpu_features()) != v->needs)
		return pmk_fail(-EOPNOTSUPP,
				"clear variant %s: not on this CPU", v->name);
	pmk_check_region(dst, len);
	v->fn(dst, len);
	if (v->nt)
		pmk_drain(); /* what the variant wrote and flushed */
	return 0;
}
