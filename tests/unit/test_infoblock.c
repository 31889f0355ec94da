/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info blocks: their bytes, and where a byte of a namespace is seen.
 *
 * APIs covered: pmk_infoblock_decode(), pmk_infoblock_encode(),
 * pmk_infoblock_predict(), pmk_infoblock_translate(), pmk_infoblock_*_name(),
 * pmk_infoblock_signature(), pmk_infoblock_check_text().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/infoblock.h>

#include "base/util.h"
#include "support/guard.h"
#include "support/infoblock_raw.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static const uint8_t counting[16] = { 0, 1, 2,  3,  4,  5,  6,  7,
				      8, 9, 10, 11, 12, 13, 14, 15 };

static unsigned int kernel(const char *name)
{
	int k = pmk_memmap_kernel(name);

	assert_true(k >= 0);
	return (unsigned int)k;
}

/* What ndctl writes for 16 GiB, map=dev, 2M, as bytes. */
static void ndctl_16g(unsigned char *b, const char *signature)
{
	memset(b, 0, RAW_BYTES);
	memcpy(b, signature, 16);
	memcpy(b + RAW_UUID, counting, 16);
	raw_put(b, RAW_VERSION_MAJOR, 2, 1);
	raw_put(b, RAW_VERSION_MINOR, 2, 4);
	raw_put(b, RAW_DATAOFF, 8, 270532608);
	raw_put(b, RAW_NPFNS, 8, 4128256);
	raw_put(b, RAW_MODE, 4, 2);
	raw_put(b, RAW_ALIGN, 4, 2 * MIB);
	raw_put(b, RAW_PAGE_SIZE, 4, 4096);
	raw_put(b, RAW_PAGE_STRUCT_SIZE, 2, 64);
}

static void decode__computes_the_checksum_of_ndctl(void **state)
{
	static const struct {
		const char *signature;
		enum pmk_infoblock_type type;
		uint64_t sum;
	} rows[] = {
		{ "NVDIMM_PFN_INFO", PMK_INFOBLOCK_PFN, 0x2e3476b417f5628a },
		{ "NVDIMM_DAX_INFO", PMK_INFOBLOCK_DAX, 0x3a5c4ebe0bf56c85 },
	};
	unsigned char b[RAW_BYTES];
	struct pmk_infoblock ib;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ndctl_16g(b, rows[i].signature);
		pmk_infoblock_decode(b, &ib);
		assert_int_equal(ib.type, rows[i].type);
		assert_int_equal(ib.checksum_computed, rows[i].sum);
		assert_int_equal(ib.checksum, 0);
		/* and so does the test's own formula */
		assert_int_equal(raw_checksum(b), rows[i].sum);
		assert_string_equal(pmk_infoblock_signature(ib.type),
				    rows[i].signature);
	}
}

/* Every byte of the checksummed part counts, and is where it should be. */
static void decode__finds_each_field(void **state)
{
	unsigned char b[RAW_BYTES] = "NVDIMM_PFN_INFO";
	struct pmk_infoblock ib;

	(void)state;
	for (unsigned int i = RAW_UUID; i < RAW_BYTES; i++)
		b[i] = (unsigned char)(i ^ i >> 8 ^ 0x5a);
	pmk_infoblock_decode(b, &ib);
	assert_memory_equal(ib.uuid, b + 0x10, 16);
	assert_memory_equal(ib.parent_uuid, b + 0x20, 16);
	assert_int_equal(ib.flags, raw_get(b, 0x30, 4));
	assert_int_equal(ib.version_major, raw_get(b, 0x34, 2));
	assert_int_equal(ib.version_minor, raw_get(b, 0x36, 2));
	assert_int_equal(ib.dataoff, raw_get(b, 0x38, 8));
	assert_int_equal(ib.npfns, raw_get(b, 0x40, 8));
	assert_int_equal(ib.mode, raw_get(b, 0x48, 4));
	assert_int_equal(ib.start_pad, raw_get(b, 0x4c, 4));
	assert_int_equal(ib.end_trunc, raw_get(b, 0x50, 4));
	assert_int_equal(ib.align, raw_get(b, 0x54, 4));
	assert_int_equal(ib.page_size, raw_get(b, 0x58, 4));
	assert_int_equal(ib.page_struct_size, raw_get(b, 0x5c, 2));
	assert_int_equal(ib.checksum, raw_get(b, 0xff8, 8));
	assert_int_equal(ib.checksum_computed, raw_checksum(b));
}

static void decode__reads_4096_bytes_and_no_more(void **state)
{
	struct pmk_infoblock ib;
	unsigned char *b;
	struct guard g;

	(void)state;
	guard_init(&g, RAW_BYTES);
	b = guard_tail(&g, RAW_BYTES);
	memset(b, 0xff, RAW_BYTES);
	pmk_infoblock_decode(b, &ib);
	assert_int_equal(ib.type, PMK_INFOBLOCK_NONE);
	assert_int_equal(ib.checksum_computed, raw_checksum(b));
	guard_fini(&g);
}

static void encode__is_what_decode_reads(void **state)
{
	unsigned char b[RAW_BYTES], again[RAW_BYTES];
	struct pmk_infoblock ib;

	(void)state;
	ndctl_16g(b, "NVDIMM_DAX_INFO");
	raw_put(b, RAW_FLAGS, 4, 0x01020304);
	raw_put(b, RAW_START_PAD, 4, 0x05060708);
	raw_put(b, RAW_END_TRUNC, 4, 0x090a0b0c);
	memset(b + RAW_PARENT_UUID, 0x77, 16);
	raw_seal(b);
	pmk_infoblock_decode(b, &ib);
	memset(again, 0xee, sizeof(again));
	assert_int_equal(pmk_infoblock_encode(&ib, again), 0);
	assert_memory_equal(b, again, RAW_BYTES);
}

static void encode__refuses_what_it_cannot_make(void **state)
{
	struct pmk_infoblock ib = { .type = PMK_INFOBLOCK_BTT };
	unsigned char b[RAW_BYTES];

	(void)state;
	assert_int_equal(pmk_infoblock_encode(&ib, b), -EINVAL);
	ib.type = PMK_INFOBLOCK_NONE;
	assert_int_equal(pmk_infoblock_encode(&ib, b), -EINVAL);
	ib.type = PMK_INFOBLOCK_PFN;
	ib.align = 4 * GIB;
	assert_int_equal(pmk_infoblock_encode(&ib, b), -EINVAL);
}

static void predict__is_the_block_of_ndctl(void **state)
{
	const struct pmk_memmap_params params = {
		.start = 4 * GIB,
		.size = 16 * GIB,
		.align = 2 * MIB,
		.mode = PMK_MODE_FSDAX,
		.map = PMK_MEMMAP_DEV,
		.kernel = kernel(NULL),
	};
	unsigned char want[RAW_BYTES], have[RAW_BYTES];
	struct pmk_memmap_params bad = params;
	struct pmk_infoblock ib;

	(void)state;
	ndctl_16g(want, "NVDIMM_PFN_INFO");
	raw_put(want, RAW_CHECKSUM, 8, 0x2e3476b417f5628a);
	assert_int_equal(pmk_infoblock_predict(&params, &ib), 0);
	memcpy(ib.uuid, counting, 16);
	assert_int_equal(pmk_infoblock_encode(&ib, have), 0);
	assert_memory_equal(want, have, RAW_BYTES);

	bad.size = GIB;
	bad.align = GIB;
	assert_int_equal(pmk_infoblock_predict(&bad, &ib), -ENXIO);
}

/* 1 GiB at 4 GiB, map=dev: struct pages from byte 0x200000 on, 64 bytes for
 * each frame, data from 18 MiB on. */
static const struct pmk_infoblock gib_dev = {
	.type = PMK_INFOBLOCK_PFN,
	.dataoff = 18 * MIB,
	.mode = PMK_INFOBLOCK_MODE_DEV,
	.align = 2 * MIB,
};

static const struct pmk_infoblock_ns gib_ns = {
	.start_known = true,
	.size_known = true,
	.start = 4 * GIB,
	.size = GIB,
};

static void translate__areas(void **state)
{
	static const struct {
		uint64_t off;
		enum pmk_infoblock_area area;
		uint64_t data;
	} rows[] = {
		{ 0, PMK_INFOBLOCK_AREA_HEADER, 0 },
		{ 8191, PMK_INFOBLOCK_AREA_HEADER, 0 },
		{ 8192, PMK_INFOBLOCK_AREA_MEMMAP, 0 },
		{ 18 * MIB - 1, PMK_INFOBLOCK_AREA_MEMMAP, 0 },
		{ 18 * MIB, PMK_INFOBLOCK_AREA_DATA, 0 },
		{ 18 * MIB + 77, PMK_INFOBLOCK_AREA_DATA, 77 },
		{ GIB - 2 * MIB - 1, PMK_INFOBLOCK_AREA_DATA,
		  GIB - 20 * MIB - 1 },
		{ GIB - 2 * MIB, PMK_INFOBLOCK_AREA_TAIL, 0 },
		{ GIB - 1, PMK_INFOBLOCK_AREA_TAIL, 0 },
	};
	struct pmk_infoblock ib = gib_dev;
	struct pmk_infoblock_place p;

	(void)state;
	ib.end_trunc = 2 * MIB;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(
			pmk_infoblock_translate(&ib, &gib_ns, rows[i].off, &p),
			0);
		assert_int_equal(p.area, rows[i].area);
		assert_int_equal(p.namespace_off, rows[i].off);
		assert_int_equal(p.data_off, rows[i].data);
		assert_int_equal(p.physical, 4 * GIB + rows[i].off);
	}
	assert_int_equal(pmk_infoblock_translate(&ib, &gib_ns, GIB, &p),
			 PMK_E_RANGE);
	/* without struct pages in it, the hole before the data is nobody's */
	ib.mode = PMK_INFOBLOCK_MODE_MEM;
	assert_int_equal(pmk_infoblock_translate(&ib, &gib_ns, MIB, &p), 0);
	assert_int_equal(p.area, PMK_INFOBLOCK_AREA_HEADER);
	assert_int_equal(p.struct_page_off, 0);
}

static void translate__struct_pages(void **state)
{
	struct pmk_infoblock_ns ns = gib_ns;
	struct pmk_infoblock_place p;

	(void)state;
	assert_int_equal(pmk_infoblock_translate(&gib_dev, &ns, 0, &p), 0);
	assert_int_equal(p.struct_page_off, 0x200000);
	/* frame 4608 is the first of the data */
	assert_int_equal(pmk_infoblock_translate(&gib_dev, &ns, 18 * MIB, &p),
			 0);
	assert_int_equal(p.struct_page_off, 0x200000 + 64 * 4608);
	assert_int_equal(pmk_infoblock_translate(&gib_dev, &ns, GIB - 1, &p),
			 0);
	assert_int_equal(p.struct_page_off, 18 * MIB - 64);

	/* a part of a section at either end: its struct pages are elsewhere */
	ns.start += 16 * MIB;
	assert_int_equal(
		pmk_infoblock_translate(&gib_dev, &ns, 112 * MIB - 1, &p), 0);
	assert_int_equal(p.struct_page_off, 0);
	assert_int_equal(pmk_infoblock_translate(&gib_dev, &ns, 112 * MIB, &p),
			 0);
	assert_int_equal(p.struct_page_off, 0x200000);
	assert_int_equal(
		pmk_infoblock_translate(&gib_dev, &ns, 1008 * MIB - 1, &p), 0);
	assert_int_equal(p.struct_page_off, 0x200000 + 7 * 2 * MIB - 64);
	assert_int_equal(pmk_infoblock_translate(&gib_dev, &ns, 1008 * MIB, &p),
			 0);
	assert_int_equal(p.struct_page_off, 0);

	ns.start_known = false;
	assert_int_equal(pmk_infoblock_translate(&gib_dev, &ns, 112 * MIB, &p),
			 0);
	assert_int_equal(p.struct_page_off, 0);
	assert_int_equal(p.physical, 0);
}

static void translate__refuses_what_does_not_fit(void **state)
{
	struct pmk_infoblock_ns ns = gib_ns;
	struct pmk_infoblock ib = gib_dev;
	struct pmk_infoblock_place p;

	(void)state;
	ib.dataoff = GIB + 4096;
	assert_int_equal(pmk_infoblock_translate(&ib, &ns, 0, &p), -EINVAL);
	ib.dataoff = UINT64_MAX;
	assert_int_equal(pmk_infoblock_translate(&ib, &ns, 0, &p), -EINVAL);
	ib = gib_dev;
	ib.end_trunc = UINT32_MAX;
	assert_int_equal(pmk_infoblock_translate(&ib, &ns, 0, &p), -EINVAL);
	ns.size_known = false;
	assert_int_equal(pmk_infoblock_translate(&gib_dev, &ns, 0, &p),
			 -EINVAL);
}

static void names__end(void **state)
{
	unsigned int n = 0;

	(void)state;
	while (pmk_infoblock_check_name(n)) {
		assert_non_null(pmk_infoblock_check_text(n));
		n++;
	}
	assert_true(n && n <= PMK_INFOBLOCK_MAX_CHECKS);
	assert_null(pmk_infoblock_check_text(n));
	assert_string_equal(pmk_infoblock_signature(PMK_INFOBLOCK_NONE), "");
	assert_string_equal(pmk_infoblock_signature(PMK_INFOBLOCK_BTT),
			    "BTT_ARENA_INFO");
	assert_string_equal(pmk_infoblock_area_name(PMK_INFOBLOCK_AREA_TAIL),
			    "tail");
	assert_null(pmk_infoblock_area_name(PMK_INFOBLOCK_AREA_TAIL + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode__computes_the_checksum_of_ndctl),
		cmocka_unit_test(decode__finds_each_field),
		cmocka_unit_test(decode__reads_4096_bytes_and_no_more),
		cmocka_unit_test(encode__is_what_decode_reads),
		cmocka_unit_test(encode__refuses_what_it_cannot_make),
		cmocka_unit_test(predict__is_the_block_of_ndctl),
		cmocka_unit_test(translate__areas),
		cmocka_unit_test(translate__struct_pages),
		cmocka_unit_test(translate__refuses_what_does_not_fit),
		cmocka_unit_test(names__end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
