/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy of a cache, for pmk wc repair -o. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/media.h"
#include "base/util.h"
#include "wc/repair.h"

#define CHUNK ((size_t)1 << 20)
/* A hole is worth it from here on. */
#define PAGE 4096U

/* Bytes from @at on that are all zero, or all not, by pages. */
static size_t run(const char *buf, size_t at, size_t len, bool zero)
{
	size_t end = at;

	while (end < len &&
	       pmk_is_zero(buf + end, pmk_min_size(PAGE, len - end)) == zero)
		end = pmk_min_size(end + PAGE, len);
	return end - at;
}

static int write_chunk(int fd, const char *buf, size_t len, off_t off)
{
	size_t at = run(buf, 0, len, true);

	while (at < len) {
		size_t n = run(buf, at, len, false);
		int rc;

		if (lseek(fd, off + (off_t)at, SEEK_SET) < 0)
			return -errno;
		rc = pmk_write_full(fd, buf + at, n);
		if (rc)
			return rc;
		at += n;
		at += run(buf, at, len, true);
	}
	return 0;
}

/* The next data at or behind @off; @size if there is none. */
static off_t next_data(int fd, off_t off, off_t size)
{
	off_t data = lseek(fd, off, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? size : off;
	return data;
}

/* As a cache is opened: a device that is in use is busy. */
static int open_source(const char *path)
{
	struct stat st;
	int flags = O_RDONLY | O_CLOEXEC;

	if (stat(path, &st))
		return -1;
	return open(path, S_ISBLK(st.st_mode) ? flags | O_EXCL : flags);
}

static int lose(struct clone_lost *lost, uint64_t off, uint64_t len)
{
	struct clone_range *last = lost->n ? &lost->ranges[lost->n - 1] : NULL;

	lost->bytes += len;
	if (last && last->off + last->len == off) {
		last->len += len;
		return 0;
	}
	/* doubles at powers of two */
	if (!(lost->n & (lost->n - 1))) {
		last = reallocarray(lost->ranges, lost->n ? 2 * lost->n : 1,
				    sizeof(*last));
		if (!last)
			return -ENOMEM;
		lost->ranges = last;
	}
	lost->ranges[lost->n++] = (struct clone_range){ off, len };
	return 0;
}

/* @n bytes; by sectors where the medium fails, and those that fail are zeros.
 */
static ssize_t read_chunk(int fd, char *buf, size_t n, uint64_t off,
			  struct clone_lost *lost)
{
	ssize_t got = pmk_pread_full(fd, buf, n, off);
	size_t done, len;

	if (!pmk_is_medium_error((int)got))
		return got;
	for (done = 0; done < n; done += len) {
		len = pmk_min_size(PMK_WC_SECTOR - (off + done) % PMK_WC_SECTOR,
				   n - done);
		got = pmk_pread_media(fd, buf + done, len, off + done);
		if (got >= 0 && (size_t)got < len)
			return -EIO; /* it has become shorter */
		if (got >= 0)
			continue;
		if (!pmk_is_medium_error((int)got))
			return got;
		memset(buf + done, 0, len);
		got = lose(lost, off + done, len);
		if (got)
			return got;
	}
	return (ssize_t)n;
}

int clone_file(const char *path, int fd, struct clone_lost *lost)
{
	_cleanup_fd_ int from = open_source(path);
	_cleanup_free_ char *buf = malloc(CHUNK);
	off_t size = from < 0 ? -1 : lseek(from, 0, SEEK_END), off;

	if (!buf)
		return -ENOMEM;
	if (size < 0 || ftruncate(fd, size))
		return -errno;
	off = next_data(from, 0, size);
	while (off < size) {
		size_t n = pmk_min_size(CHUNK, (size_t)(size - off));
		ssize_t got = read_chunk(from, buf, n, (uint64_t)off, lost);
		int rc;

		if (got <= 0)
			return got ? (int)got : -EIO; /* it is shorter now */
		rc = write_chunk(fd, buf, (size_t)got, off);
		if (rc)
			return rc;
		off = next_data(from, off + got, size);
	}
	return 0;
}
