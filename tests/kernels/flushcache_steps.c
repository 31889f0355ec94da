/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions memcpy_flushcache() executes: the store counts of the
 * kernel, and nothing but MOVNTI where the size is known.
 *
 * APIs covered: pmk_memcpy_flushcache(), pmk_memcpy_flushcache_any().
 */
#include "step_test.h"

#define SPAN 2048

static _Alignas(64) uint8_t buf[SPAN];
static _Alignas(64) uint8_t other[SPAN];

static int setup(void **state)
{
	(void)state;
	/* an unchanged byte could not be seen written */
	memset(buf, 0x11, SPAN);
	memset(other, 0x22, SPAN);
	pmk_persist(buf, 1); /* chooses the kernels, before any trace */
	return 0;
}

static void call_flushcache_any(void *call)
{
	const struct call *c = call;

	pmk_memcpy_flushcache_any(c->dst, c->src, c->len);
}

/* Linux 6.1 to 6.12, arch/x86/lib/usercopy_64.c, __memcpy_flushcache(). */
static void check_flushcache_any(struct call *c)
{
	struct step_counts n = trace(c, NULL);
	size_t head = pmk_min_size(c->len, -(uintptr_t)c->dst & 7);
	size_t rest = c->len - head;

	CHECK_COUNT(c, &n, kinds[INSN_MOVNTI8],
		    4 * (rest / 32) + rest % 32 / 8);
	CHECK_COUNT(c, &n, kinds[INSN_MOVNTI4], rest % 8 / 4);
	CHECK_COUNT(c, &n, nt_stores,
		    n.kinds[INSN_MOVNTI8] + n.kinds[INSN_MOVNTI4]);
	CHECK_COUNT(c, &n, flushes, (head > 0) + (rest % 4 > 0));
	CHECK_COUNT(c, &n, fences, 0);
	CHECK_COUNT(c, &n, lines_unflushed, 0);
	CHECK_COUNT(c, &n, lines_covered, lines_of(c->dst, c->len));
	check_kinds(c, &n);
}

static void flushcache_any__store_counts_of_the_kernel(void **state)
{
	struct call c = { .name = "pmk_memcpy_flushcache_any",
			  .fn = call_flushcache_any };

	(void)state;
	for (size_t off = 0; off <= 8; off++) {
		for (c.len = 0; c.len <= 200; c.len += STRIDE) {
			c.dst = buf + 64 + off;
			c.src = other + 64 + c.len % 9;
			check_flushcache_any(&c);
		}
	}
	/* across more lines, and at a line's end */
	for (size_t off = 57; off <= 64; off++) {
		for (c.len = 1; c.len <= 1100; c.len += 157) {
			c.dst = buf + 64 + off;
			c.src = other + off;
			check_flushcache_any(&c);
		}
	}
}

/* clang-format off: it takes the list for functions */
#define FOR_EACH_INLINE_SIZE(X) \
	X(4) X(8) X(16) X(24) X(32) X(48) X(64) X(80) X(96)
#define DEFINE(n)                                         \
	static void call_inline_##n(void *call)           \
	{                                                 \
		const struct call *c = call;              \
                                                          \
		pmk_memcpy_flushcache(c->dst, c->src, n); \
	}
FOR_EACH_INLINE_SIZE(DEFINE)
/* clang-format on */

static void check_inline(struct call *c)
{
	struct step_counts n = trace(c, NULL);

	CHECK_COUNT(c, &n, kinds[INSN_MOVNTI8], c->len / 8);
	CHECK_COUNT(c, &n, kinds[INSN_MOVNTI4], c->len == 4);
	CHECK_COUNT(c, &n, nt_stores, c->len == 4 ? 1 : c->len / 8);
	CHECK_COUNT(c, &n, flushes, 0);
	CHECK_COUNT(c, &n, fences, 0);
	CHECK_COUNT(c, &n, lines_written, 0);
	CHECK_COUNT(c, &n, lines_covered, lines_of(c->dst, c->len));
}

static void flushcache__inline_sizes_are_movnti_only(void **state)
{
	static struct call calls[] = {
#define ENTRY(n) { .fn = call_inline_##n, .len = n },
		FOR_EACH_INLINE_SIZE(ENTRY)
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		calls[i].name = "pmk_memcpy_flushcache, constant size";
		calls[i].src = other + 5;
		calls[i].dst = buf + 64;
		check_inline(&calls[i]);
		calls[i].dst = buf + 64 + 40;
		check_inline(&calls[i]);
#ifdef __OPTIMIZE__
		/* no alignment handling; without optimisation the compiler
		 * does not know constants and the call is out of line */
		for (size_t off = 1; off < 64; off += 6) {
			calls[i].dst = buf + 64 + off;
			check_inline(&calls[i]);
		}
#endif
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flushcache_any__store_counts_of_the_kernel),
		cmocka_unit_test(flushcache__inline_sizes_are_movnti_only),
	};
	int status = skip_status();

	return status ? status : cmocka_run_group_tests(tests, setup, NULL);
}
