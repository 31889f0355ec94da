/* SPDX-License-Identifier: BSD-3-Clause */
/* Legacy memory, and whether the kernel's command line made it. */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/size.h"
#include "base/sysfs.h"
#include "map/legacy.h"

bool pmk_legacy_region(const char *region)
{
	return strstr(region, "/e820_pmem/") != NULL;
}

/* "SIZE!START", which is changed: does it cover @start? */
static enum pmk_answer range_covers(char *range, const uint64_t *start)
{
	char *mark = strchr(range, '!');
	uint64_t from, size;

	if (!mark) /* memmap= for something else */
		return PMK_ANSWER_NO;
	*mark = '\0';
	if (!start || pmk_size_parse(range, &size) ||
	    pmk_size_parse(mark + 1, &from))
		return PMK_ANSWER_UNKNOWN;
	return *start >= from && *start - from < size ? PMK_ANSWER_YES
						      : PMK_ANSWER_NO;
}

enum pmk_answer pmk_memmap_makes(const char *cmdline, const uint64_t *start)
{
	static const char name[] = "memmap=";
	enum pmk_answer answer = PMK_ANSWER_NO;
	char copy[4096], *rest = copy, *word, *range;

	if (snprintf(copy, sizeof(copy), "%s", cmdline) >= (int)sizeof(copy))
		return PMK_ANSWER_UNKNOWN;
	while ((word = strsep(&rest, " "))) {
		if (strncmp(word, name, sizeof(name) - 1))
			continue;
		word += sizeof(name) - 1;
		while ((range = strsep(&word, ","))) {
			enum pmk_answer a = range_covers(range, start);

			if (a == PMK_ANSWER_YES)
				return a;
			if (a == PMK_ANSWER_UNKNOWN)
				answer = a;
		}
	}
	return answer;
}

enum pmk_answer pmk_legacy_is_ram(const char *region)
{
	uint64_t start;
	char cmdline[4096];

	if (pmk_read_attribute("/proc/cmdline", cmdline, sizeof(cmdline)) < 0)
		return PMK_ANSWER_UNKNOWN;
	/* where a region lies is for root only */
	return pmk_memmap_makes(
		cmdline,
		pmk_sysfs_u64(region, "resource", &start) ? NULL : &start);
}
