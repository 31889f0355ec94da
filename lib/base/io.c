/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole reads and writes of files. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"

ssize_t pmk_pread_full(int fd, void *buf, size_t len, uint64_t off)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)buf + done, len - done,
				  (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int pmk_write_full(int fd, const void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, (const char *)buf + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

int pmk_pwrite_full(int fd, const void *buf, size_t len, uint64_t off)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(fd, (const char *)buf + done, len - done,
				   (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

/* @n bytes were read into a buffer of @len: make them a string. */
static ssize_t end_text(char *buf, ssize_t n, size_t len)
{
	if (n < 0)
		return n;
	if ((size_t)n == len)
		return -E2BIG;
	if (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return n;
}

ssize_t pmk_read_text(const char *path, char *buf, size_t len)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return end_text(buf, pmk_pread_full(fd, buf, len, 0), len);
}

ssize_t pmk_read_attribute(const char *path, char *buf, size_t len)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, buf, len);
	} while (n < 0 && errno == EINTR);
	return end_text(buf, n < 0 ? -errno : n, len);
}
