/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes as people write them.
 *
 * APIs covered: pmk_size_parse(), pmk_size_format().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/size.h"
#include "base/util.h"

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aU

static void parse__valid(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "4096", 4096 },
		{ "0004096", 4096 }, /* not octal */
		{ "010", 10 },
		{ "4k", 4096 },
		{ "4K", 4096 },
		{ "4kB", 4096 },
		{ "4KB", 4096 },
		{ "4KiB", 4096 },
		{ "4kiB", 4096 },
		{ "4096B", 4096 },
		{ "2M", 2097152 },
		{ "2m", 2097152 },
		{ "2MiB", 2097152 },
		{ "100G", 107374182400 },
		{ "100g", 107374182400 },
		{ "1T", 1099511627776 },
		{ "1TiB", 1099511627776 },
		{ "1p", 1125899906842624 },
		{ "16383P", 18445618173802708992U },
		{ "17179869183G", 18446744072635809792U },
		{ "0x0", 0 },
		{ "0x1000", 4096 },
		{ "0X1000", 4096 },
		{ "0x10k", 16384 },
		{ "0xfM", 15728640 },
		{ "0xFFFFFFFFFFFFFFFF", UINT64_MAX },
		{ "0x10B", 267 }, /* B is a digit there */
		{ "18446744073709551615", UINT64_MAX },
		{ "0P", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t bytes = UNTOUCHED;
		int rc = pmk_size_parse(cases[i].text, &bytes);

		if (rc || bytes != cases[i].bytes)
			fail_msg("'%s': %d, %llu bytes", cases[i].text, rc,
				 (unsigned long long)bytes);
	}
}

static void parse__invalid(void **state)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{ "", -EINVAL },
		{ " 4k", -EINVAL },
		{ "4k ", -EINVAL },
		{ "4 k", -EINVAL },
		{ "\t4", -EINVAL },
		{ "4\n", -EINVAL },
		{ "-1", -EINVAL },
		{ "+1", -EINVAL },
		{ "-0", -EINVAL },
		{ "--1", -EINVAL },
		{ "1.5G", -EINVAL },
		{ "1,5G", -EINVAL },
		{ ".5k", -EINVAL },
		{ "1e3", -EINVAL },
		{ "k", -EINVAL },
		{ "B", -EINVAL },
		{ "4kb", -EINVAL },
		{ "4KIB", -EINVAL },
		{ "4ki", -EINVAL },
		{ "4kk", -EINVAL },
		{ "4kBB", -EINVAL },
		{ "4BB", -EINVAL },
		{ "4iB", -EINVAL },
		{ "4b", -EINVAL },
		{ "16E", -EINVAL }, /* no exabytes: p is the last unit */
		{ "1z", -EINVAL },
		{ "0x", -EINVAL },
		{ "0xk", -EINVAL },
		{ "0x-1", -EINVAL },
		{ "0x 1", -EINVAL },
		{ "0x+1", -EINVAL },
		{ "0xg", -EINVAL },
		{ "x10", -EINVAL },
		{ "00x10", -EINVAL },
		{ "0x0x10", -EINVAL },
		{ "12a", -EINVAL },
		{ "\xff", -EINVAL },
		{ "4\xff", -EINVAL },
		{ "inf", -EINVAL },
		{ "18446744073709551616", -ERANGE },
		{ "99999999999999999999999999999999", -ERANGE },
		{ "0x10000000000000000", -ERANGE },
		{ "18446744073709551615k", -ERANGE },
		{ "18014398509481984k", -ERANGE },
		{ "17592186044416M", -ERANGE },
		{ "17179869184G", -ERANGE },
		{ "16777216T", -ERANGE },
		{ "16384P", -ERANGE },
		{ "0x4000000000000000k", -ERANGE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t bytes = UNTOUCHED;
		int rc = pmk_size_parse(cases[i].text, &bytes);

		if (rc != cases[i].error || bytes != UNTOUCHED)
			fail_msg("'%s': %d, %llu bytes", cases[i].text, rc,
				 (unsigned long long)bytes);
	}
}

static void format__known(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 B" },
		{ 1, "1 B" },
		{ 512, "512 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 4096, "4 KiB" },
		{ 1536, "1.5 KiB" },
		{ 2097152, "2 MiB" },
		{ 1048575, "1.0 MiB" }, /* not 1024.0 KiB */
		{ 1610612736, "1.5 GiB" },
		{ 107374182400, "100 GiB" },
		{ 1099511627776, "1 TiB" },
		{ 1125899906842624, "1 PiB" },
		{ 18445618173802708992U, "16383 PiB" },
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_ptr_equal(
			pmk_size_format(cases[i].bytes, buf, sizeof(buf)), buf);
		assert_string_equal(buf, cases[i].text);
	}
}

static void format__short_buffer_is_terminated(void **state)
{
	char buf[5] = "abcd";

	(void)state;
	pmk_size_format(1610612736, buf, 4);
	assert_string_equal(buf, "1.5");
	assert_int_equal(buf[4], '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse__valid),
		cmocka_unit_test(parse__invalid),
		cmocka_unit_test(format__known),
		cmocka_unit_test(format__short_buffer_is_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
