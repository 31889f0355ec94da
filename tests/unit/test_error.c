/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codes, names and texts of errors.  The table pins the numbers: they are ABI.
 *
 * APIs covered: pmk_strerror(), pmk_error_name(), pmk_version(), enum
 * pmk_error.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/error.h>
#include <pmk/version.h>

#include "base/util.h"

static const struct {
	int code, number;
	const char *name;
} codes[] = {
	{ PMK_E_CPU_FEATURE, -5001, "PMK_E_CPU_FEATURE" },
	{ PMK_E_FILE_TYPE, -5002, "PMK_E_FILE_TYPE" },
	{ PMK_E_RANGE, -5003, "PMK_E_RANGE" },
	{ PMK_E_GRANULARITY, -5004, "PMK_E_GRANULARITY" },
	{ PMK_E_ALIGNMENT, -5005, "PMK_E_ALIGNMENT" },
	{ PMK_E_DEVDAX_MODE, -5006, "PMK_E_DEVDAX_MODE" },
	{ PMK_E_SYSFS, -5007, "PMK_E_SYSFS" },
	{ PMK_E_NOT_PERMITTED, -5008, "PMK_E_NOT_PERMITTED" },
	{ PMK_E_NOT_A_LOG, -5009, "PMK_E_NOT_A_LOG" },
	{ PMK_E_LOG_VERSION, -5010, "PMK_E_LOG_VERSION" },
	{ PMK_E_LOG_TRUNCATED, -5011, "PMK_E_LOG_TRUNCATED" },
	{ PMK_E_LOG_DAMAGED, -5012, "PMK_E_LOG_DAMAGED" },
	{ PMK_E_LOG_FULL, -5013, "PMK_E_LOG_FULL" },
	{ PMK_E_RECORD_SIZE, -5014, "PMK_E_RECORD_SIZE" },
	{ PMK_E_LOG_LOCKED, -5015, "PMK_E_LOG_LOCKED" },
	{ PMK_E_LOG_EXISTS, -5016, "PMK_E_LOG_EXISTS" },
	{ PMK_E_LOG_BROKEN, -5017, "PMK_E_LOG_BROKEN" },
	{ PMK_E_READ_ONLY, -5018, "PMK_E_READ_ONLY" },
	{ PMK_E_TUNING, -5019, "PMK_E_TUNING" },
};

static void codes__numbers_and_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		assert_int_equal(codes[i].code, codes[i].number);
		assert_string_equal(pmk_error_name(codes[i].code),
				    codes[i].name);
	}
}

static void strerror__library_codes_have_texts_of_their_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		const char *text = pmk_strerror(codes[i].code);

		assert_string_not_equal(text, "unknown error");
		/* a message goes behind "pmk: PATH: " and ends there */
		assert_true(text[0] && !isupper((unsigned char)text[0]));
		assert_null(strpbrk(text, ".\n"));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(text,
						pmk_strerror(codes[j].code));
	}
}

static void strerror__errno_codes_are_those_of_libc(void **state)
{
	(void)state;
	for (int e = 1; e < 134; e++) {
		const char *text = strerrordesc_np(e);
		const char *name = strerrorname_np(e);

		assert_string_equal(pmk_strerror(-e),
				    text ? text : "unknown error");
		assert_string_equal(pmk_error_name(-e), name ? name : "?");
	}
	assert_string_equal(pmk_error_name(-ENOSPC), "ENOSPC");
	assert_string_equal(pmk_strerror(-ENOSPC), "No space left on device");
}

static void strerror__zero_is_success(void **state)
{
	(void)state;
	assert_string_equal(pmk_strerror(0), "success");
}

static void strerror__other_numbers(void **state)
{
	static const int others[] = { 1,     ENOSPC, 5001,    INT_MAX,
				      -4095, -4096,  -5000,   -5020,
				      -9999, -65536, INT_MIN, INT_MIN + 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		assert_string_equal(pmk_strerror(others[i]), "unknown error");
		assert_string_equal(pmk_error_name(others[i]), "?");
	}
	assert_string_equal(pmk_error_name(0), "?");
}

static void strerror__keeps_errno(void **state)
{
	(void)state;
	errno = ENOTTY;
	pmk_strerror(-9999);
	pmk_strerror(-4000);
	pmk_strerror(PMK_E_SYSFS);
	pmk_error_name(-4000);
	assert_int_equal(errno, ENOTTY);
}

static void version__is_that_of_the_headers(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "%d.%d.%d", PMK_VERSION_MAJOR,
		 PMK_VERSION_MINOR, PMK_VERSION_PATCH);
	assert_string_equal(pmk_version(), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes__numbers_and_names),
		cmocka_unit_test(
			strerror__library_codes_have_texts_of_their_own),
		cmocka_unit_test(strerror__errno_codes_are_those_of_libc),
		cmocka_unit_test(strerror__zero_is_success),
		cmocka_unit_test(strerror__other_numbers),
		cmocka_unit_test(strerror__keeps_errno),
		cmocka_unit_test(version__is_that_of_the_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
