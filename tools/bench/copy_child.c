/* SPDX-License-Identifier: BSD-3-Clause */
/* Run this program once more with fewer CPU features, and merge its cases. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include <pmk/cpu.h>
#include <pmk/error.h>

#include "base/cleanup.h"
#include "bench/copy_child.h"
#include "bench/suite_out.h"
#include "out.h"
#include "pmk.h"

#define CHILD_SIZE 4096
#define WITHOUT    "avx512f,movdir64b"

static const char cpu_name[] = "without avx512f";

/*
 * What the child is to do without: what this process is, and WITHOUT.  Made of
 * the names that there are, not of what the variable says, so that it is never
 * too long: a child that still saw AVX-512 would start one of its own.
 */
static void list_disabled(char *list, size_t size)
{
	const char *before = secure_getenv("PMK_DISABLE_CPU_FEATURES");
	uint32_t mask = 0;
	size_t n;

	/* it parses, or the command would not have come here */
	if (before && pmk_cpu_feature_parse(before, &mask))
		mask = 0;
	n = (size_t)snprintf(list, size, "%s", WITHOUT);
	for (uint32_t bit = 1; pmk_cpu_feature_name(bit); bit <<= 1)
		if (mask & bit && n < size)
			n += (size_t)snprintf(list + n, size - n, ",%s",
					      pmk_cpu_feature_name(bit));
}

/* In the child: does not return. */
static _Noreturn void exec_self(const struct bench_options *opt, int out)
{
	char features[256], rounds[32];
	const char *argv[16] = { "pmk",    "bench",   "copy",
				 "--json", "--quick", "--sizes=4096" };
	size_t n = 6;

	/* the parent may be told to end, and is alone in that */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	list_disabled(features, sizeof(features));
	setenv("PMK_DISABLE_CPU_FEATURES", features, 1);
	setenv("PMEM_AVX512F", "0", 1);
	setenv("PMEM_MOVDIR64B", "0", 1);
	if (opt->rounds) {
		snprintf(rounds, sizeof(rounds), "--rounds=%u", opt->rounds);
		argv[n++] = rounds;
	}
	if (opt->on) {
		argv[n++] = "--on";
		argv[n++] = opt->on;
	}
	if (opt->overwrite)
		argv[n++] = "--overwrite";
	if (dup2(out, STDOUT_FILENO) >= 0)
		execv("/proc/self/exe", (char *const *)argv);
	_exit(127);
}

/* All that the child prints, parsed; NULL if it is no document. */
static struct json_object *read_document(int fd)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o = NULL;
	char buf[65536];
	ssize_t n;

	if (!tok)
		out_of_memory();
	/* to its end, or the child would not get there */
	while ((n = read(fd, buf, sizeof(buf))) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0 && !o)
			o = json_tokener_parse_ex(tok, buf, (int)n);
	json_tokener_free(tok);
	return o;
}

/* EXIT_OK with the document, or EXIT_FAIL after a message, of the child's if
 * it ended by itself. */
static int run_child(const struct bench_options *opt,
		     struct json_object **document_ret)
{
	int pipe_fd[2], status = 0;
	pid_t pid;

	if (pipe2(pipe_fd, O_CLOEXEC))
		return out_error("pipe: %s", pmk_strerror(-errno));
	fflush(NULL);
	pid = fork();
	if (!pid)
		exec_self(opt, pipe_fd[1]);
	close(pipe_fd[1]);
	if (pid > 0) {
		*document_ret = read_document(pipe_fd[0]);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(pipe_fd[0]);
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAIL)
		return EXIT_FAIL;
	if (pid < 0 || status || !*document_ret)
		return out_error("the process that measures without AVX-512 "
				 "failed");
	return EXIT_OK;
}

static const char *get_str(struct json_object *o, const char *key)
{
	return json_object_get_string(json_object_object_get(o, key));
}

static double get_double(struct json_object *o, const char *side,
			 const char *what)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", side, what);
	return json_object_get_double(json_object_object_get(o, key));
}

static size_t get_size(struct json_object *o, const char *key)
{
	return (size_t)json_object_get_uint64(json_object_object_get(o, key));
}

static void merge_side(struct bench_side *b, struct json_object *o,
		       const char *key)
{
	char variant[64];

	snprintf(variant, sizeof(variant), "%s_variant", key);
	*b = (struct bench_side){
		.key = key,
		.variant = get_str(o, variant),
		.figure = {
			.median_ns = get_double(o, key, "ns"),
			.p25_ns = get_double(o, key, "p25_ns"),
			.p75_ns = get_double(o, key, "p75_ns"),
		},
		.latency = {
			.p50_ns = get_double(o, key, "latency_p50_ns"),
			.p99_ns = get_double(o, key, "latency_p99_ns"),
			.p999_ns = get_double(o, key, "latency_p999_ns"),
		},
	};
	b->latency.samples = b->latency.p50_ns > 0;
}

static void merge_case(struct bench_suite *s, struct json_object *o)
{
	static const char *const keys[] = { "pmk", "libpmem", "libc" };
	const struct bench_case what = {
		.op = get_str(o, "op"),
		.size = get_size(o, "size_bytes"),
		.dst_offset = get_size(o, "dst_offset_bytes"),
		.src_offset = get_size(o, "src_offset_bytes"),
		.policy = get_str(o, "policy"),
		.pattern = get_str(o, "pattern"),
		.cpu = cpu_name,
		.threads = (unsigned int)get_size(o, "threads"),
	};
	struct bench_case *c = bench_suite_add(s, &what, 3);

	c->n_sides = 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (get_double(o, keys[i], "ns") > 0)
			merge_side(&c->side[c->n_sides++], o, keys[i]);
}

int copy_child_measure(struct bench_suite *s)
{
	if (!(pmk_cpu_features() & PMK_CPU_AVX512F) ||
	    !bench_wants_size(s->opt, CHILD_SIZE))
		return EXIT_OK;
	return run_child(s->opt, &s->merged);
}

void copy_child_merge(struct bench_suite *s)
{
	struct json_object *cases = json_object_object_get(s->merged, "cases");

	if (!json_object_is_type(cases, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(cases); i++)
		merge_case(s, json_object_array_get_idx(cases, i));
}
