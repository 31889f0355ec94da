/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads of storage that may be damaged, which lose no more than that. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/media.h"
#include "base/util.h"

/* Of the buffer; any device is satisfied by a page. */
#define BUFFER_ALIGN 4096U
/* The largest block, and a sector at each end. */
#define MOST   65536U
#define BOUNCE (MOST + 2 * BUFFER_ALIGN)
bool pmk_is_medium_error(int code)
{
	switch (code) {
	case -EIO:
	case -EBADMSG:
	case -ENODATA: /* SCSI: medium error */
	case -EREMOTEIO:
	case -EILSEQ: /* protection information */
		return true;
	default:
		return false;
	}
}

/* The same file, past the page cache; -1 if it cannot be. */
static int open_direct(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
}

/* By whole sectors of @sector bytes. */
static ssize_t read_sectors(int fd, unsigned char *bounce, unsigned int sector,
			    void *buf, size_t len, uint64_t off)
{
	uint64_t first = pmk_align_down(off, sector);
	size_t skip = (size_t)(off - first);
	ssize_t n = pmk_pread_full(fd, bounce, pmk_align_up(skip + len, sector),
				   first);

	if (n < 0)
		return n;
	len = pmk_min_size(len, (size_t)n > skip ? (size_t)n - skip : 0);
	memcpy(buf, bounce + skip, len);
	return (ssize_t)len;
}

static ssize_t read_direct(int fd, void *buf, size_t len, uint64_t off)
{
	_cleanup_free_ unsigned char *bounce =
		aligned_alloc(BUFFER_ALIGN, BOUNCE);
	_cleanup_fd_ int direct = open_direct(fd);
	ssize_t n = -EIO;

	if (!bounce || direct < 0)
		return n;
	n = read_sectors(direct, bounce, 512, buf, len, off);
	/* a disk of larger sectors */
	return n == -EINVAL ? read_sectors(direct, bounce, BUFFER_ALIGN, buf,
					   len, off)
			    : n;
}

ssize_t pmk_pread_media(int fd, void *buf, size_t len, uint64_t off)
{
	ssize_t n = pmk_pread_full(fd, buf, len, off), again;

	if (n >= 0 || len > MOST || !pmk_is_medium_error((int)n))
		return n;
	again = read_direct(fd, buf, len, off);
	/* of two errors that which everybody would get */
	return again < 0 ? n : again;
}
