/* SPDX-License-Identifier: BSD-3-Clause */
/* Open and close a log. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/copy.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "persist/fault.h"
#include "rlog/rlog_impl.h"

static enum rlog_super_verdict super_at(const unsigned char *base, uint64_t off,
					struct rlog_super *super_ret)
{
	unsigned char line[RLOG_LINE];

	if (pmk_copy_mc(line, base + off, sizeof(line)))
		return RLOG_SUPER_UNREADABLE;
	return pmk_rlog_get_super(line, super_ret);
}

/* Read the super block, from its copy if need be; -EIO if there may be one that
 * cannot be read.  Explains nothing. */
static int read_super(const unsigned char *base, struct rlog_super *super_ret,
		      bool *bad_ret)
{
	struct rlog_super copy;
	enum rlog_super_verdict a = super_at(base, RLOG_SUPER_A, super_ret);
	enum rlog_super_verdict b = super_at(base, RLOG_SUPER_B, &copy);

	*bad_ret = a != RLOG_SUPER_GOOD || b != RLOG_SUPER_GOOD;
	if (a == RLOG_SUPER_GOOD)
		return 0;
	if (b == RLOG_SUPER_GOOD) {
		*super_ret = copy;
		return 0;
	}
	if (a == RLOG_SUPER_NEWER || b == RLOG_SUPER_NEWER)
		return PMK_E_LOG_VERSION;
	if (a == RLOG_SUPER_NOT && b == RLOG_SUPER_NOT)
		return PMK_E_NOT_A_LOG;
	if (a == RLOG_SUPER_UNREADABLE || b == RLOG_SUPER_UNREADABLE)
		return -EIO;
	return PMK_E_LOG_DAMAGED;
}

/* A file that is shorter than the header page of a log. */
static int explain_short(const struct pmk_rlog *log)
{
	static const uint64_t copies[] = { RLOG_SUPER_A, RLOG_SUPER_B };
	struct rlog_super super;
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(copies); i++)
		if (log->map->len >= copies[i] + RLOG_LINE)
			found |= super_at(log->base, copies[i], &super) ==
				 RLOG_SUPER_GOOD;
	if (!found)
		return pmk_fail(PMK_E_NOT_A_LOG, "too short for a record log");
	return pmk_fail(PMK_E_LOG_TRUNCATED,
			"%zu bytes: not even the header is whole",
			log->map->len);
}

/* Of a mapping, the file may have become shorter meanwhile. */
void pmk_rlog_load_avail(struct pmk_rlog *log)
{
	uint64_t avail = pmk_min_size(log->map->len, log->super.size);
	struct stat st;

	if (log->map->kind != PMK_MAP_KIND_DEVDAX && !fstat(log->map->fd, &st))
		avail = pmk_min_size(avail, (uint64_t)st.st_size);
	log->avail = pmk_align_down(avail, RLOG_LINE);
}

static int load(struct pmk_rlog *log)
{
	int rc;

	if (log->map->len < RLOG_DATA)
		return explain_short(log);
	rc = read_super(log->base, &log->super, &log->bad_super);
	if (rc == PMK_E_LOG_VERSION)
		return pmk_fail(rc, "written by a newer pmkit");
	if (rc == PMK_E_NOT_A_LOG)
		return pmk_fail(rc, "it has no record log's magic number");
	if (rc == -EIO)
		return pmk_fail(PMK_E_LOG_DAMAGED, "its header cannot be read");
	if (rc)
		return pmk_fail(rc, "both super blocks are damaged");
	pmk_rlog_load_avail(log);
	pmk_rlog_load_state(log);
	return 0;
}

static int check_writable(const struct pmk_rlog *log)
{
	if (log->avail < log->super.size)
		return pmk_fail(PMK_E_LOG_TRUNCATED,
				"log of %llu bytes in a file of %zu",
				(unsigned long long)log->super.size,
				log->map->len);
	if (!log->valid_states)
		return pmk_fail(PMK_E_LOG_DAMAGED,
				"both state lines are damaged");
	if (log->map->kind == PMK_MAP_KIND_EMULATED &&
	    !(log->super.flags & RLOG_SUPER_EMULATED))
		return pmk_fail(-EINVAL, "the mapping is emulated, the log "
					 "was not made as such");
	return 0;
}

/* Recovery and the next append touch all lines from @from to @to: here, that
 * ends the process. */
static int check_readable(const struct pmk_rlog *log, uint64_t from,
			  uint64_t to)
{
	uint64_t end = pmk_rlog_readable_end(log, from, to);

	return end == to ? 0
			 : pmk_fail(PMK_E_LOG_DAMAGED,
				    "offset %llu, where it would go on, cannot "
				    "be read",
				    (unsigned long long)end);
}

/*
 * The end of the log: behind the last sound record.  What was committed when
 * the state line was written need not be read again.
 */
static int find_tail(struct pmk_rlog *log)
{
	struct pmk_rlog_cursor cursor = {
		.off = log->state.committed,
		.number = log->state.number,
		.epoch = log->state.epoch,
	};
	struct pmk_rlog_record rec;
	int rc;

	while ((rc = pmk_rlog_next(log, &cursor, &rec)) != 0)
		if (rc == PMK_E_LOG_DAMAGED)
			pmk_log(PMK_LOG_WARNING,
				"%llu damaged bytes at offset %llu",
				(unsigned long long)rec.len,
				(unsigned long long)rec.off);
	log->tail = cursor.off;
	log->number = cursor.number;
	/* behind the limit there may be no block to read */
	return check_readable(log, log->state.committed,
			      log->tail < log->state.limit
				      ? log->tail + RLOG_LINE
				      : log->tail);
}

/* After a failed msync(2) the kernel may call pages clean that it has not
 * written (fsync(2), ERRORS): store to each of them. */
static void make_dirty(struct pmk_rlog *log, uint64_t from, uint64_t to)
{
	for (uint64_t off = from; off < to; off += RLOG_LINE) {
		volatile unsigned char *p = log->base + off;

		*p = *p;
	}
}

/*
 * What find_tail() saw, an earlier writer may have stored and not drained: it
 * was killed in between, or its drain failed.  Before a new state line calls it
 * committed, and overwrites the older one, it has to be durable.
 */
static int secure_tail(struct pmk_rlog *log)
{
	const struct pmk_map_ops *ops = log->map->ops;
	uint64_t from = log->state.committed;

	if (log->map->granularity == PMK_GRANULARITY_PAGE) {
		make_dirty(log, 0, RLOG_DATA);
		make_dirty(log, from, log->tail);
	}
	ops->flush(log->map, log->base, RLOG_DATA);
	ops->flush(log->map, log->base + from, log->tail - from);
	/* drain: both state lines and all records, before the next state */
	return ops->drain(log->map, log->base, log->tail);
}

/* A new epoch: from now on, what an earlier writer left behind the end can
 * never pass for a record. */
static int begin_epoch(struct pmk_rlog *log)
{
	struct rlog_state next = log->state;
	bool stored;
	int rc;

	if (next.epoch == UINT32_MAX)
		return pmk_fail(-EOVERFLOW, "opened by 2^32 writers");
	next.epoch++;
	next.flags = 0;
	next.committed = log->tail;
	next.number = log->number;
	next.limit = log->tail;
	rc = pmk_rlog_commit_state(log, &next);
	if (rc)
		return rc;
	/* room for the first appends, so that they need one drain; a full
	 * file system is their trouble */
	rc = pmk_rlog_extend(log, log->tail, &stored);
	if (rc)
		return log->broken ? rc : 0;
	/* drain: the new limit, before records behind the old one */
	return stored ? log->map->ops->drain(log->map, log->base, RLOG_DATA)
		      : 0;
}

static int start_writer(struct pmk_rlog *log)
{
	int rc = check_writable(log);

	if (rc)
		return rc;
	log->writer = true;
	rc = find_tail(log);
	if (!rc)
		rc = secure_tail(log);
	return rc ? rc : begin_epoch(log);
}

static void free_log(struct pmk_rlog *log)
{
	if (log->lock_fd >= 0)
		pmk_rlog_unlock(log->lock_fd);
	if (log->own_map)
		pmk_map_close(log->map);
	free(log);
}

static int attach(struct pmk_map *map, bool own_map, uint32_t flags,
		  struct pmk_rlog **log_ret)
{
	struct pmk_rlog *log = calloc(1, sizeof(*log));
	int rc = 0;

	if (!log)
		return -ENOMEM;
	log->map = map;
	log->base = map->addr;
	log->lock_fd = -1;
	if (flags & PMK_RLOG_WRITE) {
		rc = pmk_rlog_lock(map, own_map);
		if (rc >= 0) {
			log->lock_fd = rc;
			rc = 0;
		}
	}
	pmk_fault_look();
	if (!rc)
		rc = load(log);
	if (!rc && flags & PMK_RLOG_WRITE)
		rc = start_writer(log);
	if (rc) {
		free_log(log);
		return rc;
	}
	log->own_map = own_map;
	*log_ret = log;
	return 0;
}

PMK_EXPORT int pmk_rlog_attach(struct pmk_map *map, uint32_t flags,
			       struct pmk_rlog **log_ret)
{
	if (flags & ~PMK_RLOG_WRITE)
		return pmk_fail(-EINVAL, "unknown flags 0x%x", flags);
	if (flags & PMK_RLOG_WRITE && map->read_only)
		return pmk_fail(PMK_E_READ_ONLY, "the mapping is read-only");
	return attach(map, false, flags, log_ret);
}

/* Does a mapping of unknown use hold a log that wants to be emulated? */
static bool wants_emulation(const struct pmk_map *map, struct pmk_map_params *p)
{
	struct rlog_super super;
	bool bad;

	pmk_fault_look();
	if (map->kind == PMK_MAP_KIND_DEVDAX || map->len < RLOG_DATA ||
	    read_super(map->addr, &super, &bad) ||
	    !(super.flags & RLOG_SUPER_EMULATED))
		return false;
	p->flags |= PMK_MAP_EMULATED;
	p->emulated_domain = (enum pmk_domain)super.domain;
	return true;
}

static int open_map(const char *path, uint32_t flags, struct pmk_map **map_ret)
{
	struct pmk_map_params p = {
		.flags = flags & PMK_RLOG_WRITE ? 0 : PMK_MAP_READ_ONLY,
	};
	struct stat st;
	int rc;

	if (!stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
		return pmk_fail(PMK_E_NOT_A_LOG, "%s: an empty file", path);
	rc = pmk_map_open(path, &p, map_ret);
	if (rc || !wants_emulation(*map_ret, &p))
		return rc;
	pmk_map_close(*map_ret);
	return pmk_map_open(path, &p, map_ret);
}

PMK_EXPORT int pmk_rlog_open(const char *path, uint32_t flags,
			     struct pmk_rlog **log_ret)
{
	struct pmk_map *map;
	int rc;

	if (!path || flags & ~PMK_RLOG_WRITE)
		return pmk_fail(-EINVAL, "no path, or unknown flags 0x%x",
				flags);
	rc = open_map(path, flags, &map);
	if (rc)
		return rc;
	rc = attach(map, true, flags, log_ret);
	if (rc)
		pmk_map_close(map);
	return rc;
}

PMK_EXPORT int pmk_rlog_close(struct pmk_rlog *log)
{
	int rc = 0;

	if (!log)
		return 0;
	if (log->writer && !log->broken) {
		struct rlog_state next = log->state;

		next.flags = RLOG_STATE_CLEAN;
		next.committed = log->tail;
		next.number = log->number;
		rc = pmk_rlog_commit_state(log, &next);
	}
	free_log(log);
	return rc;
}

PMK_EXPORT void pmk_rlog_get_info(const struct pmk_rlog *log,
				  struct pmk_rlog_info *info_ret)
{
	*info_ret = (struct pmk_rlog_info){
		.size_bytes = log->super.size,
		.file_bytes = log->map->len,
		.id = log->super.id,
		.version = log->super.version,
		.emulated = log->super.flags & RLOG_SUPER_EMULATED,
		.clean = log->state.flags & RLOG_STATE_CLEAN,
		.opens = log->state.epoch,
	};
}

PMK_EXPORT struct pmk_map *pmk_rlog_map(const struct pmk_rlog *log)
{
	return log->map;
}
