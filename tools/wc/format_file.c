/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Write an empty cache.  Until its superblock is written, in one piece and
 * last, there is a blank one: should the machine stop meanwhile, the kernel
 * formats it, and never meets a half of one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/util.h"
#include "out.h"
#include "pmk.h"
#include "wc/format_file.h"

#define CHUNK ((size_t)1 << 20)

/* What must be blank, at the least: file systems have their first superblock in
 * here (btrfs at 64 KiB). */
#define LOOK ((uint64_t)128 << 10)

static int make(struct format_file *f)
{
	f->fd = open(f->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (f->fd < 0)
		return out_fail(f->path, -errno,
				errno == EEXIST
					? "without --size it is formatted"
					: NULL);
	if (ftruncate(f->fd, (off_t)f->create_size) < 0)
		return out_fail(f->path, -errno, NULL);
	return EXIT_OK;
}

static const char *remedy(int code)
{
	switch (code) {
	case -ENOENT:
		return "--size SIZE makes a new file";
	case -EBUSY:
		return "it is mounted, mapped, a loop device, locked or open "
		       "elsewhere";
	default:
		return NULL;
	}
}

static int open_there(struct format_file *f, uint64_t *size_ret)
{
	struct stat st;
	int rc;

	if (stat(f->path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return PMK_E_FILE_TYPE;
	f->fd = open(f->path,
		     O_RDWR | O_CLOEXEC | (S_ISBLK(st.st_mode) ? O_EXCL : 0));
	if (f->fd < 0)
		return -errno;
	/* whoever uses it, --force is not about that */
	rc = pmk_claim(f->fd);
	if (rc)
		return rc;
	*size_ret = (uint64_t)st.st_size;
	if (S_ISBLK(st.st_mode) && ioctl(f->fd, BLKGETSIZE64, size_ret) < 0)
		return -errno;
	return 0;
}

static int lay_out(struct format_file *f, uint64_t size)
{
	uint64_t start = f->start_sector * PMK_WC_SECTOR;
	int rc;

	if (f->offset >= size || start >= size - f->offset)
		return out_error("%s: the superblock would be behind the end",
				 out_path(f->path));
	f->base = f->offset + start;
	/* a device has whole sectors */
	f->room = pmk_align_down(size - f->base, PMK_WC_SECTOR);
	rc = pmk_wc_geometry_for(f->room, f->block_size, &f->geo);
	return rc ? out_fail(f->path, rc, NULL) : EXIT_OK;
}

/* Something that is not zero, where it would be overwritten. */
static int look_for_data(const struct format_file *f, unsigned char *buf,
			 bool *found_ret)
{
	uint64_t end = f->geo.data_off < LOOK ? LOOK : f->geo.data_off;

	end = pmk_min_size(end, f->room);
	*found_ret = false;
	for (uint64_t off = 0; !*found_ret && off < end; off += CHUNK) {
		ssize_t n = pmk_pread_full(f->fd, buf,
					   pmk_min_size(CHUNK, end - off),
					   f->base + off);

		if (n < 0)
			return (int)n;
		*found_ret = !pmk_is_zero(buf, (size_t)n);
	}
	return 0;
}

static int refuse_data(const struct format_file *f)
{
	unsigned char raw[PMK_WC_SUPERBLOCK_BYTES] = { 0 };
	enum pmk_wc_layout layout;

	if (pmk_pread_full(f->fd, raw, sizeof(raw), f->base) < 0)
		memset(raw, 0, sizeof(raw));
	layout = pmk_wc_layout(raw);
	if (layout == PMK_WC_LAYOUT_UNKNOWN || layout == PMK_WC_LAYOUT_BLANK)
		return out_error("%s: there is data already; --force "
				 "overwrites it",
				 out_path(f->path));
	return out_error("%s: there is a cache already (%s); pmk wc info says "
			 "what is dirty, --force overwrites it",
			 out_path(f->path), pmk_wc_layout_name(layout));
}

static int check_blank(const struct format_file *f, unsigned char *buf)
{
	bool found;
	int rc = look_for_data(f, buf, &found);

	if (rc)
		return out_fail(f->path, rc, NULL);
	return found ? refuse_data(f) : EXIT_OK;
}

static int put(const struct format_file *f, const void *buf, size_t len,
	       uint64_t off)
{
	if (lseek(f->fd, (off_t)(f->base + off), SEEK_SET) < 0)
		return -errno;
	return pmk_write_full(f->fd, buf, len);
}

static int put_entries(const struct format_file *f, unsigned char *buf)
{
	uint64_t end = pmk_wc_entry_off(f->geo.n_blocks);
	int rc = 0;

	memset(buf, 0xff, CHUNK);
	for (uint64_t off = pmk_wc_entry_off(0); !rc && off < end; off += CHUNK)
		rc = put(f, buf, pmk_min_size(CHUNK, end - off), off);
	return rc;
}

static int sync_fd(int fd)
{
	return fsync(fd) < 0 ? -errno : 0;
}

static int put_all(const struct format_file *f, unsigned char *buf)
{
	unsigned char raw[PMK_WC_SUPERBLOCK_BYTES] = { 0 };
	const struct pmk_wc_superblock sb = {
		.magic = PMK_WC_MAGIC,
		.version = PMK_WC_VERSION,
		.block_size = f->block_size,
		.n_blocks = f->geo.n_blocks,
	};
	int rc = put(f, raw, sizeof(raw), 0);

	/* blank before an entry is lost */
	if (!rc)
		rc = sync_fd(f->fd);
	if (!rc)
		rc = put_entries(f, buf);
	/* entries before the superblock that makes them count */
	if (!rc)
		rc = sync_fd(f->fd);
	pmk_wc_superblock_encode(&sb, raw);
	if (!rc)
		rc = put(f, raw, sizeof(raw), 0);
	return rc ? rc : sync_fd(f->fd);
}

static int format_open(struct format_file *f, uint64_t size)
{
	_cleanup_free_ unsigned char *buf = malloc(CHUNK);
	int rc = lay_out(f, size);

	if (!buf)
		out_of_memory();
	if (!rc && !f->force)
		rc = check_blank(f, buf);
	if (rc)
		return rc;
	rc = put_all(f, buf);
	return rc ? out_fail(f->path, rc, NULL) : EXIT_OK;
}

int format_file(struct format_file *f)
{
	uint64_t size = f->create_size;
	int rc;

	if (f->create_size) {
		rc = make(f);
	} else {
		rc = open_there(f, &size);
		if (rc)
			rc = out_fail(f->path, rc, remedy(rc));
	}
	if (!rc)
		rc = format_open(f, size);
	if (rc && f->create_size && f->fd >= 0)
		unlink(f->path);
	if (f->fd >= 0)
		close(f->fd);
	return rc;
}
