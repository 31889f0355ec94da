/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The copy kernels by themselves: contents, on guard pages.  Each entry of each
 * table that this CPU can run, also those that it does not choose.
 *
 * APIs covered: pmk_copy_kernels, pmk_copy_drained_kernels,
 * pmk_copy_cached_kernels, pmk_copy_backward_kernels, pmk_store_line_kernels,
 * pmk_copy_cached_backward(), pmk_copy_streams_kernels,
 * pmk_copy_blocks_kernels.
 */
#include "copy_test.h"
#include "persist/copy_lines.h"

/* A kernel of lines is called with up to 1 MiB, one of streams with less. */
#define GUARD_LEN ((1U << 20) + 8192U)

static int setup(void **state)
{
	(void)state;
	return setup_copies("copy_kernels", GUARD_LEN);
}

/* A kernel of lines, or else of streams, and its arguments. */
struct kernel {
	const char *name;
	pmk_copy_lines_fn lines;
	pmk_copy_streams_fn streams;
	size_t piece, n_streams, blocks;
};

static void run(const struct kernel *k, void *dst, const void *src, size_t len)
{
	if (k->lines)
		k->lines(dst, src, len / 64);
	else
		k->streams(dst, src, k->piece, k->n_streams, k->blocks);
}

static void check_at(const struct kernel *k, const struct what *w, uint8_t *dst,
		     const uint8_t *src)
{
	before_copy(w, dst, src);
	run(k, dst, src, w->len);
	after_copy(w, dst);
}

/* The destination behind a margin, and against the guards on both sides. */
static void check_destinations(const struct kernel *k, size_t len,
			       size_t src_off, const uint8_t *src)
{
	struct what w = { k->name, 0, src_off, len, 0 };

	check_at(k, &w, dst_g.start + MARGIN, src);
	check_at(k, &w, dst_g.start, src);
	check_at(k, &w, guard_tail(&dst_g, len), src);
}

/* The source at each @step-th offset in a line, and against the guards. */
static void check_sources(const struct kernel *k, size_t len, size_t step)
{
	for (size_t off = 0; off < 64; off += step) {
		/* the next line is a guard page */
		const uint8_t *src = guard_tail(&src_g, len + 64) + off;

		check_destinations(k, len, off, src);
	}
	check_destinations(k, len, 64, guard_tail(&src_g, len));
	check_destinations(k, len, 65, src_g.start);
}

static void check_lines(const char *name, pmk_copy_lines_fn fn,
			size_t max_lines)
{
	struct kernel k = { .name = name, .lines = fn };

	for (size_t lines = 1; lines <= max_lines; lines++)
		check_sources(&k, lines * 64, OFF_STEP);
}

static void check_many_lines(const char *name, pmk_copy_lines_fn fn)
{
	static const size_t many[] = { 63, 64, 65, 1023, 1024, 16384 };
	struct kernel k = { .name = name, .lines = fn };

	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		check_destinations(&k, many[i] * 64, 3, src_g.start + 3);
}

static void check_table(const struct pmk_copy_kernel *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!CAN_RUN(&table[i]))
			continue;
		check_lines(table[i].name, table[i].fn, 33);
		check_many_lines(table[i].name, table[i].fn);
	}
	check_source_unchanged();
}

static void lines__past_the_cache(void **state)
{
	(void)state;
	check_table(pmk_copy_kernels, pmk_n_copy_kernels);
}

static void lines__drained(void **state)
{
	(void)state;
	check_table(pmk_copy_drained_kernels, pmk_n_copy_drained_kernels);
}

static void lines__cached(void **state)
{
	(void)state;
	check_table(pmk_copy_cached_kernels, pmk_n_copy_cached_kernels);
	check_lines("cached, backward", pmk_copy_cached_backward, 33);
	check_many_lines("cached, backward", pmk_copy_cached_backward);
}

static void lines__backward(void **state)
{
	(void)state;
	check_table(pmk_copy_backward_kernels, pmk_n_copy_backward_kernels);
}

static void lines__of_a_record_log(void **state)
{
	(void)state;
	for (size_t i = 0; i < pmk_n_store_line_kernels; i++)
		if (CAN_RUN(&pmk_store_line_kernels[i]))
			check_lines(pmk_store_line_kernels[i].name,
				    pmk_store_line_kernels[i].fn, 1);
	check_source_unchanged();
}

/* Forward kernels with dst < src, backward ones with dst > src. */
static void check_overlap(const char *name, pmk_copy_lines_fn fn, bool backward)
{
	struct what w = { .name = name };
	uint8_t *buf = dst_g.start;

	for (size_t lines = 1; lines <= 12; lines++) {
		for (size_t d = 0; d <= 400; d += OFF_STEP) {
			size_t span = 448 + lines * 64 + 448;

			w.len = lines * 64;
			w.dst_off = 448;
			w.src_off = backward ? 448 - d : 448 + d;
			before_move(&w, span);
			fn(buf + w.dst_off, buf + w.src_off, lines);
			after_move(&w, span);
		}
	}
}

static void check_table_overlap(const struct pmk_copy_kernel *table, size_t n,
				bool backward)
{
	for (size_t i = 0; i < n; i++)
		if (CAN_RUN(&table[i]))
			check_overlap(table[i].name, table[i].fn, backward);
}

static void lines__with_overlap(void **state)
{
	(void)state;
	check_table_overlap(pmk_copy_kernels, pmk_n_copy_kernels, false);
	check_table_overlap(pmk_copy_drained_kernels,
			    pmk_n_copy_drained_kernels, false);
	check_table_overlap(pmk_copy_cached_kernels, pmk_n_copy_cached_kernels,
			    false);
	check_table_overlap(pmk_copy_backward_kernels,
			    pmk_n_copy_backward_kernels, true);
	check_overlap("cached, backward", pmk_copy_cached_backward, true);
}

/* Pieces, streams and blocks in all ways that fit. */
static void check_streams(const struct pmk_streams_kernel *table, size_t n)
{
	static const size_t pieces[] = { 256, 512, 768, 1024, 4096, 8192 };
	static const size_t streams[] = { 1, 2, 3, 4, 8 };

	for (size_t i = 0; i < n * ARRAY_SIZE(pieces); i++) {
		const struct pmk_streams_kernel *t =
			&table[i / ARRAY_SIZE(pieces)];
		struct kernel k = { .name = t->name,
				    .streams = t->fn,
				    .piece = pieces[i % ARRAY_SIZE(pieces)] };

		if (!CAN_RUN(t))
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(streams); j++)
			for (k.blocks = 1; k.blocks <= 3; k.blocks++) {
				k.n_streams = streams[j];
				check_sources(&k,
					      k.piece * k.n_streams * k.blocks,
					      13);
			}
	}
	check_source_unchanged();
}

static void streams__two_or_four(void **state)
{
	(void)state;
	check_streams(pmk_copy_streams_kernels, pmk_n_copy_streams_kernels);
}

static void streams__in_blocks(void **state)
{
	(void)state;
	check_streams(pmk_copy_blocks_kernels, pmk_n_copy_blocks_kernels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines__past_the_cache),
		cmocka_unit_test(lines__drained),
		cmocka_unit_test(lines__cached),
		cmocka_unit_test(lines__backward),
		cmocka_unit_test(lines__of_a_record_log),
		cmocka_unit_test(lines__with_overlap),
		cmocka_unit_test(streams__two_or_four),
		cmocka_unit_test(streams__in_blocks),
	};

	return cmocka_run_group_tests(tests, setup, teardown_copies);
}
