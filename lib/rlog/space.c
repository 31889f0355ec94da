/* SPDX-License-Identifier: BSD-3-Clause */
/* Room for records: blocks of the file system, and the limit that moves. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "rlog/rlog_impl.h"

/*
 * Are all blocks of the file there already?  Only tmpfs counts them exactly,
 * and there it is worth asking: fallocate() visits each page, 40 us a window.
 */
static bool is_reserved(int fd)
{
	struct statfs fs;
	struct stat st;

	return !fstatfs(fd, &fs) && fs.f_type == TMPFS_MAGIC &&
	       !fstat(fd, &st) && st.st_blocks * 512 >= st.st_size;
}

/*
 * Make the file system promise blocks for a range, so that a store to a sparse
 * file cannot meet a full one, which would be SIGBUS.
 */
int pmk_rlog_reserve(struct pmk_map *map, uint64_t from, uint64_t to)
{
	int rc;

	if (map->kind == PMK_MAP_KIND_DEVDAX || is_reserved(map->fd))
		return 0;
	do {
		rc = fallocate(map->fd, FALLOC_FL_KEEP_SIZE, (off_t)from,
			       (off_t)(to - from))
			     ? -errno
			     : 0;
	} while (rc == -EINTR);
	/* a file system that cannot promise has written zeros at creation */
	return rc == -EOPNOTSUPP ? 0 : rc;
}

/* Reserve from @old up to @want, or if there is no room for that, to @need;
 * *@limit_ret: how far. */
static int reserve_some(struct pmk_rlog *log, uint64_t old, uint64_t need,
			uint64_t want, uint64_t *limit_ret)
{
	int rc = pmk_rlog_reserve(log->map, old, want);

	*limit_ret = want;
	if ((rc == -ENOSPC || rc == -EDQUOT) && need > old && need < want) {
		*limit_ret = need;
		rc = pmk_rlog_reserve(log->map, old, need);
	}
	return rc;
}

int pmk_rlog_extend(struct pmk_rlog *log, uint64_t end, bool *stored_ret)
{
	uint64_t old = log->state.limit, limit = end + RLOG_WINDOW;
	struct rlog_state next = log->state;
	int rc;

	*stored_ret = false;
	if (limit > log->super.size)
		limit = log->super.size;
	if (old >= limit || end + RLOG_WINDOW / 2 <= old)
		return 0;
	rc = reserve_some(log, old, end, limit, &limit);
	if (rc) /* what is left of the window may be enough for now */
		return end <= old ? 0
				  : pmk_fail(rc, "cannot reserve blocks: %s",
					     pmk_strerror(rc));
	next.flags = 0;
	next.committed = log->tail;
	next.number = log->number;
	next.limit = limit;
	if (end <= old) { /* the append's own drain is early enough */
		pmk_rlog_store_state(log, &next);
		*stored_ret = true;
		return 0;
	}
	rc = pmk_rlog_commit_state(log, &next);
	log->broken = rc != 0;
	return rc;
}
