/* SPDX-License-Identifier: BSD-3-Clause */
/* Load libpmem and libpmemlog. */
#include <cpuid.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "bench/peer.h"

#define PMEM    "libpmem.so.1"
#define PMEMLOG "libpmemlog.so.1"

struct symbol {
	const char *name;
	void *fn_ret; /* to a pointer to function */
};

/* The dynamic linker has only text to tell a library that is not there from
 * one that is broken, or that needs another: what it begins with. */
static void say_why(char *why, size_t size, const char *lib,
		    const char *package)
{
	const char *error = dlerror();
	char missing[128];

	snprintf(missing, sizeof(missing),
		 "%s: cannot open shared object file: No such file", lib);
	if (!error)
		error = lib;
	if (!strncmp(error, missing, strlen(missing)))
		snprintf(why, size, "not installed: apt install %s", package);
	else
		snprintf(why, size, "cannot be loaded: %s", error);
}

/* ISO C has no conversion from object to function pointers; POSIX promises
 * that their bytes are the same. */
static bool find_all(void *lib, const struct symbol *s, size_t n)
{
	for (; n; n--, s++) {
		void *p = dlsym(lib, s->name);

		if (!p)
			return false;
		memcpy(s->fn_ret, &p, sizeof(p));
	}
	return true;
}

/* Where the code of @fn, a pointer to function, came from. */
static void find_file(const void *fn, char *file, size_t size)
{
	char *path = NULL;
	Dl_info info;
	void *addr;

	memcpy(&addr, fn, sizeof(addr));
	if (dladdr(addr, &info))
		path = realpath(info.dli_fname, NULL);
	snprintf(file, size, "%s", path ? path : "?");
	free(path);
}

/* Never closed: the library may have started what must not end with it. */
static void *load(const char *name, bool is_pmem)
{
	/* read by the library when it first asks whether memory is pmem */
	setenv("PMEM_IS_PMEM_FORCE", is_pmem ? "1" : "0", 1);
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* A variable that is 0 or 1 and otherwise has no effect. */
static bool is_env(const char *name, const char *value)
{
	const char *s = getenv(name);

	return s && !strcmp(s, value);
}

/*
 * libpmem has no call that tells.  Its rules (libpmem(7), and what 1.12 does
 * beyond it): the best that CPUID names, less what the environment takes away;
 * MOVDIR64B only if asked for.
 */
static void find_variants(struct peer_pmem *peer)
{
	unsigned int a, b = 0, c = 0, d;

	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	peer->copy_variant =
		is_env("PMEM_NO_MOVNT", "1") ? "temporal"
		: (c & bit_MOVDIR64B) && is_env("PMEM_MOVDIR64B", "1")
			? "movdir64b"
		: (b & bit_AVX512F) && !is_env("PMEM_AVX512F", "0") ? "avx512f"
		: __builtin_cpu_supports("avx") && !is_env("PMEM_AVX", "0")
			? "avx"
			: "sse2";
	peer->flush_variant =
		is_env("PMEM_NO_FLUSH", "1")                     ? "none"
		: (b & bit_CLWB) && !is_env("PMEM_NO_CLWB", "1") ? "clwb"
		: (b & bit_CLFLUSHOPT) && !is_env("PMEM_NO_CLFLUSHOPT", "1")
			? "clflushopt"
			: "clflush";
}

bool peer_load_pmem(struct peer_pmem *peer)
{
	const struct symbol symbols[] = {
		{ "pmem_memcpy_persist", &peer->memcpy_persist },
		{ "pmem_memcpy_nodrain", &peer->memcpy_nodrain },
		{ "pmem_memset_persist", &peer->memset_persist },
		{ "pmem_memset_nodrain", &peer->memset_nodrain },
		{ "pmem_flush", &peer->flush },
		{ "pmem_drain", &peer->drain },
		{ "pmem_persist", &peer->persist },
		{ "pmem_msync", &peer->msync },
	};
	void *lib = load(PMEM, true);

	*peer = (struct peer_pmem){ .file = "" };
	if (!lib || !find_all(lib, symbols, ARRAY_SIZE(symbols))) {
		say_why(peer->why, sizeof(peer->why), PMEM, "libpmem1");
		return false;
	}
	find_file(&peer->memcpy_persist, peer->file, sizeof(peer->file));
	find_variants(peer);
	return true;
}

bool peer_load_pmemlog(struct peer_pmemlog *peer, bool is_pmem)
{
	const struct symbol symbols[] = {
		{ "pmemlog_create", &peer->create },
		{ "pmemlog_close", &peer->close },
		{ "pmemlog_append", &peer->append },
		{ "pmemlog_appendv", &peer->appendv },
		{ "pmemlog_rewind", &peer->rewind },
		{ "pmemlog_nbyte", &peer->nbyte },
		{ "pmemlog_errormsg", &peer->errormsg },
	};
	void *lib = load(PMEMLOG, is_pmem);

	*peer = (struct peer_pmemlog){ .file = "" };
	if (!lib || !find_all(lib, symbols, ARRAY_SIZE(symbols))) {
		say_why(peer->why, sizeof(peer->why), PMEMLOG, "libpmemlog1");
		return false;
	}
	find_file(&peer->append, peer->file, sizeof(peer->file));
	return true;
}
