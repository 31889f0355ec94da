/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checker of struct pages: what is right has no fault, and each single bit
 * that is wrong is found, in its frame.  What is right comes from literal
 * tables (memmap_rows.c), not from the code that builds struct pages.
 *
 * Covered: pmk_memmap_verify().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "memmap_rows.h"

#define KERNELS 8U
#define SIZES   3U

/* Frames that are checked together: those around the one that is changed. */
#define WINDOW 5U

struct heard {
	unsigned int count;
	struct pmk_memmap_fault last;
};

static int hear(void *arg, const struct pmk_memmap_fault *f)
{
	struct heard *h = arg;

	h->count++;
	h->last = *f;
	return 0;
}

static const unsigned int page_bytes[SIZES] = { 64, 80, 96 };

/* @n struct pages from @first on, one behind the other. */
static void fill(const struct rows_ns *ns, unsigned int kernel,
		 unsigned int size, uint64_t first, size_t n,
		 unsigned char *pages)
{
	unsigned char page[ROWS_PAGE_MAX];

	for (size_t i = 0; i < n; i++) {
		rows_page(ns, kernel, size, first + i, page);
		memcpy(pages + i * page_bytes[size], page, page_bytes[size]);
	}
}

/* Where a kind of frame begins or ends: from the front, from the first frame
 * of data, of its first compound. */
static size_t edges(const struct rows_ns *ns, unsigned int size,
		    uint64_t first[6])
{
	uint64_t data = ns->data[size];
	size_t n = 0;

	first[n++] = 0;
	if (data)
		first[n++] = data - 3;
	first[n++] = data;
	first[n++] = data + 62;  /* dedup: a page of struct pages ends */
	first[n++] = data + 126; /* and what there is of them */
	first[n++] = ns->frames - WINDOW;
	return n;
}

typedef void window_fn(const struct rows_ns *ns, unsigned int kernel,
		       unsigned int size, uint64_t first);

static void each_window(window_fn *fn)
{
	uint64_t first[6];

	for (size_t i = 0; i < ROWS_NS_COUNT; i++)
		for (unsigned int kernel = 0; kernel < KERNELS; kernel++)
			for (unsigned int size = 0; size < SIZES; size++) {
				size_t n = edges(&rows_ns[i], size, first);

				for (size_t w = 0; w < n; w++)
					fn(&rows_ns[i], kernel, size, first[w]);
			}
}

static void expect_good(const struct rows_ns *ns, unsigned int kernel,
			unsigned int size, uint64_t first)
{
	struct pmk_memmap_sim sim = rows_sim(ns, kernel, size);
	unsigned char pages[WINDOW * ROWS_PAGE_MAX];
	struct heard h = { 0 };
	int64_t rc;

	fill(ns, kernel, size, first, WINDOW, pages);
	rc = pmk_memmap_verify(&sim, first, WINDOW, pages, ROWS_UNTOUCHED, hear,
			       &h);
	if (rc || h.count)
		fail_msg("%s, kernel %s, %u bytes, frame %llu: %lld faults; "
			 "%s is %#llx, not %#llx",
			 ns->name, pmk_memmap_kernel_name(kernel),
			 page_bytes[size], (unsigned long long)h.last.frame,
			 (long long)rc, h.last.field,
			 (unsigned long long)h.last.found,
			 (unsigned long long)h.last.expected);
}

static void verify__finds_nothing_in_good_pages(void **state)
{
	(void)state;
	each_window(expect_good);
}

static void flip_bit(unsigned char *pages, size_t bit)
{
	pages[bit / 8] ^= (unsigned char)(1U << bit % 8);
}

/* One bit of the struct page in the middle; the others stay good. */
static void expect_each_bit_found(const struct rows_ns *ns, unsigned int kernel,
				  unsigned int size, uint64_t first)
{
	struct pmk_memmap_sim sim = rows_sim(ns, kernel, size);
	unsigned char pages[WINDOW * ROWS_PAGE_MAX];

	fill(ns, kernel, size, first, WINDOW, pages);
	for (size_t bit = 0; bit < page_bytes[size] * WINDOW * 8; bit++) {
		struct heard h = { 0 };
		int64_t rc;

		flip_bit(pages, bit);
		rc = pmk_memmap_verify(&sim, first, WINDOW, pages,
				       ROWS_UNTOUCHED, hear, &h);
		flip_bit(pages, bit);
		if (rc != 1 || h.count != 1 ||
		    h.last.frame != first + bit / 8 / page_bytes[size] ||
		    h.last.expected == h.last.found)
			fail_msg("%s, kernel %s, %u bytes, first %llu, bit "
				 "%zu: %lld faults, frame %llu",
				 ns->name, pmk_memmap_kernel_name(kernel),
				 page_bytes[size], (unsigned long long)first,
				 bit, (long long)rc,
				 (unsigned long long)h.last.frame);
	}
}

static void verify__finds_each_single_bit(void **state)
{
	(void)state;
	each_window(expect_each_bit_found);
}

/* A bit that is flipped, the field that it belongs to, and its two values. */
static const struct named {
	unsigned int ns;
	const char *kernel;
	unsigned int size; /* 0, 1, 2: 64, 80, 96 bytes */
	uint64_t k;        /* frame, counted from the first of data */
	unsigned int byte, bit;
	const char *field;
	uint64_t expected, found;
} named[] = {
	{ ROWS_FSDAX, "6.12", 0, 0, 6, 6, "node", 0, 1 },
	{ ROWS_FSDAX, "6.12", 0, 0, 6, 3, "zone", 4, 5 },
	{ ROWS_FSDAX, "6.12", 0, 0, 3, 6, "last_cpupid", 0x1fffff, 0x1ffffe },
	{ ROWS_FSDAX, "6.12", 0, 0, 1, 5, "reserved", 1, 0 },
	{ ROWS_FSDAX, "6.1", 0, 0, 1, 4, "reserved", 1, 0 },
	{ ROWS_FSDAX, "6.12", 0, 0, 0, 6, "head", 0, 1 },
	{ ROWS_FSDAX, "6.1", 0, 0, 2, 0, "head", 0, 1 },
	{ ROWS_FSDAX, "6.1", 0, 0, 0, 6, "flags", 0, 0x40 },
	{ ROWS_FSDAX, "6.12", 0, 0, 0, 0, "flags", 0, 1 },
	{ ROWS_FSDAX, "6.12", 1, 0, 3, 6, "flags", 0, 0x40000000 },
	{ ROWS_FSDAX, "6.12", 0, 0, 8, 0, "pgmap", ROWS_PGMAP, ROWS_PGMAP + 1 },
	{ ROWS_FSDAX, "6.12", 0, 0, 16, 0, "zone_device_data", 0, 1 },
	{ ROWS_FSDAX, "6.12", 0, 0, 24, 0, "mapping", 0, 1 },
	{ ROWS_FSDAX, "6.12", 0, 0, 32, 0, "index", 0, 1 },
	{ ROWS_FSDAX, "6.12", 0, 0, 47, 0, "private", 0, 1ULL << 56 },
	{ ROWS_FSDAX, "6.12", 0, 0, 48, 0, "mapcount", 0xffffffff, 0xfffffffe },
	{ ROWS_FSDAX, "6.12", 0, 0, 52, 0, "refcount", 1, 0 },
	{ ROWS_FSDAX, "6.15", 0, 0, 52, 0, "refcount", 0, 1 },
	{ ROWS_FSDAX, "6.12", 0, 0, 56, 1, "memcg_data", 0, 2 },
	{ ROWS_FSDAX, "6.12", 1, 0, 64, 0, "last_cpupid", 0x1fffff, 0x1ffffe },
	{ ROWS_FSDAX, "6.12", 1, 0, 68, 0, "padding", 0, 1 },
	{ ROWS_FSDAX, "6.12", 1, 0, 79, 7, "padding", 0, 1ULL << 63 },
	{ ROWS_FSDAX, "6.12", 2, 0, 72, 0, "kmsan_shadow", 0, 1 },
	{ ROWS_FSDAX, "6.12", 2, 0, 80, 0, "kmsan_origin", 0, 1 },
	{ ROWS_FSDAX, "6.12", 2, 0, 95, 7, "padding", 0, 1ULL << 63 },
	/* frame 4607, the last that holds struct pages */
	{ ROWS_FSDAX, "6.1", 0, -1ULL, 8, 0, "lru_next", 0xffffea0004047fc8,
	  0xffffea0004047fc9 },
	{ ROWS_FSDAX, "6.1", 0, -1ULL, 16, 0, "lru_prev", 0xffffea0004047fc8,
	  0xffffea0004047fc9 },
	{ ROWS_FSDAX, "6.1", 0, -4608ULL, 16, 0, "untouched",
	  0x5a5a5a5a5a5a5a5a, 0x5a5a5a5a5a5a5a5b },
	{ ROWS_DEVDAX_2M, "6.1", 0, 0, 2, 0, "head", 1, 0 },
	{ ROWS_DEVDAX_2M, "6.12", 0, 0, 0, 6, "head", 1, 0 },
	{ ROWS_DEVDAX_2M, "6.1", 0, 1, 8, 0, "compound_head",
	  0xffffea0004048001, 0xffffea0004048000 },
	{ ROWS_DEVDAX_2M, "6.1", 0, 1, 16, 0, "compound_dtor", 1, 0 },
	{ ROWS_DEVDAX_2M, "6.1", 0, 1, 17, 0, "order", 9, 8 },
	{ ROWS_DEVDAX_2M, "6.1", 0, 1, 20, 0, "compound_mapcount", 0xffffffff,
	  0xfffffffe },
	{ ROWS_DEVDAX_2M, "6.1", 0, 1, 24, 0, "compound_pincount", 0, 1 },
	{ ROWS_DEVDAX_2M, "6.1", 0, 1, 28, 0, "nr_pages", 512, 513 },
	{ ROWS_DEVDAX_2M, "6.12", 0, 1, 0, 0, "order", 9, 8 },
	{ ROWS_DEVDAX_2M, "6.12", 0, 1, 0, 6, "order", 9, 0x49 },
	{ ROWS_DEVDAX_2M, "6.12", 0, 1, 16, 0, "large_mapcount", 0xffffffff,
	  0xfffffffe },
	{ ROWS_DEVDAX_2M, "6.12", 0, 1, 20, 0, "entire_mapcount", 0xffffffff,
	  0xfffffffe },
	{ ROWS_DEVDAX_2M, "6.12", 0, 1, 24, 0, "nr_pages_mapped", 0, 1 },
	{ ROWS_DEVDAX_2M, "6.12", 0, 1, 28, 0, "pincount", 0, 1 },
	{ ROWS_DEVDAX_2M, "6.12", 0, 1, 32, 0, "nr_pages", 512, 513 },
	{ ROWS_DEVDAX_2M, "6.15", 0, 1, 20, 0, "nr_pages_mapped", 0, 1 },
	{ ROWS_DEVDAX_2M, "6.15", 0, 1, 24, 0, "entire_mapcount", 0xffffffff,
	  0xfffffffe },
	{ ROWS_DEVDAX_2M, "6.15", 0, 1, 32, 0, "mm_id_mapcount_0", 0xffffffff,
	  0xfffffffe },
	{ ROWS_DEVDAX_2M, "6.15", 0, 1, 36, 0, "mm_id_mapcount_1", 0xffffffff,
	  0xfffffffe },
	{ ROWS_DEVDAX_2M, "6.15", 0, 1, 40, 0, "mm_ids", 0, 1 },
	{ ROWS_DEVDAX_2M, "6.15", 0, 1, 56, 0, "nr_pages", 512, 513 },
	{ ROWS_DEVDAX_2M, "6.18", 0, 2, 16, 0, "deferred_list_next",
	  0xffffea0004048090, 0xffffea0004048091 },
	{ ROWS_DEVDAX_2M, "6.18", 0, 2, 24, 0, "deferred_list_prev",
	  0xffffea0004048090, 0xffffea0004048091 },
	{ ROWS_DEVDAX_2M, "7.1", 0, 3, 8, 7, "compound_head",
	  0xffffffffffff8001, 0xffffffffffff8081 },
	{ ROWS_DEVDAX_2M, "6.15", 0, 2, 24, 0, "mapping", 0xdead000000000400,
	  0xdead000000000401 },
	{ ROWS_MEM_1G, "6.1", 0, 1, 17, 0, "order", 18, 19 },
	{ ROWS_MEM_1G, "6.12", 0, 1, 32, 0, "nr_pages", 262144, 262145 },
};

static void verify__names_the_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		const struct named *c = &named[i];
		const struct rows_ns *ns = &rows_ns[c->ns];
		unsigned int kernel =
			(unsigned int)pmk_memmap_kernel(c->kernel);
		struct pmk_memmap_sim sim = rows_sim(ns, kernel, c->size);
		uint64_t frame = ns->data[c->size] + c->k;
		unsigned char page[ROWS_PAGE_MAX];
		struct heard h = { 0 };

		rows_page(ns, kernel, c->size, frame, page);
		flip_bit(page, 8 * c->byte + c->bit);
		assert_int_equal(pmk_memmap_verify(&sim, frame, 1, page,
						   ROWS_UNTOUCHED, hear, &h),
				 1);
		if (strcmp(h.last.field, c->field) ||
		    h.last.expected != c->expected || h.last.found != c->found)
			fail_msg("case %zu, %s: %s is %#llx, not %#llx", i,
				 c->field, h.last.field,
				 (unsigned long long)h.last.found,
				 (unsigned long long)h.last.expected);
		assert_int_equal(h.last.frame, frame);
	}
}

/* The one word that differs by what is simulated, not by kernel. */
static void verify__flags_by_node_zone_section(void **state)
{
	static const struct {
		unsigned int nid, zone;
		bool section;
		unsigned int size;
		uint64_t frame; /* from 4 GiB on */
		uint64_t flags; /* 6.12 */
	} cases[] = {
		{ 0, 4, false, 0, 0, 0x0027ffffc0002000 },
		{ 1, 4, false, 0, 0, 0x0067ffffc0002000 },
		{ 1023, 7, false, 0, 0, 0xffffffffc0002000 },
		{ 0, 3, false, 0, 0, 0x001fffffc0002000 },
		{ 1, 4, false, 1, 0, 0x0060000000002000 },
		/* frame 0x100000 of the machine is in section 32 */
		{ 1, 4, true, 0, 0, 0x0004100000002000 },
		{ 1, 4, true, 0, 32767, 0x0004100000002000 },
		{ 1, 4, true, 0, 32768, 0x0004300000002000 },
		{ 0, 4, true, 1, 262143, 0x0004f00000002000 },
	};
	const struct rows_ns *ns = &rows_ns[ROWS_DEVDAX_4K];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int kernel = (unsigned int)pmk_memmap_kernel("6.12");
		struct pmk_memmap_sim sim = rows_sim(ns, kernel, cases[i].size);
		unsigned char page[ROWS_PAGE_MAX];

		rows_page(ns, kernel, cases[i].size, cases[i].frame, page);
		memcpy(page, &cases[i].flags, 8);
		sim.nid = cases[i].nid;
		sim.zone = cases[i].zone;
		sim.section_in_flags = cases[i].section;
		assert_int_equal(pmk_memmap_verify(&sim, cases[i].frame, 1,
						   page, -1, NULL, NULL),
				 0);
		for (size_t bit = 0; bit < 64; bit++) {
			flip_bit(page, bit);
			assert_int_equal(pmk_memmap_verify(&sim, cases[i].frame,
							   1, page, -1, NULL,
							   NULL),
					 1);
			flip_bit(page, bit);
		}
	}
}

/* Tails that share a struct page have the section of the one that it was
 * written for, here 32; the last frame of the compound itself is in 39. */
static void verify__shared_tails_have_one_section(void **state)
{
	const struct rows_ns *ns = &rows_ns[ROWS_MEM_1G];
	unsigned int kernel = (unsigned int)pmk_memmap_kernel("6.12");
	struct pmk_memmap_sim sim = rows_sim(ns, kernel, 0);
	const uint64_t section_32 = 0x0004100000002000;
	const uint64_t section_39 = 0x0004f00000002000;
	unsigned char page[ROWS_PAGE_MAX];

	(void)state;
	sim.section_in_flags = true;
	rows_page(ns, kernel, 0, 262143, page);
	memcpy(page, &section_32, 8);
	assert_int_equal(
		pmk_memmap_verify(&sim, 262143, 1, page, -1, NULL, NULL), 0);
	memcpy(page, &section_39, 8);
	assert_int_equal(
		pmk_memmap_verify(&sim, 262143, 1, page, -1, NULL, NULL), 1);
}

/* What must be in the struct page of a tail. */
enum content {
	EITHER_FAILS,
	TAIL,
	STALE,
};

static enum content content(const struct pmk_memmap_sim *sim, uint64_t frame,
			    const unsigned char *tail)
{
	unsigned char stale[ROWS_PAGE_MAX];
	bool is_tail, is_stale;

	memset(stale, ROWS_UNTOUCHED, sizeof(stale));
	is_tail = !pmk_memmap_verify(sim, frame, 1, tail, ROWS_UNTOUCHED, NULL,
				     NULL);
	is_stale = !pmk_memmap_verify(sim, frame, 1, stale, ROWS_UNTOUCHED,
				      NULL, NULL);
	assert_false(is_tail && is_stale);
	return is_tail ? TAIL : is_stale ? STALE : EITHER_FAILS;
}

/*
 * RAM up to 64 MiB behind 4 GiB, the namespace from there: its first section
 * has a memmap since boot.  Tails that others would share, from number 128 of a
 * compound on, are written by the kernels that think of that, and by nobody in
 * the others.
 */
static void verify__sections_shared_with_ram(void **state)
{
	static const struct pmk_memmap_range ram = { 0x100000000, 0x104000000 };
	static const struct {
		const char *kernel;
		enum content from_128;
	} cases[] = {
		{ "6.1", STALE },     { "6.1.192", TAIL }, { "6.12", STALE },
		{ "6.12.117", TAIL }, { "6.15", STALE },   { "6.18", STALE },
		{ "7.1", TAIL },      { "7.2", TAIL },
	};
	/* 64 MiB are 16384 frames, and whole compounds */
	static const uint64_t moved = 16384;
	const struct rows_ns *ns = &rows_ns[ROWS_MEM_2M];
	unsigned char tail[ROWS_PAGE_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int kernel =
			(unsigned int)pmk_memmap_kernel(cases[i].kernel);
		struct pmk_memmap_sim sim = rows_sim(ns, kernel, 0);

		sim.ns.start = 0x104000000;
		sim.ns.size = 0x3c000000;
		sim.ns.ram = &ram;
		sim.ns.n_ram = 1;
		rows_page(ns, kernel, 0, moved + 127, tail);
		assert_int_equal(content(&sim, 127, tail), TAIL);
		rows_page(ns, kernel, 0, moved + 128, tail);
		assert_int_equal(content(&sim, 128, tail), cases[i].from_128);
		rows_page(ns, kernel, 0, moved + 16383, tail);
		assert_int_equal(content(&sim, 16383, tail), cases[i].from_128);
		/* the next section shares nothing */
		rows_page(ns, kernel, 0, moved + 16384 + 128, tail);
		assert_int_equal(content(&sim, 16384 + 128, tail), TAIL);
	}
}

/* RAM in the sections before and behind those of the namespace, next to it. */
static void verify__neighbours_of_ram_share_nothing(void **state)
{
	static const struct pmk_memmap_range ram[] = {
		{ 0, 0x100000000 },
		{ 0x140000000, 0x180000000 },
	};
	const struct rows_ns *ns = &rows_ns[ROWS_MEM_2M];
	struct pmk_memmap_sim sim = rows_sim(ns, 0, 0);
	unsigned char tail[ROWS_PAGE_MAX];

	(void)state;
	sim.ns.ram = ram;
	sim.ns.n_ram = ARRAY_SIZE(ram);
	rows_page(ns, 0, 0, 128, tail);
	assert_int_equal(content(&sim, 128, tail), TAIL);
	rows_page(ns, 0, 0, 262143, tail);
	assert_int_equal(content(&sim, 262143, tail), TAIL);
}

static void verify__untouched_frames_need_not_be_checked(void **state)
{
	unsigned int kernel = (unsigned int)pmk_memmap_kernel("6.1");
	struct pmk_memmap_sim sim = rows_sim(&rows_ns[ROWS_FSDAX], kernel, 0);
	unsigned char pages[2 * 64];

	(void)state;
	memset(pages, ROWS_UNTOUCHED, sizeof(pages));
	pages[3] = 0;
	assert_int_equal(pmk_memmap_verify(&sim, 0, 2, pages, -1, NULL, NULL),
			 0);
	assert_int_equal(pmk_memmap_verify(&sim, 0, 2, pages, ROWS_UNTOUCHED,
					   NULL, NULL),
			 1);
	assert_int_equal(pmk_memmap_verify(&sim, 0, 2, pages, 0xff, NULL, NULL),
			 16);
}

static int hear_two(void *arg, const struct pmk_memmap_fault *f)
{
	(void)f;
	return ++*(unsigned int *)arg == 2;
}

static void verify__ends_when_nobody_listens(void **state)
{
	struct pmk_memmap_sim sim = rows_sim(&rows_ns[ROWS_FSDAX], 0, 0);
	static const unsigned char zeros[10 * 64];
	unsigned int n = 0;

	(void)state;
	assert_int_equal(
		pmk_memmap_verify(&sim, 4608, 10, zeros, -1, hear_two, &n), 2);
	assert_int_equal(n, 2);
}

static void verify__refuses(void **state)
{
	const struct pmk_memmap_sim good = rows_sim(&rows_ns[ROWS_FSDAX], 0, 0);
	static const unsigned char pages[ROWS_PAGE_MAX];
	struct pmk_memmap_sim sim;

	(void)state;
#define REFUSED(error, first, n, change)                                      \
	do {                                                                  \
		sim = good;                                                   \
		change;                                                       \
		assert_int_equal(pmk_memmap_verify(&sim, first, n, pages, -1, \
						   NULL, NULL),               \
				 error);                                      \
	} while (0)
	REFUSED(0, 262144, 0, (void)0);
	REFUSED(-EINVAL, 262144, 1, (void)0);
	REFUSED(-EINVAL, 262145, 0, (void)0);
	REFUSED(-EINVAL, 262143, 2, (void)0);
	REFUSED(-EINVAL, 1, UINT64_MAX, (void)0);
	REFUSED(-EINVAL, 0, 1, sim.page_bytes = 72);
	REFUSED(-EINVAL, 0, 1, sim.page_bytes = 128);
	REFUSED(-EINVAL, 0, 1, sim.page_bytes = 80); /* 64 are kept */
	REFUSED(-EINVAL, 0, 1, sim.nid = 1024);
	REFUSED(-EINVAL, 0, 1, sim.zone = 8);
	REFUSED(-ENOENT, 0, 1, sim.ns.kernel = KERNELS);
	REFUSED(-EINVAL, 0, 1, sim.ns.start += 4096);
	REFUSED(-ENXIO, 0, 1, sim.ns.align = 1U << 30);
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verify__finds_nothing_in_good_pages),
		cmocka_unit_test(verify__finds_each_single_bit),
		cmocka_unit_test(verify__names_the_field),
		cmocka_unit_test(verify__flags_by_node_zone_section),
		cmocka_unit_test(verify__shared_tails_have_one_section),
		cmocka_unit_test(verify__sections_shared_with_ram),
		cmocka_unit_test(verify__neighbours_of_ram_share_nothing),
		cmocka_unit_test(verify__untouched_frames_need_not_be_checked),
		cmocka_unit_test(verify__ends_when_nobody_listens),
		cmocka_unit_test(verify__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
