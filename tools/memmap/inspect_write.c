/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk memmap inspect --write: an info block in an image, for tests.  Never on a
 * device: ndctl write-infoblock does that.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/util.h"
#include "memmap/inspect.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

/* Version 4, variant 1 of RFC 9562. */
static int random_uuid(uint8_t uuid[16])
{
	if (getrandom(uuid, 16, 0) != 16)
		return out_error("no random numbers for a UUID");
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
	return EXIT_OK;
}

static int make_block(const struct infoblock_new *n,
		      unsigned char block[PMK_INFOBLOCK_BYTES])
{
	struct pmk_infoblock ib;
	int rc = pmk_infoblock_predict(&n->ns, &ib);

	if (rc)
		return out_fail(n->path, rc, NULL);
	memcpy(ib.uuid, n->uuid, sizeof(ib.uuid));
	memcpy(ib.parent_uuid, n->parent_uuid, sizeof(ib.parent_uuid));
	rc = pmk_infoblock_encode(&ib, block);
	return rc ? out_fail(n->path, rc, NULL) : EXIT_OK;
}

/* Of an existing file: it has room for the namespace, and no block yet. */
static int check_file(struct infoblock_new *n, int fd, const struct stat *st)
{
	unsigned char old[PMK_INFOBLOCK_BYTES];
	uint64_t have = (uint64_t)st->st_size;
	ssize_t got;

	if (!n->size_given)
		n->ns.size = have > n->offset ? have - n->offset : 0;
	if (n->offset > have || n->ns.size > have - n->offset)
		return out_error("%s: of %" PRIu64 " bytes: too short for a "
				 "namespace of %" PRIu64 " bytes at %" PRIu64,
				 n->path, have, n->ns.size, n->offset);
	if (n->ns.size % 4096)
		return out_error("%s: %" PRIu64 " bytes are no multiple of "
				 "4096; --size says how large the namespace is",
				 n->path, n->ns.size);
	got = pmk_pread_full(fd, old, sizeof(old),
			     n->offset + PMK_INFOBLOCK_OFF);
	if (got < 0)
		return out_fail(n->path, (int)got, NULL);
	if (!n->force && !pmk_is_zero(old, (size_t)got))
		return out_error("%s: there is data already at byte %" PRIu64
				 "; --force overwrites it",
				 n->path, n->offset + PMK_INFOBLOCK_OFF);
	return EXIT_OK;
}

/* Room first: then the block is written whole. */
static int put_block(const struct infoblock_new *n, int fd,
		     const unsigned char block[PMK_INFOBLOCK_BYTES])
{
	off_t off = (off_t)(n->offset + PMK_INFOBLOCK_OFF);

	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, off, PMK_INFOBLOCK_BYTES) &&
	    errno != EOPNOTSUPP)
		return -errno;
	if (lseek(fd, off, SEEK_SET) < 0)
		return -errno;
	return pmk_write_full(fd, block, PMK_INFOBLOCK_BYTES);
}

static int write_existing(struct infoblock_new *n, int fd)
{
	unsigned char block[PMK_INFOBLOCK_BYTES];
	struct stat st;
	int rc;

	if (fstat(fd, &st))
		return out_fail(n->path, -errno, NULL);
	if (!S_ISREG(st.st_mode))
		return out_error("%s: not a regular file; ndctl "
				 "write-infoblock writes to a namespace",
				 n->path);
	rc = check_file(n, fd, &st);
	if (!rc)
		rc = make_block(n, block);
	if (rc)
		return rc;
	rc = put_block(n, fd, block);
	if (!rc && fsync(fd))
		rc = -errno;
	return rc ? out_fail(n->path, rc, NULL) : EXIT_OK;
}

/* A sparse image of all of the namespace, or nothing. */
static int write_new(struct infoblock_new *n)
{
	unsigned char block[PMK_INFOBLOCK_BYTES];
	_cleanup_fd_ int fd = -1;
	int rc;

	if (!n->size_given)
		return out_fail(n->path, -ENOENT,
				"--size SIZE makes a new file");
	if (n->offset > INT64_MAX - n->ns.size)
		return out_fail(n->path, -EFBIG, NULL);
	rc = make_block(n, block);
	if (rc)
		return rc;
	fd = open(n->path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return out_fail(n->path, -errno, NULL);
	if (ftruncate(fd, (off_t)(n->offset + n->ns.size)))
		rc = -errno;
	if (!rc)
		rc = put_block(n, fd, block);
	if (!rc && fsync(fd))
		rc = -errno;
	if (!rc)
		return EXIT_OK;
	unlink(n->path);
	return out_fail(n->path, rc, NULL);
}

static int write_held(struct infoblock_new *n)
{
	struct stat st;
	_cleanup_fd_ int fd = -1;

	if (stat(n->path, &st))
		return errno == ENOENT ? write_new(n)
				       : out_fail(n->path, -errno, NULL);
	/* opening a device or a pipe for writing may do something */
	if (S_ISREG(st.st_mode))
		fd = open(n->path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	else
		fd = open(n->path, O_PATH | O_CLOEXEC);
	return fd < 0 ? out_fail(n->path, -errno, NULL) : write_existing(n, fd);
}

int infoblock_write(struct infoblock_new *n)
{
	int rc = n->uuid_given ? EXIT_OK : random_uuid(n->uuid);

	if (rc)
		return rc;
	/* half a block, or an empty image, is nothing to leave behind */
	signals_hold();
	rc = write_held(n);
	signals_release();
	return rc;
}
