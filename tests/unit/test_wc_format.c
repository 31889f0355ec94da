/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format of dm-writecache in numbers.  The sizes are those that kernels
 * print, the bytes those that they write.
 *
 * APIs covered: pmk_wc_superblock_decode(), pmk_wc_superblock_encode(),
 * pmk_wc_entry_decode(), pmk_wc_entry_encode(), pmk_wc_entry_state(),
 * pmk_wc_geometry_of(), pmk_wc_geometry_for(), pmk_wc_entry_off(),
 * pmk_wc_block_off(), pmk_wc_kernel_bytes().
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
#include "support/guard.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* The first bytes of 1 MiB that a kernel formatted with blocks of 4096. */
static const unsigned char formatted[32] = {
	0x21, 0x93, 0x48, 0x23, 0x01, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0,
	0xfe, 0,    0,    0,    0,    0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0,
};

/* Each byte of it is another one. */
static const unsigned char counting[64] = {
	1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
	33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
	49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64,
};

static void superblock__as_formatted(void **state)
{
	unsigned char raw[64] = { 0 };
	struct pmk_wc_superblock sb;

	(void)state;
	memcpy(raw, formatted, sizeof(formatted));
	pmk_wc_superblock_decode(raw, &sb);
	assert_int_equal(sb.magic, 0x23489321);
	assert_int_equal(sb.version, 1);
	assert_int_equal(sb.block_size, 4096);
	assert_int_equal(sb.pad, 0);
	assert_int_equal(sb.n_blocks, 254);
	assert_int_equal(sb.seq_count, 0);
	assert_true(pmk_is_zero(sb.reserved, sizeof(sb.reserved)));
	memset(raw, 0x5a, sizeof(raw));
	pmk_wc_superblock_encode(&sb, raw);
	assert_memory_equal(raw, formatted, sizeof(formatted));
	assert_true(pmk_is_zero(raw + 32, 32));
}

static void superblock__every_byte_at_its_place(void **state)
{
	struct pmk_wc_superblock sb;
	struct guard in, out;
	unsigned char *raw;

	(void)state;
	guard_init(&in, 64);
	guard_init(&out, 65);
	raw = memcpy(guard_tail(&in, 64), counting, 64);
	pmk_wc_superblock_decode(raw, &sb);
	assert_int_equal(sb.magic, 0x04030201);
	assert_int_equal(sb.version, 0x08070605);
	assert_int_equal(sb.block_size, 0x0c0b0a09);
	assert_int_equal(sb.pad, 0x100f0e0d);
	assert_int_equal(sb.n_blocks, 0x1817161514131211);
	assert_int_equal(sb.seq_count, 0x201f1e1d1c1b1a19);
	assert_memory_equal(sb.reserved, counting + 32, 32);
	/* unaligned, and no byte more */
	pmk_wc_superblock_encode(&sb, out.start + 1);
	assert_memory_equal(out.start + 1, counting, 64);
	pmk_wc_superblock_encode(&sb, guard_tail(&out, 64));
	assert_memory_equal(guard_tail(&out, 64), counting, 64);
	guard_fini(&in);
	guard_fini(&out);
}

static void entry__little_endian(void **state)
{
	struct guard g;
	unsigned char *raw;
	struct pmk_wc_entry e;

	(void)state;
	guard_init(&g, 16);
	raw = memcpy(guard_tail(&g, 16), counting, 16);
	e = pmk_wc_entry_decode(raw);
	assert_int_equal(e.original_sector, 0x0807060504030201);
	assert_int_equal(e.seq_count, 0x100f0e0d0c0b0a09);
	memset(raw, 0, 16);
	pmk_wc_entry_encode(e, raw);
	assert_memory_equal(raw, counting, 16);
	guard_fini(&g);
}

static void entry__state_by_sequence_only(void **state)
{
	static const struct {
		uint64_t seq, seq_count;
		enum pmk_wc_entry_state is;
	} rows[] = {
		{ UINT64_MAX, 10, PMK_WC_ENTRY_FREE },
		{ UINT64_MAX, UINT64_MAX, PMK_WC_ENTRY_FREE },
		{ UINT64_MAX, 0, PMK_WC_ENTRY_FREE },
		{ 9, 10, PMK_WC_ENTRY_COMMITTED },
		{ 0, 10, PMK_WC_ENTRY_COMMITTED },
		{ UINT64_MAX - 1, UINT64_MAX, PMK_WC_ENTRY_COMMITTED },
		{ 10, 10, PMK_WC_ENTRY_UNCOMMITTED },
		{ 11, 10, PMK_WC_ENTRY_UNCOMMITTED },
		{ 0, 0, PMK_WC_ENTRY_UNCOMMITTED },
		{ UINT64_MAX - 1, 10, PMK_WC_ENTRY_UNCOMMITTED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmk_wc_entry stale = { 80, rows[i].seq };
		struct pmk_wc_entry odd = { UINT64_MAX, rows[i].seq };

		assert_int_equal(pmk_wc_entry_state(stale, rows[i].seq_count),
				 rows[i].is);
		assert_int_equal(pmk_wc_entry_state(odd, rows[i].seq_count),
				 rows[i].is);
	}
}

static void geometry_for__known_sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		uint32_t block_size;
		uint64_t n_blocks, data_off, slack;
	} rows[] = {
		{ 8 * KIB, 4096, 1, 4096, 0 },
		{ MIB, 4096, 254, 8192, 0 },
		{ MIB, 2048, 508, 8192, 0 },
		{ MIB, 1024, 1008, 16384, 0 },
		{ MIB, 512, 1985, 32256, 0 },
		{ MIB + 512, 4096, 254, 8192, 512 },
		{ 2 * MIB, 4096, 509, 12288, 0 },
		{ 2 * MIB, 512, 3971, 64000, 0 },
		{ 3 * MIB, 4096, 764, 12288, 4096 },
		{ 4 * MIB, 4096, 1020, 16384, 0 },
		{ 4 * MIB, 512, 7943, 127488, 0 },
		{ 8 * MIB, 4096, 2040, 32768, 0 },
		{ 8 * MIB, 512, 15887, 254464, 0 },
		{ 16 * MIB, 4096, 4080, 65536, 0 },
		{ 16 * MIB, 512, 31774, 508928, 0 },
		{ 16 * MIB, 65536, 255, 65536, 0 },
		{ 64 * MIB, 4096, 16320, 262144, 0 },
		{ GIB, 4096, 261123, 4182016, 0 },
		{ 100 * GIB, 4096, 26112398, 417800192, 0 },
		/* an fsdax namespace of 14 MiB that a kernel formatted */
		{ 14 * MIB, 4096, 3570, 57344, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmk_wc_geometry geo;

		assert_int_equal(pmk_wc_geometry_for(rows[i].bytes,
						     rows[i].block_size, &geo),
				 0);
		assert_int_equal(geo.block_size, rows[i].block_size);
		assert_int_equal(geo.n_blocks, rows[i].n_blocks);
		assert_int_equal(geo.data_off, rows[i].data_off);
		assert_int_equal(geo.metadata_sectors, rows[i].data_off / 512);
		assert_int_equal(geo.end, rows[i].bytes - rows[i].slack);
	}
}

static void geometry_for__what_has_no_room(void **state)
{
	struct pmk_wc_geometry geo;

	(void)state;
	assert_int_equal(pmk_wc_geometry_for(8191, 4096, &geo), -ENOSPC);
	assert_int_equal(pmk_wc_geometry_for(0, 512, &geo), -ENOSPC);
	assert_int_equal(pmk_wc_geometry_for(1023, 512, &geo), -ENOSPC);
	assert_int_equal(pmk_wc_geometry_for(1024, 512, &geo), 0);
	assert_int_equal(geo.n_blocks, 1);
	/* 2^47 blocks of 512 bytes with their entries */
	assert_int_equal(
		pmk_wc_geometry_for(((uint64_t)1 << 47) * 528, 512, &geo),
		-EFBIG);
	assert_int_equal(pmk_wc_geometry_for(UINT64_MAX, 512, &geo), -EFBIG);
	/* one less */
	assert_int_equal(
		pmk_wc_geometry_for(((uint64_t)1 << 47) * 528 - 1, 512, &geo),
		0);
	assert_true(geo.n_blocks < (uint64_t)1 << 47);
	assert_true(geo.n_blocks > ((uint64_t)1 << 47) - 4);
}

static void geometry__block_size(void **state)
{
	static const uint32_t wrong[] = { 0,    256,  511,    513,     3000,
					  4095, 4097, 131072, 1U << 31 };
	struct pmk_wc_geometry geo;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(pmk_wc_geometry_for(MIB, wrong[i], &geo),
				 -EINVAL);
		assert_int_equal(pmk_wc_geometry_of(1, wrong[i], &geo),
				 -EINVAL);
	}
	for (uint32_t bs = 512; bs <= 65536; bs *= 2)
		assert_int_equal(pmk_wc_geometry_of(1, bs, &geo), 0);
}

static void geometry_of__wraps(void **state)
{
	static const struct {
		uint64_t n;
		uint32_t block_size;
	} rows[] = {
		{ (uint64_t)1 << 60, 4096 }, /* the entries */
		{ UINT64_MAX, 512 },
		{ UINT64_MAX / 16, 512 },          /* and the superblock */
		{ (uint64_t)1 << 52, 4096 },       /* the data */
		{ ((uint64_t)1 << 52) - 1, 4096 }, /* both together */
		{ (uint64_t)1 << 55, 512 },
		{ (uint64_t)1 << 48, 65536 },
	};
	struct pmk_wc_geometry geo;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(
			pmk_wc_geometry_of(rows[i].n, rows[i].block_size, &geo),
			-EOVERFLOW);
	assert_int_equal(pmk_wc_geometry_of((uint64_t)1 << 51, 4096, &geo), 0);
	assert_int_equal(geo.end, 0x8080000000001000);
	assert_int_equal(geo.data_off, 0x80000000001000);
}

static void geometry_of__fewer_blocks_and_none(void **state)
{
	struct pmk_wc_geometry geo;

	(void)state;
	assert_int_equal(pmk_wc_geometry_of(0, 4096, &geo), 0);
	assert_int_equal(geo.data_off, 4096);
	assert_int_equal(geo.end, 4096);
	/* 252 entries end at 4096 exactly, 253 do not */
	assert_int_equal(pmk_wc_geometry_of(252, 4096, &geo), 0);
	assert_int_equal(geo.data_off, 4096);
	assert_int_equal(pmk_wc_geometry_of(253, 4096, &geo), 0);
	assert_int_equal(geo.data_off, 8192);
	assert_int_equal(pmk_wc_entry_off(0), 64);
	assert_int_equal(pmk_wc_entry_off(253), 4112);
	assert_int_equal(pmk_wc_block_off(&geo, 0), 8192);
	assert_int_equal(pmk_wc_block_off(&geo, 3), 20480);
}

static void kernel_bytes__by_mode(void **state)
{
	(void)state;
	assert_int_equal(pmk_wc_kernel_bytes(26112398, 's'), 2297891024);
	assert_int_equal(pmk_wc_kernel_bytes(26112398, 'p'), 1880092656);
	assert_int_equal(pmk_wc_kernel_bytes(0, 's'), 0);
	assert_int_equal(pmk_wc_kernel_bytes(UINT64_MAX, 'p'), UINT64_MAX);
	assert_int_equal(pmk_wc_kernel_bytes(UINT64_MAX / 88 + 1, 's'),
			 UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(superblock__as_formatted),
		cmocka_unit_test(superblock__every_byte_at_its_place),
		cmocka_unit_test(entry__little_endian),
		cmocka_unit_test(entry__state_by_sequence_only),
		cmocka_unit_test(geometry_for__known_sizes),
		cmocka_unit_test(geometry_for__what_has_no_room),
		cmocka_unit_test(geometry__block_size),
		cmocka_unit_test(geometry_of__wraps),
		cmocka_unit_test(geometry_of__fewer_blocks_and_none),
		cmocka_unit_test(kernel_bytes__by_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
