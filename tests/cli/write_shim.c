/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the command: what it writes to files and when it syncs them is
 * logged, counted, and made to fail.  Files are named without their directory.
 *
 * PMK_TEST_LOG=PATH	a line for each call: "write NAME OFF LEN", "sync NAME"
 * PMK_TEST_KILL=N	SIGKILL instead of the Nth call
 * PMK_TEST_TERM=N	SIGTERM before the Nth call
 * PMK_TEST_BAD_WRITE="NAME:OFF+LEN"	such a write fails with EIO
 * PMK_TEST_BAD_SYNC="NAME:N"	the Nth sync of it fails with EIO
 * PMK_TEST_LOSE="NAME:OFF"	a byte of what is written there becomes another
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_uint calls;

static const char *name_of(int fd, char *buf, size_t size)
{
	char link[64];
	const char *last;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, size - 1);
	buf[n < 0 ? 0 : n] = '\0';
	last = strrchr(buf, '/');
	return last ? last + 1 : buf;
}

static unsigned int number(const char *variable)
{
	const char *s = getenv(variable);

	return s ? (unsigned int)strtoul(s, NULL, 10) : 0;
}

static void log_line(const char *line)
{
	const char *path = getenv("PMK_TEST_LOG");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

	if (fd < 0)
		return;
	if (write(fd, line, strlen(line)) < 0)
		abort();
	close(fd);
}

/* One more call of those that count. */
static void count(void)
{
	unsigned int n = atomic_fetch_add(&calls, 1) + 1;

	if (n == number("PMK_TEST_KILL"))
		raise(SIGKILL);
	if (n == number("PMK_TEST_TERM"))
		kill(getpid(), SIGTERM);
}

static int is_bad(const char *name, uint64_t off, size_t len)
{
	const char *s = getenv("PMK_TEST_BAD_WRITE");
	uint64_t bad, n;
	char who[64];

	return s && sscanf(s, "%63[^:]:%lu+%lu", who, &bad, &n) == 3 &&
	       !strcmp(name, who) && off < bad + n && bad < off + len;
}

/* -1, or where in a write the medium keeps another byte. */
static long lost_at(const char *name, uint64_t off, size_t len)
{
	const char *s = getenv("PMK_TEST_LOSE");
	uint64_t at;
	char who[64];

	if (!s || sscanf(s, "%63[^:]:%lu", who, &at) != 2 ||
	    strcmp(name, who) || at < off || at >= off + len)
		return -1;
	return (long)(at - off);
}

static ssize_t do_write(int fd, const void *data, size_t len, off_t off)
{
	char path[4096], line[4200], *other;
	const char *name = name_of(fd, path, sizeof(path));
	ssize_t (*next)(int, const void *, size_t, off_t);
	ssize_t rc;
	long at;

	count();
	snprintf(line, sizeof(line), "write %s %ld %zu\n", name, (long)off,
		 len);
	log_line(line);
	if (is_bad(name, (uint64_t)off, len)) {
		errno = EIO;
		return -1;
	}
	*(void **)&next = dlsym(RTLD_NEXT, "pwrite64");
	at = lost_at(name, (uint64_t)off, len);
	if (at < 0)
		return next(fd, data, len, off);
	other = malloc(len);
	if (!other)
		abort();
	memcpy(other, data, len);
	other[at] ^= 1;
	rc = next(fd, other, len, off);
	free(other);
	return rc;
}

/* The headers name both, according to the size of off_t that is asked for. */
ssize_t pwrite(int fd, const void *data, size_t len, off_t off);
ssize_t pwrite64(int fd, const void *data, size_t len, off64_t off);
ssize_t pwritev2(int fd, const struct iovec *iov, int n, off_t off, int flags);
ssize_t pwritev64v2(int fd, const struct iovec *iov, int n, off64_t off,
		    int flags);
int fdatasync(int fd);

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t off)
{
	return do_write(fd, data, len, off);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t off)
{
	return do_write(fd, data, len, off);
}

ssize_t pwritev64v2(int fd, const struct iovec *iov, int n, off64_t off,
		    int flags)
{
	(void)flags;
	if (n != 1)
		abort();
	return do_write(fd, iov->iov_base, iov->iov_len, off);
}

ssize_t pwritev2(int fd, const struct iovec *iov, int n, off_t off, int flags)
{
	return pwritev64v2(fd, iov, n, off, flags);
}

int fdatasync(int fd)
{
	static atomic_uint syncs;
	const char *s = getenv("PMK_TEST_BAD_SYNC");
	char path[4096], line[4200], who[64];
	const char *name = name_of(fd, path, sizeof(path));
	int (*next)(int);
	unsigned int nth;

	count();
	snprintf(line, sizeof(line), "sync %s\n", name);
	log_line(line);
	if (s && sscanf(s, "%63[^:]:%u", who, &nth) == 2 &&
	    !strcmp(name, who) && atomic_fetch_add(&syncs, 1) + 1 == nth) {
		errno = EIO;
		return -1;
	}
	*(void **)&next = dlsym(RTLD_NEXT, "fdatasync");
	return next(fd);
}
