/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files behind loop devices, in a tree that looks like sysfs.
 *
 * APIs covered: pmk_backs_loop().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/loop.h"

static char root[] = "/tmp/pmk-loop-XXXXXX";

static void shell(const char *command)
{
	assert_int_equal(system(command), 0);
}

static int make_tree(void **state)
{
	(void)state;
	if (!mkdtemp(root) || chdir(root))
		return -1;
	/* loop0 has nothing, loop1 a file, loop2 one that is gone; a disk is no
	 * loop device whatever it says */
	return system("mkdir -p sys/block/loop0 sys/block/loop1/loop "
		      "sys/block/loop2/loop sys/block/sda/loop && "
		      "echo a >a && echo b >b && echo c >c && mkdir d &&"
		      "echo $PWD/a >sys/block/loop1/loop/backing_file && "
		      "echo \"$PWD/gone (deleted)\" "
		      ">sys/block/loop2/loop/backing_file && "
		      "echo $PWD/b >sys/block/sda/loop/backing_file");
}

static int remove_tree(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return chdir("/") || system(command);
}

static bool backs(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return pmk_backs_loop("sys", &st);
}

static void loop__by_the_file_not_its_name(void **state)
{
	(void)state;
	assert_true(backs("a"));
	assert_false(backs("b"));
	assert_false(backs("c"));
	shell("ln a linked && ln -s a symlinked");
	assert_true(backs("linked"));
	assert_true(backs("symlinked"));
}

static void loop__nothing_to_find(void **state)
{
	struct stat st;

	(void)state;
	assert_false(backs("d"));
	assert_int_equal(stat("a", &st), 0);
	assert_false(pmk_backs_loop("nowhere", &st));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop__by_the_file_not_its_name),
		cmocka_unit_test(loop__nothing_to_find),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
