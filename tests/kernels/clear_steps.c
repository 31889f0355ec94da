/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions clears execute: what is flushed and fenced, and that no
 * word is seen half cleared where that is promised.
 *
 * APIs covered: pmk_clear(), pmk_clear_by(), pmk_clear_user().
 */
#include <unistd.h>

#include <pmk/clear.h>

#include "step_test.h"

#define SPAN 16384

static _Alignas(64) uint8_t buf[SPAN];
/* all zero */
static _Alignas(64) uint8_t after[SPAN];

static int setup(void **state)
{
	(void)state;
	/* an unchanged byte could not be seen written */
	memset(buf, 0xa5, SPAN);
	pmk_persist(buf, 1); /* chooses the kernels, before any trace */
	return pmk_clear_user(after, 1) != 0;
}

static void call_clear(void *call)
{
	const struct call *c = call;

	pmk_clear(c->dst, c->len, c->flags);
}

static const size_t lens[] = { 0,   1,   8,   24,   61,   64,  72,
			       130, 256, 320, 1000, 2049, 4096 };
static const size_t offsets[] = { 0, 3, 8, 61 };

static void check_cached(struct call *c)
{
	struct step_counts n = trace(c, NULL);

	CHECK_COUNT(c, &n, nt_stores, 0);
	CHECK_COUNT(c, &n, flushes, 0);
	CHECK_COUNT(c, &n, fences, 0);
	CHECK_COUNT(c, &n, lines_written, lines_of(c->dst, c->len));
}

/* All durable, and nothing behind the fence if there is one. */
static void check_durable(struct call *c, bool drain)
{
	bool words = (uintptr_t)c->dst % 8 == 0 && c->len % 8 == 0;
	struct step_counts n = trace(c, words ? after : NULL);

	check_kinds(c, &n);
	CHECK_COUNT(c, &n, kinds[INSN_SFENCE], drain);
	if (drain)
		CHECK_COUNT(c, &n, after_fence, 0);
	CHECK_COUNT(c, &n, lines_unflushed, 0);
	CHECK_COUNT(c, &n, lines_covered, lines_of(c->dst, c->len));
	/* at most the edges go through the cache */
	CHECK_COUNT(c, &n, lines_written > 2, 0);
	if (words)
		CHECK_COUNT(c, &n, words_torn, 0);
}

static bool is_durable(unsigned int flags)
{
	return (flags & PMK_F_NONTEMPORAL) && !(flags & PMK_F_NOFLUSH);
}

static void clear__flags(void **state)
{
	struct call c = { .name = "pmk_clear", .fn = call_clear };
	size_t k = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i += STRIDE) {
		for (size_t j = 0; j < ARRAY_SIZE(step_flags); j++) {
			c.len = lens[i];
			c.flags = step_flags[j];
			c.dst = buf + 64 + offsets[k++ % ARRAY_SIZE(offsets)];
			if (is_durable(c.flags))
				check_durable(&c, !(c.flags & PMK_F_NODRAIN));
			else
				check_cached(&c);
		}
	}
}

/* The flags are the number of the variant. */
static void call_clear_by(void *call)
{
	const struct call *c = call;

	if (pmk_clear_by(c->flags, c->dst, c->len))
		_exit(1);
}

/* The instruction that a variant is named for, and how many of it a line takes;
 * of others none. */
static void expected_of(const char *name, enum insn_kind *kind,
			size_t *per_line)
{
	static const struct {
		const char *name;
		enum insn_kind kind;
		size_t per_line;
	} table[] = {
		{ "nt_movnti", INSN_MOVNTI8, 8 },
		{ "nt_sse2", INSN_NT_VECTOR, 4 },
		{ "nt_avx512", INSN_NT_VECTOR, 1 },
		{ "nt_movdir64b", INSN_MOVDIR64B, 1 },
	};

	*per_line = 0;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(table[i].name, name))
			continue;
		*kind = table[i].kind;
		*per_line = table[i].per_line;
	}
}

static void check_variant(struct call *c)
{
	enum insn_kind kind = INSN_OTHER;
	size_t per_line, head, lines;

	expected_of(c->name, &kind, &per_line);
	assert_int_equal(per_line != 0, !strncmp(c->name, "nt_", 3));
	if (!per_line) {
		check_cached(c);
		return;
	}
	check_durable(c, true);
	head = pmk_min_size(-(uintptr_t)c->dst & 63, c->len);
	lines = (c->len - head) / 64;
	if (lines) {
		struct step_counts n = trace(c, NULL);

		CHECK_COUNT(c, &n, kinds[kind], per_line * lines);
		CHECK_COUNT(c, &n, nt_stores, per_line * lines);
	}
}

static void variants__do_what_they_are_named_for(void **state)
{
	struct call c = { .fn = call_clear_by };
	uint8_t byte;

	(void)state;
	for (c.flags = 0; pmk_clear_variant_name(c.flags); c.flags++) {
		c.name = pmk_clear_variant_name(c.flags);
		if (pmk_clear_by(c.flags, &byte, 1))
			continue;
		for (size_t i = 0; i < 10; i += STRIDE) {
			c.len = lens[i];
			c.dst = buf + 64 + offsets[i % ARRAY_SIZE(offsets)];
			check_variant(&c);
		}
	}
}

/* Steps of 4096 bytes; an iteration of a rep prefix is one.  What lies around
 * them is at most SLACK. */
#define SLACK 400

static void variants__take_the_steps_of_their_loops(void **state)
{
	static const struct {
		const char *name;
		size_t steps;
	} loops[] = {
		/* store, pointer, counter, branch */
		{ "loop8", 4 * 512 },
		/* eight stores, pointer, counter, branch */
		{ "unrolled", 11 * 64 },
		{ "rep_stosq", 512 },
		{ "rep_stosb", 4096 },
	};
	struct call c = { .fn = call_clear_by, .dst = buf + 64, .len = 4096 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
		uint64_t got;

		c.name = loops[i].name;
		for (c.flags = 0;
		     strcmp(pmk_clear_variant_name(c.flags), c.name);)
			c.flags++;
		got = trace(&c, NULL).kinds[INSN_OTHER];
		if (got < loops[i].steps || got > loops[i].steps + SLACK)
			fail_msg("%s: %llu steps, expected about %zu", c.name,
				 (unsigned long long)got, loops[i].steps);
	}
}

static void call_clear_user(void *call)
{
	const struct call *c = call;

	pmk_clear_user(c->dst, c->len);
}

static void clear_user__flushes_nothing(void **state)
{
	struct call c = { .name = "pmk_clear_user", .fn = call_clear_user };

	(void)state;
	for (size_t i = 1; i < ARRAY_SIZE(lens); i += 3) {
		c.len = lens[i];
		c.dst = buf + 64 + offsets[i % ARRAY_SIZE(offsets)];
		check_cached(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clear__flags),
		cmocka_unit_test(variants__do_what_they_are_named_for),
		cmocka_unit_test(variants__take_the_steps_of_their_loops),
		cmocka_unit_test(clear_user__flushes_nothing),
	};
	int status = skip_status();

	return status ? status : cmocka_run_group_tests(tests, setup, NULL);
}
