/* SPDX-License-Identifier: BSD-3-Clause */
/* What this CPU can do for persistent memory. */
#ifndef PMK_CPU_H
#define PMK_CPU_H

#include <stdint.h>

#include <pmk/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One bit each.  A bit is set only if the instruction may be executed: AVX and
 * AVX-512 also need the operating system to have enabled their register state
 * in XCR0 (Intel SDM vol. 1, 13.3 and 14.3).
 */
enum pmk_cpu_feature {
	PMK_CPU_CLFLUSH = 1 << 0,
	PMK_CPU_CLFLUSHOPT = 1 << 1,
	PMK_CPU_CLWB = 1 << 2,
	PMK_CPU_AVX = 1 << 3,
	PMK_CPU_AVX2 = 1 << 4,
	PMK_CPU_AVX512F = 1 << 5,
	PMK_CPU_MOVDIRI = 1 << 6,
	PMK_CPU_MOVDIR64B = 1 << 7,
	PMK_CPU_ERMS = 1 << 8,  /* fast rep movsb and stosb */
	PMK_CPU_FSRM = 1 << 9,  /* fast short rep movsb */
	PMK_CPU_FSRS = 1 << 10, /* fast short rep stosb */
};

/**
 * pmk_cpu_features() - features of this CPU that the library may use
 *
 * Decoded once per process from CPUID and XCR0, less what the environment
 * variable PMK_DISABLE_CPU_FEATURES names (for A/B runs; ignored in
 * set-user-ID programs).  Disabling a feature disables what needs it: without
 * avx there is no avx2 and no avx512f.  A list that does not parse is
 * explained through the log callback and disables nothing.
 *
 * Thread safe; signal safe after its first call.
 *
 * Return: a mask of enum pmk_cpu_feature.
 */
uint32_t pmk_cpu_features(void);

/**
 * pmk_cpu_feature_name() - the name of one feature
 * @feature: one bit of enum pmk_cpu_feature
 *
 * Thread and signal safe.
 *
 * Return: a static string such as "clwb"; NULL if @feature is not one bit of
 * the enumeration.
 */
const char *pmk_cpu_feature_name(uint32_t feature);

/**
 * pmk_cpu_feature_parse() - read a comma-separated list of feature names
 * @list: for example "avx512f,movdir64b"; empty is an empty mask, and a comma
 *	at the end is allowed
 * @mask_ret: the features named; untouched on error
 *
 * Thread and signal safe (it logs on error: see pmk_log_set()).
 *
 * Return: 0; PMK_E_CPU_FEATURE if a name is not known (the log says which).
 */
int pmk_cpu_feature_parse(const char *list, uint32_t *mask_ret) PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_CPU_H */
