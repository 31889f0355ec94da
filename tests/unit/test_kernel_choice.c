/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernel is chosen on which CPU.  The names are written down here; the
 * library's tables are asked for nothing but whether an entry exists.
 *
 * APIs covered: PMK_KERNEL_CHOOSE(), pmk_kernels_choose(), pmk_kernels(),
 * pmk_op_name(), pmk_op_kernel().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/cpu.h>
#include <pmk/kernel.h>

#include "base/util.h"
#include "fake_cpu.h"
#include "persist/ops.h"

static const struct {
	const char *flush, *copy, *copy_backward, *set, *store_line;
} expected[FAKE_CPUS] = {
	[FAKE_SSE2_ONLY] = { "clflush", "sse2", "sse2", "sse2", "sse2" },
	[FAKE_CORE2] = { "clflush", "sse2", "sse2", "sse2", "sse2" },
	[FAKE_SANDY_BRIDGE] = { "clflush", "sse2", "sse2", "sse2", "sse2" },
	[FAKE_HASWELL] = { "clflush", "sse2", "sse2", "sse2", "sse2" },
	[FAKE_ICELAKE_SP] = { "clwb", "avx512", "sse2", "avx512", "avx512" },
	[FAKE_SAPPHIRE_RAPIDS] = { "clwb", "movdir64b", "sse2", "avx512",
				   "movdir64b" },
	[FAKE_ZEN4] = { "clwb", "avx512", "sse2", "avx512", "avx512" },
	[FAKE_NO_OSXSAVE] = { "clwb", "movdir64b", "sse2", "sse2",
			      "movdir64b" },
	[FAKE_XCR0_SSE] = { "clwb", "movdir64b", "sse2", "sse2", "movdir64b" },
	[FAKE_XCR0_AVX] = { "clwb", "movdir64b", "sse2", "sse2", "movdir64b" },
	[FAKE_XCR0_NO_ZMM16] = { "clwb", "movdir64b", "sse2", "sse2",
				 "movdir64b" },
	[FAKE_MAX_LEAF_5] = { "clflush", "sse2", "sse2", "sse2", "sse2" },
	[FAKE_MAX_LEAF_0] = { "clflush", "sse2", "sse2", "sse2", "sse2" },
	[FAKE_VM_NO_CLWB] = { "clflushopt", "avx512", "sse2", "avx512",
			      "avx512" },
};

static void check_name(const char *cpu, const char *op, const char *got,
		       const char *want)
{
	if (strcmp(got, want))
		fail_msg("%s: %s is %s, expected %s", cpu, op, got, want);
}

static void choose__every_fake_cpu(void **state)
{
	(void)state;
	for (size_t i = 0; i < FAKE_CPUS; i++) {
		const char *cpu = fake_cpus[i].name;
		struct cpu_source src;
		struct pmk_kernels k;

		fake_cpu_set(&fake_cpus[i], &src);
		pmk_kernels_choose(pmk_cpu_decode(&src), &k);
		check_name(cpu, "flush", k.flush->name, expected[i].flush);
		check_name(cpu, "copy", k.copy->name, expected[i].copy);
		check_name(cpu, "copy backward", k.copy_backward->name,
			   expected[i].copy_backward);
		check_name(cpu, "set", k.set->name, expected[i].set);
		check_name(cpu, "store line", k.store_line->name,
			   expected[i].store_line);
	}
}

/* No CPU without a kernel, none with a kernel that it cannot run: for every
 * combination of features, also those that no CPU has. */
static void choose__every_mask_is_served(void **state)
{
	(void)state;
	for (uint32_t f = 0; f < 1U << 10; f++) {
		struct pmk_kernels k;

		pmk_kernels_choose(f, &k);
		assert_non_null(k.flush->fn);
		assert_non_null(k.copy->fn);
		assert_non_null(k.copy_backward->fn);
		assert_non_null(k.set->fn);
		assert_non_null(k.store_line->fn);
		assert_int_equal(k.flush->needs & ~f, 0);
		assert_int_equal(k.copy->needs & ~f, 0);
		assert_int_equal(k.copy_backward->needs & ~f, 0);
		assert_int_equal(k.set->needs & ~f, 0);
		assert_int_equal(k.store_line->needs & ~f, 0);
	}
}

/* A kernel that asks for less than it executes dies of SIGILL on the CPUs that
 * are hardest to have at hand, so what each name needs is written down. */
static void tables__needs_are_those_of_the_instructions(void **state)
{
	static const struct {
		const char *name;
		uint32_t needs;
	} truth[] = {
		{ "clwb", PMK_CPU_CLWB },
		{ "clflushopt", PMK_CPU_CLFLUSHOPT },
		{ "clflush", 0 },
		{ "movdir64b", PMK_CPU_MOVDIR64B },
		{ "avx512", PMK_CPU_AVX512F },
		{ "sse2", 0 },
	};

	(void)state;
#define CHECK_TABLE(table, n)                                                 \
	do {                                                                  \
		assert_int_equal((table)[(n)-1].needs, 0);                    \
		for (size_t i_ = 0; i_ < (n); i_++) {                         \
			size_t j_ = 0;                                        \
                                                                              \
			while (strcmp(truth[j_].name, (table)[i_].name))      \
				assert_true(++j_ < ARRAY_SIZE(truth));        \
			assert_int_equal((table)[i_].needs, truth[j_].needs); \
		}                                                             \
	} while (0)
	CHECK_TABLE(pmk_flush_kernels, pmk_n_flush_kernels);
	CHECK_TABLE(pmk_copy_kernels, pmk_n_copy_kernels);
	CHECK_TABLE(pmk_copy_backward_kernels, pmk_n_copy_backward_kernels);
	CHECK_TABLE(pmk_set_kernels, pmk_n_set_kernels);
	CHECK_TABLE(pmk_store_line_kernels, pmk_n_store_line_kernels);
}

static void choose_macro__takes_the_first_that_fits(void **state)
{
	static const struct pmk_flush_kernel table[] = {
		{ "both", 3, NULL },
		{ "one", 1, NULL },
		{ "two", 2, NULL },
		{ "none", 0, NULL },
	};

	(void)state;
	assert_string_equal(PMK_KERNEL_CHOOSE(table, 0U)->name, "none");
	assert_string_equal(PMK_KERNEL_CHOOSE(table, 1U)->name, "one");
	assert_string_equal(PMK_KERNEL_CHOOSE(table, 2U)->name, "two");
	assert_string_equal(PMK_KERNEL_CHOOSE(table, 3U)->name, "both");
	assert_string_equal(PMK_KERNEL_CHOOSE(table, 4U)->name, "none");
	assert_string_equal(PMK_KERNEL_CHOOSE(table, ~0U)->name, "both");
}

static void kernels__are_those_of_this_cpu(void **state)
{
	const struct pmk_kernels *k = pmk_kernels();
	struct pmk_kernels again;

	(void)state;
	pmk_kernels_choose(pmk_cpu_features(), &again);
	assert_memory_equal(k, &again, sizeof(again));
	assert_ptr_equal(k, pmk_kernels());
	assert_string_equal(pmk_op_kernel(PMK_OP_FLUSH), again.flush->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY), again.copy->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY_BACKWARD),
			    again.copy_backward->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_SET), again.set->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_STORE_LINE),
			    again.store_line->name);
}

static void op_names__end_with_null(void **state)
{
	unsigned int n = 0;

	(void)state;
	while (pmk_op_name(n)) {
		assert_non_null(pmk_op_kernel(n));
		for (unsigned int i = 0; i < n; i++)
			assert_string_not_equal(pmk_op_name(i), pmk_op_name(n));
		n++;
	}
	assert_int_equal(n, PMK_OP_STORE_LINE + 1);
	assert_null(pmk_op_kernel(n));
	assert_null(pmk_op_name(~0U));
	assert_null(pmk_op_kernel(~0U));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choose__every_fake_cpu),
		cmocka_unit_test(choose__every_mask_is_served),
		cmocka_unit_test(tables__needs_are_those_of_the_instructions),
		cmocka_unit_test(choose_macro__takes_the_first_that_fits),
		cmocka_unit_test(kernels__are_those_of_this_cpu),
		cmocka_unit_test(op_names__end_with_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
