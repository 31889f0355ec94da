/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the machine, and which kernels the library chose on it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <json-c/json.h>

#include <pmk/cpu.h>
#include <pmk/kernel.h>

#include "base/cleanup.h"
#include "bench/host.h"
#include "bench/report.h"
#include "out.h"

static void read_cpu_model(char *model, size_t size)
{
	_cleanup_file_ FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(model, size, "unknown");
	while (f && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !value)
			continue;
		value[strcspn(value, "\n")] = '\0';
		snprintf(model, size, "%s", value + 1 + strspn(value + 1, " "));
		return;
	}
}

static void read_features(char *features, size_t size)
{
	uint32_t mask = pmk_cpu_features();
	size_t len = 0;

	*features = '\0';
	for (uint32_t bit = 1; pmk_cpu_feature_name(bit); bit <<= 1)
		if (mask & bit && len < size)
			len += (size_t)snprintf(features + len, size - len,
						"%s%s", len ? " " : "",
						pmk_cpu_feature_name(bit));
}

/* The first line of a file, or @otherwise. */
static void read_line(const char *path, const char *otherwise, char *text,
		      size_t size)
{
	_cleanup_file_ FILE *f = fopen(path, "re");

	if (!f || !fgets(text, (int)size, f))
		snprintf(text, size, "%s", otherwise);
	text[strcspn(text, "\n")] = '\0';
}

/* "0" or "0-1,4": how many numbers that are. */
static long count_nodes(void)
{
	char text[256], *p = text;
	long n = 0;

	read_line("/sys/devices/system/node/online", "0", text, sizeof(text));
	while (*p) {
		long from = strtol(p, &p, 10), to = from;

		if (*p == '-')
			to = strtol(p + 1, &p, 10);
		n += to - from + 1;
		if (*p++ != ',')
			break;
	}
	return n;
}

void host_read(struct host *h)
{
	struct utsname u;

	*h = (struct host){ .load = -1 };
	read_cpu_model(h->cpu, sizeof(h->cpu));
	read_features(h->features, sizeof(h->features));
	if (!uname(&u))
		snprintf(h->kernel, sizeof(h->kernel), "%s %s", u.sysname,
			 u.release);
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		  "none visible", h->governor, sizeof(h->governor));
	snprintf(h->huge_pages, sizeof(h->huge_pages), "unknown");
	h->nodes = count_nodes();
	h->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	h->page_size = sysconf(_SC_PAGESIZE);
	if (getloadavg(&h->load, 1) != 1)
		h->load = -1;
}

/* This program: a debug build measures itself. */
#ifdef __OPTIMIZE__
#define OPTIMISED true
#else
#define OPTIMISED false
#endif

void host_print(const struct host *h)
{
	printf("medium  %s\n", h->medium);
	printf("cpu     %s, %ld online, load %.2f, governor %s, NUMA nodes "
	       "%ld\n",
	       h->cpu, h->cpus, h->load, h->governor, h->nodes);
	printf("uses    %s\n", h->features);
	printf("kernel  %s, pages of %ld bytes, huge pages: %s\n", h->kernel,
	       h->page_size, h->huge_pages);
	if (!OPTIMISED)
		printf("build   without optimisation: the figures say "
		       "nothing\n");
	printf("pmk     ");
	for (unsigned int op = 0; pmk_op_name(op); op++)
		printf("%s%s: %s", op ? ", " : "", pmk_op_name(op),
		       pmk_op_kernel(op));
	putchar('\n');
}

/* The operation as a key: "copy_backward". */
static void add_kernel(struct json_object *o, unsigned int op)
{
	char key[32];

	snprintf(key, sizeof(key), "%s", pmk_op_name(op));
	for (char *p = key; *p; p++)
		if (*p == ' ')
			*p = '_';
	out_json_str(o, key, pmk_op_kernel(op));
}

struct json_object *host_to_json(const struct host *h)
{
	struct json_object *o = json_object_new_object();
	struct json_object *kernels = json_object_new_object();

	out_json_str(o, "cpu", h->cpu);
	out_json_u64(o, "cpus_online", (uint64_t)h->cpus);
	out_json_str(o, "features", h->features);
	out_json_str(o, "kernel", h->kernel);
	out_json_path(o, "medium", h->medium);
	out_json_u64(o, "page_size_bytes", (uint64_t)h->page_size);
	out_json_str(o, "huge_pages", h->huge_pages);
	out_json_str(o, "governor", h->governor);
	out_json_u64(o, "numa_nodes", (uint64_t)h->nodes);
	report_json_double(o, "load_1min", h->load);
	out_json_bool(o, "optimised", OPTIMISED);
	for (unsigned int op = 0; pmk_op_name(op); op++)
		add_kernel(kernels, op);
	out_json_add(o, "pmk_kernels", kernels);
	return o;
}
