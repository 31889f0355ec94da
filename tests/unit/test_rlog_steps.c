/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an append executes: one fence, behind everything else; no flush, since
 * whole lines go past the cache; one MOVDIR64B for a record of one line.
 *
 * Covered: pmk_rlog_append, pmk_rlog_append_batch.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pmk/cpu.h>

#include "rlog_fixture.h"
#include "support/steptrace.h"

#define SIZE (4U << 20)

static struct pmk_map *map;
static struct pmk_rlog *writer;

static int setup(void **state)
{
	const char *why = steptrace_unavailable();

	(void)state;
	if (why) {
		printf("skipped: %s\n", why);
		exit(77);
	}
	map = fixture_log_map(SIZE);
	writer = fixture_writer(map);
	fixture_append(writer, 1, 3); /* whatever is lazy is done now */
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(pmk_rlog_close(writer), 0);
	pmk_map_close(map);
	return 0;
}

struct append_call {
	struct pmk_rlog_iov iov[64];
	size_t n;
};

static void call(void *arg)
{
	struct append_call *c = arg;
	int64_t n = pmk_rlog_append_batch(writer, c->iov, c->n, NULL);

	if (n != (int64_t)c->n)
		__builtin_trap(); /* no assert in the traced child */
}

static struct step_counts trace(size_t n, size_t len)
{
	static unsigned char data[4096];
	struct append_call c = { .n = n };
	struct step_counts counts;

	for (size_t i = 0; i < n; i++)
		c.iov[i] = (struct pmk_rlog_iov){ data, len };
	assert_int_equal(steptrace_run(call, &c, NULL, &counts), 0);
	return counts;
}

static void append__one_fence_at_the_end(void **state)
{
	static const size_t lens[] = { 0, 1, 32, 33, 64, 96, 97, 1000, 4096 };

	(void)state;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct step_counts c = trace(1, lens[i]);

		assert_int_equal(c.fences, 1);
		assert_int_equal(c.after_fence, 0);
		assert_int_equal(c.flushes, 0);
		assert_true(c.nt_stores > 0);
	}
}

static void append__one_line_is_one_store(void **state)
{
	struct step_counts c = trace(1, 32);
	uint32_t f = pmk_cpu_features();

	(void)state;
	if (f & PMK_CPU_MOVDIR64B)
		assert_int_equal(c.kinds[INSN_MOVDIR64B], 1);
	if (f & (PMK_CPU_MOVDIR64B | PMK_CPU_AVX512F))
		assert_int_equal(c.nt_stores, 1);
	else if (f & PMK_CPU_AVX)
		assert_int_equal(c.nt_stores, 2); /* of 32 bytes */
	else
		assert_int_equal(c.nt_stores, 4); /* movntdq of 16 bytes */
}

static void batch__one_fence(void **state)
{
	struct step_counts c = trace(64, 64);

	(void)state;
	assert_int_equal(c.fences, 1);
	assert_int_equal(c.after_fence, 0);
	assert_int_equal(c.flushes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(append__one_fence_at_the_end),
		cmocka_unit_test(append__one_line_is_one_store),
		cmocka_unit_test(batch__one_fence),
	};

	return cmocka_run_group_tests_name("rlog steps", tests, setup,
					   teardown);
}
