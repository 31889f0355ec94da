/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which memory the kernel's command line makes persistent.
 *
 * Covered: pmk_memmap_makes, pmk_legacy_region.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "map/legacy.h"

#define GIB ((uint64_t)1 << 30)

static void makes__by_range(void **state)
{
	static const struct {
		const char *cmdline;
		uint64_t start;
		enum pmk_answer want;
	} rows[] = {
		{ "quiet", GIB, PMK_ANSWER_NO },
		{ "", GIB, PMK_ANSWER_NO },
		{ "memmap=256M!1G quiet", GIB, PMK_ANSWER_YES },
		{ "quiet memmap=256M!1G", GIB + 255 * (GIB >> 10),
		  PMK_ANSWER_YES },
		{ "memmap=256M!1G", GIB - 1, PMK_ANSWER_NO },
		{ "memmap=256M!1G", GIB + GIB / 4, PMK_ANSWER_NO },
		{ "memmap=0x10000000!0x40000000", GIB, PMK_ANSWER_YES },
		{ "memmap=1G!4G,256M!1G", GIB, PMK_ANSWER_YES },
		{ "memmap=1G!4G memmap=256M!1G", GIB, PMK_ANSWER_YES },
		{ "memmap=256M$1G memmap=1G@0", GIB, PMK_ANSWER_NO },
		{ "memmap=256M%1G-1+0xefffffff", GIB, PMK_ANSWER_NO },
		/* another argument, and one that cannot be read */
		{ "xmemmap=256M!1G", GIB, PMK_ANSWER_NO },
		{ "memmap=!1G", GIB, PMK_ANSWER_UNKNOWN },
		{ "memmap=256M!", GIB, PMK_ANSWER_UNKNOWN },
		{ "memmap=256M!-1", GIB, PMK_ANSWER_UNKNOWN },
		{ "memmap=junk!junk,256M!1G", GIB, PMK_ANSWER_YES },
		{ "memmap=0xffffffffffffffff!1", GIB, PMK_ANSWER_YES },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(
			pmk_memmap_makes(rows[i].cmdline, &rows[i].start),
			rows[i].want);
}

/* Without knowing where the region lies, only "no such argument" is sure. */
static void makes__without_an_address(void **state)
{
	(void)state;
	assert_int_equal(pmk_memmap_makes("quiet", NULL), PMK_ANSWER_NO);
	assert_int_equal(pmk_memmap_makes("memmap=256M$1G", NULL),
			 PMK_ANSWER_NO);
	assert_int_equal(pmk_memmap_makes("memmap=256M!1G", NULL),
			 PMK_ANSWER_UNKNOWN);
}

static void makes__of_a_line_too_long(void **state)
{
	static char line[8192];
	uint64_t start = GIB;

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	assert_int_equal(pmk_memmap_makes(line, &start), PMK_ANSWER_UNKNOWN);
}

static void region__by_its_bus(void **state)
{
	(void)state;
	assert_true(pmk_legacy_region(
		"/sys/devices/platform/e820_pmem/ndbus1/region2"));
	assert_false(pmk_legacy_region("/sys/devices/LNXSYSTM:00/LNXSYBUS:00/"
				       "ACPI0012:00/ndbus0/region1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes__by_range),
		cmocka_unit_test(makes__without_an_address),
		cmocka_unit_test(makes__of_a_line_too_long),
		cmocka_unit_test(region__by_its_bus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
