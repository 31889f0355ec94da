/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the command: a signal before the Nth call of those that change
 * a file, its name or what of it is durable.
 *
 * PMK_TEST_SIGNAL="SIGNAL:N"	by numbers; N is 1 for the first call
 * PMK_TEST_COUNT=PATH	at the end, how many calls there were
 *
 * Writes that the C library makes for stdio are not seen.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_uint calls;

/* One more call.  To the whole process, as a terminal sends it. */
static void count(void)
{
	const char *s = getenv("PMK_TEST_SIGNAL");
	unsigned int n = atomic_fetch_add(&calls, 1) + 1, at;
	int sig;

	if (s && sscanf(s, "%d:%u", &sig, &at) == 2 && n == at)
		kill(getpid(), sig);
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("PMK_TEST_COUNT");
	FILE *f = path ? fopen(path, "we") : NULL;

	if (!f)
		return;
	fprintf(f, "%u\n", atomic_load(&calls));
	fclose(f);
}

/* The function @name behind this one, of the type of @next. */
#define NEXT(next, name) (*(void **)&(next) = dlsym(RTLD_NEXT, name))

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t off);
int fdatasync(int fd);

ssize_t write(int fd, const void *data, size_t len)
{
	ssize_t (*next)(int, const void *, size_t);

	count();
	NEXT(next, "write");
	return next(fd, data, len);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t off)
{
	return pwrite64(fd, data, len, off);
}

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t off)
{
	ssize_t (*next)(int, const void *, size_t, off64_t);

	count();
	NEXT(next, "pwrite64");
	return next(fd, data, len, off);
}

static int sync_by(const char *name, int fd)
{
	int (*next)(int);

	count();
	NEXT(next, name);
	return next(fd);
}

int fsync(int fd)
{
	return sync_by("fsync", fd);
}

int fdatasync(int fd)
{
	return sync_by("fdatasync", fd);
}

int rename(const char *from, const char *to)
{
	int (*next)(const char *, const char *);

	count();
	NEXT(next, "rename");
	return next(from, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to,
	      unsigned int flags)
{
	int (*next)(int, const char *, int, const char *, unsigned int);

	count();
	NEXT(next, "renameat2");
	return next(from_dir, from, to_dir, to, flags);
}
