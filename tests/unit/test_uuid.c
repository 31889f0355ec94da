/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UUIDs as text.
 *
 * APIs covered: pmk_uuid_parse(), pmk_uuid_format().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "base/uuid.h"

/* RFC 9562, appendix A.4: an example of version 5, and its bytes. */
static const char text[] = "2ed6657d-e927-568b-95e1-2665a8aea6a2";
static const uint8_t bytes[16] = { 0x2e, 0xd6, 0x65, 0x7d, 0xe9, 0x27,
				   0x56, 0x8b, 0x95, 0xe1, 0x26, 0x65,
				   0xa8, 0xae, 0xa6, 0xa2 };

static void parse__valid(void **state)
{
	uint8_t have[16];

	(void)state;
	assert_int_equal(pmk_uuid_parse(text, have), 0);
	assert_memory_equal(have, bytes, 16);
	assert_int_equal(
		pmk_uuid_parse("2ED6657D-E927-568B-95E1-2665A8AEA6A2", have),
		0);
	assert_memory_equal(have, bytes, 16);
}

static void parse__invalid(void **state)
{
	static const char *const wrong[] = {
		"",
		"-",
		"2ed6657d-e927-568b-95e1-2665a8aea6a",
		"2ed6657d-e927-568b-95e1-2665a8aea6a22",
		"2ed6657d-e927-568b-95e1-2665a8aea6a2 ",
		" 2ed6657d-e927-568b-95e1-2665a8aea6a2",
		"{2ed6657d-e927-568b-95e1-2665a8aea6a2}",
		"2ed6657de927568b95e12665a8aea6a2",
		"2ed6657d-e927-568b-95e12665-a8aea6a2",
		"2ed6657d-e927-568b-95e1-2665a8aea6ag",
		"2ed6657d+e927-568b-95e1-2665a8aea6a2",
		"+ed6657d-e927-568b-95e1-2665a8aea6a2",
	};
	uint8_t have[16];

	(void)state;
	memset(have, 0x5a, sizeof(have));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(pmk_uuid_parse(wrong[i], have), -EINVAL);
	for (size_t i = 0; i < sizeof(have); i++)
		assert_int_equal(have[i], 0x5a);
}

static void format__known(void **state)
{
	char buf[PMK_UUID_TEXT];

	(void)state;
	assert_ptr_equal(pmk_uuid_format(bytes, buf), buf);
	assert_string_equal(buf, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse__valid),
		cmocka_unit_test(parse__invalid),
		cmocka_unit_test(format__known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
