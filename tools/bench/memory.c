/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory there is, and in what pages a range of it is mapped. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "bench/memory.h"
#include "out.h"
#include "pmk.h"

/* The number in a line "NAME:   123 kB" of a file such as /proc/meminfo. */
static bool read_kib(const char *line, const char *name, uint64_t *bytes_ret)
{
	size_t n = strlen(name);
	uint64_t kib;

	if (strncmp(line, name, n) ||
	    sscanf(line + n, ": %" SCNu64 " kB", &kib) != 1)
		return false;
	*bytes_ret = kib << 10;
	return true;
}

static uint64_t system_available(void)
{
	_cleanup_file_ FILE *f = fopen("/proc/meminfo", "re");
	uint64_t bytes = UINT64_MAX;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (read_kib(line, "MemAvailable", &bytes))
			break;
	return bytes;
}

/* A number, or UINT64_MAX for a file that is not there or says "max". */
static uint64_t read_number(const char *path)
{
	_cleanup_file_ FILE *f = fopen(path, "re");
	uint64_t v;

	return f && fscanf(f, "%" SCNu64, &v) == 1 ? v : UINT64_MAX;
}

/* Of the control group (version 2) that a container sees as its root. */
static uint64_t group_available(void)
{
	uint64_t max = read_number("/sys/fs/cgroup/memory.max");
	uint64_t used = read_number("/sys/fs/cgroup/memory.current");

	if (max == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	return max > used ? max - used : 0;
}

uint64_t memory_available(void)
{
	uint64_t have = system_available(), group = group_available();

	return group < have ? group : have;
}

int memory_check(uint64_t need, const char *remedy)
{
	uint64_t have = memory_available();
	char need_text[32], have_text[32];

	if (need <= have)
		return EXIT_OK;
	pmk_size_format(need, need_text, sizeof(need_text));
	pmk_size_format(have, have_text, sizeof(have_text));
	return out_error("not enough memory: %s more is needed, and %s is "
			 "available; %s",
			 need_text, have_text, remedy);
}

/* Finds the mapping that holds @addr; what follows describes it. */
static bool find_mapping(FILE *f, uintptr_t addr)
{
	uintptr_t from, to;
	char line[512];

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) ==
			    2 &&
		    from <= addr && addr < to)
			return true;
	return false;
}

void memory_huge_pages(const void *addr, size_t len, char *text, size_t size)
{
	static const char *const names[] = { "AnonHugePages", "ShmemPmdMapped",
					     "FilePmdMapped",
					     "Shared_Hugetlb" };
	_cleanup_file_ FILE *f = fopen("/proc/self/smaps", "re");
	uint64_t huge = 0, resident = 0, v;
	char line[512];

	snprintf(text, size, "unknown");
	if (!f || !find_mapping(f, (uintptr_t)addr))
		return;
	while (fgets(line, sizeof(line), f)) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (read_kib(line, names[i], &v))
				huge += v;
		if (read_kib(line, "Rss", &v))
			resident = v;
		/* the last line of a mapping */
		if (!strncmp(line, "VmFlags", 7))
			break;
	}
	/* pages without a struct page of their own are not counted */
	if (!resident && !huge)
		return;
	snprintf(text, size, "%s",
		 !huge        ? "none"
		 : huge < len ? "in part"
			      : "all");
}
