/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk cpu: the features of this CPU and the kernel of each operation. */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include <pmk/cpu.h>
#include <pmk/kernel.h>

#include "opt.h"
#include "out.h"
#include "pmk.h"

static const struct argp_option options[] = { OPT_JSON, OPT_END };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	if (key == 'j') {
		*json = true;
		return 0;
	}
	return opt_positional(key, arg, state, NULL, NULL, 0);
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Show which features of this CPU matter for persistent memory, "
	       "and the kernel that each operation uses.",
};

/*
 * What there is before PMK_DISABLE_CPU_FEATURES takes from it.  The library
 * decides that once per process, so another process is asked.
 */
static int ask_hardware(uint32_t *present_ret)
{
	int fds[2], status = -1;
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		unsetenv("PMK_DISABLE_CPU_FEATURES");
		*present_ret = pmk_cpu_features();
		n = write(fds[1], present_ret, sizeof(*present_ret));
		_exit(n == sizeof(*present_ret) ? EXIT_OK : EXIT_FAIL);
	}
	close(fds[1]);
	n = read(fds[0], present_ret, sizeof(*present_ret));
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return n == sizeof(*present_ret) && !status ? 0 : -1;
}

static const char *state_name(uint32_t present, uint32_t used, uint32_t bit)
{
	return used & bit ? "yes" : present & bit ? "disabled" : "no";
}

static void print_tables(uint32_t present, uint32_t used)
{
	struct libscols_table *tb = out_table("FEATURE", "PRESENT", NULL);

	for (uint32_t b = 1; pmk_cpu_feature_name(b); b <<= 1)
		out_row(tb, pmk_cpu_feature_name(b),
			state_name(present, used, b), NULL);
	out_table_end(tb);
	putchar('\n');
	tb = out_table("OPERATION", "KERNEL", NULL);
	for (unsigned int op = 0; pmk_op_name(op); op++)
		out_row(tb, pmk_op_name(op), pmk_op_kernel(op), NULL);
	out_table_end(tb);
}

static void add_to(struct json_object *list, struct json_object *item)
{
	if (!list || json_object_array_add(list, item))
		out_of_memory();
}

static int print_json(uint32_t present, uint32_t used)
{
	struct json_object *features = json_object_new_array();
	struct json_object *kernels = json_object_new_array();
	struct json_object *o = out_json();

	for (uint32_t b = 1; pmk_cpu_feature_name(b); b <<= 1) {
		struct json_object *f = json_object_new_object();

		out_json_str(f, "name", pmk_cpu_feature_name(b));
		out_json_bool(f, "present", present & b);
		out_json_bool(f, "used", used & b);
		add_to(features, f);
	}
	for (unsigned int op = 0; pmk_op_name(op); op++) {
		struct json_object *k = json_object_new_object();

		out_json_str(k, "operation", pmk_op_name(op));
		out_json_str(k, "kernel", pmk_op_kernel(op));
		add_to(kernels, k);
	}
	out_json_add(o, "features", features);
	out_json_add(o, "kernels", kernels);
	return out_json_end(o);
}

int cmd_cpu(int argc, char **argv)
{
	uint32_t present, used;
	bool json = false;

	argp_parse(&argp, argc, argv, 0, NULL, &json);
	if (ask_hardware(&present))
		return out_error("cannot start a process to ask the CPU");
	used = pmk_cpu_features();
	if (json)
		return print_json(present, used);
	print_tables(present, used);
	return EXIT_OK;
}
