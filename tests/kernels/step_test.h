/* SPDX-License-Identifier: BSD-3-Clause */
/* What steps.c and words.c share: calls as data, traced one at a time. */
#ifndef TESTS_KERNELS_STEP_TEST_H
#define TESTS_KERNELS_STEP_TEST_H

#include <stdio.h>

#include "kernel_test.h"
#include "support/steptrace.h"

/* One call of the library; unused members are 0. */
struct call {
	const char *name;
	void (*fn)(void *call);
	uint8_t *dst;
	const uint8_t *src;
	size_t len;
	unsigned int flags;
};

/* A step is a trap, which a hypervisor may make cost 30 us: fewer samples than
 * the tests of contents, and again fewer where the compiler does not optimise,
 * which makes 4 instructions out of one. */
#ifdef __OPTIMIZE__
#define STRIDE 1
#else
#define STRIDE 3
#endif

/* The flag sets that lead to different code, and bits to be ignored. */
static const unsigned int step_flags[] = {
	0,
	PMK_F_NODRAIN,
	PMK_F_NONTEMPORAL,
	PMK_F_NONTEMPORAL | PMK_F_NODRAIN,
	PMK_F_TEMPORAL,
	PMK_F_TEMPORAL | PMK_F_NODRAIN,
	PMK_F_TEMPORAL | PMK_F_NONTEMPORAL,
	PMK_F_NOFLUSH,
	PMK_F_NOFLUSH | PMK_F_NONTEMPORAL,
	~(PMK_F_NODRAIN | PMK_F_NOFLUSH),
};

/* The byte of call_memset(). */
#define SET_BYTE 0xc3

static inline void call_memmove(void *call)
{
	const struct call *c = call;

	pmk_memmove(c->dst, c->src, c->len, c->flags);
}

static inline void call_memcpy(void *call)
{
	const struct call *c = call;

	pmk_memcpy(c->dst, c->src, c->len, c->flags);
}

static inline void call_memset(void *call)
{
	const struct call *c = call;

	pmk_memset(c->dst, SET_BYTE, c->len, c->flags);
}

/* Cache lines that [@p, @p + @len) touches. */
static inline size_t lines_of(const uint8_t *p, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += i == 0 || (uintptr_t)(p + i) % 64 == 0;
	return n;
}

/* Trace @c, watching exactly the lines of its destination. */
static inline struct step_counts trace(struct call *c, const void *expected)
{
	struct step_watch watch = {
		.addr = c->dst - (uintptr_t)c->dst % 64,
		.len = lines_of(c->dst, c->len) * 64,
		.expected = expected,
	};
	struct step_counts counts;

	assert_int_equal(steptrace_run(c->fn, c, &watch, &counts), 0);
	return counts;
}

/* Fail unless two counts are equal; says of which call and of what. */
#define CHECK_COUNT(call, counts, what, expected)                           \
	do {                                                                \
		uint64_t got_ = (counts)->what, want_ = (expected);         \
                                                                            \
		if (got_ != want_)                                          \
			fail_msg("%s, destination offset %zu, %zu bytes, "  \
				 "flags %#x: " #what " is %llu, expected "  \
				 "%llu",                                    \
				 (call)->name, (uintptr_t)(call)->dst % 64, \
				 (call)->len, (call)->flags,                \
				 (unsigned long long)got_,                  \
				 (unsigned long long)want_);                \
	} while (0)

/* The flush instruction of this CPU: clwb > clflushopt > clflush. */
static inline enum insn_kind best_flush(void)
{
	uint32_t f = pmk_cpu_features();

	return f & PMK_CPU_CLWB         ? INSN_CLWB
	       : f & PMK_CPU_CLFLUSHOPT ? INSN_CLFLUSHOPT
					: INSN_CLFLUSH;
}

/* Nothing of another CPU's, nothing that decodes the CPU again. */
static inline void check_kinds(const struct call *c,
			       const struct step_counts *n)
{
	CHECK_COUNT(c, n, flushes, n->kinds[best_flush()]);
	CHECK_COUNT(c, n, fences, n->kinds[INSN_SFENCE]);
	CHECK_COUNT(c, n, kinds[INSN_NT_MMX], 0);
	CHECK_COUNT(c, n, kinds[INSN_CPUID], 0);
	CHECK_COUNT(c, n, kinds[INSN_XGETBV], 0);
	if (!(pmk_cpu_features() & PMK_CPU_MOVDIR64B))
		CHECK_COUNT(c, n, kinds[INSN_MOVDIR64B], 0);
	if (!(pmk_cpu_features() & PMK_CPU_MOVDIRI))
		CHECK_COUNT(c, n, kinds[INSN_MOVDIRI], 0);
}

/*
 * Content for a copy over @distance bytes in which every byte differs from the
 * one that is copied onto it: an unchanged byte could not be seen written.
 */
static inline void fill_to_differ(struct rng *r, uint8_t *buf, size_t len,
				  size_t distance)
{
	rng_fill(r, buf, len);
	for (size_t i = 0; i < len; i++)
		buf[i] = (uint8_t)((buf[i] & 0x7f) |
				   (i / distance % 2 ? 0x80 : 0));
}

/* Exit status if tracing does not work here, else 0. */
static inline int skip_status(void)
{
	const char *reason = steptrace_unavailable();

	if (!reason)
		return 0;
	printf("skipped: no single-stepping here: %s\n", reason);
	return 77;
}

#endif /* TESTS_KERNELS_STEP_TEST_H */
