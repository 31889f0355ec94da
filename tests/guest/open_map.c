/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open a mapping and say in one line what it is, for scripts in a guest:
 * open_map [-d] PATH [LEN [OFFSET]]
 * With -d also what pmk_map_deep_sync() says.  The call of pmk_map_open() lies
 * between two of getppid(2), so that strace(1) can count what it costs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/map.h>

/* Does the kernel call it a synchronous mapping?  VmFlags of proc(5): "sf". */
static bool is_sync(const void *addr)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512], start[32];
	bool here = false, sync = false;

	if (!f)
		return false;
	snprintf(start, sizeof(start), "%lx-", (unsigned long)addr);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, start, strlen(start)))
			here = true;
		if (here && !strncmp(line, "VmFlags:", 8)) {
			sync = strstr(line, " sf") != NULL;
			break;
		}
	}
	fclose(f);
	return sync;
}

static int deep_sync(struct pmk_map *map)
{
	int rc = pmk_map_deep_sync(map, pmk_map_addr(map), 4096);

	printf(" deep=%s", rc > 0    ? "not needed"
			   : rc == 0 ? "done"
				     : pmk_strerror(rc));
	return 0;
}

int main(int argc, char **argv)
{
	bool deep = argc > 1 && !strcmp(argv[1], "-d");
	char **arg = argv + 1 + deep;
	struct pmk_map_params p = { 0 };
	struct pmk_map *map;
	int rc;

	if (!arg[0])
		return 2;
	if (arg[1])
		p.len = strtoull(arg[1], NULL, 0);
	if (arg[1] && arg[2])
		p.off = strtoull(arg[2], NULL, 0);
	getppid();
	rc = pmk_map_open(arg[0], &p, &map);
	getppid();
	if (rc) {
		printf("error: %s\n", pmk_strerror(rc));
		return 1;
	}
	printf("%s %s %s size=%zu align=%zu sync=%d",
	       pmk_map_kind_name(pmk_map_kind(map)),
	       pmk_granularity_name(pmk_map_granularity(map)),
	       pmk_domain_name(pmk_map_domain(map)), pmk_map_size(map),
	       pmk_map_align(map), is_sync(pmk_map_addr(map)));
	if (deep)
		deep_sync(map);
	putchar('\n');
	pmk_map_close(map);
	return 0;
}
