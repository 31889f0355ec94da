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

/* Best first, written down by hand from the measurements: docs/design. */
static const struct {
	const char *flush, *copy, *drained, *streams, *blocks, *cached;
	const char *copy_backward, *set, *store_line;
} expected[FAKE_CPUS] = {
	[FAKE_SSE2_ONLY] = { "clflush", "sse2", "sse2", "sse2", "sse2", "sse2",
			     "sse2", "sse2", "sse2" },
	[FAKE_CORE2] = { "clflush", "sse2", "sse2", "sse2", "sse2", "sse2",
			 "sse2", "sse2", "sse2" },
	[FAKE_SANDY_BRIDGE] = { "clflush", "avx", "avx", "avx", "avx", "avx",
				"sse2", "avx", "avx" },
	[FAKE_HASWELL] = { "clflush", "avx", "avx", "avx", "avx", "avx", "sse2",
			   "avx", "avx" },
	[FAKE_ICELAKE_SP] = { "clwb", "avx512", "avx512", "avx512", "avx512",
			      "avx512", "sse2", "avx512", "avx512" },
	[FAKE_SAPPHIRE_RAPIDS] = { "clwb", "avx512", "movdir64b", "movdir64b",
				   "avx512", "avx512", "sse2", "avx512",
				   "movdir64b" },
	[FAKE_ZEN4] = { "clwb", "avx512", "avx512", "avx512", "avx512",
			"avx512", "sse2", "avx512", "avx512" },
	[FAKE_NO_OSXSAVE] = { "clwb", "movdir64b", "movdir64b", "movdir64b",
			      "movdir64b", "sse2", "sse2", "movdir64b",
			      "movdir64b" },
	[FAKE_XCR0_SSE] = { "clwb", "movdir64b", "movdir64b", "movdir64b",
			    "movdir64b", "sse2", "sse2", "movdir64b",
			    "movdir64b" },
	[FAKE_XCR0_AVX] = { "clwb", "movdir64b", "movdir64b", "movdir64b",
			    "avx", "avx", "sse2", "movdir64b", "movdir64b" },
	[FAKE_XCR0_NO_ZMM16] = { "clwb", "movdir64b", "movdir64b", "movdir64b",
				 "avx", "avx", "sse2", "movdir64b",
				 "movdir64b" },
	/* AVX is in leaf 1 */
	[FAKE_MAX_LEAF_5] = { "clflush", "avx", "avx", "avx", "avx", "avx",
			      "sse2", "avx", "avx" },
	[FAKE_MAX_LEAF_0] = { "clflush", "sse2", "sse2", "sse2", "sse2", "sse2",
			      "sse2", "sse2", "sse2" },
	[FAKE_VM_NO_CLWB] = { "clflushopt", "avx512", "avx512", "avx512",
			      "avx512", "avx512", "sse2", "avx512", "avx512" },
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
		check_name(cpu, "copy drained", k.copy_drained->name,
			   expected[i].drained);
		check_name(cpu, "copy streams", k.copy_streams->name,
			   expected[i].streams);
		check_name(cpu, "copy blocks", k.copy_blocks->name,
			   expected[i].blocks);
		check_name(cpu, "copy cached", k.copy_cached->name,
			   expected[i].cached);
		check_name(cpu, "copy backward", k.copy_backward->name,
			   expected[i].copy_backward);
		check_name(cpu, "set", k.set->name, expected[i].set);
		check_name(cpu, "store line", k.store_line->name,
			   expected[i].store_line);
	}
}

/* To memory that is not read soon, and to memory that is. */
static void choose__pages_on_every_fake_cpu(void **state)
{
	static const char *const want[FAKE_CPUS][2] = {
		[FAKE_SSE2_ONLY] = { "sse2_streams", "rep_movsq" },
		[FAKE_CORE2] = { "sse2_streams", "rep_movsq" },
		[FAKE_SANDY_BRIDGE] = { "sse2_streams", "rep_movsq" },
		[FAKE_HASWELL] = { "sse2_streams", "rep_movsb" },
		[FAKE_ICELAKE_SP] = { "avx512_streams",
				      "avx512_cached_streams" },
		[FAKE_SAPPHIRE_RAPIDS] = { "avx512_streams",
					   "avx512_cached_streams" },
		[FAKE_ZEN4] = { "avx512_streams", "avx512_cached_streams" },
		[FAKE_NO_OSXSAVE] = { "movdir64b_streams", "rep_movsb" },
		[FAKE_XCR0_SSE] = { "movdir64b_streams", "rep_movsb" },
		[FAKE_XCR0_AVX] = { "movdir64b_streams", "rep_movsb" },
		[FAKE_XCR0_NO_ZMM16] = { "movdir64b_streams", "rep_movsb" },
		[FAKE_MAX_LEAF_5] = { "sse2_streams", "rep_movsq" },
		[FAKE_MAX_LEAF_0] = { "sse2_streams", "rep_movsq" },
		[FAKE_VM_NO_CLWB] = { "avx512_streams",
				      "avx512_cached_streams" },
	};

	(void)state;
	for (size_t i = 0; i < FAKE_CPUS; i++) {
		const char *cpu = fake_cpus[i].name;
		struct cpu_source src;
		struct pmk_kernels k;

		fake_cpu_set(&fake_cpus[i], &src);
		pmk_kernels_choose(pmk_cpu_decode(&src), &k);
		check_name(cpu, "copy page", k.copy_page->name, want[i][0]);
		check_name(cpu, "copy page from", k.copy_page_from->name,
			   want[i][1]);
	}
}

/* Memory that is used next, and memory that is not read soon. */
static void choose__clears_on_every_fake_cpu(void **state)
{
	static const char *const want[FAKE_CPUS][2] = {
		[FAKE_SSE2_ONLY] = { "memset", "nt_sse2" },
		[FAKE_CORE2] = { "memset", "nt_sse2" },
		[FAKE_SANDY_BRIDGE] = { "memset", "nt_sse2" },
		[FAKE_HASWELL] = { "memset", "nt_sse2" },
		[FAKE_ICELAKE_SP] = { "avx512", "nt_avx512" },
		[FAKE_SAPPHIRE_RAPIDS] = { "avx512", "nt_avx512" },
		[FAKE_ZEN4] = { "avx512", "nt_avx512" },
		[FAKE_NO_OSXSAVE] = { "memset", "nt_movdir64b" },
		[FAKE_XCR0_SSE] = { "memset", "nt_movdir64b" },
		[FAKE_XCR0_AVX] = { "memset", "nt_movdir64b" },
		[FAKE_XCR0_NO_ZMM16] = { "memset", "nt_movdir64b" },
		[FAKE_MAX_LEAF_5] = { "memset", "nt_sse2" },
		[FAKE_MAX_LEAF_0] = { "memset", "nt_sse2" },
		[FAKE_VM_NO_CLWB] = { "avx512", "nt_avx512" },
	};

	(void)state;
	for (size_t i = 0; i < FAKE_CPUS; i++) {
		const char *cpu = fake_cpus[i].name;
		struct cpu_source src;
		struct pmk_kernels k;

		fake_cpu_set(&fake_cpus[i], &src);
		pmk_kernels_choose(pmk_cpu_decode(&src), &k);
		check_name(cpu, "clear", k.clear->name, want[i][0]);
		check_name(cpu, "clear nontemporal", k.clear_nt->name,
			   want[i][1]);
	}
}

/* No CPU without a kernel, none with a kernel that it cannot run: for every
 * combination of features, also those that no CPU has. */
static void choose__every_mask_is_served(void **state)
{
	(void)state;
	for (uint32_t f = 0; f < 1U << 11; f++) {
		struct pmk_kernels k;

		pmk_kernels_choose(f, &k);
		assert_non_null(k.flush->fn);
		assert_non_null(k.copy->fn);
		assert_non_null(k.copy_drained->fn);
		assert_non_null(k.copy_streams->fn);
		assert_non_null(k.copy_blocks->fn);
		assert_non_null(k.copy_cached->fn);
		assert_non_null(k.copy_backward->fn);
		assert_non_null(k.set->fn);
		assert_non_null(k.store_line->fn);
		assert_int_equal(k.flush->needs & ~f, 0);
		assert_int_equal(k.copy->needs & ~f, 0);
		assert_int_equal(k.copy_drained->needs & ~f, 0);
		assert_int_equal(k.copy_streams->needs & ~f, 0);
		assert_int_equal(k.copy_blocks->needs & ~f, 0);
		assert_int_equal(k.copy_cached->needs & ~f, 0);
		assert_int_equal(k.copy_backward->needs & ~f, 0);
		assert_int_equal(k.set->needs & ~f, 0);
		assert_int_equal(k.store_line->needs & ~f, 0);
		assert_int_equal(k.copy_page->needs & ~f, 0);
		assert_int_equal(k.copy_page_from->needs & ~f, 0);
		assert_int_equal(k.clear->needs & ~f, 0);
		assert_int_equal(k.clear_nt->needs & ~f, 0);
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
		{ "avx", PMK_CPU_AVX },
		{ "sse2", 0 },
		{ "rep_movsq", 0 },
		/* works on any CPU; the feature says that it is fast */
		{ "rep_movsb", PMK_CPU_ERMS },
		{ "sse2_streams", 0 },
		{ "avx512_streams", PMK_CPU_AVX512F },
		{ "avx512_cached_streams", PMK_CPU_AVX512F },
		{ "movdir64b_streams", PMK_CPU_MOVDIR64B },
		{ "memset", 0 },
		{ "nt_sse2", 0 },
		{ "nt_avx512", PMK_CPU_AVX512F },
		{ "nt_movdir64b", PMK_CPU_MOVDIR64B },
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
	CHECK_TABLE(pmk_copy_drained_kernels, pmk_n_copy_drained_kernels);
	CHECK_TABLE(pmk_copy_streams_kernels, pmk_n_copy_streams_kernels);
	CHECK_TABLE(pmk_copy_blocks_kernels, pmk_n_copy_blocks_kernels);
	CHECK_TABLE(pmk_copy_cached_kernels, pmk_n_copy_cached_kernels);
	CHECK_TABLE(pmk_copy_backward_kernels, pmk_n_copy_backward_kernels);
	CHECK_TABLE(pmk_set_kernels, pmk_n_set_kernels);
	CHECK_TABLE(pmk_store_line_kernels, pmk_n_store_line_kernels);
	CHECK_TABLE(pmk_copy_page_kernels, pmk_n_copy_page_kernels);
	CHECK_TABLE(pmk_copy_page_from_kernels, pmk_n_copy_page_from_kernels);
	CHECK_TABLE(pmk_clear_kernels, pmk_n_clear_kernels);
	CHECK_TABLE(pmk_clear_nt_kernels, pmk_n_clear_nt_kernels);
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
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY_DRAINED),
			    again.copy_drained->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY_STREAMS),
			    again.copy_streams->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY_BLOCKS),
			    again.copy_blocks->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY_CACHED),
			    again.copy_cached->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY_BACKWARD),
			    again.copy_backward->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_SET), again.set->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_STORE_LINE),
			    again.store_line->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY_PAGE),
			    again.copy_page->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_COPY_PAGE_FROM),
			    again.copy_page_from->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_CLEAR), again.clear->name);
	assert_string_equal(pmk_op_kernel(PMK_OP_CLEAR_NT),
			    again.clear_nt->name);
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
	assert_int_equal(n, PMK_OP_CLEAR_NT + 1);
	assert_null(pmk_op_kernel(n));
	assert_null(pmk_op_name(~0U));
	assert_null(pmk_op_kernel(~0U));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choose__every_fake_cpu),
		cmocka_unit_test(choose__pages_on_every_fake_cpu),
		cmocka_unit_test(choose__clears_on_every_fake_cpu),
		cmocka_unit_test(choose__every_mask_is_served),
		cmocka_unit_test(tables__needs_are_those_of_the_instructions),
		cmocka_unit_test(choose_macro__takes_the_first_that_fits),
		cmocka_unit_test(kernels__are_those_of_this_cpu),
		cmocka_unit_test(op_names__end_with_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
