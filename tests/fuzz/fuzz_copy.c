/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies and fills, on guard pages, against libc.  The input is a sequence of
 * operations on the same memory:
 *
 *	byte 0	operation and where the memory lies
 *	1	flags
 *	2..3	destination
 *	4..5	source, or the byte of a fill
 *	6..7	length
 *
 * APIs covered: pmk_memcpy(), pmk_memmove(), pmk_memset(), pmk_flush(),
 * pmk_persist(), pmk_memcpy_flushcache_any().
 */
#include <string.h>

#include <pmk/copy.h>

#include "fuzz.h"
#include "support/guard.h"

#define SPAN    8192
#define OP_SIZE 8

static struct guard g;
static uint8_t want[SPAN];

struct op {
	unsigned int what, flags;
	size_t dst, src, len;
	int byte;
};

static size_t word(const uint8_t *p)
{
	return (size_t)p[0] | (size_t)p[1] << 8;
}

/* Any eight bytes are an operation inside the memory. */
static struct op parse(const uint8_t *p)
{
	struct op op = { .what = p[0] % 6, .flags = p[1] };
	size_t room;

	op.byte = (int)word(p + 4);
	op.dst = word(p + 2) % SPAN;
	op.src = word(p + 4) % SPAN;
	/* sometimes near the destination, where overlap is */
	if (p[0] & 0x80)
		op.src = (op.dst + p[4]) % SPAN;
	room = SPAN - (op.dst > op.src ? op.dst : op.src);
	op.len = word(p + 6) % (room + 1);
	/* sometimes up to the guard page */
	if (p[0] & 0x40)
		op.len = room;
	return op;
}

static void do_flushcache(const struct op *op)
{
	size_t distance =
		op->dst > op->src ? op->dst - op->src : op->src - op->dst;
	size_t len = op->len < distance ? op->len : distance;

	/* no overlap there */
	memcpy(want + op->dst, want + op->src, len);
	pmk_memcpy_flushcache_any(g.start + op->dst, g.start + op->src, len);
}

static void do_op(const struct op *op)
{
	uint8_t *dst = g.start + op->dst;
	void *ret = dst;

	switch (op->what) {
	case 0:
		memmove(want + op->dst, want + op->src, op->len);
		ret = pmk_memmove(dst, g.start + op->src, op->len, op->flags);
		break;
	case 1:
		memmove(want + op->dst, want + op->src, op->len);
		ret = pmk_memcpy(dst, g.start + op->src, op->len, op->flags);
		break;
	case 2:
		memset(want + op->dst, op->byte, op->len);
		ret = pmk_memset(dst, op->byte, op->len, op->flags);
		break;
	case 3:
		do_flushcache(op);
		break;
	case 4:
		pmk_flush(dst, op->len);
		break;
	case 5:
		pmk_persist(dst, op->len);
		break;
	}
	FUZZ_CHECK(ret == dst);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!g.start)
		guard_init(&g, SPAN);
	for (size_t i = 0; i < SPAN; i++)
		want[i] = (uint8_t)(i * 37 + (i >> 8));
	memcpy(g.start, want, SPAN);
	for (; size >= OP_SIZE; data += OP_SIZE, size -= OP_SIZE) {
		struct op op = parse(data);

		do_op(&op);
		FUZZ_CHECK(!memcmp(g.start, want, SPAN));
	}
	return 0;
}
