/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The seam between CPUID and its decoder: tests hand in fake CPUs as tables of
 * leaves.
 */
#ifndef LIB_CPU_CPUID_H
#define LIB_CPU_CPUID_H

#include <stdint.h>

struct cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

struct cpu_source {
	/* CPUID with EAX = @leaf, ECX = @subleaf; @leaf is never above what
	 * leaf 0 reports */
	struct cpuid_regs (*cpuid)(uint32_t leaf, uint32_t subleaf);
	/* XGETBV of register 0; called only if CPUID reports OSXSAVE */
	uint64_t (*xcr0)(void);
};

/* The features of a CPU.  Pure: no cache, no environment. */
uint32_t pmk_cpu_decode(const struct cpu_source *src);

/* @features without @disabled and without what needs any of it. */
uint32_t pmk_cpu_without(uint32_t features, uint32_t disabled);

#endif /* LIB_CPU_CPUID_H */
