/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A million random copies and fills, each compared with memmove() and memset()
 * of libc: the bytes around it every time, all of the memory now and then.
 *
 * A failure prints the operation and its number; PMK_TEST_SEED repeats it.
 *
 * APIs covered: pmk_memcpy(), pmk_memmove(), pmk_memset(), pmk_memmove_tuned(),
 * pmk_memset_tuned().
 */
#include <stdio.h>
#include <stdlib.h>

#include <pmk/tune.h>

#include "kernel_test.h"

/* ThreadSanitizer looks at each byte of an operation, and has nothing to find
 * in one thread. */
#ifdef __SANITIZE_THREAD__
#define N_OPS 100000U
#else
#define N_OPS 1000000U
#endif

/* Operations between two looks at all of the memory. */
#define LOOK_EVERY 5000U
#define MAX_LEN    65536U
#define SPAN       (3 * MAX_LEN)

static struct guard mem_g, src_g;
static uint8_t *model; /* what mem_g must be */
static struct rng rng;

enum kind {
	MEMCPY,
	MEMMOVE,
	MEMMOVE_TUNED,
	MEMSET,
	MEMSET_TUNED,
	KINDS
};

static const char *const kind_names[] = {
	[MEMCPY] = "pmk_memcpy",
	[MEMMOVE] = "pmk_memmove",
	[MEMMOVE_TUNED] = "pmk_memmove_tuned",
	[MEMSET] = "pmk_memset",
	[MEMSET_TUNED] = "pmk_memset_tuned",
};

struct op {
	enum kind kind;
	unsigned int flags;
	int c;
	size_t dst_off; /* from the start of mem_g */
	size_t src_off; /* the same, or of src_g */
	bool inside;    /* the source is in mem_g, too */
	size_t len;
	struct pmk_tuning tuning;
};

static int setup(void **state)
{
	(void)state;
	rng_init(&rng, "property");
	printf("property: %u operations\n", N_OPS);
	guard_init(&mem_g, SPAN);
	guard_init(&src_g, MAX_LEN);
	model = malloc(mem_g.len);
	if (!model)
		return -1;
	rng_fill(&rng, src_g.start, src_g.len);
	rng_fill(&rng, mem_g.start, mem_g.len);
	memcpy(model, mem_g.start, mem_g.len);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(model);
	guard_fini(&mem_g);
	guard_fini(&src_g);
	return 0;
}

/* Half of them within a line, one of 60 up to 64 KiB. */
static size_t random_len(void)
{
	static const size_t below[] = {
		65, 65, 65, 257, 257, 1025, 1025, 5000
	};
	size_t len;

	if (!rng_below(&rng, 60))
		return rng_below(&rng, MAX_LEN + 1);
	len = rng_below(&rng, below[rng_below(&rng, ARRAY_SIZE(below))]);
	/* of whole words, as most copies are */
	return rng_below(&rng, 2) ? len : len & ~(size_t)7;
}

/* Where @len bytes of @g begin: anywhere, or against one of the guard pages. */
static size_t random_off(const struct guard *g, size_t len)
{
	size_t room = g->len - len;

	switch (rng_below(&rng, 8)) {
	case 0:
		return 0;
	case 1:
		return room;
	case 2:
	case 3:
	case 4:
		return rng_below(&rng, room + 1) & ~(size_t)63;
	default:
		return rng_below(&rng, room + 1);
	}
}

/* A source in mem_g near enough to overlap. */
static size_t random_near(size_t dst_off, size_t len)
{
	size_t distance = rng_below(&rng, len + len / 4 + 2);
	size_t room = mem_g.len - len;

	if (rng_below(&rng, 2))
		return dst_off > distance ? dst_off - distance : 0;
	return pmk_min_size(dst_off + distance, room);
}

static size_t random_threshold(void)
{
	switch (rng_below(&rng, 6)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return SIZE_MAX;
	case 3:
		return 64 * rng_below(&rng, 64);
	default:
		return rng_below(&rng, 70000);
	}
}

static struct op random_op(void)
{
	struct op op = {
		.kind = (enum kind)rng_below(&rng, KINDS),
		.flags = flag_sets[rng_below(&rng, ARRAY_SIZE(flag_sets))],
		.c = (int)rng_next(&rng),
		.len = random_len(),
		.inside = rng_below(&rng, 3) == 0,
		.tuning = {
			.nt_lines = random_threshold(),
			.nt_edges = random_threshold(),
			.two_streams = random_threshold(),
			.four_streams = random_threshold(),
			.eight_streams = random_threshold(),
			.two_streams_nodrain = random_threshold(),
		},
	};

	op.dst_off = random_off(&mem_g, op.len);
	op.src_off = op.inside ? random_near(op.dst_off, op.len)
			       : random_off(&src_g, op.len);
	return op;
}

static void *run(const struct op *op, void *dst, const void *src)
{
	switch (op->kind) {
	case MEMCPY:
		return pmk_memcpy(dst, src, op->len, op->flags);
	case MEMMOVE:
		return pmk_memmove(dst, src, op->len, op->flags);
	case MEMMOVE_TUNED:
		return pmk_memmove_tuned(dst, src, op->len, op->flags,
					 &op->tuning);
	case MEMSET:
		return pmk_memset(dst, op->c, op->len, op->flags);
	default:
		return pmk_memset_tuned(dst, op->c, op->len, op->flags,
					&op->tuning);
	}
}

static bool is_fill(const struct op *op)
{
	return op->kind == MEMSET || op->kind == MEMSET_TUNED;
}

/* The same on the model. */
static void run_model(const struct op *op)
{
	if (is_fill(op))
		memset(model + op->dst_off, op->c, op->len);
	else if (op->inside)
		memmove(model + op->dst_off, model + op->src_off, op->len);
	else
		memcpy(model + op->dst_off, src_g.start + op->src_off, op->len);
}

static void fail_op(unsigned int n, const struct op *op, const char *problem,
		    size_t at)
{
	const struct pmk_tuning *t = &op->tuning;

	fail_msg("operation %u: %s(memory + %zu, %s + %zu or byte %#x, %zu, "
		 "%#x), thresholds %zu %zu, streams %zu %zu %zu, nodrain %zu: "
		 "%s, byte %td of the destination",
		 n, kind_names[op->kind], op->dst_off,
		 op->inside ? "memory" : "source", op->src_off,
		 (unsigned int)op->c & 0xff, op->len, op->flags, t->nt_lines,
		 t->nt_edges, t->two_streams, t->four_streams, t->eight_streams,
		 t->two_streams_nodrain, problem,
		 (ptrdiff_t)at - (ptrdiff_t)op->dst_off);
}

/* [@from, @to) of the memory is as in the model, after operation @n. */
static void check(unsigned int n, const struct op *op, size_t from, size_t to,
		  const char *problem)
{
	if (!memcmp(mem_g.start + from, model + from, to - from))
		return;
	while (mem_g.start[from] == model[from])
		from++;
	fail_op(n, op, problem, from);
}

static void check_op(unsigned int n, const struct op *op)
{
	size_t from = op->dst_off - pmk_min_size(op->dst_off, MARGIN);
	size_t to = pmk_min_size(op->dst_off + op->len + MARGIN, mem_g.len);

	check(n, op, from, to, "wrong content");
}

/* What was filled looks alike: bytes that differ come back. */
static void refill(const struct op *op)
{
	memcpy(model + op->dst_off, src_g.start, op->len);
	memcpy(mem_g.start + op->dst_off, src_g.start, op->len);
}

static void operations__agree_with_libc(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < N_OPS; n++) {
		struct op op = random_op();
		uint8_t *dst = mem_g.start + op.dst_off;
		const uint8_t *src =
			(op.inside ? mem_g.start : src_g.start) + op.src_off;

		run_model(&op);
		if (run(&op, dst, src) != dst)
			fail_op(n, &op, "return value", op.dst_off);
		check_op(n, &op);
		if (is_fill(&op))
			refill(&op);
		if (n % LOOK_EVERY == LOOK_EVERY - 1)
			check(n, &op, 0, mem_g.len,
			      "written far away, by this one or the "
			      "thousands before it");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations__agree_with_libc),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
