/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log callback.
 *
 * APIs covered: pmk_log_set(), pmk_log(), pmk_fail().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"

struct heard {
	int calls;
	enum pmk_log_level level;
	size_t len;
	char text[8192];
};

static void hear(enum pmk_log_level level, const char *text, void *arg)
{
	struct heard *h = arg;

	h->calls++;
	h->level = level;
	h->len = strlen(text);
	snprintf(h->text, sizeof(h->text), "%s", text);
	errno = EDOM; /* what a careless application does */
}

static int teardown(void **state)
{
	(void)state;
	pmk_log_set(NULL, NULL);
	return 0;
}

static void log__formats_and_tells_level(void **state)
{
	struct heard h = { 0 };

	(void)state;
	pmk_log_set(hear, &h);
	pmk_log(PMK_LOG_WARNING, "%s has %d of %zu", "this", -1, (size_t)7);
	assert_int_equal(h.calls, 1);
	assert_int_equal(h.level, PMK_LOG_WARNING);
	assert_string_equal(h.text, "this has -1 of 7");
	pmk_log(PMK_LOG_ERROR, "100%%");
	assert_int_equal(h.calls, 2);
	assert_int_equal(h.level, PMK_LOG_ERROR);
	assert_string_equal(h.text, "100%");
}

static void log__is_silent_by_default(void **state)
{
	struct heard h = { 0 };

	(void)state;
	pmk_log(PMK_LOG_ERROR, "nobody listens");
	pmk_log_set(hear, &h);
	pmk_log_set(NULL, &h);
	pmk_log(PMK_LOG_ERROR, "nobody listens any more");
	assert_int_equal(h.calls, 0);
}

static void log__keeps_errno(void **state)
{
	struct heard h = { 0 };

	(void)state;
	errno = ENOSPC;
	pmk_log(PMK_LOG_ERROR, "nobody listens");
	assert_int_equal(errno, ENOSPC);
	pmk_log_set(hear, &h);
	pmk_log(PMK_LOG_ERROR, "someone does");
	assert_int_equal(errno, ENOSPC);
	(void)pmk_fail(-EIO, "and fails");
	assert_int_equal(errno, ENOSPC);
}

static void log__cuts_long_lines(void **state)
{
	static char path[5000];
	struct heard h = { 0 };

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	pmk_log_set(hear, &h);
	pmk_log(PMK_LOG_ERROR, "open %s", path);
	assert_int_equal(h.calls, 1);
	/* enough for a sentence and most of a path; no more than there is */
	assert_in_range(h.len, 500, sizeof(path) + 4);
	assert_memory_equal(h.text, "open xxx", 8);
	assert_int_equal(h.text[h.len - 1], 'x');
}

static void fail__returns_its_code_and_is_an_error(void **state)
{
	struct heard h = { 0 };

	(void)state;
	assert_int_equal(pmk_fail(-EINVAL, "unheard"), -EINVAL);
	pmk_log_set(hear, &h);
	assert_int_equal(pmk_fail(-5003, "at %#x", 0x40), -5003);
	assert_int_equal(h.calls, 1);
	assert_int_equal(h.level, PMK_LOG_ERROR);
	assert_string_equal(h.text, "at 0x40");
	assert_int_equal(pmk_fail(0, "%s", ""), 0);
	assert_string_equal(h.text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(log__formats_and_tells_level,
					  teardown),
		cmocka_unit_test_teardown(log__is_silent_by_default, teardown),
		cmocka_unit_test_teardown(log__keeps_errno, teardown),
		cmocka_unit_test_teardown(log__cuts_long_lines, teardown),
		cmocka_unit_test_teardown(
			fail__returns_its_code_and_is_an_error, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
