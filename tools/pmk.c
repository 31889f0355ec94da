/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pmk command: finds the command in the table and runs it.  What concerns
 * every command is here too: standard descriptors, the environment, the check
 * that standard output was written.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/cpu.h>
#include <pmk/tune.h>
#include <pmk/version.h>

#include "out.h"
#include "pmk.h"
#include "signals.h"

static const struct command commands[] = {
	{ "cpu", cmd_cpu, "CPU features, and the kernel of each operation",
	  NULL },
	{ "doctor", cmd_doctor, "what a path is, and why it is or is not pmem",
	  NULL },
	{ "list", cmd_list, "persistent-memory devices, and their health",
	  NULL },
	{ "copy", cmd_copy, "copy a file to persistent memory and back", NULL },
	{ "log", NULL, "persist records in a log", log_commands },
	{ "memmap", NULL, "what a namespace costs, and its struct pages",
	  memmap_commands },
	{ "wc", NULL, "dm-writecache devices, offline", wc_commands },
	{ "bench", cmd_bench, "measure against libpmem and libc", NULL },
	{ NULL, NULL, NULL, NULL },
};

static void print_help(const struct command *table, const char *prefix)
{
	char page[64];

	/* the page of "pmk log" is pmk-log(1) */
	snprintf(page, sizeof(page), "%s", prefix);
	if (strchr(page, ' '))
		*strchr(page, ' ') = '-';
	printf("Usage: %s COMMAND [OPTION...]\n\nCommands:\n", prefix);
	for (; table->name; table++)
		printf("  %-8s  %s\n", table->name, table->summary);
	printf("\n`%s COMMAND --help' and %s(1) tell more.\n", prefix, page);
}

/* "log", "log create", ...: @prefix is "log " for those of a subtable. */
static void list_commands(const struct command *table, const char *prefix)
{
	char name[64];

	for (; table->name; table++) {
		printf("%s%s\n", prefix, table->name);
		snprintf(name, sizeof(name), "%s ", table->name);
		if (table->sub)
			list_commands(table->sub, name);
	}
}

static const struct command *find(const struct command *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

int command_run(const struct command *table, const char *prefix, int argc,
		char **argv)
{
	char name[64];
	const struct command *c;

	if (argc < 2) {
		out_error("which command? `%s --help' lists them", prefix);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?")) {
		print_help(table, prefix);
		return EXIT_OK;
	}
	c = find(table, argv[1]);
	if (!c) {
		out_error("no command '%s'; `%s --help' lists them", argv[1],
			  prefix);
		return EXIT_USAGE;
	}
	/* messages of the command, and argp's, name it in full */
	snprintf(name, sizeof(name), "%s %s", prefix, c->name);
	out_set_name(name);
	if (c->sub)
		return command_run(c->sub, name, argc - 1, argv + 1);
	argv[1] = name;
	return c->run(argc - 1, argv + 1);
}

/* "help log read" is "log read --help", and "help help" just "help" */
static int help(int argc, char **argv)
{
	static char flag[] = "--help";

	while (argc > 2 && !strcmp(argv[2], "help")) {
		argc--;
		argv++;
	}
	for (int i = 1; i + 1 < argc; i++)
		argv[i] = argv[i + 1];
	argv[argc - 1] = flag;
	return command_run(commands, "pmk", argc, argv);
}

/* The options that take the place of a command: an exit code, or -1 if
 * @argv[1] is none of them. */
static int run_option(int argc, char **argv)
{
	bool version = !strcmp(argv[1], "--version") || !strcmp(argv[1], "-V");

	if (!version && strcmp(argv[1], "--list-commands"))
		return -1;
	if (argc > 2) {
		out_error("one argument too many: '%s'", argv[2]);
		return EXIT_USAGE;
	}
	if (version)
		printf("pmk %s\n", pmk_version());
	else
		list_commands(commands, "");
	return EXIT_OK;
}

/* A name that does not exist would silently measure the wrong kernel. */
static int check_features(void)
{
	const char *list = secure_getenv("PMK_DISABLE_CPU_FEATURES");
	char known[256] = "";
	uint32_t mask;

	if (!list || !pmk_cpu_feature_parse(list, &mask))
		return EXIT_OK;
	for (uint32_t bit = 1; pmk_cpu_feature_name(bit); bit <<= 1) {
		if (*known)
			strcat(known, ", ");
		strncat(known, pmk_cpu_feature_name(bit), 20);
	}
	out_error("PMK_DISABLE_CPU_FEATURES: %s; known: %s",
		  out_explanation(PMK_E_CPU_FEATURE, NULL), known);
	return EXIT_USAGE;
}

/* And a threshold that does not exist the wrong sizes. */
static int check_tuning(void)
{
	const char *text = secure_getenv("PMK_TUNING");
	struct pmk_tuning t = { 0 };

	if (!text || !pmk_tuning_parse(text, &t))
		return EXIT_OK;
	out_error("PMK_TUNING: %s; pmk_tune(3) has the names",
		  out_explanation(PMK_E_TUNING, NULL));
	return EXIT_USAGE;
}

static int check_environment(void)
{
	int rc = check_features();

	return rc ? rc : check_tuning();
}

/*
 * A file that is opened must not become descriptor 0 to 2 of a command that was
 * started without them: messages would be written into it.  The wrong access
 * mode keeps the descriptor failing with EBADF.
 */
static void open_standard_fds(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(EXIT_FAIL);
}

int main(int argc, char **argv)
{
	int rc;

	/* so that tables show a path as it is; the rest of the locale would
	 * change numbers and half of the messages */
	setlocale(LC_CTYPE, "");
	open_standard_fds();
	signals_init();
	out_init("pmk");
	argp_err_exit_status = EXIT_USAGE;
	if (argc >= 2 && !strcmp(argv[1], "help"))
		return help(argc, argv);
	rc = argc >= 2 ? run_option(argc, argv) : -1;
	if (rc >= 0)
		return rc;
	if (check_environment() != EXIT_OK)
		return EXIT_USAGE;
	return command_run(commands, "pmk", argc, argv);
}
