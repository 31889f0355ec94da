/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 8-byte guarantee: with destination and length multiples of 8, no aligned
 * 8-byte word is ever seen half written, after whatever instruction one looks.
 *
 * APIs covered: pmk_memcpy(), pmk_memmove(), pmk_memset().
 */
#include "step_test.h"

#define SPAN    16384
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

/* @distance from the source to the destination; negative: below it. */
static void check_move(size_t dst_off, ptrdiff_t distance, size_t len,
		       unsigned int flags)
{
	struct call c = { .name = "pmk_memmove", .fn = call_memmove };
	size_t abs = (size_t)(distance < 0 ? -distance : distance);

	fill_to_differ(&rng, buf, SPAN, abs);
	memcpy(after, buf, SPAN);
	c.dst = buf + DST_OFF + dst_off;
	c.src = c.dst - distance;
	c.len = len;
	c.flags = flags;
	memmove(after + (c.dst - buf), after + (c.src - buf), len);
	check_words(&c);
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

static void check_set(size_t dst_off, size_t len, unsigned int flags)
{
	struct call c = { .name = "pmk_memset",
			  .fn = call_memset,
			  .dst = buf + DST_OFF + dst_off,
			  .len = len,
			  .flags = flags };

	/* below 0x80: differs from SET_BYTE */
	fill_to_differ(&rng, buf, SPAN, SPAN);
	memcpy(after, buf, SPAN);
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
		cmocka_unit_test(memset__every_flag_set),
	};
	int status = skip_status();

	return status ? status : cmocka_run_group_tests(tests, setup, NULL);
}
