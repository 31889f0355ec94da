/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What struct pages say of themselves, on literal words; those that a kernel
 * wrote are in test_memmap_image.c.
 *
 * Covered: pmk_memmap_decode().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "support/guard.h"

#include <pmk/memmap.h>

/* Frame 0x101201 of the machine: tail 1 of a compound of 2 MiB, whose head is
 * 0xffffea0004048000 (64 bytes), 0xffffea000505a000 (80). */
#define PFN 0x101201U

static const struct {
	const char *kernel;
	unsigned int page_bytes; /* 0 is 64 */
	bool section_in_flags;
	uint64_t word[8];
	unsigned int nid, zone, section;
	bool reserved, head, tail;
	uint64_t head_page;
	int32_t mapcount, refcount;
} cases[] = {
	{ "6.12",
	  0,
	  false,
	  { 0x0067ffffc0002040, 0xffff888012345678, 0, 0, 0, 0,
	    0x00000001ffffffff, 0 },
	  1,
	  4,
	  0,
	  true,
	  true,
	  false,
	  0,
	  -1,
	  1 },
	{ "6.12",
	  64,
	  false,
	  { 0x0027ffffc0002009, 0xffffea0004048001, 0, 0, 0, 0,
	    0x00000000ffffffff, 0 },
	  0,
	  4,
	  0,
	  true,
	  false,
	  true,
	  0xffffea0004048000,
	  -1,
	  0 },
	/* the order of a compound of 2^64 pages is no head */
	{ "6.12",
	  64,
	  false,
	  { 0x0027ffffc0002040, 0xffffea0004048001, 0, 0, 0, 0, 0, 0 },
	  0,
	  4,
	  0,
	  true,
	  false,
	  true,
	  0xffffea0004048000,
	  0,
	  0 },
	/* bits 12 and 16 are other flags in 6.12, 13 and 6 in 6.1 */
	{ "6.12",
	  64,
	  false,
	  { 0x11000, 0, 0, 0, 0, 0, 0, 0 },
	  0,
	  0,
	  0,
	  false,
	  false,
	  false,
	  0,
	  0,
	  0 },
	{ "6.1",
	  64,
	  false,
	  { 0x11000, 0, 0, 0, 0, 0, 0, 0 },
	  0,
	  0,
	  0,
	  true,
	  true,
	  false,
	  0,
	  0,
	  0 },
	{ "6.1",
	  64,
	  false,
	  { 0x2040, 0, 0, 0, 0, 0, 0, 0 },
	  0,
	  0,
	  0,
	  false,
	  false,
	  false,
	  0,
	  0,
	  0 },
	/* a mask in place of an address, but not where pages are cut */
	{ "7.2",
	  64,
	  false,
	  { 0x0027ffffc0002009, 0xffffffffffff8001, 0, 0, 0, 0,
	    0x00000000ffffffff, 0 },
	  0,
	  4,
	  0,
	  true,
	  false,
	  true,
	  0xffffea0004048000,
	  -1,
	  0 },
	{ "7.2",
	  80,
	  false,
	  { 0x0020000000002009, 0xffffea000505a001, 0, 0, 0, 0,
	    0x00000000ffffffff, 0 },
	  0,
	  4,
	  0,
	  true,
	  false,
	  true,
	  0xffffea000505a000,
	  -1,
	  0 },
	/* all ones */
	{ "6.12",
	  96,
	  false,
	  { ~0ULL, ~1ULL, 0, 0, 0, 0, 0x800000007fffffff, 0 },
	  1023,
	  7,
	  0,
	  true,
	  true,
	  false,
	  0,
	  INT32_MAX,
	  INT32_MIN },
	{ "6.12",
	  64,
	  true,
	  { ~0ULL, ~1ULL, 0, 0, 0, 0, 0, 0 },
	  0,
	  7,
	  0x7ffff,
	  true,
	  true,
	  false,
	  0,
	  0,
	  0 },
	{ "6.12",
	  64,
	  true,
	  { 0x0004300000002000, 0xffff888012345678, 0, 0, 0, 0,
	    0x00000001ffffffff, 0 },
	  0,
	  4,
	  33,
	  true,
	  false,
	  false,
	  0,
	  -1,
	  1 },
};

static void decode__known(void **state)
{
	struct guard g;

	(void)state;
	guard_init(&g, 4096);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pmk_memmap_sim sim = {
			.ns.kernel = (unsigned int)pmk_memmap_kernel(
				cases[i].kernel),
			.page_bytes = cases[i].page_bytes,
			.section_in_flags = cases[i].section_in_flags,
			.vmemmap_base = 0xffffea0000000000,
		};
		unsigned int bytes =
			cases[i].page_bytes ? cases[i].page_bytes : 64;
		/* at the end of what may be read */
		unsigned char *page = guard_tail(&g, bytes);
		struct pmk_memmap_page_info info;

		memset(page, 0, bytes);
		memcpy(page, cases[i].word, 64);
		memset(&info, 0x5a, sizeof(info));
		assert_int_equal(pmk_memmap_decode(&sim, PFN, page, &info), 0);
		print_message("case %zu\n", i);
		assert_int_equal(info.flags, cases[i].word[0]);
		assert_int_equal(info.nid, cases[i].nid);
		assert_int_equal(info.zone, cases[i].zone);
		assert_int_equal(info.section, cases[i].section);
		assert_int_equal(info.reserved, cases[i].reserved);
		assert_int_equal(info.head, cases[i].head);
		assert_int_equal(info.tail, cases[i].tail);
		assert_int_equal(info.link, cases[i].word[1]);
		assert_int_equal(info.head_page, cases[i].head_page);
		assert_int_equal(info.mapcount, cases[i].mapcount);
		assert_int_equal(info.refcount, cases[i].refcount);
		assert_memory_equal(info.word, cases[i].word, 64);
		assert_true(pmk_is_zero(info.word + 8, 32));
	}
	guard_fini(&g);
}

static void decode__all_words_at_any_address(void **state)
{
	unsigned char bytes[1 + 96];
	struct pmk_memmap_sim sim = { .page_bytes = 96 };
	struct pmk_memmap_page_info info;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(0x80 + i);
	assert_int_equal(pmk_memmap_decode(&sim, PFN, bytes + 1, &info), 0);
	assert_memory_equal(info.word, bytes + 1, 96);
	assert_int_equal(info.word[11], 0xe0dfdedddcdbdad9);
}

static void decode__refuses(void **state)
{
	static const unsigned char page[96];
	struct pmk_memmap_sim sim = { .page_bytes = 72 };
	struct pmk_memmap_page_info info, before;

	(void)state;
	memset(&info, 0x5a, sizeof(info));
	before = info;
	assert_int_equal(pmk_memmap_decode(&sim, PFN, page, &info), -EINVAL);
	sim.page_bytes = 128;
	assert_int_equal(pmk_memmap_decode(&sim, PFN, page, &info), -EINVAL);
	sim.page_bytes = 64;
	sim.ns.kernel = 100;
	assert_int_equal(pmk_memmap_decode(&sim, PFN, page, &info), -ENOENT);
	assert_memory_equal(&info, &before, sizeof(info));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode__known),
		cmocka_unit_test(decode__all_words_at_any_address),
		cmocka_unit_test(decode__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
