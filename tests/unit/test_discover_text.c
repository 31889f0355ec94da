/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names and attribute texts of discovery.
 *
 * APIs covered: pmk_name_is(), pmk_name_compare(), pmk_text_u64(),
 * pmk_text_node(), pmk_text_selected(), pmk_text_mapping(),
 * pmk_text_is_word(), pmk_text_is_uuid().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "discover/impl.h"

static void name_is(void **state)
{
	(void)state;
	assert_true(pmk_name_is("region0", "region", false));
	assert_true(pmk_name_is("namespace12.345", "namespace", true));
	assert_true(pmk_name_is("dax0.0", "dax", true));
	assert_false(pmk_name_is("region", "region", false));
	assert_false(pmk_name_is("region1 ", "region", false));
	assert_false(pmk_name_is("region-1", "region", false));
	assert_false(pmk_name_is("region1.0", "region", false));
	assert_false(pmk_name_is("regi", "region", false));
	assert_false(pmk_name_is("", "region", false));
	assert_false(pmk_name_is("dax0", "dax", true));
	assert_false(pmk_name_is("dax0.", "dax", true));
	assert_false(pmk_name_is("dax.0", "dax", true));
	assert_false(pmk_name_is("dax0.0.0", "dax", true));
	assert_false(pmk_name_is("dax0.0x", "dax", true));
}

/* In order; each is compared with each. */
static void name_compare__total_order(void **state)
{
	static const char *const names[] = {
		"",
		"btt0.0",
		"namespace0.0",
		"namespace0.00",
		"namespace0.2",
		"namespace0.10",
		"namespace1.0",
		"namespace2.0",
		"namespace10.0",
		"region",
		"region0",
		"region2",
		"region02",
		"region10",
		"region18446744073709551615",
		"region18446744073709551616",
		"region99999999999999999999999999999999",
		"region100000000000000000000000000000000",
		"regiona",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t j = 0; j < ARRAY_SIZE(names); j++) {
			int order = pmk_name_compare(names[i], names[j]);

			assert_int_equal(order < 0, i < j);
			assert_int_equal(order == 0, i == j);
		}
}

static void u64(void **state)
{
	const char *p = "18446744073709551615,x";
	uint64_t v = 7;

	(void)state;
	assert_int_equal(pmk_text_u64(&p, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_string_equal(p, ",x");
	v = 7;
	for (const char **bad = (const char *[]){ "18446744073709551616", "",
						  "-1", "+1", " 1", "x", NULL };
	     *bad; bad++) {
		p = *bad;
		assert_int_equal(pmk_text_u64(&p, &v), PMK_E_SYSFS);
		assert_ptr_equal(p, *bad);
	}
	assert_int_equal(v, 7);
}

static void node(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_int_equal(pmk_text_node("-1", &v), -ENODEV);
	for (const char **bad =
		     (const char *[]){ "-2", "2147483648", "", "--1", "1 ",
				       "0x1", "-1 ", "99999999999999999999",
				       NULL };
	     *bad; bad++)
		assert_int_equal(pmk_text_node(*bad, &v), PMK_E_SYSFS);
	assert_int_equal(v, 7);
	assert_int_equal(pmk_text_node("2147483647", &v), 0);
	assert_int_equal(v, INT32_MAX);
	assert_int_equal(pmk_text_node("0", &v), 0);
	assert_int_equal(v, 0);
}

static void selected(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_int_equal(pmk_text_selected("512 4096", &v), -ENODATA);
	assert_int_equal(pmk_text_selected("", &v), -ENODATA);
	for (const char **bad =
		     (const char *[]){ "512 [4096", "512 4096]", "[512] [4096]",
				       "[]", "[ 512]", "512,[4096]", "x",
				       "[512]4096", "  [512]", "[-1]", NULL };
	     *bad; bad++)
		assert_int_equal(pmk_text_selected(*bad, &v), PMK_E_SYSFS);
	assert_int_equal(pmk_text_selected("512 520 528 [4096] 4104", &v), 0);
	assert_int_equal(v, 4096);
	assert_int_equal(pmk_text_selected("[512]", &v), 0);
	assert_int_equal(v, 512);
}

static void mapping(void **state)
{
	struct pmk_mapping m = { .off = 7 };
	size_t len = 0;

	(void)state;
	for (const char **bad =
		     (const char *[]){ "", "nmem0", "nmem0,", "nmem0,0",
				       "nmem0,0,", "nmem0,0,1,", "nmem0,0,1,2,",
				       "nmem0,0,1,2 ", "nmem0,-1,1,2",
				       "nmem0,0,18446744073709551616,0", NULL };
	     *bad; bad++)
		assert_int_equal(pmk_text_mapping(*bad, &len, &m), PMK_E_SYSFS);
	assert_int_equal(m.off, 7);
	assert_int_equal(pmk_text_mapping("nmem12,4096,1073741824,3", &len, &m),
			 0);
	assert_int_equal(len, 6);
	assert_int_equal(m.off, 4096);
	assert_int_equal(m.len, 1 << 30);
	assert_int_equal(m.position, 3);
	assert_int_equal(pmk_text_mapping("nmem1,1,2", &len, &m), 0);
	assert_true(m.position == UINT64_MAX);
}

static void words_and_uuids(void **state)
{
	(void)state;
	assert_true(pmk_text_is_word("a b", 3));
	assert_true(pmk_text_is_word("", 0));
	assert_false(pmk_text_is_word("a\0b", 3));
	assert_false(pmk_text_is_word("a\nb", 3));
	assert_false(pmk_text_is_word("\x7f", 1));
	assert_false(pmk_text_is_word("\xc3\xbc", 2));
	assert_true(pmk_text_is_uuid("71721534-3b11-42dc-a3ca-c62c3df934AC"));
	assert_false(pmk_text_is_uuid("71721534-3b11-42dc-a3ca-c62c3df934a"));
	assert_false(pmk_text_is_uuid("71721534-3b11-42dc-a3ca-c62c3df934acd"));
	assert_false(pmk_text_is_uuid("71721534-3b11-42dc-a3ca_c62c3df934ac"));
	assert_false(pmk_text_is_uuid("g1721534-3b11-42dc-a3ca-c62c3df934ac"));
	assert_false(pmk_text_is_uuid(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_is),
		cmocka_unit_test(name_compare__total_order),
		cmocka_unit_test(u64),
		cmocka_unit_test(node),
		cmocka_unit_test(selected),
		cmocka_unit_test(mapping),
		cmocka_unit_test(words_and_uuids),
	};

	return cmocka_run_group_tests_name("discover_text", tests, NULL, NULL);
}
