/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which parts of a range are stored past the cache and which are written back,
 * by flags and length: a model of a few lines, against what is executed.
 *
 * Whatever the policy: each line is either stored past the cache or flushed
 * behind its last store, never both (on one CPU that costs 670 ns instead of
 * 220), and the one fence, if there is one, is the last of it all.
 *
 * APIs covered: pmk_memmove(), pmk_memset(), pmk_memmove_tuned(),
 * pmk_memset_tuned(), pmk_map_memcpy(), pmk_map_memset().
 */
#include <unistd.h>

#include <pmk/map.h>
#include <pmk/tune.h>

#include "step_test.h"

#define SPAN 32768
/* Copies without overlap come from the upper half. */
#define APART (SPAN / 2)

static _Alignas(64) uint8_t buf[SPAN];
static struct rng rng;

/* The documented values for DRAM, as the environment may have changed them. */
static const struct pmk_tuning dram = {
	.nt_lines = 64,
	.nt_edges = 256,
	.two_streams = 3968,
	.four_streams = 12032,
	.eight_streams = 32768,
	.two_streams_nodrain = 4160,
};
static const struct pmk_tuning pmem = {
	.nt_lines = 512,
	.nt_edges = 512,
	.two_streams = 3968,
	.four_streams = 12032,
	.eight_streams = 32768,
	.two_streams_nodrain = 4160,
};
/* Streams from the first length on that has a unit for each. */
static const struct pmk_tuning streams = {
	.nt_lines = 64,
	.nt_edges = 64,
	.two_streams = 512,
	.four_streams = 1024,
	.eight_streams = SIZE_MAX,
	.two_streams_nodrain = 512,
};

static const struct pmk_tuning streams_and_blocks = {
	.two_streams = 512,
	.four_streams = 1024,
	.eight_streams = 32768,
};

/* A call with thresholds. */
struct tuned {
	struct call call;
	const struct pmk_tuning *tuning;
};

static void call_memmove_tuned(void *call)
{
	const struct tuned *t = call;

	pmk_memmove_tuned(t->call.dst, t->call.src, t->call.len, t->call.flags,
			  t->tuning);
}

static void call_memset_tuned(void *call)
{
	const struct tuned *t = call;

	pmk_memset_tuned(t->call.dst, SET_BYTE, t->call.len, t->call.flags,
			 t->tuning);
}

static int setup(void **state)
{
	(void)state;
	rng_init(&rng, "policy_steps");
	pmk_persist(buf, 1); /* chooses the kernels, before any trace */
	return 0;
}

enum op {
	COPY,
	COPY_OVERLAPPING,
	SET
};

/* What goes past the cache. */
enum past {
	NOTHING,
	WHOLE_LINES,
	AND_EDGES, /* of 4-byte words, each for itself */
	ALL
};

/* The policy in words, see <pmk/copy.h> and <pmk/tune.h>. */
static enum past past_cache(enum op op, const struct call *c,
			    const struct pmk_tuning *t)
{
	bool temporal =
		(c->flags & PMK_F_TEMPORAL) && !(c->flags & PMK_F_NONTEMPORAL);
	bool words = (uintptr_t)c->dst % 4 == 0 && c->len % 4 == 0;
	bool edges = (uintptr_t)c->dst % 64 || c->len % 64;

	if ((c->flags & PMK_F_NOFLUSH) || temporal)
		return NOTHING;
	if (c->flags & (PMK_F_NODRAIN | PMK_F_NONTEMPORAL)) {
		if (words)
			return ALL;
		if (op == COPY_OVERLAPPING)
			return AND_EDGES;
		/* a short copy that is stored in part is stored in whole */
		if (op == COPY && !(c->flags & PMK_F_NONTEMPORAL) &&
		    c->len < t->nt_edges)
			return NOTHING;
		return WHOLE_LINES;
	}
	if (op == COPY_OVERLAPPING)
		return WHOLE_LINES;
	return c->len < (edges ? t->nt_edges : t->nt_lines) ? NOTHING
							    : WHOLE_LINES;
}

/* Does the edge of @len bytes at @p go past the cache? */
static bool edge_past(const uint8_t *p, size_t len, enum past past)
{
	return past == ALL ||
	       (past == AND_EDGES && (uintptr_t)p % 4 == 0 && len % 4 == 0);
}

/* How many bytes of the range do, and how many lines do not. */
static void expect(const struct call *c, enum past past, size_t *nt_ret,
		   size_t *stored_ret)
{
	size_t head = pmk_min_size(-(uintptr_t)c->dst % 64, c->len);
	size_t tail = (c->len - head) % 64;
	const uint8_t *end = c->dst + c->len;

	*nt_ret = past == NOTHING ? 0 : c->len - head - tail;
	*stored_ret = past == NOTHING ? (c->len - head) / 64 : 0;
	if (head && edge_past(c->dst, head, past))
		*nt_ret += head;
	else
		*stored_ret += head > 0;
	if (tail && edge_past(end - tail, tail, past))
		*nt_ret += tail;
	else
		*stored_ret += tail > 0;
}

static void check_counts(const struct call *c, const struct step_counts *n,
			 enum past past)
{
	size_t nt, stored, lines = lines_of(c->dst, c->len);
	bool drain = !(c->flags & (PMK_F_NODRAIN | PMK_F_NOFLUSH));
	bool flush = !(c->flags & PMK_F_NOFLUSH);

	expect(c, past, &nt, &stored);
	check_kinds(c, n);
	CHECK_COUNT(c, n, nt_bytes, nt);
	CHECK_COUNT(c, n, lines_written, stored);
	CHECK_COUNT(c, n, flushes, flush ? stored : 0);
	CHECK_COUNT(c, n, lines_unflushed, flush ? 0 : stored);
	CHECK_COUNT(c, n, lines_covered, flush ? lines : 0);
	CHECK_COUNT(c, n, lines_mixed, 0);
	CHECK_COUNT(c, n, fences, drain);
	if (drain)
		CHECK_COUNT(c, n, after_fence, 0);
}

static void check_policy(enum op op, struct tuned *t)
{
	struct step_counts n = trace(&t->call, NULL);

	check_counts(&t->call, &n, past_cache(op, &t->call, t->tuning));
}

/* Ends inside a word of 4 bytes, at one, and at one of 8; short of a line, of
 * whole lines, around the thresholds, and beyond what streams divide. */
static const size_t lens[] = { 1,   4,   8,   24,  63,  64,  72,   100, 128,
			       192, 248, 255, 256, 257, 320, 448,  508, 512,
			       513, 576, 640, 767, 832, 960, 1088, 2304 };
static const size_t offs[] = { 0, 8, 4, 60, 3, 32, 61, 0 };

/* @name with @fn over lengths, and a part of the offsets and flags each time
 * such that all pairs of those come in turn. */
static void check_all(enum op op, const char *name, void (*fn)(void *),
		      const struct pmk_tuning *tuning, size_t stride)
{
	struct tuned t = { .call.name = name, .call.fn = fn, .tuning = tuning };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		for (size_t j = n % stride; j < ARRAY_SIZE(offs); j += stride) {
			/* dst - src: nearer than the length, either way */
			ptrdiff_t d = i % 2 ? 33 : -33;

			t.call.len = lens[i];
			if (op == COPY_OVERLAPPING && t.call.len <= 33)
				continue;
			t.call.dst = buf + 4096 + offs[j];
			t.call.flags = step_flags[n++ % ARRAY_SIZE(step_flags)];
			fill_to_differ(&rng, buf, SPAN,
				       op == COPY_OVERLAPPING ? 33 : APART);
			t.call.src = op == COPY_OVERLAPPING
					     ? t.call.dst - d
					     : t.call.dst + APART;
			check_policy(op, &t);
		}
		n++;
	}
}

static void memmove__by_the_thresholds_of_dram(void **state)
{
	(void)state;
	check_all(COPY, "pmk_memmove_tuned, DRAM", call_memmove_tuned, &dram,
		  STRIDE);
}

static void memmove__by_the_thresholds_of_pmem(void **state)
{
	(void)state;
	check_all(COPY, "pmk_memmove_tuned, pmem", call_memmove_tuned, &pmem,
		  3);
}

static void memmove__by_streams(void **state)
{
	(void)state;
	check_all(COPY, "pmk_memmove_tuned, streams", call_memmove_tuned,
		  &streams, 2);
}

/* Overlap has policies without thresholds, and takes no streams: the counts
 * would be the same, the contents wrong (thresholds.c). */
static void memmove__with_overlap(void **state)
{
	(void)state;
	check_all(COPY_OVERLAPPING, "pmk_memmove_tuned, overlap",
		  call_memmove_tuned, &dram, 3);
}

static void memset__by_the_thresholds_of_dram(void **state)
{
	(void)state;
	check_all(SET, "pmk_memset_tuned, DRAM", call_memset_tuned, &dram, 3);
}

static void memset__by_the_thresholds_of_pmem(void **state)
{
	(void)state;
	check_all(SET, "pmk_memset_tuned, pmem", call_memset_tuned, &pmem, 3);
}

/* One byte below a threshold, at it, and behind. */
static void thresholds__to_the_byte(void **state)
{
	static const struct {
		const struct pmk_tuning *tuning;
		size_t off, len;
		unsigned int flags;
	} cases[] = {
		{ &dram, 0, 64, 0 },
		{ &dram, 0, 63, 0 },
		{ &pmem, 0, 448, 0 },
		{ &pmem, 0, 512, 0 },
		{ &dram, 8, 255, 0 },
		{ &dram, 8, 256, 0 },
		{ &dram, 0, 257, 0 },
		{ &pmem, 8, 511, 0 },
		{ &pmem, 8, 512, 0 },
		{ &dram, 3, 255, PMK_F_NODRAIN },
		{ &dram, 3, 256, PMK_F_NODRAIN },
		{ &pmem, 3, 511, PMK_F_NODRAIN },
		{ &pmem, 3, 512, PMK_F_NODRAIN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tuned t = {
			.call.name = "pmk_memmove_tuned, to the byte",
			.call.fn = call_memmove_tuned,
			.call.dst = buf + 4096 + cases[i].off,
			.call.src = buf + 4096 + APART,
			.call.len = cases[i].len,
			.call.flags = cases[i].flags,
			.tuning = cases[i].tuning,
		};

		fill_to_differ(&rng, buf, SPAN, APART - cases[i].off);
		check_policy(COPY, &t);
		t.call.name = "pmk_memset_tuned, to the byte";
		t.call.fn = call_memset_tuned;
		fill_to_differ(&rng, buf, SPAN, SPAN);
		check_policy(SET, &t);
	}
}

/* Three blocks of eight streams, four streams and a rest: each line once. */
static void memmove__by_blocks(void **state)
{
	static _Alignas(64) uint8_t long_dst[102400], long_src[102400];
	struct tuned t = {
		.call.name = "pmk_memmove_tuned, blocks",
		.call.fn = call_memmove_tuned,
		.call.dst = long_dst + 8,
		.call.src = long_src + 5,
		.call.len = 3 * 32768 + 1024 + 320,
		.tuning = &streams_and_blocks,
	};

	(void)state;
	rng_fill(&rng, long_src, sizeof(long_src));
	for (size_t i = 0; i < t.call.len; i++)
		t.call.dst[i] = (uint8_t)~t.call.src[i];
	check_policy(COPY, &t);
}

/* "off" and "always", on each side of the rule. */
static void thresholds__at_their_ends(void **state)
{
	struct pmk_tuning never = dram, always = { 0 };

	(void)state;
	never.nt_lines = never.nt_edges = SIZE_MAX;
	never.two_streams = never.two_streams_nodrain = SIZE_MAX;
	for (size_t i = 0; i < 2; i++) {
		struct tuned t = {
			.call.name = i ? "always" : "never",
			.call.fn = call_memmove_tuned,
			.call.dst = buf + 4096 + 8,
			.call.src = buf + 4096 + 8 + APART,
			.call.len = 1200,
			.tuning = i ? &always : &never,
		};

		fill_to_differ(&rng, buf, SPAN, APART);
		check_policy(COPY, &t);
		t.call.dst -= 8;
		t.call.src -= 8;
		t.call.len = 64;
		check_policy(COPY, &t);
	}
}

/* A call on a mapping. */
struct mapped {
	struct call call;
	struct pmk_map *map;
};

static void call_map_memcpy(void *call)
{
	const struct mapped *m = call;

	if (pmk_map_memcpy(m->map, m->call.dst, m->call.src, m->call.len,
			   m->call.flags))
		_exit(1);
}

static void call_map_memset(void *call)
{
	const struct mapped *m = call;

	if (pmk_map_memset(m->map, m->call.dst, SET_BYTE, m->call.len,
			   m->call.flags))
		_exit(1);
}

/* Calls on an emulated mapping drain once, by themselves. */
static void maps__one_fence_of_their_own(void **state)
{
	struct pmk_map_params params = { .len = 8192,
					 .flags = PMK_MAP_EMULATED };
	struct mapped m = { .call.src = buf + 5 };

	(void)state;
	fill_to_differ(&rng, buf, SPAN, SPAN);
	assert_int_equal(pmk_map_open(NULL, &params, &m.map), 0);
	for (size_t i = 0; i < ARRAY_SIZE(step_flags); i++) {
		for (size_t j = 0; j < 2; j++) {
			struct step_counts n;
			unsigned int flags = step_flags[i];

			m.call.name = j ? "pmk_map_memset" : "pmk_map_memcpy";
			m.call.fn = j ? call_map_memset : call_map_memcpy;
			m.call.dst = (uint8_t *)pmk_map_addr(m.map) + 64 + 3;
			m.call.len = 300;
			m.call.flags = flags;
			/* the mapping is shared with the traced child */
			memset(pmk_map_addr(m.map), 0xff, 8192);
			n = trace(&m.call, NULL);
			check_counts(
				&m.call, &n,
				past_cache(j ? SET : COPY, &m.call, &dram));
		}
	}
	pmk_map_close(m.map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memmove__by_the_thresholds_of_dram),
		cmocka_unit_test(memmove__by_the_thresholds_of_pmem),
		cmocka_unit_test(memmove__by_streams),
		cmocka_unit_test(memmove__with_overlap),
		cmocka_unit_test(memset__by_the_thresholds_of_dram),
		cmocka_unit_test(memset__by_the_thresholds_of_pmem),
		cmocka_unit_test(memmove__by_blocks),
		cmocka_unit_test(thresholds__to_the_byte),
		cmocka_unit_test(thresholds__at_their_ends),
		cmocka_unit_test(maps__one_fence_of_their_own),
	};
	int status = skip_status();

	return status ? status : cmocka_run_group_tests(tests, setup, NULL);
}
