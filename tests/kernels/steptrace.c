/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tracer itself: it must recognise what the assembler makes, and catch
 * each way of not being durable.  Otherwise steps.c and words.c prove nothing.
 *
 * APIs covered: insn_decode(), steptrace_run() of tests/support.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/util.h"
#include "support/guard.h"
#include "support/steptrace.h"

/* The assembler is the authority on encodings.  Never executed. */
#define CASES(X)                                         \
	X(movnti8, "movnti %rax, 8(%rdi)")               \
	X(movnti8_sib, "movnti %r9, -16(%r10,%r11,8)")   \
	X(movnti8_rip, "movnti %rax, 0x1000(%rip)")      \
	X(movnti4, "movnti %eax, (%rsi)")                \
	X(movnti4_rex, "movnti %r8d, 0x12345678(%r13)")  \
	X(movntdq, "movntdq %xmm3, 16(%rsp)")            \
	X(movntdq_r12, "movntdq %xmm11, (%r12)")         \
	X(movntps, "movntps %xmm0, (%rdi)")              \
	X(movntpd, "movntpd %xmm0, (%rdi)")              \
	X(movntq, "movntq %mm1, (%rdi)")                 \
	X(vmovntdq16, "vmovntdq %xmm9, 32(%r8)")         \
	X(vmovntdq32, "vmovntdq %ymm1, 32(%rdi,%rcx)")   \
	X(vmovntps32, "vmovntps %ymm8, (%rdi)")          \
	X(vmovntdq64, "vmovntdq %zmm17, 192(%r9)")       \
	X(vmovntps64, "vmovntps %zmm1, 0x1234(%rdi)")    \
	X(vmovntdq_evex32, "vmovntdq %ymm17, -32(%rdi)") \
	X(movdiri4, "movdiri %eax, 4(%rdi)")             \
	X(movdiri8, "movdiri %r15, (%rdi)")              \
	X(movdir64b, "movdir64b 8(%rsi), %rdi")          \
	X(movdir64b_r14, "movdir64b (%rax), %r14")       \
	X(clwb, "clwb 64(%rbx)")                         \
	X(clwb_r14, "clwb (%r14)")                       \
	X(clflushopt, "clflushopt (%rdx,%rbp,2)")        \
	X(clflush, "clflush 0x400(,%rcx,4)")             \
	X(sfence, "sfence")                              \
	X(mfence, "mfence")                              \
	X(lfence, "lfence")                              \
	X(xgetbv, "xgetbv")                              \
	X(cpuid, "cpuid")                                \
	X(int3, "int3")                                  \
	X(other_mov, "movq %rax, (%rdi)")                \
	X(other_movdqu, "movdqu %xmm0, (%rdi)")          \
	X(other_movdqa, "movdqa %xmm0, (%rdi)")          \
	X(other_vmovdqu, "vmovdqu %ymm0, (%rdi)")        \
	X(other_movntdqa, "movntdqa (%rdi), %xmm0")      \
	X(other_rep, "rep movsb")                        \
	X(other_prefetch, "prefetchw (%rdi)")            \
	X(other_prefetchnta, "prefetchnta (%rdi)")       \
	X(other_xsaveopt, "xsaveopt (%rdi)")             \
	X(other_xsave, "xsave (%rdi)")                   \
	X(other_fxsave, "fxsave (%rdi)")                 \
	X(other_xrstor, "xrstor (%rdi)")                 \
	X(other_rdfsbase, "rdfsbase %rax")               \
	X(other_crc32, "crc32q %rax, %rcx")              \
	X(other_movbe, "movbe %rax, (%rdi)")             \
	X(other_mulx, "mulx %rax, %rbx, %rcx")           \
	X(other_cvtdq2pd, "cvtdq2pd (%rdi), %xmm0")      \
	X(other_nop, "nopw 0x12345678(%rax,%rax)")       \
	X(other_endbr, "endbr64")

/* clang-format off: it takes the list for functions */
#define DEFINE(name, text)                           \
	__asm__(".pushsection .rodata\n"             \
		".globl insn_case_" #name "\n"       \
		".hidden insn_case_" #name "\n"      \
		"insn_case_" #name ":\n\t" text "\n" \
		"\t.fill 16, 1, 0x90\n"              \
		".popsection\n");                    \
	extern const uint8_t insn_case_##name[];
CASES(DEFINE)
/* clang-format on */

/* Distinct and far apart, so that a wrong register or scale shows. */
static const uint64_t regs[16] = {
	0x100000, 0x200000, 0x300000, 0x400000,  0x500000, 0x600000,
	0x700000, 0x800000, 0x900000, 0xa00000,  0xb00000, 0xc00000,
	0xd00000, 0xe00000, 0xf00000, 0x1000000,
};
enum {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13
};
#define RIP 0x40000000U

static void check_insn(const char *name, const uint8_t *bytes,
		       enum insn_kind kind, uint64_t addr, size_t len)
{
	struct insn insn = insn_decode(bytes, regs, RIP);

	if (insn.kind != kind || insn.addr != addr || insn.len != len)
		fail_msg("%s: decoded as %s, address %#llx, %zu bytes", name,
			 insn_name(insn.kind), (unsigned long long)insn.addr,
			 insn.len);
}

#define CHECK(name, kind, addr, len) \
	check_insn(#name, insn_case_##name, kind, addr, len)

static void decode__nt_stores(void **state)
{
	(void)state;
	CHECK(movnti8, INSN_MOVNTI8, regs[RDI] + 8, 8);
	CHECK(movnti8_sib, INSN_MOVNTI8, regs[R10] + 8 * regs[R11] - 16, 8);
	CHECK(movnti8_rip, INSN_MOVNTI8, RIP + 8 + 0x1000, 8);
	CHECK(movnti4, INSN_MOVNTI4, regs[RSI], 4);
	CHECK(movnti4_rex, INSN_MOVNTI4, regs[R13] + 0x12345678, 4);
	CHECK(movntdq, INSN_NT_VECTOR, regs[RSP] + 16, 16);
	CHECK(movntdq_r12, INSN_NT_VECTOR, regs[R12], 16);
	CHECK(movntps, INSN_NT_VECTOR, regs[RDI], 16);
	CHECK(movntpd, INSN_NT_VECTOR, regs[RDI], 16);
	CHECK(movntq, INSN_NT_MMX, regs[RDI], 8);
	CHECK(vmovntdq16, INSN_NT_VECTOR, regs[R8] + 32, 16);
	CHECK(vmovntdq32, INSN_NT_VECTOR, regs[RDI] + regs[RCX] + 32, 32);
	CHECK(vmovntps32, INSN_NT_VECTOR, regs[RDI], 32);
	CHECK(vmovntdq64, INSN_NT_VECTOR, regs[R9] + 192, 64);
	CHECK(vmovntps64, INSN_NT_VECTOR, regs[RDI] + 0x1234, 64);
	CHECK(vmovntdq_evex32, INSN_NT_VECTOR, regs[RDI] - 32, 32);
	CHECK(movdiri4, INSN_MOVDIRI, regs[RDI] + 4, 4);
	CHECK(movdiri8, INSN_MOVDIRI, regs[RDI], 8);
	CHECK(movdir64b, INSN_MOVDIR64B, regs[RDI], 64);
	CHECK(movdir64b_r14, INSN_MOVDIR64B, regs[14], 64);
}

static void decode__flushes_and_fences(void **state)
{
	(void)state;
	CHECK(clwb, INSN_CLWB, regs[RBX] + 64, 0);
	CHECK(clwb_r14, INSN_CLWB, regs[14], 0);
	CHECK(clflushopt, INSN_CLFLUSHOPT, regs[RDX] + 2 * regs[RBP], 0);
	CHECK(clflush, INSN_CLFLUSH, 4 * regs[RCX] + 0x400, 0);
	CHECK(sfence, INSN_SFENCE, 0, 0);
	CHECK(mfence, INSN_MFENCE, 0, 0);
	CHECK(lfence, INSN_LFENCE, 0, 0);
	CHECK(xgetbv, INSN_XGETBV, 0, 0);
	CHECK(cpuid, INSN_CPUID, 0, 0);
	CHECK(int3, INSN_INT3, 0, 0);
}

static void decode__everything_else(void **state)
{
	(void)state;
#define CHECK_OTHER(name) CHECK(name, INSN_OTHER, 0, 0)
	CHECK_OTHER(other_mov);
	CHECK_OTHER(other_movdqu);
	CHECK_OTHER(other_movdqa);
	CHECK_OTHER(other_vmovdqu);
	CHECK_OTHER(other_movntdqa);
	CHECK_OTHER(other_rep);
	CHECK_OTHER(other_prefetch);
	CHECK_OTHER(other_prefetchnta);
	CHECK_OTHER(other_xsaveopt);
	CHECK_OTHER(other_xsave);
	CHECK_OTHER(other_fxsave);
	CHECK_OTHER(other_xrstor);
	CHECK_OTHER(other_rdfsbase);
	CHECK_OTHER(other_crc32);
	CHECK_OTHER(other_movbe);
	CHECK_OTHER(other_mulx);
	CHECK_OTHER(other_cvtdq2pd);
	CHECK_OTHER(other_nop);
	CHECK_OTHER(other_endbr);
}

/* Four lines of zeros to write to. */
static _Alignas(64) uint8_t mem[256];

static struct step_counts trace(void (*fn)(void *), const void *expected)
{
	struct step_watch watch = { mem, sizeof(mem), expected };
	struct step_counts c;

	assert_int_equal(steptrace_run(fn, mem, &watch, &c), 0);
	/* it happened in a child */
	for (size_t i = 0; i < sizeof(mem); i++)
		assert_int_equal(mem[i], 0);
	return c;
}

static void store(uint8_t *p)
{
	*(volatile uint64_t *)p = ~0ULL;
}

static void nt_store(uint8_t *p)
{
	__asm__ volatile("movnti %1, %0" : "=m"(*(uint64_t *)p) : "r"(~0ULL));
}

static void flush(uint8_t *p)
{
	__asm__ volatile("clflush %0" : "+m"(*p));
}

static void fence(void)
{
	__asm__ volatile("sfence" ::: "memory");
}

static void right_program(void *arg)
{
	uint8_t *p = arg;

	store(p + 8);
	flush(p);
	nt_store(p + 128);
	fence();
}

static void trace__right_program(void **state)
{
	struct step_counts c = trace(right_program, NULL);

	(void)state;
	assert_int_equal(c.kinds[INSN_MOVNTI8], 1);
	assert_int_equal(c.kinds[INSN_CLFLUSH], 1);
	assert_int_equal(c.kinds[INSN_SFENCE], 1);
	assert_int_equal(c.nt_stores, 1);
	assert_int_equal(c.nt_bytes, 8);
	assert_int_equal(c.flushes, 1);
	assert_int_equal(c.fences, 1);
	assert_int_equal(c.lines_written, 1);
	assert_int_equal(c.lines_covered, 2);
	assert_int_equal(c.lines_unflushed, 0);
	assert_int_equal(c.lines_mixed, 0);
	assert_int_equal(c.after_fence, 0);
}

static void missing_flush(void *arg)
{
	uint8_t *p = arg;

	store(p);
	store(p + 64);
	flush(p + 63);
	fence();
}

static void flush_before_store(void *arg)
{
	uint8_t *p = arg;

	store(p);
	flush(p);
	store(p + 8);
	fence();
}

static void wrong_line(void *arg)
{
	uint8_t *p = arg;

	store(p + 64);
	flush(p);
	flush(p + 128);
	fence();
}

static void trace__missing_flushes_are_caught(void **state)
{
	(void)state;
	assert_int_equal(trace(missing_flush, NULL).lines_unflushed, 1);
	assert_int_equal(trace(flush_before_store, NULL).lines_unflushed, 1);
	assert_int_equal(trace(wrong_line, NULL).lines_unflushed, 1);
}

static void mixed_stores(void *arg)
{
	uint8_t *p = arg;

	store(p + 56);
	nt_store(p);
	nt_store(p + 64);
	store(p + 128);
	nt_store(p + 192);
	store(p + 200);
	fence();
}

static void trace__both_kinds_of_store_in_a_line_are_caught(void **state)
{
	(void)state;
	assert_int_equal(trace(mixed_stores, NULL).lines_mixed, 2);
}

static void store_after_fence(void *arg)
{
	flush(arg);
	fence();
	store(arg);
}

static void flush_after_fence(void *arg)
{
	store(arg);
	fence();
	flush(arg);
}

static void nt_store_after_fence(void *arg)
{
	fence();
	nt_store(arg);
}

static void two_fences(void *arg)
{
	fence();
	nt_store(arg);
	fence();
}

static void trace__misplaced_fences_are_caught(void **state)
{
	(void)state;
	assert_int_equal(trace(store_after_fence, NULL).after_fence, 1);
	assert_int_equal(trace(flush_after_fence, NULL).after_fence, 1);
	assert_int_equal(trace(nt_store_after_fence, NULL).after_fence, 1);
	assert_int_equal(trace(two_fences, NULL).kinds[INSN_SFENCE], 2);
}

static void store_two_halves(void *arg)
{
	volatile uint32_t *p = (uint32_t *)((uint8_t *)arg + 16);

	p[1] = ~0U;
	p[0] = ~0U;
}

static void store_bytes_by_rep(void *arg)
{
	uint64_t n = 16;

	__asm__ volatile("rep stosb"
			 : "+D"(arg), "+c"(n)
			 : "a"(0xff)
			 : "memory");
}

static void store_across(void *arg)
{
	__asm__ volatile("movq %1, 4(%0)" : : "r"(arg), "r"(~0ULL) : "memory");
}

static void store_16_bytes(void *arg)
{
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0; movdqu %%xmm0, 8(%0)"
			 :
			 : "r"(arg)
			 : "memory", "xmm0");
}

static void trace__torn_words_are_caught(void **state)
{
	uint8_t expected[sizeof(mem)];
	struct step_counts c;

	(void)state;
	memset(expected, 0xff, sizeof(expected));
	c = trace(store_two_halves, expected);
	assert_int_equal(c.words_torn, 1);
	assert_int_equal(c.torn_at, 16);
	/* all but the last byte of each word */
	assert_int_equal(trace(store_bytes_by_rep, expected).words_torn, 14);
	assert_int_equal(trace(store_across, expected).words_torn, 1);
	assert_int_equal(trace(store_16_bytes, expected).words_torn, 0);
	memset(expected, 0xfe, sizeof(expected)); /* not what is stored */
	assert_int_equal(trace(store_16_bytes, expected).words_torn, 1);
}

static void jump(void *code)
{
	void (*fn)(void *);

	*(void **)&fn = code;
	fn(mem);
}

/* movnti %rax, (%rdi) across the end of a page, then ret as the last byte
 * before a guard page. */
static void trace__code_at_page_ends(void **state)
{
	static const uint8_t movnti_ret[] = { 0x48, 0x0f, 0xc3, 0x07, 0xc3 };
	struct step_counts c;
	struct guard g;

	(void)state;
	guard_init(&g, 8192);
	memcpy(g.start + 4094, movnti_ret, sizeof(movnti_ret));
	memcpy(guard_tail(&g, 5), movnti_ret, sizeof(movnti_ret));
	assert_int_equal(mprotect(g.start, g.len, PROT_READ | PROT_EXEC), 0);
	assert_int_equal(steptrace_run(jump, g.start + 4094, NULL, &c), 0);
	assert_int_equal(c.kinds[INSN_MOVNTI8], 1);
	assert_int_equal(steptrace_run(jump, guard_tail(&g, 5), NULL, &c), 0);
	assert_int_equal(c.kinds[INSN_MOVNTI8], 1);
	guard_fini(&g);
}

int main(void)
{
	const char *reason = steptrace_unavailable();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode__nt_stores),
		cmocka_unit_test(decode__flushes_and_fences),
		cmocka_unit_test(decode__everything_else),
		cmocka_unit_test(trace__right_program),
		cmocka_unit_test(trace__missing_flushes_are_caught),
		cmocka_unit_test(
			trace__both_kinds_of_store_in_a_line_are_caught),
		cmocka_unit_test(trace__misplaced_fences_are_caught),
		cmocka_unit_test(trace__torn_words_are_caught),
		cmocka_unit_test(trace__code_at_page_ends),
	};

	if (reason) {
		printf("skipped: no single-stepping here: %s\n", reason);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
