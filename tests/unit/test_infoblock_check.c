/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a kernel says to an info block.  The rows of verdicts are what Linux
 * 6.1.192 and 6.12.117 did in a guest with a namespace of 256 MiB at 4 GiB.
 *
 * APIs covered: pmk_infoblock_check().
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

/* One change of a block. */
struct patch {
	unsigned int off;
	unsigned int bytes;
	uint64_t v;
};

/* A block of 256 MiB at 4 GiB: map=mem, 2M, but for the patches. */
struct row {
	const char *name;
	const char *check; /* that fails, NULL if it is loaded */
	int error;
	uint64_t usable; /* bytes of the device that came of it */
	struct patch patches[5];
	bool dax;
	bool unsealed;
};

#define DATAOFF(v)                \
	{                         \
		RAW_DATAOFF, 8, v \
	}
#define MODE(v)                \
	{                      \
		RAW_MODE, 4, v \
	}
#define ALIGN(v)                \
	{                       \
		RAW_ALIGN, 4, v \
	}
#define START_PAD(v)                \
	{                           \
		RAW_START_PAD, 4, v \
	}
#define END_TRUNC(v)                \
	{                           \
		RAW_END_TRUNC, 4, v \
	}
#define MINOR(v)                        \
	{                               \
		RAW_VERSION_MINOR, 2, v \
	}
#define MAJOR(v)                        \
	{                               \
		RAW_VERSION_MAJOR, 2, v \
	}
#define NPFNS(v)                \
	{                       \
		RAW_NPFNS, 8, v \
	}
#define PAGE_SIZE(v)                \
	{                           \
		RAW_PAGE_SIZE, 4, v \
	}
#define STRUCT_SIZE(v)                     \
	{                                  \
		RAW_PAGE_STRUCT_SIZE, 2, v \
	}

/* clang-format off */
/* What 6.1.192 and 6.12.117 agree on. */
static const struct row both[] = {
	{ "mem", NULL, 0, 254 * MIB, { { 0 } }, false, false },
	{ "dev", NULL, 0, 250 * MIB, { MODE(2), DATAOFF(6 * MIB) }, false, false },
	{ "dax", NULL, 0, 254 * MIB, { { 0 } }, true, false },
	{ "sum", "checksum", -ENODEV, 0, { { 0 } }, false, true },
	{ "parent", "parent_uuid", -ENODEV, 0, { { RAW_PARENT_UUID, 1, 1 } }, false, false },
	{ "mode 0", "mode", -ENXIO, 0, { MODE(0) }, false, false },
	{ "mode 3", "mode", -ENXIO, 0, { MODE(3) }, false, false },
	{ "page", "page_size", -EOPNOTSUPP, 0, { MODE(2), DATAOFF(6 * MIB), PAGE_SIZE(65536) }, false, false },
	{ "page, mem", NULL, 0, 254 * MIB, { PAGE_SIZE(65536) }, false, false },
	{ "struct", "page_struct_size", -EOPNOTSUPP, 0, { MODE(2), DATAOFF(6 * MIB), STRUCT_SIZE(32) }, false, false },
	{ "struct 63", "page_struct_size", -EOPNOTSUPP, 0, { MODE(2), DATAOFF(6 * MIB), STRUCT_SIZE(63) }, false, false },
	{ "dax 4M", "align", -EOPNOTSUPP, 0, { ALIGN(4 * MIB), DATAOFF(4 * MIB) }, true, false },
	{ "pfn 4M", NULL, 0, 252 * MIB, { ALIGN(4 * MIB), DATAOFF(4 * MIB) }, false, false },
	{ "dax 4K", NULL, 0, 254 * MIB, { ALIGN(4096) }, true, false },
	{ "align", "align_fits", -EOPNOTSUPP, 0, { ALIGN(512 * MIB) }, false, false },
	{ "align = size", "dataoff_fits", -EOPNOTSUPP, 0, { ALIGN(256 * MIB), DATAOFF(256 * MIB) }, false, false },
	{ "dax 1G", "align_fits", -EOPNOTSUPP, 0, { ALIGN(GIB) }, true, false },
	{ "dataoff", "dataoff_fits", -EOPNOTSUPP, 0, { DATAOFF(256 * MIB) }, false, false },
	{ "offset", "offset", -EOPNOTSUPP, 0, { DATAOFF(2 * MIB + 4096) }, false, false },
	{ "no page", "offset", -EOPNOTSUPP, 0, { DATAOFF(2 * MIB + 512), ALIGN(512) }, false, false },
	{ "start", "start", -EOPNOTSUPP, 0, { START_PAD(4096), DATAOFF(2 * MIB - 4096), ALIGN(4096) }, false, false },
	{ "end", "end", -EOPNOTSUPP, 0, { END_TRUNC(4096) }, false, false },
	{ "pads wrap", "pads", -EINVAL, 0, { END_TRUNC(GIB) }, false, false },
	{ "reserve", "reserve", -EINVAL, 0, { DATAOFF(4096), ALIGN(4096) }, false, false },
	{ "reserve 0", "reserve", -EINVAL, 0, { DATAOFF(0), ALIGN(4096) }, false, false },
	{ "dax reserve", "reserve", -EINVAL, 0, { DATAOFF(4096), ALIGN(4096) }, true, false },
	{ "8K", NULL, 0, 256 * MIB - 8192, { DATAOFF(8192), ALIGN(4096) }, false, false },
	{ "align 0", NULL, 0, 254 * MIB, { ALIGN(0) }, false, false },
	{ "align 0, 18M", "offset", -EOPNOTSUPP, 0, { ALIGN(0), DATAOFF(18 * MIB), MODE(2) }, false, false },
	{ "align 0 of 0", "align_fits", -EOPNOTSUPP, 0, { ALIGN(0), DATAOFF(0) }, false, false },
	{ "1.0", NULL, 0, 248 * MIB, { MINOR(0), START_PAD(4096), END_TRUNC(4096), MODE(2), DATAOFF(8 * MIB) }, false, false },
	{ "1.0 fields", NULL, 0, 254 * MIB, { MINOR(0), ALIGN(3), PAGE_SIZE(0), STRUCT_SIZE(0) }, false, false },
	{ "1.1", "offset", -EOPNOTSUPP, 0, { MINOR(1), MODE(2), DATAOFF(6 * MIB) }, false, false },
	{ "1.3", NULL, 0, 250 * MIB, { MINOR(3), PAGE_SIZE(0), STRUCT_SIZE(0), MODE(2), DATAOFF(6 * MIB) }, false, false },
	{ "9.4", NULL, 0, 254 * MIB, { MAJOR(9) }, false, false },
	{ "npfns+", NULL, 0, 250 * MIB, { MODE(2), DATAOFF(6 * MIB), NPFNS((uint64_t)1 << 40) }, false, false },
	{ "npfns-", NULL, 0, 250 * MIB, { MODE(2), DATAOFF(6 * MIB), NPFNS(100) }, false, false },
	{ "npfns mem", NULL, 0, 254 * MIB, { NPFNS((uint64_t)1 << 40) }, false, false },
	{ "pad mem", NULL, 0, 252 * MIB, { START_PAD(2 * MIB) }, false, false },
	{ "pad and align", NULL, 0, 252 * MIB, { START_PAD(2 * MIB), ALIGN(4 * MIB) }, false, false },
	{ "pad dev", NULL, 0, 248 * MIB, { START_PAD(2 * MIB), MODE(2), DATAOFF(6 * MIB) }, false, false },
	{ "trunc dev", NULL, 0, 248 * MIB, { END_TRUNC(2 * MIB), MODE(2), DATAOFF(6 * MIB) }, false, false },
	{ "kept 128", NULL, 0, 246 * MIB, { MODE(2), DATAOFF(10 * MIB), STRUCT_SIZE(128) }, false, false },
	{ "odd align", NULL, 0, 254 * MIB, { ALIGN(12288) }, false, false },
	{ "altmap", "altmap", -EINVAL, 0, { MODE(2), DATAOFF(4096), ALIGN(4096) }, false, false },
	{ "no memmap", "memmap", -ENOMEM, 0, { MODE(2), DATAOFF(8192), ALIGN(4096) }, false, false },
	{ "memmap 2M", "memmap", -ENOMEM, 0, { MODE(2) }, false, false },
	{ "memmap 4M", "memmap", -ENOMEM, 0, { MODE(2), DATAOFF(4 * MIB) }, false, false },
	{ "memmap -1", "memmap", -ENOMEM, 0, { MODE(2), DATAOFF(6 * MIB - 4096), ALIGN(4096) }, false, false },
	{ "memmap fits", NULL, 0, 250 * MIB, { MODE(2), DATAOFF(6 * MIB), ALIGN(4096) }, false, false },
};

static const struct row only_6_12[] = {
	{ "room", "room", -EOPNOTSUPP, 0, { DATAOFF(254 * MIB), END_TRUNC(2 * MIB) }, false, false },
	{ "room, less", "room", -EOPNOTSUPP, 0, { DATAOFF(254 * MIB), END_TRUNC(4 * MIB) }, false, false },
	{ "room, dax", "room", -EOPNOTSUPP, 0, { DATAOFF(254 * MIB), END_TRUNC(2 * MIB) }, true, false },
	{ "room, dev", "room", -EOPNOTSUPP, 0, { MODE(2), DATAOFF(254 * MIB), END_TRUNC(4 * MIB) }, false, false },
	{ "all pads", "room", -EOPNOTSUPP, 0, { START_PAD(128 * MIB), END_TRUNC(128 * MIB) }, false, false },
};

static const struct row only_6_1[] = {
	{ "room", NULL, 0, 0, { DATAOFF(254 * MIB), END_TRUNC(2 * MIB) }, false, false },
	{ "room, less", NULL, 0, 0, { DATAOFF(254 * MIB), END_TRUNC(4 * MIB) }, false, false },
	{ "room, dev", "altmap", -EINVAL, 0, { MODE(2), DATAOFF(254 * MIB), END_TRUNC(4 * MIB) }, false, false },
	{ "all pads", "pads", -EINVAL, 0, { START_PAD(128 * MIB), END_TRUNC(128 * MIB) }, false, false },
};
/* clang-format on */

static const struct pmk_infoblock_ns guest_ns = {
	.start_known = true,
	.size_known = true,
	.parent_uuid_known = true,
	.start = 4 * GIB,
	.size = 256 * MIB,
};

static void make(const struct row *r, unsigned char *b)
{
	memset(b, 0, RAW_BYTES);
	memcpy(b, r->dax ? "NVDIMM_DAX_INFO" : "NVDIMM_PFN_INFO", 16);
	memcpy(b + RAW_UUID, counting, 16);
	raw_put(b, RAW_VERSION_MAJOR, 2, 1);
	raw_put(b, RAW_VERSION_MINOR, 2, 4);
	raw_put(b, RAW_DATAOFF, 8, 2 * MIB);
	raw_put(b, RAW_MODE, 4, 1);
	raw_put(b, RAW_ALIGN, 4, 2 * MIB);
	raw_put(b, RAW_PAGE_SIZE, 4, 4096);
	raw_put(b, RAW_PAGE_STRUCT_SIZE, 2, 64);
	for (size_t i = 0; i < ARRAY_SIZE(r->patches); i++)
		raw_put(b, r->patches[i].off, r->patches[i].bytes,
			r->patches[i].v);
	if (!r->unsealed)
		raw_seal(b);
}

/* Are the checks before the one that failed done, and those behind it not? */
static void assert_in_order(const struct pmk_infoblock_report *rep)
{
	for (int i = 0; pmk_infoblock_check_name((unsigned int)i); i++) {
		enum pmk_infoblock_result r = rep->results[i];

		if (rep->error && i == rep->failed)
			assert_int_equal(r, PMK_INFOBLOCK_FAILED);
		else if (rep->error && i > rep->failed)
			assert_int_equal(r, PMK_INFOBLOCK_NOT_REACHED);
		else
			assert_true(r == PMK_INFOBLOCK_PASSED ||
				    r == PMK_INFOBLOCK_SKIPPED ||
				    r == PMK_INFOBLOCK_NOT_APPLICABLE);
	}
}

static void assert_row(const struct row *r, unsigned int k)
{
	struct pmk_infoblock_ns ns = guest_ns;
	struct pmk_infoblock_report rep;
	unsigned char b[RAW_BYTES];
	const char *failed = NULL;

	ns.kernel = k;
	make(r, b);
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	if (rep.failed >= 0)
		failed = pmk_infoblock_check_name((unsigned int)rep.failed);
	if (rep.error != r->error || rep.usable != r->usable ||
	    !r->check != !failed || (failed && strcmp(r->check, failed)))
		fail_msg("%s: check %s, error %d, usable 0x%llx", r->name,
			 failed ? failed : "-", rep.error,
			 (unsigned long long)rep.usable);
	assert_in_order(&rep);
	assert_int_equal(!!rep.reason, !!rep.error);
	assert_int_equal(!!rep.remedy, !!rep.error);
	assert_int_equal(rep.npfns, r->usable / 4096);
}

static void check__is_as_two_kernels_did(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		assert_row(&both[i], kernel("6.1"));
		assert_row(&both[i], kernel("6.12"));
	}
}

static void check__of_room_is_newer_than_6_1(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(only_6_12); i++)
		assert_row(&only_6_12[i], kernel("6.12"));
	for (size_t i = 0; i < ARRAY_SIZE(only_6_1); i++)
		assert_row(&only_6_1[i], kernel("6.1"));
}

/* The number of a check, by its name. */
static unsigned int number(const char *name)
{
	unsigned int i = 0;

	while (strcmp(pmk_infoblock_check_name(i), name))
		i++;
	return i;
}

static void check__signature_is_of_the_driver(void **state)
{
	struct pmk_infoblock_ns ns = guest_ns;
	struct pmk_infoblock_report rep;
	unsigned char b[RAW_BYTES];

	(void)state;
	make(&both[0], b);
	ns.mode = PMK_MODE_FSDAX;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.error, 0);
	ns.mode = PMK_MODE_DEVDAX;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.error, -ENODEV);
	assert_int_equal(rep.failed, number("signature"));
	ns.mode = PMK_MODE_SECTOR;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), -EINVAL);
	ns.mode = PMK_MODE_UNKNOWN;
	b[0] = 'n';
	raw_seal(b);
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.failed, number("signature"));
	/* the NUL is a part of it */
	b[0] = 'N';
	b[15] = 'x';
	raw_seal(b);
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.failed, number("signature"));
}

static void check__struct_page_of_debugging_kernels(void **state)
{
	static const unsigned int sizes[] = { 64, 80, 96 };
	struct pmk_infoblock_ns ns = guest_ns;
	struct pmk_infoblock_report rep;
	unsigned char b[RAW_BYTES];

	(void)state;
	make(&both[1], b); /* 64 bytes are kept */
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		ns.struct_page = sizes[i];
		assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
		assert_int_equal(rep.error, i ? -EOPNOTSUPP : 0);
	}
	raw_put(b, RAW_PAGE_STRUCT_SIZE, 2, 80);
	raw_seal(b);
	ns.struct_page = 80;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.error, 0);
	/* with map=mem nobody minds */
	make(&both[0], b);
	ns.struct_page = 96;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.error, 0);
}

static void check__passes_over_what_is_not_known(void **state)
{
	static const char *const skipped[] = {
		"parent_uuid",  "uuid",   "settings", "align_fits",
		"dataoff_fits", "offset", "start",    "end",
		"room",         "pads",   "altmap",   "memmap"
	};
	struct pmk_infoblock_ns ns = { .kernel = kernel("6.12") };
	struct pmk_infoblock_report rep;
	unsigned char b[RAW_BYTES];
	unsigned int n = 0;

	(void)state;
	make(&both[1], b);
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.error, 0);
	for (size_t i = 0; i < ARRAY_SIZE(skipped); i++)
		assert_int_equal(rep.results[number(skipped[i])],
				 PMK_INFOBLOCK_SKIPPED);
	for (unsigned int i = 0; pmk_infoblock_check_name(i); i++)
		n += rep.results[i] == PMK_INFOBLOCK_SKIPPED;
	assert_int_equal(n, ARRAY_SIZE(skipped));
	assert_int_equal(rep.usable, 0);

	/* a uuid that the device was given */
	ns.uuid_known = true;
	memcpy(ns.uuid, counting, 16);
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.results[number("uuid")], PMK_INFOBLOCK_PASSED);
	assert_int_equal(rep.results[number("settings")],
			 PMK_INFOBLOCK_SKIPPED);
	/* and what it was given with that */
	ns.align = 2U << 20;
	ns.map_mode = PMK_INFOBLOCK_MODE_DEV;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.results[number("settings")], PMK_INFOBLOCK_PASSED);
	ns.align = 4096;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.failed, number("settings"));
	assert_int_equal(rep.error, -EOPNOTSUPP);
	ns.align = 0;
	ns.map_mode = PMK_INFOBLOCK_MODE_MEM;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.failed, number("settings"));
	ns.uuid[15] ^= 1;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.failed, number("uuid"));
	assert_int_equal(rep.error, -ENODEV);
}

static void check__btt_has_a_signature_and_a_checksum(void **state)
{
	struct pmk_infoblock_ns ns = guest_ns;
	struct pmk_infoblock_report rep;
	unsigned char b[RAW_BYTES] = "BTT_ARENA_INFO";

	(void)state;
	memset(b + RAW_DATAOFF, 0xa5, 100);
	raw_seal(b);
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.error, 0);
	assert_int_equal(rep.effective.type, PMK_INFOBLOCK_BTT);
	assert_int_equal(rep.effective.dataoff, 0);
	b[200] ^= 1;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	assert_int_equal(rep.error, -ENODEV);
	assert_int_equal(rep.failed, number("checksum"));
}

static void check__unknown_kernel(void **state)
{
	struct pmk_infoblock_ns ns = guest_ns;
	struct pmk_infoblock_report rep;
	unsigned char b[RAW_BYTES] = { 0 };

	(void)state;
	ns.kernel = 1000;
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), -ENOENT);
}

static unsigned int n_notes(const struct row *r)
{
	struct pmk_infoblock_ns ns = guest_ns;
	struct pmk_infoblock_report rep;
	unsigned char b[RAW_BYTES];
	unsigned int n = 0;

	ns.kernel = kernel("6.1");
	make(r, b);
	assert_int_equal(pmk_infoblock_check(b, &ns, &rep), 0);
	while (rep.notes[n])
		n++;
	return n;
}

/* A block as kernels write it has none, and each oddity one. */
static void notes__of_what_is_odd(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{ "none", NULL, 0, 0, { NPFNS(254 * MIB / 4096) }, false, false },
		{ "npfns", NULL, 0, 0, { NPFNS(1) }, false, false },
		{ "major", NULL, 0, 0, { NPFNS(254 * MIB / 4096), MAJOR(2) }, false, false },
		{ "flags", NULL, 0, 0, { NPFNS(254 * MIB / 4096), { RAW_FLAGS, 4, 1 } }, false, false },
		{ "padding", NULL, 0, 0, { NPFNS(254 * MIB / 4096), { RAW_PADDING, 1, 1 } }, false, false },
		{ "padding", NULL, 0, 0, { NPFNS(254 * MIB / 4096), { RAW_CHECKSUM - 1, 1, 1 } }, false, false },
		{ "old", NULL, 0, 0, { NPFNS(254 * MIB / 4096), MINOR(3) }, false, false },
		{ "pad", NULL, 0, 0, { NPFNS(252 * MIB / 4096), START_PAD(2 * MIB) }, false, false },
		{ "kept", NULL, 0, 0, { NPFNS(246 * MIB / 4096), MODE(2), DATAOFF(10 * MIB), STRUCT_SIZE(128) }, false, false },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (n_notes(&rows[i]) != !!i)
			fail_msg("%s: %u notes", rows[i].name,
				 n_notes(&rows[i]));
	/* old, and without an alignment */
	assert_int_equal(
		n_notes(&(struct row){
			.patches = { NPFNS(254 * MIB / 4096), MINOR(1) } }),
		2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check__is_as_two_kernels_did),
		cmocka_unit_test(check__of_room_is_newer_than_6_1),
		cmocka_unit_test(check__signature_is_of_the_driver),
		cmocka_unit_test(check__struct_page_of_debugging_kernels),
		cmocka_unit_test(check__passes_over_what_is_not_known),
		cmocka_unit_test(check__btt_has_a_signature_and_a_checksum),
		cmocka_unit_test(check__unknown_kernel),
		cmocka_unit_test(notes__of_what_is_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
