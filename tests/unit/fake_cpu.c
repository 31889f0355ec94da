/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that this machine is not.  Bits: Intel SDM vol. 2A, CPUID; AMD APM. */
#include "fake_cpu.h"

#define SPR_LEAF1                                              \
	{                                                      \
		0x000806f8, 0x00400800, 0x7ffefbff, 0xbfebfbff \
	}
#define SPR_LEAF7                                              \
	{                                                      \
		0x00000002, 0xf3bfbffb, 0xfb417ffe, 0xffdd4432 \
	}
#define SPR_LEAF7_1                 \
	{                           \
		0x00001c30, 0, 0, 0 \
	}

const struct fake_cpu fake_cpus[FAKE_CPUS] = {
	[FAKE_SSE2_ONLY] = { "SSE2 only",
			     1,
			     { 0x00000f34, 0x00010000, 0x00000001, 0x0783f3ff },
			     { 0, 0, 0, 0 },
			     { 0, 0, 0, 0 },
			     0 },
	[FAKE_CORE2] = { "Core 2",
			 10,
			 { 0x000006fb, 0x00020800, 0x0000e3bd, 0xbfebfbff },
			 { 0, 0, 0, 0 },
			 { 0, 0, 0, 0 },
			 0 },
	[FAKE_SANDY_BRIDGE] = { "Sandy Bridge",
				13,
				{ 0x000206a7, 0x00100800, 0x1fbae3ff,
				  0xbfebfbff },
				{ 0, 0, 0, 0 },
				{ 0, 0, 0, 0 },
				0x7 },
	[FAKE_HASWELL] = { "Haswell",
			   13,
			   { 0x000306c3, 0x00100800, 0x7ffafbff, 0xbfebfbff },
			   { 0, 0x000027ab, 0, 0 },
			   { 0, 0, 0, 0 },
			   0x7 },
	[FAKE_ICELAKE_SP] = { "Ice Lake server",
			      27,
			      { 0x000606a6, 0x00400800, 0x7ffefbff,
				0xbfebfbff },
			      { 0, 0xf3bfb7ef, 0x40417ffe, 0xbc040410 },
			      { 0, 0, 0, 0 },
			      0x2e7 },
	[FAKE_SAPPHIRE_RAPIDS] = { "Sapphire Rapids", 32, SPR_LEAF1, SPR_LEAF7,
				   SPR_LEAF7_1, 0x602e7 },
	[FAKE_ZEN4] = { "Zen 4",
			16,
			{ 0x00a60f12, 0x00100800, 0x7ef8320b, 0x178bfbff },
			{ 1, 0xf1bf97a9, 0x00405fce, 0x10000010 },
			{ 0x00000020, 0, 0, 0 },
			0x2e7 },
	[FAKE_NO_OSXSAVE] = { "no OSXSAVE",
			      32,
			      { 0x000806f8, 0x00400800, 0x77fefbff,
				0xbfebfbff },
			      SPR_LEAF7,
			      SPR_LEAF7_1,
			      0x602e7 },
	[FAKE_XCR0_SSE] = { "XCR0 without AVX", 32, SPR_LEAF1, SPR_LEAF7,
			    SPR_LEAF7_1, 0x3 },
	[FAKE_XCR0_AVX] = { "XCR0 without AVX-512", 32, SPR_LEAF1, SPR_LEAF7,
			    SPR_LEAF7_1, 0x7 },
	[FAKE_XCR0_NO_ZMM16] = { "XCR0 without ZMM16-31", 32, SPR_LEAF1,
				 SPR_LEAF7, SPR_LEAF7_1, 0x67 },
	[FAKE_MAX_LEAF_5] = { "max leaf 5", 5, SPR_LEAF1, SPR_LEAF7,
			      SPR_LEAF7_1, 0x602e7 },
	[FAKE_MAX_LEAF_0] = { "max leaf 0", 0, SPR_LEAF1, SPR_LEAF7,
			      SPR_LEAF7_1, 0x602e7 },
	[FAKE_VM_NO_CLWB] = { "Ice Lake server, clwb hidden",
			      27,
			      { 0x000606a6, 0x00400800, 0xfffefbff,
				0xbfebfbff },
			      { 0, 0xf2bfb7ef, 0x40417ffe, 0xbc040410 },
			      { 0, 0, 0, 0 },
			      0x2e7 },
};

int fake_cpu_bad_leaf;
int fake_cpu_bad_xgetbv;
static const struct fake_cpu *current;

static struct cpuid_regs fake_cpuid(uint32_t leaf, uint32_t subleaf)
{
	/* what Intel CPUs do above the highest leaf: answer with that of the
	 * highest, which here is as wrong as can be */
	static const struct cpuid_regs above = { ~0U, ~0U, ~0U, ~0U };
	static const struct cpuid_regs none = { 0, 0, 0, 0 };

	if (leaf > current->max_leaf) {
		fake_cpu_bad_leaf++;
		return above;
	}
	if (leaf == 0)
		return (struct cpuid_regs){ current->max_leaf, 0x756e6547,
					    0x6c65746e, 0x49656e69 };
	if (leaf == 1)
		return current->leaf1;
	if (leaf != 7)
		return none;
	/* other sub-leaves have other meanings for the same bits */
	if (subleaf > current->leaf7.eax)
		fake_cpu_bad_leaf++;
	else if (subleaf < 2)
		return subleaf ? current->leaf7_1 : current->leaf7;
	return above;
}

static uint64_t fake_xcr0(void)
{
	if (!(current->leaf1.ecx & 1U << 27))
		fake_cpu_bad_xgetbv++;
	return current->xcr0;
}

void fake_cpu_set(const struct fake_cpu *cpu, struct cpu_source *src_ret)
{
	current = cpu;
	fake_cpu_bad_leaf = 0;
	fake_cpu_bad_xgetbv = 0;
	*src_ret = (struct cpu_source){ fake_cpuid, fake_xcr0 };
}
