/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 8-byte guarantee: with destination and length multiples of 8, no aligned
 * 8-byte word is ever seen half written, after whatever instruction one looks.
 *
 * Each byte differs from what is stored onto it, so a store of less than 8
 * bytes, or one that is not aligned, leaves a word that is neither old nor new.
 * One of bytes that are there already would not be seen; nor can it tear
 * anything.
 *
 * APIs covered: pmk_memmove(), pmk_memmove_tuned(), pmk_memset(),
 * pmk_memset_tuned().
 */
#include <pmk/tune.h>

#include "step_test.h"

#define SPAN    81920
#define DST_OFF 4096

static _Alignas(64) uint8_t buf[SPAN];
static uint8_t after[SPAN]; /* buf once the call is through */
static struct rng rng;

static int setup(void **state)
{
	(void)state;
	rng_init(&rng, "words");
	pmk_persist(buf, 1); /* chooses the kernels, before any trace */
	return 0;
}

static void check_words(struct call *c)
{
	struct step_counts n;
	size_t line = (size_t)(c->dst - buf) / 64 * 64;

	n = trace(c, after + line);
	if (n.words_torn)
		fail_msg("%s, destination offset %zu, source offset %zu, %zu "
			 "bytes, flags %#x: torn word at byte %td",
			 c->name, (uintptr_t)c->dst % 64,
			 (uintptr_t)c->src % 64, c->len, c->flags,
			 (ptrdiff_t)(line + n.torn_at) - (c->dst - buf));
}

static const size_t lens[] = { 8,  16, 24,  32,  40,  48,  56,  64,
			       72, 96, 120, 128, 192, 248, 320, 512 };

/* Of the memory, what a call of @len bytes that far away can touch. */
static size_t span_of(size_t len, size_t distance)
{
	return pmk_min_size(DST_OFF + 64 + len + distance + 64, SPAN);
}

/* The call is made ready but for its function; @distance from the source to the
 * destination, negative: below it. */
static void prepare_move(struct call *c, size_t dst_off, ptrdiff_t distance,
			 size_t len, unsigned int flags)
{
	size_t abs = (size_t)(distance < 0 ? -distance : distance);
	size_t span = span_of(len, abs);

	fill_to_differ(&rng, buf, span, abs);
	memcpy(after, buf, span);
	c->dst = buf + DST_OFF + dst_off;
	c->src = c->dst - distance;
	c->len = len;
	c->flags = flags;
	memmove(after + (c->dst - buf), after + (c->src - buf), len);
}

static void check_move(size_t dst_off, ptrdiff_t distance, size_t len,
		       unsigned int flags)
{
	struct call c = { .name = "pmk_memmove", .fn = call_memmove };

	prepare_move(&c, dst_off, distance, len, flags);
	check_words(&c);
}

/* A call with thresholds. */
struct tuned {
	struct call call;
	const struct pmk_tuning *tuning;
};

static void call_tuned(void *call)
{
	const struct tuned *t = call;
	const struct call *c = &t->call;

	if (c->src)
		pmk_memmove_tuned(c->dst, c->src, c->len, c->flags, t->tuning);
	else
		pmk_memset_tuned(c->dst, SET_BYTE, c->len, c->flags, t->tuning);
}

static void check_tuned(size_t dst_off, ptrdiff_t distance, size_t len,
			unsigned int flags, const struct pmk_tuning *tuning)
{
	struct tuned t = { .call.name = "pmk_memmove_tuned",
			   .call.fn = call_tuned,
			   .tuning = tuning };

	prepare_move(&t.call, dst_off, distance, len, flags);
	check_words(&t.call);
}

static void memmove__without_overlap(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i += STRIDE)
		for (size_t j = 0; j < ARRAY_SIZE(step_flags); j++, n++)
			check_move(n % 8 * 8,
				   (ptrdiff_t)(lens[i] + 64 + n % 64), lens[i],
				   step_flags[j]);
}

static void memmove__with_overlap(void **state)
{
	static const ptrdiff_t distances[] = { 1,  3,  8,  13,  16,
					       20, 64, 65, 100, 128 };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i += STRIDE) {
		for (size_t j = 0; j < ARRAY_SIZE(step_flags); j++, n++) {
			ptrdiff_t d = distances[n % ARRAY_SIZE(distances)];

			check_move(n % 8 * 8, n % 3 ? d : -d, lens[i],
				   step_flags[j]);
		}
	}
}

/* Where libc would use rep movsb, or a compiler libc. */
static void memmove__long(void **state)
{
	static const unsigned int flags[] = { 0, PMK_F_NONTEMPORAL,
					      PMK_F_TEMPORAL, PMK_F_NOFLUSH };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		check_move(8, 3333, 3000, flags[i]);
		check_move(48, 65, 3000, flags[i]);
		check_move(48, -65, 3000, flags[i]);
	}
}

/* All past the cache, and by streams from two units on. */
static const struct pmk_tuning early = {
	.two_streams = 512,
	.four_streams = 1024,
	.eight_streams = 32768,
	.two_streams_nodrain = 512,
};
/* All through the cache, where the caller drains. */
static const struct pmk_tuning late = {
	.nt_lines = SIZE_MAX,
	.nt_edges = SIZE_MAX,
	.two_streams = SIZE_MAX,
	.two_streams_nodrain = SIZE_MAX,
};

/* Each length of words at each offset of a word in a line; flags and sources in
 * turn, so that all of them come at each offset and at each length. */
static void memmove__every_length_and_offset(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t len = 8; len <= 512; len += 8) {
		for (size_t i = 0; i < 8; i += STRIDE, n++) {
			size_t off = (i + n) % 8 * 8;

			check_tuned(off, -(ptrdiff_t)(len + 64 + n % 61), len,
				    step_flags[n % ARRAY_SIZE(step_flags)],
				    n % 3 ? &early : &late);
		}
	}
}

/* Two, four and eight streams, and what they leave. */
static void memmove__by_streams(void **state)
{
	static const size_t more[] = { 512, 576, 1000, 1024, 1088, 1536, 2112 };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		for (size_t j = 0; j < 4; j++, n++)
			check_tuned(n * 24 % 64, -(ptrdiff_t)(more[i] + 64 + n),
				    more[i], step_flags[j], &early);
	check_tuned(0, -(32768 + 64 + 3), 32768, 0, &early);
	check_tuned(8, -(32768 + 576 + 64 + 8), 32768 + 576, PMK_F_NODRAIN,
		    &early);
}

static void check_set_tuned(size_t dst_off, size_t len, unsigned int flags,
			    const struct pmk_tuning *tuning)
{
	struct tuned t = { .call.name = "pmk_memset_tuned",
			   .call.fn = call_tuned,
			   .call.dst = buf + DST_OFF + dst_off,
			   .call.len = len,
			   .call.flags = flags,
			   .tuning = tuning };

	fill_to_differ(&rng, buf, span_of(len, 0), SPAN);
	memcpy(after, buf, span_of(len, 0));
	memset(after + (t.call.dst - buf), SET_BYTE, len);
	check_words(&t.call);
}

static void memset__every_length_and_offset(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t len = 8; len <= 512; len += 8)
		for (size_t i = 0; i < 8; i += 2 * STRIDE, n++)
			check_set_tuned((i + n) % 8 * 8, len,
					step_flags[n % ARRAY_SIZE(step_flags)],
					n % 3 ? &early : &late);
}

static void check_set(size_t dst_off, size_t len, unsigned int flags)
{
	struct call c = { .name = "pmk_memset",
			  .fn = call_memset,
			  .dst = buf + DST_OFF + dst_off,
			  .len = len,
			  .flags = flags };

	/* below 0x80: differs from SET_BYTE */
	fill_to_differ(&rng, buf, span_of(len, 0), SPAN);
	memcpy(after, buf, span_of(len, 0));
	memset(after + (c.dst - buf), SET_BYTE, len);
	check_words(&c);
}

static void memset__every_flag_set(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i += STRIDE)
		for (size_t j = 0; j < ARRAY_SIZE(step_flags); j++, n++)
			check_set(n % 8 * 8, lens[i], step_flags[j]);
	check_set(8, 3000, 0);
	check_set(8, 3000, PMK_F_TEMPORAL);
	check_set(8, 3000, PMK_F_NOFLUSH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memmove__without_overlap),
		cmocka_unit_test(memmove__with_overlap),
		cmocka_unit_test(memmove__long),
		cmocka_unit_test(memmove__every_length_and_offset),
		cmocka_unit_test(memmove__by_streams),
		cmocka_unit_test(memset__every_flag_set),
		cmocka_unit_test(memset__every_length_and_offset),
	};
	int status = skip_status();

	return status ? status : cmocka_run_group_tests(tests, setup, NULL);
}
