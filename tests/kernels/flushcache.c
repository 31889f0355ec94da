/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk_memcpy_flushcache() with sizes the compiler knows and sizes it does not,
 * and the inline functions as symbols of the shared library.
 *
 * APIs covered: pmk_memcpy_flushcache(), pmk_drain(),
 * lib/persist/inline_syms.c.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_test.h"

#define PAGE 4096

static struct guard dst_g, src_g;

static int setup(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, "flushcache");
	guard_init(&dst_g, 2 * PAGE);
	guard_init(&src_g, 2 * PAGE);
	rng_fill(&r, src_g.start, src_g.len);
	for (size_t i = 0; i < src_g.len; i++)
		src_g.start[i] &= 0x7f;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	guard_fini(&dst_g);
	guard_fini(&src_g);
	return 0;
}

typedef void (*flushcache_fn)(void *dst, const void *src);

/* One function per size, so that the size is a constant in it.  The formatter
 * would take the lists for functions. */
/* clang-format off */
#define FOR_EACH_SIZE(X)                                                \
	X(0) X(1) X(2) X(3) X(4) X(5) X(7) X(8) X(9) X(12) X(15) X(16)  \
	X(17) X(20) X(24) X(28) X(32) X(40) X(48) X(56) X(63) X(64)     \
	X(65) X(72) X(80) X(88) X(96) X(97) X(104) X(128) X(255) X(256) \
	X(1000) X(4096)

#define DEFINE(n)                                        \
	static void copy_##n(void *dst, const void *src) \
	{                                                \
		pmk_memcpy_flushcache(dst, src, n);      \
	}
FOR_EACH_SIZE(DEFINE)

static const struct {
	size_t len;
	flushcache_fn fn;
} sizes[] = {
#define ENTRY(n) { n, copy_##n },
	FOR_EACH_SIZE(ENTRY)
};
/* clang-format on */

static void check_result(const struct what *w, const uint8_t *dst,
			 const uint8_t *src)
{
	uint8_t want[PAGE + 2 * MARGIN];
	size_t before = (size_t)(dst - dst_g.start);
	size_t margin = pmk_min_size(before, MARGIN);

	memset(want, BEFORE, sizeof(want));
	memcpy(want + margin, src, w->len);
	check_same(w, dst - margin, want, margin + w->len, dst);
	for (size_t i = before + w->len; i < dst_g.len; i++)
		if (dst_g.start[i] != BEFORE)
			fail_at(w, "written behind the end",
				(ptrdiff_t)(i - before));
}

static void check_size(flushcache_fn fn, size_t len, uint8_t *dst,
		       const uint8_t *src)
{
	struct what w = { "pmk_memcpy_flushcache, constant size",
			  (uintptr_t)dst % 64, (uintptr_t)src % 64, len, 0 };

	memset(dst_g.start, BEFORE, dst_g.len);
	fn(dst, src);
	check_result(&w, dst, src);
}

static void flushcache__constant_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t len = sizes[i].len;
		flushcache_fn fn = sizes[i].fn;

		for (size_t off = 0; off < 64; off++) {
			check_size(fn, len, dst_g.start + MARGIN + off,
				   guard_tail(&src_g, len));
			check_size(fn, len, guard_tail(&dst_g, len + off),
				   src_g.start + off);
		}
		check_size(fn, len, dst_g.start, src_g.start);
	}
}

/* The same sizes, hidden from the compiler. */
static void flushcache__variable_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		volatile size_t hidden = sizes[i].len;

		for (size_t off = 0; off < 64; off++) {
			struct what w = { "pmk_memcpy_flushcache", off, 0,
					  sizes[i].len, 0 };
			uint8_t *dst = dst_g.start + MARGIN + off;
			const uint8_t *src = guard_tail(&src_g, w.len);

			memset(dst_g.start, BEFORE, dst_g.len);
			pmk_memcpy_flushcache(dst, src, hidden);
			check_result(&w, dst, src);
		}
	}
}

/* The symbols a caller without a C compiler finds; through dlsym(), so that
 * the header's inline functions cannot stand in for them. */
static void symbols__of_inline_functions(void **state)
{
	/* set where the library is not in its build directory */
	const char *path = getenv("PMK_TEST_SHARED_LIB");
	void *lib = dlopen(path ? path : PMK_SHARED_LIB, RTLD_NOW | RTLD_LOCAL);
	void (*flushcache)(void *dst, const void *src, size_t len);
	void (*drain)(void);

	(void)state;
	if (!lib)
		fail_msg("%s", dlerror());
	*(void **)&flushcache = dlsym(lib, "pmk_memcpy_flushcache");
	*(void **)&drain = dlsym(lib, "pmk_drain");
	assert_non_null(flushcache);
	assert_non_null(drain);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct what w = { "pmk_memcpy_flushcache, exported", 5, 0,
				  sizes[i].len, 0 };
		uint8_t *dst = dst_g.start + MARGIN + w.dst_off;
		const uint8_t *src = guard_tail(&src_g, w.len);

		memset(dst_g.start, BEFORE, dst_g.len);
		flushcache(dst, src, w.len);
		drain();
		check_result(&w, dst, src);
	}
	dlclose(lib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flushcache__constant_sizes),
		cmocka_unit_test(flushcache__variable_sizes),
		cmocka_unit_test(symbols__of_inline_functions),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
