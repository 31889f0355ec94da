/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel says to a superblock, by the answers that kernels 6.1.0-57
 * and 6.12.117 gave to the same ones; and layouts by name.
 *
 * APIs covered: pmk_wc_judge(), pmk_wc_layout(), pmk_wc_layout_name().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/wc_format.h>

#include "base/util.h"

#define MIB ((uint64_t)1 << 20)

/* Words that give a cache of 1 MiB and 254 blocks another shape. */
struct vector {
	const char *name;
	uint32_t magic, version, block_size;
	uint64_t n_blocks;
	struct pmk_wc_table table;
	enum pmk_wc_verdict verdict;
	int error;
	const char *message;
};

#define GOOD 0x23489321, 1, 4096, 254
/* bytes of the device, start_sector, block size, logical block, page */
#define TABLE(bytes, start, arg, logical, page)     \
	{                                           \
		bytes, start, arg, logical, page, 0 \
	}
#define OF_1M         TABLE(MIB, 0, 4096, 0, 0)
#define OK            PMK_WC_LOADS, 0, NULL
#define INVALID(text) PMK_WC_REFUSED, -EINVAL, text
#define MAGIC         INVALID("Invalid magic in the superblock")
#define VERSION       INVALID("Invalid version in the superblock")
#define MISMATCH      INVALID("Block size does not match superblock")
#define BLOCK_SIZE    INVALID("Invalid block size")
#define TOO_SMALL     INVALID("Memory area is too small")
#define OVERFLOW      INVALID("Overflow in size calculation")
#define OPTION        INVALID("Invalid optional argument")

static const struct vector both[] = {
	{ "good", GOOD, OF_1M, OK },
	{ "all zero", 0, 0, 0, 0, OF_1M, PMK_WC_FORMATS, 0, NULL },
	{ "magic 23489322", 0x23489322, 1, 4096, 254, OF_1M, MAGIC },
	{ "magic and version 0", 0, 0, 4096, 254, OF_1M, PMK_WC_FORMATS, 0,
	  NULL },
	{ "magic 0", 0, 1, 4096, 254, OF_1M, MAGIC },
	{ "big endian", 0x21934823, 0x01000000, 0x00100000, 254, OF_1M, MAGIC },
	{ "version 0", 0x23489321, 0, 4096, 254, OF_1M, VERSION },
	{ "version 2", 0x23489321, 2, 4096, 254, OF_1M, VERSION },
	{ "version of 2016", 0x23489321, 4096, 254, 0, OF_1M, VERSION },
	{ "block size 0", 0x23489321, 1, 0, 254, OF_1M, MISMATCH },
	{ "block size 512", 0x23489321, 1, 512, 254, OF_1M, MISMATCH },
	{ "block size 3000", 0x23489321, 1, 3000, 254, OF_1M, MISMATCH },
	{ "argument 512", GOOD, TABLE(MIB, 0, 512, 0, 0), MISMATCH },
	{ "argument 256", GOOD, TABLE(MIB, 0, 256, 0, 0), BLOCK_SIZE },
	{ "argument 3000", GOOD, TABLE(MIB, 0, 3000, 0, 0), BLOCK_SIZE },
	{ "argument 8192", GOOD, TABLE(MIB, 0, 8192, 0, 0), BLOCK_SIZE },
	{ "argument 8192, pages of 64 KiB", GOOD, TABLE(MIB, 0, 8192, 0, 65536),
	  MISMATCH },
	{ "logical blocks of 4096, argument 512", GOOD,
	  TABLE(MIB, 0, 512, 4096, 0),
	  INVALID("Block size is smaller than device logical block size") },
	{ "logical blocks of 4096", GOOD, TABLE(MIB, 0, 4096, 4096, 0), OK },
	{ "n 0", 0x23489321, 1, 4096, 0, OF_1M, PMK_WC_REFUSED, -ENOMEM,
	  "Cannot allocate memory" },
	{ "n 253", 0x23489321, 1, 4096, 253, OF_1M, OK },
	{ "n 255", 0x23489321, 1, 4096, 255, OF_1M, TOO_SMALL },
	{ "n 2^28", 0x23489321, 1, 4096, 1ULL << 28, OF_1M, TOO_SMALL },
	{ "n 2^48", 0x23489321, 1, 4096, 1ULL << 48, OF_1M, TOO_SMALL },
	{ "n 2^52", 0x23489321, 1, 4096, 1ULL << 52, OF_1M, OVERFLOW },
	{ "n 2^64 - 1", 0x23489321, 1, 4096, UINT64_MAX, OF_1M, OVERFLOW },
	{ "truncated to 512 KiB", GOOD, TABLE(512 << 10, 0, 4096, 0, 0),
	  TOO_SMALL },
	{ "truncated to 8 KiB", GOOD, TABLE(8 << 10, 0, 4096, 0, 0),
	  TOO_SMALL },
	{ "a byte less", GOOD, TABLE(MIB - 1, 0, 4096, 0, 0), TOO_SMALL },
	{ "512 bytes more", GOOD, TABLE(MIB + 512, 0, 4096, 0, 0), OK },
	{ "start_sector 4096 of 4096", GOOD, TABLE(2 * MIB, 4096, 4096, 0, 0),
	  OPTION },
	{ "start_sector of all ones", GOOD, TABLE(MIB, UINT64_MAX, 4096, 0, 0),
	  OPTION },
	{ "start_sector 2048", GOOD, TABLE(2 * MIB, 2048, 4096, 0, 0), OK },
	{ "start_sector 2049", GOOD, TABLE(2 * MIB, 2049, 4096, 0, 0),
	  TOO_SMALL },
	/* the table is wrong before the superblock is looked at */
	{ "argument 8192 to nothing", 0, 0, 0, 0, TABLE(MIB, 0, 8192, 0, 0),
	  BLOCK_SIZE },
	{ "start_sector and block size", GOOD, TABLE(MIB, 4096, 3000, 0, 0),
	  BLOCK_SIZE },
	/* without an argument, it is the one that is meant */
	{ "the superblock's", GOOD, TABLE(MIB, 0, 0, 0, 0), OK },
	{ "the superblock's 512", 0x23489321, 1, 512, 1985,
	  TABLE(MIB, 0, 0, 0, 0), OK },
	{ "the superblock's 8192", 0x23489321, 1, 8192, 127,
	  TABLE(MIB, 0, 0, 0, 0), BLOCK_SIZE },
	{ "the superblock's 3000", 0x23489321, 1, 3000, 254,
	  TABLE(MIB, 0, 0, 0, 0), MISMATCH },
	{ "no superblock", 0x454c4946, 0, 8192, 254, TABLE(MIB, 0, 0, 0, 0),
	  MAGIC },
};

/* Where the two modes differ. */
static const struct vector only_s[] = {
	{ "truncated to 4 KiB", GOOD, TABLE(4096, 0, 4096, 0, 0),
	  PMK_WC_REFUSED, -ENOSPC, "Invalid device size" },
	{ "nothing in 4 KiB", 0, 0, 0, 0, TABLE(4096, 0, 4096, 0, 0),
	  PMK_WC_REFUSED, -ENOSPC, "Invalid device size" },
	{ "wrong magic in 4 KiB", 1, 1, 4096, 254, TABLE(4096, 0, 4096, 0, 0),
	  PMK_WC_REFUSED, -ENOSPC, "Invalid device size" },
	{ "nothing in 2^63", 0, 0, 0, 0, TABLE(1ULL << 63, 0, 512, 0, 0),
	  PMK_WC_REFUSED, -EFBIG, "Invalid device size" },
};

static const struct vector only_p[] = {
	{ "truncated to 4 KiB", GOOD, TABLE(4096, 0, 4096, 0, 0), TOO_SMALL },
	{ "nothing in 4 KiB", 0, 0, 0, 0, TABLE(4096, 0, 4096, 0, 0),
	  PMK_WC_REFUSED, -ENOSPC, "Unable to initialize device" },
	{ "wrong magic in 4 KiB", 1, 1, 4096, 254, TABLE(4096, 0, 4096, 0, 0),
	  MAGIC },
	{ "less than a page", GOOD, TABLE(4095, 0, 4096, 0, 0),
	  INVALID("Unable to map persistent memory for cache") },
	{ "nothing in 2^63", 0, 0, 0, 0, TABLE(1ULL << 63, 0, 512, 0, 0),
	  PMK_WC_REFUSED, -EFBIG, "Unable to initialize device" },
};

/* Little endian by hand, so that nothing tested helps. */
static void put(unsigned char *p, uint64_t v, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

static void fill(unsigned char raw[64], const struct vector *v)
{
	memset(raw, 0, 64);
	put(raw, v->magic, 4);
	put(raw + 4, v->version, 4);
	put(raw + 8, v->block_size, 4);
	put(raw + 16, v->n_blocks, 8);
	put(raw + 24, 10, 8);
}

static void check(const unsigned char raw[64], const struct vector *v,
		  char mode)
{
	struct pmk_wc_table table = v->table;
	struct pmk_wc_load load = { PMK_WC_LOADS, -1, "not touched" };

	table.mode = mode;
	pmk_wc_judge(raw, &table, &load);
	if (load.verdict != v->verdict || load.error != v->error ||
	    !load.message != !v->message ||
	    (v->message && strcmp(load.message, v->message)))
		fail_msg("%s, mode '%c': %d %d %s", v->name, mode,
			 (int)load.verdict, load.error,
			 load.message ? load.message : "-");
}

/* @modes: 'p', 's', 0; as many as there are */
static void check_all(const struct vector *v, size_t n, const char *modes,
		      size_t n_modes)
{
	unsigned char raw[64];

	for (size_t i = 0; i < n; i++)
		for (size_t m = 0; m < n_modes; m++) {
			fill(raw, &v[i]);
			check(raw, &v[i], modes[m]);
		}
}

static void judge__both_modes(void **state)
{
	(void)state;
	check_all(both, ARRAY_SIZE(both), "ps", 3);
}

static void judge__mode_s(void **state)
{
	(void)state;
	check_all(only_s, ARRAY_SIZE(only_s), "s", 2);
}

static void judge__mode_p(void **state)
{
	(void)state;
	check_all(only_p, ARRAY_SIZE(only_p), "p", 1);
}

static void judge__does_not_look_at(void **state)
{
	const struct vector *good = &both[0];
	unsigned char raw[64];

	(void)state;
	/* pad, sequence, reserved: any byte of them */
	for (size_t i = 12; i < 64; i++) {
		if (i >= 16 && i < 24)
			continue;
		fill(raw, good);
		raw[i] = 0xa5;
		check(raw, good, 's');
		check(raw, good, 'p');
	}
	/* and any of the others matters */
	for (size_t i = 0; i < 24; i++) {
		struct pmk_wc_table table = good->table;
		struct pmk_wc_load load;

		if (i >= 12 && i < 16)
			continue;
		fill(raw, good);
		raw[i] ^= 0xa5;
		pmk_wc_judge(raw, &table, &load);
		/* of n_blocks, a lower one is as good */
		assert_int_equal(load.verdict,
				 i == 16 ? PMK_WC_LOADS : PMK_WC_REFUSED);
	}
}

static void layout__known(void **state)
{
	static const struct {
		uint32_t magic, version;
		enum pmk_wc_layout layout;
	} rows[] = {
		{ 0x23489321, 1, PMK_WC_LAYOUT_V1 },
		{ 0, 0, PMK_WC_LAYOUT_BLANK },
		{ 0, 1, PMK_WC_LAYOUT_INTERRUPTED },
		{ 0, 2, PMK_WC_LAYOUT_UNKNOWN },
		{ 0x23489321, 512, PMK_WC_LAYOUT_2016 },
		{ 0x23489321, 4096, PMK_WC_LAYOUT_2016 },
		{ 0x23489321, 2, PMK_WC_LAYOUT_PETASAN },
		{ 0x21934823, 0x01000000, PMK_WC_LAYOUT_BIG_ENDIAN },
		{ 0x23489321, 0, PMK_WC_LAYOUT_VERSION },
		{ 0x23489321, 3, PMK_WC_LAYOUT_VERSION },
		{ 0x23489322, 1, PMK_WC_LAYOUT_UNKNOWN },
		{ 0x454c4946, 0x31, PMK_WC_LAYOUT_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct vector v = { .magic = rows[i].magic,
					  .version = rows[i].version };
		unsigned char raw[64];

		fill(raw, &v);
		assert_int_equal(pmk_wc_layout(raw), rows[i].layout);
	}
}

static void layout__names_differ(void **state)
{
	(void)state;
	for (int i = 0; i <= PMK_WC_LAYOUT_VERSION; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(
				pmk_wc_layout_name((enum pmk_wc_layout)i),
				pmk_wc_layout_name((enum pmk_wc_layout)j));
	assert_string_equal(pmk_wc_layout_name(PMK_WC_LAYOUT_V1),
			    "dm-writecache, version 1");
	assert_non_null(pmk_wc_layout_name((enum pmk_wc_layout)99));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judge__both_modes),
		cmocka_unit_test(judge__mode_s),
		cmocka_unit_test(judge__mode_p),
		cmocka_unit_test(judge__does_not_look_at),
		cmocka_unit_test(layout__known),
		cmocka_unit_test(layout__names_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
