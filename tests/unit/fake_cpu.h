/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs that this machine is not: CPUID leaves per microarchitecture.
 *
 * The words hold the bits of the vendors' manuals for what the library looks
 * at, among those of other features of the part, so that a decoder which looks
 * at a wrong bit is likely to be caught (test_cpu.c also walks single bits).
 */
#ifndef TESTS_UNIT_FAKE_CPU_H
#define TESTS_UNIT_FAKE_CPU_H

#include <stdint.h>

#include "cpu/cpuid.h"

struct fake_cpu {
	const char *name;
	uint32_t max_leaf;
	struct cpuid_regs leaf1, leaf7, leaf7_1;
	uint64_t xcr0;
};

/* The CPUs that get a place in test tables. */
enum fake_cpu_id {
	FAKE_SSE2_ONLY,    /* an emulator without even clflush */
	FAKE_CORE2,        /* clflush only, leaf 7 out of reach */
	FAKE_SANDY_BRIDGE, /* AVX, leaf 7 reachable and empty */
	FAKE_HASWELL,      /* AVX2, no clwb */
	FAKE_ICELAKE_SP,
	FAKE_SAPPHIRE_RAPIDS,
	FAKE_ZEN4,
	FAKE_NO_OSXSAVE,    /* Sapphire Rapids, OS without XSAVE */
	FAKE_XCR0_SSE,      /* the same, XCR0 without AVX state */
	FAKE_XCR0_AVX,      /* the same, XCR0 without AVX-512 state */
	FAKE_XCR0_NO_ZMM16, /* the same, XCR0 without ZMM16..31 */
	FAKE_MAX_LEAF_5,    /* the same, leaves capped as some BIOSes do */
	FAKE_MAX_LEAF_0,
	FAKE_VM_NO_CLWB, /* Ice Lake server under a hypervisor that hides it */
	FAKE_CPUS
};

extern const struct fake_cpu fake_cpus[FAKE_CPUS];

/* Become @cpu until the next call; also fills @src_ret. */
void fake_cpu_set(const struct fake_cpu *cpu, struct cpu_source *src_ret);

/* A leaf or sub-leaf of CPUID that is not there, or XGETBV without OSXSAVE,
 * asked for since fake_cpu_set(): both are errors of a decoder. */
extern int fake_cpu_bad_leaf;
extern int fake_cpu_bad_xgetbv;

#endif /* TESTS_UNIT_FAKE_CPU_H */
