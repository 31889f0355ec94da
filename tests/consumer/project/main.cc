/* SPDX-License-Identifier: BSD-3-Clause */
/* A C++ program of a libpmk user: bytes are mapped, persisted and read back. */
#include <pmk/pmk.h>

#include <cstdio>
#include <cstring>
#include <string>

static int store(const char *path, const std::string &text)
{
	pmk_map_params params{};
	pmk_map *map;

	params.len = 1 << 20;
	params.flags = PMK_MAP_CREATE | PMK_MAP_EMULATED;
	int rc = pmk_map_open(path, &params, &map);
	if (rc)
		return rc;
	rc = pmk_map_memcpy(map, pmk_map_addr(map), text.data(), text.size(), 0);
	pmk_map_close(map);
	return rc;
}

static int load(const char *path, std::string &text)
{
	pmk_map_params params{};
	pmk_map *map;

	params.flags = PMK_MAP_READ_ONLY;
	int rc = pmk_map_open(path, &params, &map);
	if (rc)
		return rc;
	text.assign(static_cast<const char *>(pmk_map_addr(map)), text.size());
	pmk_map_close(map);
	return 0;
}

int main(int argc, char **argv)
{
	const std::string text = "hello";
	std::string back(text.size(), ' ');

	if (argc != 2)
		return 2;
	int rc = store(argv[1], text);
	if (!rc)
		rc = load(argv[1], back);
	std::printf("libpmk %s: %s\n", pmk_version(), pmk_strerror(rc));
	return rc || back != text;
}
