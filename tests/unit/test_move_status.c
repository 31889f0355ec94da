/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What move_pages(2) says, as text: every status and every error of its manual
 * page (man-pages 6.03) has a text of its own, with the name of the error.
 * What the kernel really says, and when: tests/guest/migrate.c.
 *
 * APIs covered: move_status_text(), move_result_text().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "bench/move_status.h"

/* The name, and more than what errno says by itself. */
static void check_error(const char *text, int error)
{
	const char *name = strerrorname_np(error);
	char plain[128];

	assert_int_equal(strncmp(text, name, strlen(name)), 0);
	snprintf(plain, sizeof(plain), "%s: %s", name, strerror(error));
	assert_string_not_equal(text, plain);
}

static void statuses__of_the_manual_page(void **state)
{
	static const int errors[] = { EACCES, EBUSY,  EFAULT, EIO,
				      EINVAL, ENOENT, ENOMEM };
	char text[ARRAY_SIZE(errors)][160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		assert_ptr_equal(
			move_status_text(-errors[i], text[i], sizeof(text[i])),
			text[i]);
		check_error(text[i], errors[i]);
	}
}

static void results__of_the_manual_page(void **state)
{
	static const int errors[] = { E2BIG,  EACCES, EFAULT, EINVAL,
				      ENODEV, ENOENT, EPERM,  ESRCH };
	char text[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		check_error(move_result_text(-errors[i], text, sizeof(text)),
			    errors[i]);
}

static void what_is_no_error(void **state)
{
	char text[160];

	(void)state;
	assert_string_equal(move_status_text(0, text, sizeof(text)), "node 0");
	assert_string_equal(move_status_text(1023, text, sizeof(text)),
			    "node 1023");
	assert_string_equal(
		move_status_text(MOVE_STATUS_UNSET, text, sizeof(text)),
		"no status: not moved, or not tried");
	assert_string_equal(move_result_text(0, text, sizeof(text)), "done");
	assert_string_equal(move_result_text(17, text, sizeof(text)),
			    "17 pages were not moved");
}

/* A later kernel may say more. */
static void unknown_errors_keep_their_name(void **state)
{
	char text[160];

	(void)state;
	assert_string_equal(move_status_text(-EXDEV, text, sizeof(text)),
			    "EXDEV: Invalid cross-device link");
	assert_string_equal(move_result_text(-EXDEV, text, sizeof(text)),
			    "EXDEV: Invalid cross-device link");
	assert_non_null(move_status_text(-100000, text, sizeof(text)));
	assert_int_equal(text[0], '?');
}

static void text_is_cut_to_its_room(void **state)
{
	char text[8] = "#######";

	(void)state;
	move_status_text(-EBUSY, text, 4);
	assert_string_equal(text, "EBU");
	assert_int_equal(text[4], '#');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses__of_the_manual_page),
		cmocka_unit_test(results__of_the_manual_page),
		cmocka_unit_test(what_is_no_error),
		cmocka_unit_test(unknown_errors_keep_their_name),
		cmocka_unit_test(text_is_cut_to_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
