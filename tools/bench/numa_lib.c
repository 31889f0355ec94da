/* SPDX-License-Identifier: BSD-3-Clause */
/* Load libnuma. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "bench/numa_lib.h"

static bool find(void *lib, const char *name, void *fn_ret)
{
	void *p = dlsym(lib, name);

	/* ISO C has no conversion from object to function pointers; POSIX
	 * promises that their bytes are the same */
	memcpy(fn_ret, &p, sizeof(p));
	return p;
}

static bool refuse(struct numa_lib *numa, const char *why)
{
	snprintf(numa->why, sizeof(numa->why), "%s", why);
	return false;
}

bool numa_lib_load(struct numa_lib *numa)
{
	void *lib = dlopen("libnuma.so.1", RTLD_NOW | RTLD_LOCAL);
	const char *error = lib ? NULL : dlerror();

	if (!lib) {
		snprintf(numa->why, sizeof(numa->why),
			 "libnuma cannot be loaded, apt install libnuma1: %s",
			 error ? error : "?");
		return false;
	}
	if (!find(lib, "numa_available", &numa->available) ||
	    !find(lib, "numa_max_node", &numa->max_node) ||
	    !find(lib, "numa_node_size64", &numa->node_size) ||
	    !find(lib, "numa_tonode_memory", &numa->tonode_memory) ||
	    !find(lib, "numa_move_pages", &numa->move_pages))
		return refuse(numa, "libnuma lacks a function of version 2");
	if (numa->available() < 0)
		return refuse(numa, "the kernel has no NUMA support, or does "
				    "not permit it");
	return true;
}
