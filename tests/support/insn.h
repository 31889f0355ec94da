/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognise the x86-64 instructions that persistence is made of.  Not a
 * disassembler: everything else is INSN_OTHER, whatever its length.
 */
#ifndef TESTS_SUPPORT_INSN_H
#define TESTS_SUPPORT_INSN_H

#include <stddef.h>
#include <stdint.h>

/* No x86 instruction is longer. */
#define INSN_MAX_BYTES 15

enum insn_kind {
	INSN_OTHER = 0,
	INSN_MOVNTI4,
	INSN_MOVNTI8,
	INSN_NT_VECTOR, /* movntdq, movntps, movntpd, and their VEX and EVEX */
	INSN_NT_MMX,    /* movntq */
	INSN_MOVDIRI,
	INSN_MOVDIR64B,
	INSN_CLWB,
	INSN_CLFLUSHOPT,
	INSN_CLFLUSH,
	INSN_SFENCE,
	INSN_MFENCE,
	INSN_LFENCE,
	INSN_XGETBV,
	INSN_CPUID,
	INSN_INT3,
	INSN_KINDS
};

struct insn {
	enum insn_kind kind;
	uint64_t addr; /* NT stores and flushes: the memory operand */
	size_t len;    /* NT stores: bytes stored; flushes: 0 */
};

/* @regs: the general registers in the order of their numbers in the
 * instruction set: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15. */
struct insn insn_decode(const uint8_t bytes[INSN_MAX_BYTES],
			const uint64_t regs[16], uint64_t rip);

/* Of @kind, for messages. */
const char *insn_name(enum insn_kind kind);

#endif /* TESTS_SUPPORT_INSN_H */
