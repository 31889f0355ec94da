/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engines: what they build is what kernels wrote, and what the checker,
 * which was written apart from them, wants; they all build the same, in one
 * piece or many, and touch nothing else.
 *
 * Covered: pmk_memmap_new(), _build_altmap(), _build(), _page(), _bytes(),
 * _cut(), _pageblocks(), and the kernels of stream.h.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/cpu.h>

#include "base/util.h"
#include "memmap/stream.h"
#include "memmap_image.h"
#include "support/guard.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

#define STALE 0xa5 /* in memory before it is built */

static struct pmk_memmap *new_map(const struct pmk_memmap_sim *sim)
{
	struct pmk_memmap *m;

	assert_int_equal(pmk_memmap_new(sim, &m), 0);
	return m;
}

static void build(struct pmk_memmap *m, unsigned int engine, uint64_t first,
		  uint64_t n, void *buf)
{
	pmk_memmap_build_altmap(m, first, n, buf);
	assert_true(pmk_memmap_build(m, engine, first, n, buf) >= 0);
}

static char *alloc(size_t len, int byte)
{
	char *buf = aligned_alloc(64, len);

	assert_non_null(buf);
	memset(buf, byte, len);
	return buf;
}

/* Against real kernels. */

static void engine__writes_what_a_kernel_wrote(void **state)
{
	(void)state;
	for (size_t i = 0; i < IMAGE_COUNT; i++)
		for (unsigned int e = 0; pmk_memmap_engine_name(e); e++) {
			struct pmk_memmap *m = new_map(&images[i].sim);
			char *buf = alloc(IMAGE_BYTES, 0);

			assert_int_equal(pmk_memmap_frames(m), IMAGE_FRAMES);
			assert_int_equal(pmk_memmap_bytes(m, 0, IMAGE_FRAMES),
					 IMAGE_BYTES);
			build(m, e, 0, IMAGE_FRAMES, buf);
			assert_memory_equal(buf, images[i].pages, IMAGE_BYTES);
			free(buf);
			pmk_memmap_free(m);
		}
}

/* Against the checker. */

static const struct {
	enum pmk_mode mode;
	enum pmk_memmap_map map;
	uint64_t start;
	uint64_t size;
	uint64_t align;
} namespaces[] = {
	{ PMK_MODE_FSDAX, PMK_MEMMAP_DEV, 4 * GIB, 130 * MIB, 2 * MIB },
	{ PMK_MODE_FSDAX, PMK_MEMMAP_MEM, 4 * GIB, 130 * MIB, 4096 },
	{ PMK_MODE_DEVDAX, PMK_MEMMAP_DEV, 4 * GIB, 130 * MIB, 2 * MIB },
	{ PMK_MODE_DEVDAX, PMK_MEMMAP_DEV, 4 * GIB + 126 * MIB, 16 * MIB,
	  4096 },
	{ PMK_MODE_DEVDAX, PMK_MEMMAP_MEM, 4 * GIB, 130 * MIB, 2 * MIB },
	{ PMK_MODE_DEVDAX, PMK_MEMMAP_MEM, 4 * GIB, 3 * GIB, GIB },
	{ PMK_MODE_DEVDAX, PMK_MEMMAP_DEV, 4 * GIB, 2 * GIB, GIB },
	/* compounds begin with the namespace, and the last is cut short */
	{ PMK_MODE_DEVDAX, PMK_MEMMAP_MEM, 4 * GIB + 512 * MIB,
	  2 * GIB + 512 * MIB, GIB },
};

static struct pmk_memmap_sim make_sim(size_t i, unsigned int kernel,
				      unsigned int bytes, bool section)
{
	return (struct pmk_memmap_sim){
		.ns = { .start = namespaces[i].start,
			.size = namespaces[i].size,
			.align = namespaces[i].align,
			.mode = namespaces[i].mode,
			.map = namespaces[i].map,
			.kernel = kernel },
		.page_bytes = bytes,
		.nid = 3,
		.zone = PMK_MEMMAP_ZONE_DEVICE,
		.section_in_flags = section,
		.vmemmap_base = PMK_MEMMAP_VMEMMAP_BASE,
		.pgmap = 0xffff888012345678,
	};
}

static int print_fault(void *arg, const struct pmk_memmap_fault *f)
{
	print_error("%s frame %llu: %s is %#llx, not %#llx\n",
		    (const char *)arg, (unsigned long long)f->frame, f->field,
		    (unsigned long long)f->found,
		    (unsigned long long)f->expected);
	return 1;
}

/* One struct page for each frame, as the checker wants them. */
static char *spread(const struct pmk_memmap *m, const void *buf,
		    unsigned int bytes)
{
	uint64_t n = pmk_memmap_frames(m);
	char *pages = malloc(n * bytes);

	assert_non_null(pages);
	for (uint64_t f = 0; f < n; f++)
		memcpy(pages + f * bytes, pmk_memmap_page(m, 0, buf, f), bytes);
	return pages;
}

static void check(const struct pmk_memmap_sim *sim, unsigned int engine,
		  struct pmk_memmap *m, const char *buf)
{
	char *name = (char *)(uintptr_t)pmk_memmap_engine_name(engine);
	char *pages = spread(m, buf, sim->page_bytes);
	uint64_t n = pmk_memmap_frames(m);

	assert_int_equal(
		pmk_memmap_verify(sim, 0, n, pages, STALE, print_fault, name),
		0);
	assert_int_equal(
		pmk_memmap_verify_pageblocks(sim, pmk_memmap_pageblocks(m),
					     n / 512, print_fault, name),
		0);
	free(pages);
}

static void check_engines(const struct pmk_memmap_sim *sim)
{
	for (unsigned int e = 0; pmk_memmap_engine_name(e); e++) {
		struct pmk_memmap *m = new_map(sim);
		uint64_t n = pmk_memmap_frames(m);
		size_t len = pmk_memmap_bytes(m, 0, n);
		struct guard g;

		guard_init(&g, len);
		memset(g.start, STALE, g.len);
		build(m, e, 0, n, g.start);
		check(sim, e, m, (const char *)g.start);
		/* to the end of the last page that can be written */
		for (size_t i = len; i < g.len; i++)
			assert_int_equal(g.start[i], STALE);
		guard_fini(&g);
		pmk_memmap_free(m);
	}
}

static void engine__satisfies_the_checker(void **state)
{
	static const unsigned int sizes[] = { 64, 80, 96 };

	(void)state;
	for (unsigned int k = 0; pmk_memmap_kernel_name(k); k++)
		for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++)
			for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
				struct pmk_memmap_sim sim;

				/* the large ones with the newest kernel only,
				 * and one that marks page blocks one by one */
				if (namespaces[i].size > GIB &&
				    ((k && pmk_memmap_kernel_name(k + 1)) ||
				     s == 2))
					continue;
				/* other sizes differ by engine, not kernel */
				if (s && k && pmk_memmap_kernel_name(k + 1))
					continue;
				sim = make_sim(i, k, sizes[s], false);
				check_engines(&sim);
			}
}

static void section_in_flags__satisfies_the_checker(void **state)
{
	unsigned int newest = (unsigned int)pmk_memmap_kernel(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		struct pmk_memmap_sim sim = make_sim(i, newest, 64, true);

		check_engines(&sim);
		sim = make_sim(i, newest, 96, true);
		if (namespaces[i].size < GIB)
			check_engines(&sim);
	}
}

/* 63 of the 64 compounds are in a section of 128 MiB that has RAM, too: memory
 * for all their struct pages was there before, and from 6.1.192 on it is used.
 */
static void shared_section__has_all_struct_pages(void **state)
{
	const uint64_t memory = (63 * 512 + 128) * 64;
	static const struct {
		const char *kernel;
		uint64_t written;
	} want[] = {
		{ "6.1", 64 * 128 },
		{ "6.1.192", 63 * 512 + 128 },
		{ "6.15", 64 * 128 },
		{ "7.2", 63 * 512 + 128 },
	};
	static const struct pmk_memmap_range ram[] = {
		{ 4 * GIB, 4 * GIB + 1 * MIB },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		int k = pmk_memmap_kernel(want[i].kernel);
		struct pmk_memmap_sim sim =
			make_sim(4, (unsigned int)k, 64, false);
		struct pmk_memmap *m;
		uint64_t n;

		sim.ns.start = 4 * GIB + 2 * MIB;
		sim.ns.size = 128 * MIB;
		sim.ns.ram = ram;
		sim.ns.n_ram = 1;
		m = new_map(&sim);
		n = pmk_memmap_frames(m);
		assert_int_equal(n, 64 * 512);
		assert_int_equal(pmk_memmap_bytes(m, 0, n), memory);
		assert_int_equal(pmk_memmap_layout(m)->struct_pages_written,
				 want[i].written);
		pmk_memmap_free(m);
		check_engines(&sim);
	}
}

/* Which tails of 1 GiB share memory then is not known. */
static void shared_section__with_huge_compounds_is_refused(void **state)
{
	static const struct pmk_memmap_range ram[] = {
		{ 4 * GIB, 4 * GIB + 1 * MIB },
	};
	struct pmk_memmap_sim sim = make_sim(5, 0, 64, false);
	struct pmk_memmap *m;

	(void)state;
	sim.ns.start += 2 * MIB;
	sim.ns.ram = ram;
	sim.ns.n_ram = 1;
	assert_int_equal(pmk_memmap_new(&sim, &m), -EOPNOTSUPP);
	assert_int_equal(pmk_memmap_verify(&sim, 0, 0, "", -1, NULL, NULL),
			 -EOPNOTSUPP);
	sim.ns.map = PMK_MEMMAP_DEV;
	assert_int_equal(pmk_memmap_new(&sim, &m), 0);
	pmk_memmap_free(m);
}

/* In pieces. */

/* Page blocks, up to the data; then compounds, or page blocks without them. */
static void cut__is_where_pieces_may_begin(void **state)
{
	static const struct {
		size_t ns;
		uint64_t frame, want;
	} rows[] = {
		/* data from frame 1024 on, to 33280 */
		{ 0, 0, 0 },
		{ 0, 511, 0 },
		{ 0, 513, 512 },
		{ 0, 1500, 1024 },
		{ 0, 33279, 32768 },
		{ 0, 33280, 33280 },
		{ 0, 99999, 33280 },
		{ 2, 1023, 512 },
		{ 2, 1535, 1024 },
		/* data from 262144 on, in compounds of as many */
		{ 6, 262143, 261632 },
		{ 6, 524287, 262144 },
		/* compounds from the start on */
		{ 5, 262143, 0 },
		{ 5, 262144, 262144 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmk_memmap_sim sim = make_sim(rows[i].ns, 0, 64, false);
		struct pmk_memmap *m = new_map(&sim);

		assert_int_equal(pmk_memmap_cut(m, rows[i].frame),
				 rows[i].want);
		pmk_memmap_free(m);
	}
}

static void pieces__make_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		struct pmk_memmap_sim sim = make_sim(i, 0, 64, false);
		struct pmk_memmap *m = new_map(&sim);
		uint64_t n = pmk_memmap_frames(m), end;
		size_t len = pmk_memmap_bytes(m, 0, n);
		char *whole = alloc(len, STALE), *pieces = alloc(len, STALE);

		build(m, PMK_MEMMAP_SLOW, 0, n, whole);
		for (uint64_t f = 0; f < n; f = end) {
			end = pmk_memmap_cut(m, f + n / 7 + 512);
			if (end <= f) /* a compound is never cut */
				end = pmk_memmap_cut(m, f + GIB / 4096);
			assert_true(end > f && end <= n);
			build(m, PMK_MEMMAP_STREAM, f, end - f,
			      pieces + pmk_memmap_bytes(m, 0, f));
		}
		assert_memory_equal(whole, pieces, len);
		free(whole);
		free(pieces);
		pmk_memmap_free(m);
	}
}

/* Every kernel of stream.h that this CPU has, for each width of a group. */
static void stream_kernel__stores_groups(void **state)
{
	_Alignas(64) char group[MEMMAP_GROUP_MAX * MEMMAP_LINE];
	struct guard g;

	(void)state;
	for (size_t i = 0; i < sizeof(group); i++)
		group[i] = (char)(i * 7 + i / 64);
	for (size_t k = 0; k < pmk_memmap_n_stream_kernels; k++) {
		const struct memmap_stream_kernel *s =
			&pmk_memmap_stream_kernels[k];

		if ((s->needs & pmk_cpu_features()) != s->needs)
			continue;
		for (unsigned int lines = 4; lines <= 6; lines++) {
			size_t one = (size_t)lines * MEMMAP_LINE;

			guard_init(&g, 5 * one);
			s->fn((char *)guard_tail(&g, 5 * one), group, lines, 5);
			s->fn((char *)g.start, group, lines, 0);
			for (size_t i = 0; i < 5; i++)
				assert_memory_equal(guard_tail(&g, 5 * one) +
							    i * one,
						    group, one);
			guard_fini(&g);
		}
	}
}

/* Bad input. */

static void new__refuses(void **state)
{
	struct pmk_memmap_sim good = make_sim(0, 0, 64, false), bad;
	struct pmk_memmap *m = NULL;

	(void)state;
	bad = good;
	bad.page_bytes = 72;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	bad = good;
	bad.nid = 1024;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	bad = good;
	bad.zone = 8;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	bad = good;
	bad.ns.start += 4096;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	bad = good;
	bad.ns.size = 2 * MIB;
	assert_int_equal(pmk_memmap_new(&bad, &m), -ENXIO);
	bad = good;
	bad.ns.kernel = 100;
	assert_int_equal(pmk_memmap_new(&bad, &m), -ENOENT);
	bad = good;
	bad.ns.struct_page = 96;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	assert_int_equal(pmk_memmap_verify(&bad, 0, 0, "", -1, NULL, NULL),
			 -EINVAL);
	bad = good;
	bad.pgmap += 4;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	bad = good;
	bad.vmemmap_base += 64;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	bad = good;
	bad.ns.size = 4096 * 1024 * GIB;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	/* 19 bits of sections of 128 MiB */
	bad = good;
	bad.section_in_flags = true;
	bad.ns.start = 65532 * GIB;
	bad.ns.size = 4 * GIB;
	assert_int_equal(pmk_memmap_new(&bad, &m), 0);
	pmk_memmap_free(m);
	m = NULL;
	bad.ns.size += 2 * MIB;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	bad.ns.start = 0;
	bad.ns.size = 65538 * GIB;
	assert_int_equal(pmk_memmap_new(&bad, &m), -EINVAL);
	assert_int_equal(pmk_memmap_verify(&bad, 0, 0, "", -1, NULL, NULL),
			 -EINVAL);
	assert_null(m);
	pmk_memmap_free(NULL);
	m = new_map(&good);
	assert_int_equal(pmk_memmap_build(m, 5, 0, 512, NULL), -ENOENT);
	pmk_memmap_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine__writes_what_a_kernel_wrote),
		cmocka_unit_test(engine__satisfies_the_checker),
		cmocka_unit_test(section_in_flags__satisfies_the_checker),
		cmocka_unit_test(shared_section__has_all_struct_pages),
		cmocka_unit_test(
			shared_section__with_huge_compounds_is_refused),
		cmocka_unit_test(cut__is_where_pieces_may_begin),
		cmocka_unit_test(pieces__make_the_same),
		cmocka_unit_test(stream_kernel__stores_groups),
		cmocka_unit_test(new__refuses),
	};

	return cmocka_run_group_tests(tests, images_load, images_free);
}
