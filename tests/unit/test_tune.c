/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thresholds: the documented values, changes by name, and the environment.
 *
 * APIs covered: pmk_medium_name(), pmk_tuning_get(), pmk_tuning_parse(),
 * PMK_TUNING.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/error.h>
#include <pmk/log.h>
#include <pmk/tune.h>

#include "base/util.h"

/* docs/design/0007-engines.md */
static const struct pmk_tuning dram = {
	.nt_lines = 64,
	.nt_edges = 256,
	.two_streams = 3968,
	.four_streams = 12032,
	.eight_streams = 32768,
	.two_streams_nodrain = 4160,
	.nt_clear = 134217728,
};

static char heard[8][512]; /* level and text */
static size_t n_heard;

static void listen(enum pmk_log_level level, const char *text, void *arg)
{
	(void)arg;
	if (n_heard < ARRAY_SIZE(heard))
		snprintf(heard[n_heard++], sizeof(heard[0]), "%d %s",
			 (int)level, text);
}

static int setup(void **state)
{
	(void)state;
	n_heard = 0;
	pmk_log_set(listen, NULL);
	return 0;
}

static void media__have_names(void **state)
{
	(void)state;
	assert_string_equal(pmk_medium_name(PMK_MEDIUM_DRAM), "dram");
	assert_string_equal(pmk_medium_name(PMK_MEDIUM_EMULATED), "emulated");
	assert_string_equal(pmk_medium_name(PMK_MEDIUM_PMEM), "pmem");
	assert_null(pmk_medium_name(PMK_MEDIUM_PMEM + 1));
	assert_null(pmk_medium_name(~0U));
}

static void get__no_such_medium(void **state)
{
	struct pmk_tuning t, before;

	(void)state;
	memset(&t, 0x5a, sizeof(t));
	before = t;
	assert_int_equal(pmk_tuning_get(PMK_MEDIUM_PMEM + 1, &t), PMK_E_TUNING);
	assert_int_equal(pmk_tuning_get(~0U, &t), PMK_E_TUNING);
	assert_memory_equal(&t, &before, sizeof(t));
	assert_int_equal(n_heard, 2);
}

/* All members in one list, each with another value. */
static void parse__every_name(void **state)
{
	const struct pmk_tuning want = {
		.nt_lines = 1,
		.nt_edges = 512,
		.two_streams = 4096,
		.four_streams = 0,
		.eight_streams = SIZE_MAX,
		.two_streams_nodrain = 16,
		.nt_clear = (size_t)3 << 30,
	};
	struct pmk_tuning t = dram;

	(void)state;
	assert_int_equal(pmk_tuning_parse("nt_lines=1,nt_edges=512,"
					  "two_streams=4k,four_streams=0,"
					  "eight_streams=off,"
					  "two_streams_nodrain=0x10,"
					  "nt_clear=3GiB",
					  &t),
			 0);
	assert_memory_equal(&t, &want, sizeof(t));
	assert_int_equal(n_heard, 0);
}

static void parse__one_name_changes_one(void **state)
{
	struct pmk_tuning t = dram, want = dram;

	(void)state;
	want.two_streams_nodrain = 6291456;
	assert_int_equal(pmk_tuning_parse("two_streams_nodrain=6M", &t), 0);
	assert_memory_equal(&t, &want, sizeof(t));
	want.two_streams = 7;
	assert_int_equal(pmk_tuning_parse("two_streams=6,two_streams=7", &t),
			 0);
	assert_memory_equal(&t, &want, sizeof(t));
	assert_int_equal(pmk_tuning_parse("nt_lines=18446744073709551615", &t),
			 0);
	assert_true(t.nt_lines == SIZE_MAX);
}

static void parse__nothing_changes_nothing(void **state)
{
	struct pmk_tuning t = dram;

	(void)state;
	assert_int_equal(pmk_tuning_parse("", &t), 0);
	assert_memory_equal(&t, &dram, sizeof(t));
}

static void check_refused(const char *text)
{
	struct pmk_tuning t = dram;
	n_heard = 0;

	if (pmk_tuning_parse(text, &t) != PMK_E_TUNING)
		fail_msg("\"%.100s\" is not refused", text);
	if (memcmp(&t, &dram, sizeof(t)))
		fail_msg("\"%.100s\" is refused and changes something", text);
	if (n_heard != 1 || heard[0][0] != '0' + PMK_LOG_ERROR)
		fail_msg("\"%.100s\" is not explained once", text);
}

static void parse__refuses(void **state)
{
	static const char *const bad[] = {
		"nt_line=1", /* no such name */
		"nt_lines_=1",
		"NT_LINES=1",
		" nt_lines=1",
		"nt_lines =1",
		"=1",
		"=",
		",",
		",nt_lines=1",
		"nt_lines=1,,nt_edges=1",
		"reserved=1",
		"nt_lines", /* no size */
		"nt_lines=",
		"nt_lines=,nt_edges=1",
		"nt_lines=1,nt_edges", /* the first alone would be right */
		"nt_lines=1,two=2",
		"nt_lines=-1", /* no size, but nearly */
		"nt_lines=+1",
		"nt_lines= 1",
		"nt_lines=1 ",
		"nt_lines=1x",
		"nt_lines=1kk",
		"nt_lines=1.5k",
		"nt_lines=k",
		"nt_lines=OFF",
		"nt_lines=offf",
		"nt_lines=1=1",
		"nt_lines=0x",
		"nt_lines=18446744073709551616", /* too much */
		"nt_lines=16777216T",
		"nt_lines=99999999999999999999999999",
		"nt_lines=1;nt_edges=1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		check_refused(bad[i]);
}

/* As name, as size, and behind something that is right. */
static void parse__refuses_what_is_too_long(void **state)
{
	static char text[100000];

	(void)state;
	memset(text, '1', sizeof(text) - 1);
	check_refused(text);
	memcpy(text, "nt_lines=", 9);
	check_refused(text);
	memset(text, '0', sizeof(text) - 1);
	memcpy(text, "nt_edges=2,nt_lines=", 20);
	check_refused(text);
}

/* What a child of this program, with PMK_TUNING=@text or without it (NULL),
 * prints about itself. */
static void child_prints(const char *text, char *out, size_t size)
{
	int pipe_fd[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		unsetenv("PMK_TUNING");
		if (text)
			setenv("PMK_TUNING", text, 1);
		dup2(pipe_fd[1], STDOUT_FILENO);
		execl("/proc/self/exe", "test_tune", "--print", NULL);
		_exit(127);
	}
	close(pipe_fd[1]);
	while ((n = read(pipe_fd[0], out + len, size - 1 - len)) > 0)
		len += (size_t)n;
	out[len] = '\0';
	close(pipe_fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* In the child: a line a medium, then what was heard. */
static int print(void)
{
	struct pmk_tuning t;

	pmk_log_set(listen, NULL);
	for (unsigned int i = 0; pmk_medium_name(i); i++) {
		if (pmk_tuning_get(i, &t))
			return 1;
		printf("%s %zu %zu %zu %zu %zu %zu %zu\n", pmk_medium_name(i),
		       t.nt_lines, t.nt_edges, t.two_streams, t.four_streams,
		       t.eight_streams, t.two_streams_nodrain, t.nt_clear);
		for (size_t j = 0; j < ARRAY_SIZE(t.reserved); j++)
			if (t.reserved[j])
				return 1;
		/* once chosen, the environment does not matter any more */
		setenv("PMK_TUNING", "nt_lines=4711", 1);
	}
	for (size_t i = 0; i < n_heard; i++)
		printf("%s\n", heard[i]);
	return 0;
}

#define DEFAULTS                                            \
	"dram 64 256 3968 12032 32768 4160 134217728\n"     \
	"emulated 64 256 3968 12032 32768 4160 134217728\n" \
	"pmem 512 512 3968 12032 32768 4160 134217728\n"

static void defaults__are_those_of_the_documentation(void **state)
{
	char out[4096];

	(void)state;
	child_prints(NULL, out, sizeof(out));
	assert_string_equal(out, DEFAULTS);
	child_prints("", out, sizeof(out));
	assert_string_equal(out, DEFAULTS);
}

static void environment__changes_every_medium(void **state)
{
	char out[4096];

	(void)state;
	child_prints("nt_edges=1k,eight_streams=off", out, sizeof(out));
	assert_string_equal(
		out, "dram 64 1024 3968 12032 18446744073709551615 4160 "
		     "134217728\n"
		     "emulated 64 1024 3968 12032 18446744073709551615 4160 "
		     "134217728\n"
		     "pmem 512 1024 3968 12032 18446744073709551615 4160 "
		     "134217728\n");
}

/* An error with the reason, then a warning with the consequence. */
static void environment__bad_changes_nothing(void **state)
{
	char out[4096];

	(void)state;
	child_prints("nt_edges=1k,nt_line=5", out, sizeof(out));
	assert_string_equal(out, DEFAULTS "1 unknown threshold 'nt_line'\n"
					  "2 PMK_TUNING changes nothing\n");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(media__have_names, setup),
		cmocka_unit_test_setup(get__no_such_medium, setup),
		cmocka_unit_test_setup(parse__every_name, setup),
		cmocka_unit_test_setup(parse__one_name_changes_one, setup),
		cmocka_unit_test_setup(parse__nothing_changes_nothing, setup),
		cmocka_unit_test_setup(parse__refuses, setup),
		cmocka_unit_test_setup(parse__refuses_what_is_too_long, setup),
		cmocka_unit_test(defaults__are_those_of_the_documentation),
		cmocka_unit_test(environment__changes_every_medium),
		cmocka_unit_test(environment__bad_changes_nothing),
	};

	if (argc > 1 && !strcmp(argv[1], "--print"))
		return print();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
