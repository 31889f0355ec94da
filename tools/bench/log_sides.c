/* SPDX-License-Identifier: BSD-3-Clause */
/* The three sides of pmk bench log. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <pmk/copy.h>
#include <pmk/flush.h>
#include <pmk/map.h>

#include "base/util.h"
#include "bench/log_sides.h"
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
		rc = pmk_rlog_format(l->log_map, PMK_RLOG_FORCE);
	if (!rc)
		rc = pmk_rlog_attach(l->log_map, PMK_RLOG_WRITE, &l->log);
	l->log_left = LOG_ROOM - HEADER_PAGE;
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

/* The bare store: one line of MOVNTI for each record. */

static inline void store_next_line(struct log_sides *l, size_t i)
{
	char *base = pmk_map_addr(l->bare_map);

	pmk_memcpy_flushcache(base + l->bare_off, l->record[i % LOG_BATCH], 64);
	l->bare_off = (l->bare_off + LOG_LINE) % LOG_ROOM;
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

struct benchfn_side log_side(struct log_sides *l, enum log_side side,
			     size_t payload, size_t batch)
{
	static const struct benchfn_side one[LOG_SIDES] = {
		[LOG_PMK] = { pmk_append, pmk_prepare, { NULL } },
		[LOG_BARE] = { bare_store, NULL, { NULL } },
		[LOG_PMEMLOG] = { peer_append, peer_prepare, { NULL } },
	};
	static const struct benchfn_side many[LOG_SIDES] = {
		[LOG_PMK] = { pmk_batch, pmk_prepare, { NULL } },
		[LOG_BARE] = { bare_batch, NULL, { NULL } },
		[LOG_PMEMLOG] = { peer_batch, peer_prepare, { NULL } },
	};
	struct benchfn_side s = (batch > 1 ? many : one)[side];

	l->payload = payload;
	/* from the start: its records are aligned as well as they can be */
	if (side == LOG_PMEMLOG)
		l->pool_left = 0;
	s.arg[0] = l;
	return s;
}

/* Open and close. */

/* Memory like an emulated mapping's, every page of it there. */
static int open_room(struct pmk_map **map_ret)
{
	const struct pmk_map_params params = {
		.len = LOG_ROOM,
		.flags = PMK_MAP_EMULATED,
	};
	int rc = pmk_map_open(NULL, &params, map_ret);

	if (rc)
		return out_fail("memory for the log", rc, NULL);
	memset(pmk_map_addr(*map_ret), 0, LOG_ROOM);
	return EXIT_OK;
}

/* The pool loses its name at once: nothing is left behind, come what may. */
static bool create_pool(struct log_sides *l)
{
	char dir[] = "/dev/shm/pmk-bench.XXXXXX", path[sizeof(dir) + 8];

	if (!mkdtemp(dir)) {
		snprintf(l->peer.why, sizeof(l->peer.why), "%s: %s", dir,
			 pmk_strerror(-errno));
		return false;
	}
	snprintf(path, sizeof(path), "%s/log", dir);
	l->pool = l->peer.create(path, LOG_ROOM, 0600);
	if (!l->pool)
		snprintf(l->peer.why, sizeof(l->peer.why),
			 "pmemlog_create in /dev/shm: %.200s",
			 l->peer.errormsg());
	unlink(path);
	rmdir(dir);
	return l->pool;
}

/* Append until it is full, so that every page is there. */
static bool fill_pool(struct log_sides *l)
{
	static const unsigned char chunk[65536];
	size_t left = l->peer.nbyte(l->pool);

	for (; left >= sizeof(chunk); left -= sizeof(chunk))
		if (l->peer.append(l->pool, chunk, sizeof(chunk))) {
			snprintf(l->peer.why, sizeof(l->peer.why),
				 "pmemlog_append: %.200s", l->peer.errormsg());
			return false;
		}
	return true;
}

int log_sides_open(struct log_sides *l)
{
	bool created;
	int rc;

	*l = (struct log_sides){ .n = LOG_PMEMLOG };
	for (size_t i = 0; i < LOG_BATCH; i++)
		memset(l->record[i], (int)(i + 1), LOG_LINE);
	rc = open_room(&l->log_map);
	if (!rc)
		rc = open_room(&l->bare_map);
	if (rc || !peer_load_pmemlog(&l->peer))
		return rc;
	signals_hold();
	created = create_pool(l);
	signals_release();
	if (created && fill_pool(l))
		l->n = LOG_SIDES;
	else
		l->peer.file[0] = '\0'; /* not usable here */
	return EXIT_OK;
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
	pmk_map_close(l->log_map);
	pmk_map_close(l->bare_map);
}
