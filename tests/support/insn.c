/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognise the x86-64 instructions that persistence is made of.  Encodings:
 * Intel SDM vol. 2, chapter 2 (prefixes, ModRM, VEX, EVEX) and the pages of
 * the instructions.
 */
#include <stdbool.h>
#include <string.h>

#include "support/insn.h"

enum opcode_map {
	MAP_ONE_BYTE = 0,
	MAP_0F = 1,
	MAP_0F38 = 2,
};

/* An instruction up to its opcode, whatever way it was encoded. */
struct prefixes {
	bool opsize; /* 66, or pp = 1 */
	bool repne;  /* F2, or pp = 3 */
	bool rep;    /* F3, or pp = 2 */
	bool w, r, x, b;
	bool vector; /* VEX or EVEX */
	unsigned int map;
	size_t vector_len; /* VEX, EVEX: bytes */
	size_t disp8_unit; /* EVEX compresses 8-bit displacements */
	const uint8_t *opcode;
};

static void set_pp(struct prefixes *p, unsigned int pp)
{
	p->opsize = pp == 1;
	p->rep = pp == 2;
	p->repne = pp == 3;
}

static void parse_vex(struct prefixes *p, const uint8_t *b)
{
	uint8_t last = b[0] == 0xc5 ? b[1] : b[2];

	p->vector = true;
	p->r = !(b[1] & 0x80);
	p->map = MAP_0F;
	if (b[0] == 0xc4) {
		p->x = !(b[1] & 0x40);
		p->b = !(b[1] & 0x20);
		p->map = b[1] & 0x1f;
		p->w = b[2] & 0x80;
	}
	p->vector_len = last & 4 ? 32 : 16;
	p->disp8_unit = 1;
	set_pp(p, last & 3);
	p->opcode = b + (b[0] == 0xc5 ? 2 : 3);
}

static void parse_evex(struct prefixes *p, const uint8_t *b)
{
	p->vector = true;
	p->r = !(b[1] & 0x80);
	p->x = !(b[1] & 0x40);
	p->b = !(b[1] & 0x20);
	p->map = b[1] & 7;
	p->w = b[2] & 0x80;
	set_pp(p, b[2] & 3);
	p->vector_len = (size_t)16 << (b[3] >> 5 & 3);
	/* full vector, no broadcast: all that the NT stores have */
	p->disp8_unit = p->vector_len;
	p->opcode = b + 4;
}

static void parse_legacy(struct prefixes *p, const uint8_t *b)
{
	if ((*b & 0xf0) == 0x40) {
		p->w = *b & 8;
		p->r = *b & 4;
		p->x = *b & 2;
		p->b = *b & 1;
		b++;
	}
	p->disp8_unit = 1;
	p->map = MAP_ONE_BYTE;
	if (b[0] == 0x0f && b[1] == 0x38) {
		p->map = MAP_0F38;
		b += 2;
	} else if (b[0] == 0x0f) {
		p->map = MAP_0F;
		b++;
	}
	p->opcode = b;
}

static struct prefixes parse_prefixes(const uint8_t *b)
{
	struct prefixes p = { 0 };
	const uint8_t *end = b + 4;

	/* F2, F3, 66 and what does not matter here: segments, lock, 67 */
	for (; b < end && *b &&
	       strchr("\xf2\xf3\x66\x26\x2e\x36\x3e\x64\x65"
		      "\x67\xf0",
		      *b);
	     b++) {
		p.opsize |= *b == 0x66;
		p.repne |= *b == 0xf2;
		p.rep |= *b == 0xf3;
	}
	if (*b == 0xc4 || *b == 0xc5)
		parse_vex(&p, b);
	else if (*b == 0x62)
		parse_evex(&p, b);
	else
		parse_legacy(&p, b);
	return p;
}

static int64_t read_disp32(const uint8_t *b)
{
	int32_t v;

	memcpy(&v, b, sizeof(v));
	return v;
}

/* The memory operand of ModRM @m; none of our instructions has an immediate. */
static uint64_t effective_address(const struct prefixes *p, const uint8_t *m,
				  const uint64_t regs[16], uint64_t rip,
				  const uint8_t *start)
{
	unsigned int mod = *m >> 6, rm = *m & 7, base = rm | (p->b ? 8U : 0);
	uint64_t addr = 0;

	m++;
	if (mod == 0 && rm == 5)
		return rip + (uint64_t)(m + 4 - start) +
		       (uint64_t)read_disp32(m);
	if (rm == 4) {
		unsigned int sib = *m++;
		unsigned int index = (sib >> 3 & 7) | (p->x ? 8U : 0);

		base = (sib & 7) | (p->b ? 8U : 0);
		if (index != 4)
			addr = regs[index] << (sib >> 6);
		if (mod == 0 && (sib & 7) == 5)
			return addr + (uint64_t)read_disp32(m);
	}
	addr += regs[base];
	if (mod == 1)
		addr += (uint64_t)((int64_t)(int8_t)*m *
				   (int64_t)p->disp8_unit);
	else if (mod == 2)
		addr += (uint64_t)read_disp32(m);
	return addr;
}

static enum insn_kind group_ae(const struct prefixes *p, uint8_t modrm)
{
	unsigned int reg = modrm >> 3 & 7;

	if (p->rep || p->repne || p->vector)
		return INSN_OTHER;
	if (modrm >> 6 == 3 && !p->opsize)
		return reg == 7   ? INSN_SFENCE
		       : reg == 6 ? INSN_MFENCE
		       : reg == 5 ? INSN_LFENCE
				  : INSN_OTHER;
	if (modrm >> 6 == 3)
		return INSN_OTHER;
	if (reg == 7)
		return p->opsize ? INSN_CLFLUSHOPT : INSN_CLFLUSH;
	return reg == 6 && p->opsize ? INSN_CLWB : INSN_OTHER;
}

static enum insn_kind kind_0f(const struct prefixes *p)
{
	uint8_t modrm = p->opcode[1];
	bool memory = modrm >> 6 != 3;

	switch (p->opcode[0]) {
	case 0x01:
		return modrm == 0xd0 ? INSN_XGETBV : INSN_OTHER;
	case 0xa2:
		return INSN_CPUID;
	case 0x2b: /* movntps, movntpd */
		return memory ? INSN_NT_VECTOR : INSN_OTHER;
	case 0xc3:
		if (!memory || p->opsize || p->vector)
			return INSN_OTHER;
		return p->w ? INSN_MOVNTI8 : INSN_MOVNTI4;
	case 0xe7:
		if (!memory || p->rep || p->repne)
			return INSN_OTHER;
		return p->opsize ? INSN_NT_VECTOR : INSN_NT_MMX;
	case 0xae:
		return group_ae(p, modrm);
	}
	return INSN_OTHER;
}

static enum insn_kind kind_0f38(const struct prefixes *p)
{
	bool memory = p->opcode[1] >> 6 != 3;

	if (!memory || p->vector || p->rep || p->repne)
		return INSN_OTHER;
	if (p->opcode[0] == 0xf8 && p->opsize)
		return INSN_MOVDIR64B;
	return p->opcode[0] == 0xf9 ? INSN_MOVDIRI : INSN_OTHER;
}

/* Bytes that an NT store of @kind stores. */
static size_t store_len(enum insn_kind kind, const struct prefixes *p)
{
	switch (kind) {
	case INSN_MOVNTI4:
		return 4;
	case INSN_MOVNTI8:
	case INSN_NT_MMX:
		return 8;
	case INSN_NT_VECTOR:
		return p->vector ? p->vector_len : 16;
	case INSN_MOVDIRI:
		return p->w ? 8 : 4;
	case INSN_MOVDIR64B:
		return 64;
	default:
		return 0;
	}
}

struct insn insn_decode(const uint8_t bytes[INSN_MAX_BYTES],
			const uint64_t regs[16], uint64_t rip)
{
	struct prefixes p = parse_prefixes(bytes);
	struct insn insn = { INSN_OTHER, 0, 0 };

	if (p.map == MAP_0F)
		insn.kind = kind_0f(&p);
	else if (p.map == MAP_0F38)
		insn.kind = kind_0f38(&p);
	else if (p.map == MAP_ONE_BYTE && p.opcode[0] == 0xcc)
		insn.kind = INSN_INT3;
	if (insn.kind == INSN_MOVDIR64B) /* the destination is a register */
		insn.addr = regs[(p.opcode[1] >> 3 & 7) | (p.r ? 8U : 0)];
	else if (insn.kind >= INSN_MOVNTI4 && insn.kind <= INSN_CLFLUSH)
		insn.addr =
			effective_address(&p, p.opcode + 1, regs, rip, bytes);
	insn.len = store_len(insn.kind, &p);
	return insn;
}

const char *insn_name(enum insn_kind kind)
{
	static const char *const names[INSN_KINDS] = {
		[INSN_OTHER] = "other",
		[INSN_MOVNTI4] = "movnti (4 bytes)",
		[INSN_MOVNTI8] = "movnti (8 bytes)",
		[INSN_NT_VECTOR] = "movntdq/ps/pd",
		[INSN_NT_MMX] = "movntq",
		[INSN_MOVDIRI] = "movdiri",
		[INSN_MOVDIR64B] = "movdir64b",
		[INSN_CLWB] = "clwb",
		[INSN_CLFLUSHOPT] = "clflushopt",
		[INSN_CLFLUSH] = "clflush",
		[INSN_SFENCE] = "sfence",
		[INSN_MFENCE] = "mfence",
		[INSN_LFENCE] = "lfence",
		[INSN_XGETBV] = "xgetbv",
		[INSN_CPUID] = "cpuid",
		[INSN_INT3] = "int3",
	};

	return names[kind];
}
