/* SPDX-License-Identifier: BSD-3-Clause */
/* The three sides of pmk bench log. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <pmk/copy.h>
#include <pmk/flush.h>
#include <pmk/kernel.h>
#include <pmk/map.h>

#include "base/util.h"
#include "bench/log_sides.h"
#include "bench/room.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

#define RECORD_HEADER 32 /* docs/rlog-format.md */
#define HEADER_PAGE   4096

size_t log_media_bytes(size_t payload)
{
	return pmk_align_up(RECORD_HEADER + payload, LOG_LINE);
}

static void fail(struct log_sides *l, enum log_side side, int code)
{
	if (l->failure)
		return;
	l->failure = code;
	l->failed = side;
}

/* The record log: made anew when it is full. */

static int renew_log(struct log_sides *l)
{
	int rc = pmk_rlog_close(l->log);

	l->log = NULL;
	if (!rc)
		rc = pmk_rlog_format(l->map, PMK_RLOG_FORCE);
	if (!rc)
		rc = pmk_rlog_attach(l->map, PMK_RLOG_WRITE, &l->log);
	l->log_left = l->room - HEADER_PAGE;
	return rc;
}

static void pmk_prepare(void *arg, uint64_t ops)
{
	struct log_sides *l = arg;
	uint64_t need = ops * log_media_bytes(l->payload);

	if (!l->failure && l->log_left < need)
		fail(l, LOG_PMK, renew_log(l));
	l->log_left -= need;
}

static void pmk_append(void *arg, uint64_t ops)
{
	struct log_sides *l = arg;

	for (uint64_t i = 0; i < ops && !l->failure; i++)
		fail(l, LOG_PMK,
		     pmk_rlog_append(l->log, l->record[i % LOG_BATCH],
				     l->payload, NULL));
}

static void pmk_batch(void *arg, uint64_t ops)
{
	struct pmk_rlog_iov iov[LOG_BATCH];
	struct log_sides *l = arg;
	int64_t n;

	for (size_t i = 0; i < LOG_BATCH; i++)
		iov[i] = (struct pmk_rlog_iov){ l->record[i], l->payload };
	for (; ops && !l->failure; ops -= LOG_BATCH) {
		n = pmk_rlog_append_batch(l->log, iov, LOG_BATCH, NULL);
		if (n != LOG_BATCH)
			fail(l, LOG_PMK, n < 0 ? (int)n : PMK_E_LOG_FULL);
	}
}

/* The bare store: one line for each record, by MOVNTI. */

static inline char *next_line(struct log_sides *l)
{
	char *line = (char *)pmk_map_addr(l->map) + l->bare_off;

	l->bare_off += LOG_LINE;
	if (l->bare_off == l->room) /* a division would show in the figure */
		l->bare_off = HEADER_PAGE;
	return line;
}

static inline void store_next_line(struct log_sides *l, size_t i)
{
	pmk_memcpy_flushcache(next_line(l), l->record[i % LOG_BATCH], 64);
}

static void bare_store(void *arg, uint64_t ops)
{
	for (uint64_t i = 0; i < ops; i++) {
		store_next_line(arg, i);
		pmk_drain(); /* the line */
	}
}

static void bare_batch(void *arg, uint64_t ops)
{
	for (; ops; ops -= LOG_BATCH) {
		for (size_t i = 0; i < LOG_BATCH; i++)
			store_next_line(arg, i);
		pmk_drain(); /* the batch */
	}
}

/* The same where a page is the granularity: msync(2). */

static void sync_lines(struct log_sides *l, size_t n)
{
	char *first = (char *)pmk_map_addr(l->map) + l->bare_off;

	for (size_t i = 0; i < n; i++)
		memcpy(next_line(l), l->record[i], LOG_LINE);
	/* drains: all of them */
	fail(l, LOG_BARE, pmk_map_persist(l->map, first, n * LOG_LINE));
}

static void sync_store(void *arg, uint64_t ops)
{
	for (; ops; ops--)
		sync_lines(arg, 1);
}

static void sync_batch(void *arg, uint64_t ops)
{
	for (; ops; ops -= LOG_BATCH)
		sync_lines(arg, LOG_BATCH);
}

/* libpmemlog. */

static void peer_prepare(void *arg, uint64_t ops)
{
	struct log_sides *l = arg;
	uint64_t need = ops * l->payload;

	if (l->pool_left < need) {
		l->peer.rewind(l->pool);
		l->pool_left = l->peer.nbyte(l->pool);
	}
	l->pool_left -= need;
}

static void peer_append(void *arg, uint64_t ops)
{
	struct log_sides *l = arg;

	for (uint64_t i = 0; i < ops && !l->failure; i++)
		if (l->peer.append(l->pool, l->record[i % LOG_BATCH],
				   l->payload))
			fail(l, LOG_PMEMLOG, -errno);
}

static void peer_batch(void *arg, uint64_t ops)
{
	struct iovec iov[LOG_BATCH];
	struct log_sides *l = arg;

	for (size_t i = 0; i < LOG_BATCH; i++)
		iov[i] = (struct iovec){ l->record[i], l->payload };
	for (; ops && !l->failure; ops -= LOG_BATCH)
		if (l->peer.appendv(l->pool, iov, LOG_BATCH))
			fail(l, LOG_PMEMLOG, -errno);
}

size_t log_sides(struct log_sides *l, size_t payload, size_t batch,
		 struct bench_side_def sides[LOG_SIDES])
{
	bool many = batch > 1;
	const struct bench_side_def all[LOG_SIDES] = {
		[LOG_PMK] = { .key = "pmk",
			      .variant = l->pages ? "msync"
						  : pmk_op_kernel(
							    PMK_OP_STORE_LINE),
			      .fn = { .run = many ? pmk_batch : pmk_append,
				      .prepare = pmk_prepare,
				      .arg = { l } } },
		[LOG_BARE] = { .key = "bare",
			       .variant = l->pages ? "msync" : "movnti",
			       .floor = true,
			       .fn = { .arg = { l } } },
		[LOG_PMEMLOG] = { .key = "libpmemlog",
				  .fn = { .run = many ? peer_batch
						      : peer_append,
					  .prepare = peer_prepare,
					  .arg = { l } } },
	};

	memcpy(sides, all, sizeof(all));
	if (l->pages)
		sides[LOG_BARE].fn.run = many ? sync_batch : sync_store;
	else
		sides[LOG_BARE].fn.run = many ? bare_batch : bare_store;
	l->payload = payload;
	/* from the start: no batch goes past the end, and libpmemlog's records
	 * are aligned as well as they can be */
	l->bare_off = HEADER_PAGE;
	l->pool_left = 0;
	return l->n;
}

/* Open and close. */

/* Where files of the room's kind can be made. */
static bool find_directory(const struct bench_room *room, char dir[PATH_MAX])
{
	char *slash;

	if (!room->path) {
		snprintf(dir, PATH_MAX, "/dev/shm");
		return true;
	}
	if (!realpath(room->path, dir))
		return false;
	slash = strrchr(dir, '/');
	slash[slash == dir] = '\0';
	return true;
}

/* The pool loses its name at once: nothing is left behind, come what may. */
static bool create_pool(struct log_sides *l, const struct bench_room *room)
{
	char parent[PATH_MAX], dir[PATH_MAX + 32], path[sizeof(dir) + 8];

	if (!find_directory(room, parent)) {
		snprintf(l->peer.why, sizeof(l->peer.why), "%.200s: %s",
			 room->path, pmk_strerror(-errno));
		return false;
	}
	snprintf(dir, sizeof(dir), "%s/pmk-bench.XXXXXX", parent);
	if (!mkdtemp(dir)) {
		snprintf(l->peer.why, sizeof(l->peer.why), "%.200s: %s", parent,
			 pmk_strerror(-errno));
		return false;
	}
	snprintf(path, sizeof(path), "%s/log", dir);
	l->pool = l->peer.create(path, l->room, 0600);
	if (!l->pool)
		snprintf(l->peer.why, sizeof(l->peer.why),
			 "pmemlog_create in %.80s: %.200s", parent,
			 l->peer.errormsg());
	unlink(path);
	rmdir(dir);
	return l->pool;
}

/* Append until it is full, so that every page is there. */
static bool fill_pool(struct log_sides *l)
{
	if (!l->peer.append(l->pool, pmk_map_addr(l->map),
			    l->peer.nbyte(l->pool)))
		return true;
	snprintf(l->peer.why, sizeof(l->peer.why), "pmemlog_append: %.200s",
		 l->peer.errormsg());
	return false;
}

static bool open_peer(struct log_sides *l, const struct bench_room *room)
{
	bool created;

	if (!peer_load_pmemlog(&l->peer, !l->pages))
		return false;
	if (pmk_map_kind(l->map) == PMK_MAP_KIND_DEVDAX) {
		snprintf(l->peer.why, sizeof(l->peer.why),
			 "would need a device of its own");
		return false;
	}
	signals_hold();
	created = create_pool(l, room);
	signals_release();
	return created && fill_pool(l);
}

void log_sides_open(struct log_sides *l, const struct bench_room *room)
{
	*l = (struct log_sides){
		.n = LOG_PMEMLOG,
		.map = room->map,
		.pages = pmk_map_granularity(room->map) == PMK_GRANULARITY_PAGE,
		.room = pmk_min_size(room->size, LOG_ROOM),
	};
	for (size_t i = 0; i < LOG_BATCH; i++)
		memset(l->record[i], (int)(i + 1), LOG_LINE);
	if (open_peer(l, room))
		l->n = LOG_SIDES;
	else
		l->peer.file[0] = '\0'; /* not usable here */
}

int log_sides_verdict(const struct log_sides *l)
{
	static const char *const names[LOG_SIDES] = {
		[LOG_PMK] = "record log",
		[LOG_BARE] = "bare store",
		[LOG_PMEMLOG] = "libpmemlog",
	};

	return l->failure ? out_fail(names[l->failed], l->failure, NULL)
			  : EXIT_OK;
}

void log_sides_close(struct log_sides *l)
{
	if (l->pool)
		l->peer.close(l->pool);
	pmk_rlog_close(l->log);
}
