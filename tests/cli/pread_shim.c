/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the command: a pread(2) for which parts of files are bad.
 *
 * PMK_TEST_BAD="NAME:OFF+LEN[@CALL],..."	bytes of files whose name begins
 *	with NAME, from the CALLth read of such a file on
 * PMK_TEST_WAIT="NAME:PATH"	before its second read of such a file, wait
 *until PATH is there
 *
 * As in the kernel, a read ends before what is bad, and one that begins there
 * fails.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BAD 4096U

struct bad {
	char name[64];
	uint64_t off, len;
	unsigned int call;
};

static struct bad bad[MAX_BAD];
static size_t n_bad;
static unsigned int calls;

__attribute__((constructor)) static void parse(void)
{
	const char *s = getenv("PMK_TEST_BAD");

	for (; s && *s && n_bad < MAX_BAD; n_bad++) {
		struct bad *b = &bad[n_bad];

		if (sscanf(s, "%63[^:]:%lu+%lu@%u", b->name, &b->off, &b->len,
			   &b->call) < 3)
			abort();
		s = strchr(s, ',');
		s = s ? s + 1 : "";
	}
}

/* Does the name of @fd, without its directory, begin with @name? */
static int is_named(int fd, const char *name)
{
	char link[64], path[4096];
	const char *last;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return 0;
	path[n] = '\0';
	last = strrchr(path, '/');
	return !strncmp(last ? last + 1 : path, name, strlen(name));
}

static void wait_for_path(int fd)
{
	const char *s = getenv("PMK_TEST_WAIT");
	char name[64], path[4096];
	static unsigned int seen;

	if (!s || sscanf(s, "%63[^:]:%4095s", name, path) != 2 ||
	    !is_named(fd, name) || ++seen != 2)
		return;
	while (access(path, F_OK))
		usleep(10000);
}

/* How many of @n bytes at @off can be read; 0 if the first cannot. */
static size_t readable(int fd, uint64_t off, size_t n)
{
	const char *name = NULL;
	int named = 0, counted = 0;

	for (size_t i = 0; i < n_bad; i++) {
		const struct bad *b = &bad[i];

		if (!name || strcmp(name, b->name))
			named = is_named(fd, b->name);
		name = b->name;
		if (!named)
			continue;
		if (!counted++)
			calls++;
		if (calls < b->call || b->off + b->len <= off ||
		    b->off >= off + n)
			continue;
		n = b->off > off ? b->off - off : 0;
	}
	return n;
}

/* The headers name both, according to the size of off_t that is asked for. */
ssize_t pread(int fd, void *buf, size_t n, off_t off);
ssize_t pread64(int fd, void *buf, size_t n, off64_t off);

ssize_t pread64(int fd, void *buf, size_t n, off64_t off)
{
	ssize_t (*next)(int, void *, size_t, off64_t);
	size_t can;

	*(void **)&next = dlsym(RTLD_NEXT, "pread64");
	wait_for_path(fd);
	can = readable(fd, (uint64_t)off, n);
	if (n && !can) {
		errno = EIO;
		return -1;
	}
	return next(fd, buf, can, off);
}

ssize_t pread(int fd, void *buf, size_t n, off_t off)
{
	return pread64(fd, buf, n, off);
}
