/* SPDX-License-Identifier: BSD-3-Clause */
/* Decode CPUID and XCR0 into the features that the library may use. */
#include <cpuid.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/cpu.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "cpu/cpuid.h"

/* CPUID bits: Intel SDM vol. 2A, CPUID, leaves 1 and 7; AMD APM vol. 3, E.3. */
#define LEAF1_EDX_CLFSH      (1U << 19)
#define LEAF1_ECX_OSXSAVE    (1U << 27)
#define LEAF1_ECX_AVX        (1U << 28)
#define LEAF7_EBX_AVX2       (1U << 5)
#define LEAF7_EBX_ERMS       (1U << 9)
#define LEAF7_EBX_AVX512F    (1U << 16)
#define LEAF7_EBX_CLFLUSHOPT (1U << 23)
#define LEAF7_EBX_CLWB       (1U << 24)
#define LEAF7_ECX_MOVDIRI    (1U << 27)
#define LEAF7_ECX_MOVDIR64B  (1U << 28)
#define LEAF7_EDX_FSRM       (1U << 4)
#define LEAF7_1_EAX_FSRS     (1U << 11)

/* XCR0: SSE and AVX state; for AVX-512 also opmask and both halves of ZMM
 * (Intel SDM vol. 1, 13.3). */
#define XCR0_AVX    0x06U
#define XCR0_AVX512 0xe6U

struct feature {
	uint32_t bit;
	const char *name;
	uint32_t needs; /* other features without which this one is off */
};

static const struct feature table[] = {
	{ PMK_CPU_CLFLUSH, "clflush", 0 },
	{ PMK_CPU_CLFLUSHOPT, "clflushopt", 0 },
	{ PMK_CPU_CLWB, "clwb", 0 },
	{ PMK_CPU_AVX, "avx", 0 },
	{ PMK_CPU_AVX2, "avx2", PMK_CPU_AVX },
	{ PMK_CPU_AVX512F, "avx512f", PMK_CPU_AVX | PMK_CPU_AVX2 },
	{ PMK_CPU_MOVDIRI, "movdiri", 0 },
	{ PMK_CPU_MOVDIR64B, "movdir64b", 0 },
	{ PMK_CPU_ERMS, "erms", 0 },
	{ PMK_CPU_FSRM, "fsrm", 0 },
	{ PMK_CPU_FSRS, "fsrs", 0 },
};

static uint32_t decode_leaf1(const struct cpuid_regs *r, uint64_t xcr0)
{
	uint32_t f = 0;

	if (r->edx & LEAF1_EDX_CLFSH)
		f |= PMK_CPU_CLFLUSH;
	if ((r->ecx & LEAF1_ECX_AVX) && (xcr0 & XCR0_AVX) == XCR0_AVX)
		f |= PMK_CPU_AVX;
	return f;
}

static uint32_t decode_leaf7(const struct cpuid_regs *r, uint64_t xcr0)
{
	uint32_t f = 0;

	if ((r->ebx & LEAF7_EBX_AVX2) && (xcr0 & XCR0_AVX) == XCR0_AVX)
		f |= PMK_CPU_AVX2;
	if ((r->ebx & LEAF7_EBX_AVX512F) && (xcr0 & XCR0_AVX512) == XCR0_AVX512)
		f |= PMK_CPU_AVX512F;
	if (r->ebx & LEAF7_EBX_ERMS)
		f |= PMK_CPU_ERMS;
	if (r->ebx & LEAF7_EBX_CLFLUSHOPT)
		f |= PMK_CPU_CLFLUSHOPT;
	if (r->ebx & LEAF7_EBX_CLWB)
		f |= PMK_CPU_CLWB;
	if (r->ecx & LEAF7_ECX_MOVDIRI)
		f |= PMK_CPU_MOVDIRI;
	if (r->ecx & LEAF7_ECX_MOVDIR64B)
		f |= PMK_CPU_MOVDIR64B;
	if (r->edx & LEAF7_EDX_FSRM)
		f |= PMK_CPU_FSRM;
	return f;
}

static uint32_t decode_leaf7_1(const struct cpuid_regs *r)
{
	return r->eax & LEAF7_1_EAX_FSRS ? PMK_CPU_FSRS : 0;
}

uint32_t pmk_cpu_decode(const struct cpu_source *src)
{
	uint32_t max = src->cpuid(0, 0).eax, f;
	struct cpuid_regs r;
	uint64_t xcr0;

	if (max < 1)
		return 0;
	r = src->cpuid(1, 0);
	xcr0 = r.ecx & LEAF1_ECX_OSXSAVE ? src->xcr0() : 0;
	f = decode_leaf1(&r, xcr0);
	if (max >= 7) {
		r = src->cpuid(7, 0);
		f |= decode_leaf7(&r, xcr0);
		/* EAX of sub-leaf 0: the highest sub-leaf */
		if (r.eax >= 1) {
			r = src->cpuid(7, 1);
			f |= decode_leaf7_1(&r);
		}
	}
	return pmk_cpu_without(f, 0);
}

uint32_t pmk_cpu_without(uint32_t features, uint32_t disabled)
{
	features &= ~disabled;
	/* the table lists what is needed before what needs it */
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if ((features & table[i].needs) != table[i].needs)
			features &= ~table[i].bit;
	return features;
}

static const struct feature *find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strlen(table[i].name) == len &&
		    !strncmp(table[i].name, name, len))
			return &table[i];
	return NULL;
}

PMK_EXPORT int pmk_cpu_feature_parse(const char *list, uint32_t *mask_ret)
{
	uint32_t mask = 0;

	while (*list) {
		size_t len = strcspn(list, ",");
		const struct feature *f = find(list, len);

		if (!f)
			return pmk_fail(PMK_E_CPU_FEATURE,
					"unknown CPU feature '%.*s'",
					(int)pmk_min_size(len, 64), list);
		mask |= f->bit;
		list += len;
		if (*list == ',')
			list++;
	}
	*mask_ret = mask;
	return 0;
}

PMK_EXPORT const char *pmk_cpu_feature_name(uint32_t feature)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].bit == feature)
			return table[i].name;
	return NULL;
}

static struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_regs r = { 0, 0, 0, 0 };

	__cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
	return r;
}

static uint64_t hw_xcr0(void)
{
	uint32_t lo, hi;

	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return (uint64_t)hi << 32 | lo;
}

static uint32_t detect(void)
{
	static const struct cpu_source hw = { hw_cpuid, hw_xcr0 };
	const char *list = secure_getenv("PMK_DISABLE_CPU_FEATURES");
	uint32_t disabled = 0;

	if (list && pmk_cpu_feature_parse(list, &disabled))
		pmk_log(PMK_LOG_WARNING,
			"PMK_DISABLE_CPU_FEATURES=%s disables nothing", list);
	return pmk_cpu_without(pmk_cpu_decode(&hw), disabled);
}

PMK_EXPORT uint32_t pmk_cpu_features(void)
{
	/* set in the cache only: tells "no features" from "not yet decoded" */
	static const uint32_t decoded = 1U << 31;
	static _Atomic uint32_t cache;
	uint32_t f = atomic_load_explicit(&cache, memory_order_relaxed);

	if (f)
		return f & ~decoded;
	/* racing threads decode the same value twice: no harm */
	f = detect();
	atomic_store_explicit(&cache, f | decoded, memory_order_relaxed);
	return f;
}
