/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks, and devices past the page cache. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dm.h"
#include "rig.h"

static unsigned int checks, failures;

bool check(bool good, const char *fmt, ...)
{
	va_list ap;

	checks++;
	if (good)
		return true;
	failures++;
	printf("not ok %u - ", checks);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	return false;
}

int finish(const char *text)
{
	printf("%sok %u - %s: %u checks, %u failed\n", failures ? "not " : "",
	       checks, text, checks, failures);
	fflush(stdout);
	return failures || !checks;
}

void die(const char *fmt, ...)
{
	va_list ap;

	printf("cannot go on: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

unsigned char *buffer(size_t len)
{
	void *p = aligned_alloc(4096, (len + 4095) & ~4095UL);

	if (!p)
		die("no memory");
	return memset(p, 0, len);
}

static int open_direct(const char *path, int flags)
{
	int fd = open(path, flags | O_DIRECT | O_CLOEXEC);

	/* tmpfs of 6.1 has no O_DIRECT, and nothing that it would pass */
	return fd < 0 && errno == EINVAL ? open(path, flags | O_CLOEXEC) : fd;
}

int dev_read_by(size_t piece, const char *path, uint64_t off, void *buf,
		size_t len)
{
	int fd = open_direct(path, O_RDONLY), rc = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	for (size_t at = 0; at < len && !rc; at += piece) {
		if (piece > len - at)
			piece = len - at;
		n = pread(fd, (char *)buf + at, piece, (off_t)(off + at));
		if (n != (ssize_t)piece)
			rc = n < 0 ? -errno : -EIO;
	}
	close(fd);
	return rc;
}

int dev_read(const char *path, uint64_t off, void *buf, size_t len)
{
	return dev_read_by(len, path, off, buf, len);
}

int dev_write(const char *path, uint64_t off, const void *buf, size_t len)
{
	int fd = open_direct(path, O_WRONLY), rc = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = pwrite(fd, buf, len, (off_t)off);
	if (n != (ssize_t)len)
		rc = n < 0 ? -errno : -EIO;
	close(fd);
	return rc;
}

int dev_sync(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = fsync(fd) ? -errno : 0;
	close(fd);
	return rc;
}

int dev_discard(const char *path, uint64_t off, uint64_t len)
{
	uint64_t range[2] = { off, len };
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = ioctl(fd, BLKDISCARD, range) ? -errno : 0;
	close(fd);
	return rc;
}

void file_put(const char *path, const void *buf, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(buf, 1, len, f) != len || fclose(f))
		die("%s: %s", path, strerror(errno));
}

const char *dm_path(int minor)
{
	static char path[4][32];
	static unsigned int turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "/dev/dm-%d", minor);
	return p;
}

const char *loop_on(const char *file, uint64_t size)
{
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *path;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		die("%s: %s", file, strerror(errno));
	close(fd);
	if (asprintf(&path, "/dev/loop%d", loop_make(file)) < 0)
		die("no memory");
	return path;
}

uint64_t get_le(const unsigned char *p, size_t len)
{
	uint64_t v = 0;

	while (len--)
		v = v << 8 | p[len];
	return v;
}

void put_le(unsigned char *p, uint64_t v, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}
