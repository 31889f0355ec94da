/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which features the library believes a CPU to have.
 *
 * APIs covered: pmk_cpu_decode(), pmk_cpu_without(), pmk_cpu_features(),
 * pmk_cpu_feature_name(), pmk_cpu_feature_parse(), PMK_DISABLE_CPU_FEATURES.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/cpu.h>
#include <pmk/log.h>

#include "base/util.h"
#include "fake_cpu.h"

#define CLFLUSH    PMK_CPU_CLFLUSH
#define CLFLUSHOPT PMK_CPU_CLFLUSHOPT
#define CLWB       PMK_CPU_CLWB
#define AVX        PMK_CPU_AVX
#define AVX2       PMK_CPU_AVX2
#define AVX512F    PMK_CPU_AVX512F
#define MOVDIRI    PMK_CPU_MOVDIRI
#define MOVDIR64B  PMK_CPU_MOVDIR64B
#define ERMS       PMK_CPU_ERMS
#define FSRM       PMK_CPU_FSRM
#define FSRS       PMK_CPU_FSRS

#define SPR_NO_AVX \
	(CLFLUSH | CLFLUSHOPT | CLWB | MOVDIRI | MOVDIR64B | ERMS | FSRM | FSRS)

static const uint32_t expected_features[FAKE_CPUS] = {
	[FAKE_SSE2_ONLY] = 0,
	[FAKE_CORE2] = CLFLUSH,
	[FAKE_SANDY_BRIDGE] = CLFLUSH | AVX,
	[FAKE_HASWELL] = CLFLUSH | AVX | AVX2 | ERMS,
	[FAKE_ICELAKE_SP] = CLFLUSH | CLFLUSHOPT | CLWB | AVX | AVX2 | AVX512F |
			    ERMS | FSRM,
	[FAKE_SAPPHIRE_RAPIDS] = SPR_NO_AVX | AVX | AVX2 | AVX512F,
	[FAKE_ZEN4] = CLFLUSH | CLFLUSHOPT | CLWB | AVX | AVX2 | AVX512F |
		      ERMS | FSRM,
	[FAKE_NO_OSXSAVE] = SPR_NO_AVX,
	[FAKE_XCR0_SSE] = SPR_NO_AVX,
	[FAKE_XCR0_AVX] = SPR_NO_AVX | AVX | AVX2,
	[FAKE_XCR0_NO_ZMM16] = SPR_NO_AVX | AVX | AVX2,
	[FAKE_MAX_LEAF_5] = CLFLUSH | AVX,
	[FAKE_MAX_LEAF_0] = 0,
	[FAKE_VM_NO_CLWB] =
		CLFLUSH | CLFLUSHOPT | AVX | AVX2 | AVX512F | ERMS | FSRM,
};

static uint32_t decode(const struct fake_cpu *cpu)
{
	struct cpu_source src;

	fake_cpu_set(cpu, &src);
	return pmk_cpu_decode(&src);
}

static void decode__every_fake_cpu(void **state)
{
	(void)state;
	for (size_t i = 0; i < FAKE_CPUS; i++) {
		uint32_t f = decode(&fake_cpus[i]);

		if (f != expected_features[i])
			fail_msg("%s: features %#x, expected %#x",
				 fake_cpus[i].name, f, expected_features[i]);
	}
}

static void decode__asks_only_what_exists(void **state)
{
	(void)state;
	for (size_t i = 0; i < FAKE_CPUS; i++) {
		decode(&fake_cpus[i]);
		if (fake_cpu_bad_leaf || fake_cpu_bad_xgetbv)
			fail_msg("%s: %d leaves that do not exist, %d XGETBV "
				 "without OSXSAVE",
				 fake_cpus[i].name, fake_cpu_bad_leaf,
				 fake_cpu_bad_xgetbv);
	}
}

/* Where each feature is reported: Intel SDM vol. 2A, CPUID. */
static const struct {
	uint32_t feature;
	int leaf; /* 1, 7, or 71: sub-leaf 1 of 7 */
	char reg;
	unsigned int bit;
} places[] = {
	{ CLFLUSH, 1, 'd', 19 },   { AVX, 1, 'c', 28 },
	{ AVX2, 7, 'b', 5 },       { ERMS, 7, 'b', 9 },
	{ AVX512F, 7, 'b', 16 },   { CLFLUSHOPT, 7, 'b', 23 },
	{ CLWB, 7, 'b', 24 },      { MOVDIRI, 7, 'c', 27 },
	{ MOVDIR64B, 7, 'c', 28 }, { FSRM, 7, 'd', 4 },
	{ FSRS, 71, 'a', 11 },
};

static uint32_t *word_of(struct fake_cpu *cpu, int leaf, char reg)
{
	struct cpuid_regs *r = leaf == 1   ? &cpu->leaf1
			       : leaf == 7 ? &cpu->leaf7
					   : &cpu->leaf7_1;

	return reg == 'a'   ? &r->eax
	       : reg == 'b' ? &r->ebx
	       : reg == 'c' ? &r->ecx
			    : &r->edx;
}

/* A feature vanishes with its own bit, and with no bit that is not it, what it
 * needs, or OSXSAVE. */
static uint32_t lost_with_bit(int leaf, char reg, unsigned int bit)
{
	if (leaf == 1 && reg == 'c' && bit == 27)
		return AVX | AVX2 | AVX512F;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (places[i].leaf != leaf || places[i].reg != reg ||
		    places[i].bit != bit)
			continue;
		if (places[i].feature == AVX)
			return AVX | AVX2 | AVX512F;
		if (places[i].feature == AVX2)
			return AVX2 | AVX512F;
		return places[i].feature;
	}
	return 0;
}

static void decode__each_bit_alone(void **state)
{
	static const struct cpuid_regs ones = { ~0U, ~0U, ~0U, ~0U };
	const uint32_t all = SPR_NO_AVX | AVX | AVX2 | AVX512F;

	(void)state;
	for (unsigned int i = 0; i < 3 * 4 * 32; i++) {
		static const int leaves[] = { 1, 7, 71 };
		struct fake_cpu cpu = {
			"all ones", 7, ones, ones, ones, ~0ULL
		};
		int leaf = leaves[i / 128];
		char reg = "abcd"[i / 32 % 4];

		*word_of(&cpu, leaf, reg) &= ~(1U << i % 32);
		if (decode(&cpu) != (all & ~lost_with_bit(leaf, reg, i % 32)))
			fail_msg("without CPUID.%d.e%cx[%u]: features %#x",
				 leaf, reg, i % 32, decode(&cpu));
	}
}

static void decode__each_xcr0_bit(void **state)
{
	static const struct cpuid_regs ones = { ~0U, ~0U, ~0U, ~0U };

	(void)state;
	for (unsigned int i = 0; i < 64; i++) {
		struct fake_cpu cpu = { "all ones", 7,    ones,
					ones,       ones, ~(1ULL << i) };
		/* 1 SSE and 2 AVX state; 5 opmask, 6 and 7 ZMM */
		uint32_t lost = i == 1 || i == 2   ? AVX | AVX2 | AVX512F
				: i >= 5 && i <= 7 ? AVX512F
						   : 0;

		if (decode(&cpu) !=
		    ((SPR_NO_AVX | AVX | AVX2 | AVX512F) & ~lost))
			fail_msg("without XCR0[%u]: features %#x", i,
				 decode(&cpu));
	}
}

static void without__takes_what_depends(void **state)
{
	const uint32_t all = SPR_NO_AVX | AVX | AVX2 | AVX512F;

	(void)state;
	assert_int_equal(pmk_cpu_without(all, 0), all);
	assert_int_equal(pmk_cpu_without(all, AVX), SPR_NO_AVX);
	assert_int_equal(pmk_cpu_without(all, AVX512F),
			 SPR_NO_AVX | AVX | AVX2);
	assert_int_equal(pmk_cpu_without(all, CLWB), all & ~(uint32_t)CLWB);
	assert_int_equal(pmk_cpu_without(all, all), 0);
	assert_int_equal(pmk_cpu_without(0, all), 0);
	assert_int_equal(pmk_cpu_without(CLFLUSH, CLWB), CLFLUSH);
}

static const struct {
	uint32_t bit;
	const char *name;
} names[] = {
	{ CLFLUSH, "clflush" }, { CLFLUSHOPT, "clflushopt" },
	{ CLWB, "clwb" },       { AVX, "avx" },
	{ AVX2, "avx2" },       { AVX512F, "avx512f" },
	{ MOVDIRI, "movdiri" }, { MOVDIR64B, "movdir64b" },
	{ ERMS, "erms" },       { FSRM, "fsrm" },
	{ FSRS, "fsrs" },
};

static void feature_name__every_bit(void **state)
{
	uint32_t known = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(pmk_cpu_feature_name(names[i].bit),
				    names[i].name);
		known |= names[i].bit;
	}
	for (unsigned int i = 0; i < 32; i++)
		if (!(known & 1U << i))
			assert_null(pmk_cpu_feature_name(1U << i));
	assert_null(pmk_cpu_feature_name(0));
	assert_null(pmk_cpu_feature_name(CLFLUSH | CLWB));
	assert_null(pmk_cpu_feature_name(~0U));
}

static void feature_parse__valid_lists(void **state)
{
	static const struct {
		const char *list;
		uint32_t mask;
	} cases[] = {
		{ "", 0 },
		{ "clwb", CLWB },
		{ "avx512f,movdir64b", AVX512F | MOVDIR64B },
		{ "movdir64b,avx512f", AVX512F | MOVDIR64B },
		{ "clwb,clwb,clwb", CLWB },
		/* dependencies are the business of who uses the mask */
		{ "avx", AVX },
		/* prefixes of each other */
		{ "clflush", CLFLUSH },
		{ "clflushopt", CLFLUSHOPT },
		{ "avx2", AVX2 },
		{ "clflush,clflushopt,clwb,avx,avx2,avx512f,movdiri,movdir64b,"
		  "erms,fsrm,fsrs",
		  SPR_NO_AVX | AVX | AVX2 | AVX512F },
		/* as scripts make them that append "NAME," */
		{ "clwb,", CLWB },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t mask = ~0U;

		if (pmk_cpu_feature_parse(cases[i].list, &mask) ||
		    mask != cases[i].mask)
			fail_msg("'%s': mask %#x", cases[i].list, mask);
	}
}

/* The last line heard, for the test that asked. */
static char heard[1024];

static void listen(enum pmk_log_level level, const char *text, void *arg)
{
	(void)level;
	(void)arg;
	snprintf(heard, sizeof(heard), "%s", text);
}

static void feature_parse__unknown_names(void **state)
{
	static const struct {
		const char *list, *named;
	} cases[] = {
		{ "sse9", "sse9" },         { "clwb,sse9", "sse9" },
		{ "sse9,clwb", "sse9" },    { "CLWB", "CLWB" },
		{ " clwb", " clwb" },       { "clwb ", "clwb " },
		{ "clwb, avx", " avx" },    { "clwb\n", "clwb\n" },
		{ "clw", "clw" },           { "clwbx", "clwbx" },
		{ "clwb;avx", "clwb;avx" }, { ",clwb", "''" },
		{ "clwb,,avx", "''" },      { ",", "''" },
		{ "0x4", "0x4" },           { "all", "all" },
	};

	(void)state;
	pmk_log_set(listen, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t mask = 0xdeadbeef;
		int rc = pmk_cpu_feature_parse(cases[i].list, &mask);

		if (rc != PMK_E_CPU_FEATURE || mask != 0xdeadbeef)
			fail_msg("'%s': %d, mask %#x", cases[i].list, rc, mask);
		if (!strstr(heard, cases[i].named))
			fail_msg("'%s': the log says '%s'", cases[i].list,
				 heard);
	}
	pmk_log_set(NULL, NULL);
}

static void feature_parse__very_long_name(void **state)
{
	static char list[100000];
	uint32_t mask = 1;

	(void)state;
	memset(list, 'a', sizeof(list) - 1);
	assert_int_equal(pmk_cpu_feature_parse(list, &mask), PMK_E_CPU_FEATURE);
	assert_int_equal(mask, 1);
}

/* What a child of this program, with PMK_DISABLE_CPU_FEATURES=@list or without
 * it (NULL), prints about itself. */
static void child_features(const char *list, uint32_t *mask_ret, int *said_ret)
{
	char out[64] = "";
	int pipe_fd[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		unsetenv("PMK_DISABLE_CPU_FEATURES");
		if (list)
			setenv("PMK_DISABLE_CPU_FEATURES", list, 1);
		dup2(pipe_fd[1], STDOUT_FILENO);
		execl("/proc/self/exe", "test_cpu", "--print-features", NULL);
		_exit(127);
	}
	close(pipe_fd[1]);
	n = read(pipe_fd[0], out, sizeof(out) - 1);
	close(pipe_fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(n > 0);
	assert_int_equal(sscanf(out, "%x %d", mask_ret, said_ret), 2);
}

static int print_features(void)
{
	uint32_t f;

	pmk_log_set(listen, NULL);
	f = pmk_cpu_features();
	/* once decoded, the environment does not matter any more */
	setenv("PMK_DISABLE_CPU_FEATURES", "clflush", 1);
	if (f != pmk_cpu_features())
		return 1;
	printf("%x %d\n", f, heard[0] != 0);
	return 0;
}

static void features__agree_with_the_kernel(void **state)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[8192], padded[sizeof(line) + 2];
	uint32_t mask, expected = 0;
	int said;

	(void)state;
	if (!f)
		skip();
	while (fgets(line, sizeof(line), f) && strncmp(line, "flags", 5))
		;
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	snprintf(padded, sizeof(padded), "%s ", line);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char word[32];

		snprintf(word, sizeof(word), " %s ", names[i].name);
		if (strstr(padded, word))
			expected |= names[i].bit;
	}
	child_features(NULL, &mask, &said);
	/* Linux knows fsrs and does not print it */
	assert_int_equal(mask & ~(uint32_t)FSRS, expected);
	assert_int_equal(said, 0);
}

static void disable__is_obeyed(void **state)
{
	static const struct {
		const char *list;
		uint32_t removed;
	} cases[] = {
		{ "", 0 },
		{ "clwb", CLWB },
		{ "avx512f,movdir64b", AVX512F | MOVDIR64B },
		{ "avx", AVX | AVX2 | AVX512F },
		{ "clflush,clflushopt,clwb,avx,avx2,avx512f,movdiri,movdir64b,"
		  "erms,fsrm,fsrs",
		  ~0U },
	};
	uint32_t all, mask;
	int said;

	(void)state;
	child_features(NULL, &all, &said);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		child_features(cases[i].list, &mask, &said);
		if (mask != (all & ~cases[i].removed) || said)
			fail_msg("'%s': %#x of %#x, said %d", cases[i].list,
				 mask, all, said);
	}
}

static void disable__bad_list_is_explained_and_ignored(void **state)
{
	uint32_t all, mask;
	int said;

	(void)state;
	child_features(NULL, &all, &said);
	child_features("clwb,nonsense", &mask, &said);
	assert_int_equal(mask, all);
	assert_int_equal(said, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode__every_fake_cpu),
		cmocka_unit_test(decode__asks_only_what_exists),
		cmocka_unit_test(decode__each_bit_alone),
		cmocka_unit_test(decode__each_xcr0_bit),
		cmocka_unit_test(without__takes_what_depends),
		cmocka_unit_test(feature_name__every_bit),
		cmocka_unit_test(feature_parse__valid_lists),
		cmocka_unit_test(feature_parse__unknown_names),
		cmocka_unit_test(feature_parse__very_long_name),
		cmocka_unit_test(features__agree_with_the_kernel),
		cmocka_unit_test(disable__is_obeyed),
		cmocka_unit_test(disable__bad_list_is_explained_and_ignored),
	};

	if (argc > 1 && !strcmp(argv[1], "--print-features"))
		return print_features();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
