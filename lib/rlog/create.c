/* SPDX-License-Identifier: BSD-3-Clause */
/* Make a new log, without harm to what may be there. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/copy.h>

#include "base/cleanup.h"
#include "base/export.h"
#include "base/io.h"
#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "rlog/rlog_impl.h"

#define CREATE_FLAGS (PMK_RLOG_EMULATED | PMK_RLOG_SPARSE | PMK_RLOG_FORCE)

/* 1 if all of @fd's data in [@off, @end) is zero, 0 if not, or -errno. */
static int zero_range(int fd, uint64_t off, uint64_t end)
{
	unsigned char buf[65536];

	while (off < end) {
		ssize_t n = pmk_pread_full(
			fd, buf, pmk_min_size(sizeof(buf), end - off), off);

		if (n < 0)
			return (int)n;
		if (!pmk_is_zero(buf, (size_t)n))
			return 0;
		if (n == 0)
			break;
		off += (uint64_t)n;
	}
	return 1;
}

/* 1 if a file has no data: holes are passed over, a large new file is quick. */
static int file_is_zero(int fd)
{
	off_t at = 0, data, hole;
	int rc;

	while ((data = lseek(fd, at, SEEK_DATA)) >= 0) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		rc = zero_range(fd, (uint64_t)data, (uint64_t)hole);
		if (rc <= 0)
			return rc;
		at = hole;
	}
	return errno == ENXIO ? 1 : -errno; /* ENXIO: no data from here on */
}

static int check_file_has_no_data(int fd, const char *path)
{
	int rc = file_is_zero(fd);

	if (rc < 0)
		return pmk_fail(rc, "%s: cannot read: %s", path,
				pmk_strerror(rc));
	return rc ? 0 : pmk_fail(PMK_E_LOG_EXISTS, "%s: holds data", path);
}

/* The id makes records of an earlier log in the same place unsound. */
static int new_id(uint64_t *id_ret)
{
	return getrandom(id_ret, sizeof(*id_ret), 0) == sizeof(*id_ret) ? 0
									: -EIO;
}

static int write_header_page(struct pmk_map *map)
{
	unsigned char page[RLOG_DATA] = { 0 };
	struct rlog_state state = {
		.generation = 0,
		.flags = RLOG_STATE_CLEAN,
		.committed = RLOG_DATA,
		.number = 1,
		.limit = RLOG_DATA,
	};
	bool emulated = pmk_map_kind(map) == PMK_MAP_KIND_EMULATED;
	struct rlog_super super = {
		.version = RLOG_VERSION,
		.flags = emulated ? RLOG_SUPER_EMULATED : 0,
		.size = pmk_align_down(pmk_map_size(map), RLOG_LINE),
		.domain = emulated ? pmk_map_domain(map) : PMK_DOMAIN_UNKNOWN,
	};
	int rc = new_id(&super.id);

	if (rc)
		return pmk_fail(rc, "no random number for the log's id");
	pmk_rlog_put_super(page + RLOG_SUPER_A, &super);
	pmk_rlog_put_super(page + RLOG_SUPER_B, &super);
	pmk_rlog_put_state(page + RLOG_STATE_A, &state, super.id);
	return pmk_map_memcpy(map, pmk_map_addr(map), page, sizeof(page), 0);
}

/* The lock is held. */
static int format_locked(struct pmk_map *map, uint32_t flags)
{
	unsigned char page[RLOG_DATA];
	int rc;

	if (map->read_only)
		return pmk_fail(PMK_E_READ_ONLY, "the mapping is read-only");
	if (map->len < PMK_RLOG_MIN_SIZE)
		return pmk_fail(-EINVAL, "a log needs at least %d bytes",
				PMK_RLOG_MIN_SIZE);
	/* in a sparse file the header page may be a hole, which even a load
	 * would have to fill */
	rc = pmk_rlog_reserve(map, 0, RLOG_DATA);
	if (rc)
		return pmk_fail(rc, "cannot reserve blocks: %s",
				pmk_strerror(rc));
	/* where it cannot be read, a store would end the process */
	if (pmk_copy_mc(page, map->addr, RLOG_DATA))
		return pmk_fail(-EIO, "the first %u bytes cannot be read",
				RLOG_DATA);
	if (!(flags & PMK_RLOG_FORCE) && !pmk_is_zero(page, RLOG_DATA))
		return pmk_fail(PMK_E_LOG_EXISTS, "the mapping holds data");
	return write_header_page(map);
}

PMK_EXPORT int pmk_rlog_format(struct pmk_map *map, uint32_t flags)
{
	int lock, rc;

	if (flags & ~PMK_RLOG_FORCE)
		return pmk_fail(-EINVAL, "unknown flags 0x%x", flags);
	lock = pmk_rlog_lock(map, false);
	if (lock < 0)
		return lock;
	rc = format_locked(map, flags);
	pmk_rlog_unlock(lock);
	return rc;
}

static int check_args(const char *path, uint64_t size, uint32_t flags)
{
	if (!path || flags & ~CREATE_FLAGS)
		return pmk_fail(-EINVAL, "no path, or unknown flags 0x%x",
				flags);
	if (size && size < PMK_RLOG_MIN_SIZE)
		return pmk_fail(-EINVAL, "a log needs at least %d bytes",
				PMK_RLOG_MIN_SIZE);
	return 0;
}

/* Open the file, making it if @may_create; regular files only. */
static int open_file(const char *path, bool may_create, int *fd_ret,
		     bool *created_ret)
{
	*created_ret = false;
	if (may_create) {
		*fd_ret =
			open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		*created_ret = *fd_ret >= 0;
		if (*created_ret)
			return 0;
	}
	if (!may_create || errno == EEXIST)
		*fd_ret = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return *fd_ret < 0 ? pmk_fail(-errno, "%s: cannot open: %s", path,
				      pmk_strerror(-errno))
			   : 0;
}

/* Is @fd still what @path names?  Whoever made it may have failed, and taken it
 * away again, before this process had the lock. */
static bool is_named(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* How often a file may vanish between its opening and its locking. */
#define TRIES 100

/*
 * Open and lock.  Only who has the lock makes a file longer, formats it or
 * takes it away, so that of several creators one wins and the others do not
 * undo its work.
 */
static int open_locked(const char *path, bool may_create, int *fd_ret,
		       bool *created_ret)
{
	for (int i = 0; i < TRIES; i++) {
		int rc = open_file(path, may_create, fd_ret, created_ret);

		if (rc)
			return rc;
		rc = pmk_rlog_lock_fd(*fd_ret);
		if (!rc && is_named(*fd_ret, path))
			return 0;
		close(*fd_ret);
		if (rc)
			return rc;
	}
	return pmk_fail(-EAGAIN, "%s: replaced again and again", path);
}

static int map_and_format(const char *path, uint64_t size, uint32_t flags,
			  bool locked)
{
	struct pmk_map_params p = { .len = pmk_align_down(size, RLOG_LINE) };
	struct pmk_map *map;
	int rc;

	if (p.len)
		p.flags |= PMK_MAP_CREATE;
	if (p.len && flags & PMK_RLOG_SPARSE)
		p.flags |= PMK_MAP_SPARSE;
	if (flags & PMK_RLOG_EMULATED)
		p.flags |= PMK_MAP_EMULATED;
	rc = pmk_map_open(path, &p, &map);
	if (rc)
		return rc;
	flags &= PMK_RLOG_FORCE;
	rc = locked ? format_locked(map, flags) : pmk_rlog_format(map, flags);
	pmk_map_close(map);
	return rc;
}

static int create_in_file(const char *path, uint64_t size, uint32_t flags)
{
	struct pmk_file_undo undo = { .path = path };
	struct stat st;
	int fd, rc = open_locked(path, size != 0, &fd, &undo.created);

	if (rc)
		return rc;
	rc = fstat(fd, &st) ? -errno : 0;
	/* a file that this process made, but that another one got to lock
	 * first and filled, is not its to take away */
	if (!rc && st.st_size)
		undo.created = false;
	if (!rc && !(flags & PMK_RLOG_FORCE))
		rc = check_file_has_no_data(fd, path);
	if (!rc) {
		undo.old_size = (uint64_t)st.st_size;
		undo.extended = pmk_align_down(size, RLOG_LINE) > undo.old_size;
		rc = map_and_format(path, size, flags, true);
	}
	/* the mapping found the file there: its name is this function's */
	if (!rc && undo.created && !(flags & PMK_RLOG_EMULATED))
		rc = pmk_file_sync(fd, &undo);
	if (rc)
		pmk_file_undo(&undo, fd);
	pmk_rlog_unlock(fd);
	return rc;
}

PMK_EXPORT int pmk_rlog_create(const char *path, uint64_t size, uint32_t flags)
{
	int rc = check_args(path, size, flags);
	struct stat st;

	if (rc)
		return rc;
	/* what is no file has nothing to undo, and the mapping refuses it or
	 * knows it for devdax */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return map_and_format(path, size, flags, false);
	return create_in_file(path, size, flags);
}
