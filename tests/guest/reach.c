/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far a copy out of a file's mapping and a clear of it get: reach PATH
 * OFFSET LENGTH.  Prints the bytes of the range that pmk_copy_mc() and
 * pmk_clear_user() could not do, and whether all that they could is zero now.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/clear.h>
#include <pmk/copy.h>
#include <pmk/map.h>

static bool is_zero(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

static void reach(struct pmk_map *map, size_t off, size_t len)
{
	char *addr = (char *)pmk_map_addr(map) + off, *buf = malloc(len);
	size_t copy, clear;

	if (!buf || off + len > pmk_map_size(map)) {
		puts("out of range");
		exit(1);
	}
	copy = pmk_copy_mc(buf, addr, len);
	clear = pmk_clear_user(addr, len);
	printf("copy left %zu, clear left %zu, %s\n", copy, clear,
	       is_zero(addr, len - clear) ? "clear" : "not clear");
	free(buf);
}

int main(int argc, char **argv)
{
	struct pmk_map *map;
	int rc;

	if (argc != 4)
		return 2;
	rc = pmk_map_open(argv[1], NULL, &map);
	if (rc) {
		printf("%s: %s\n", argv[1], pmk_strerror(rc));
		return 1;
	}
	reach(map, strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
	pmk_map_close(map);
	return 0;
}
