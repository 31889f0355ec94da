/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Append: encode records into whole lines, store them past the cache, and
 * drain once.  A record is durable or absent because its checksums are.
 */
#include <errno.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "rlog/rlog_impl.h"
#include "rlog/stage.h"

/* Payloads up to this are put together with their header before the first
 * store; of larger ones whole lines are stored from where they are. */
#define STAGED (4 * RLOG_LINE - RLOG_HEADER)

/* Store record @i of a batch at @off, without drain. */
static void put_record(struct pmk_rlog *log, const struct pmk_rlog_iov *rec,
		       size_t i, uint64_t off)
{
	__m128i stage[4 * RLOG_UNITS] __attribute__((aligned(RLOG_LINE)));
	const struct pmk_map_ops *ops = log->map->ops;
	const unsigned char *data = rec->data;
	unsigned char *dst = log->base + off;
	size_t len = rec->len, lines;

	pmk_rlog_stage(stage + 2, data, len <= STAGED ? len : RLOG_INLINE);
	pmk_rlog_put_header(stage, log->number + i,
			    len | (uint64_t)log->state.epoch << 32,
			    (uint32_t)((off - log->tail) / RLOG_LINE), data,
			    log->super.id + off);
	if (len <= STAGED) {
		lines = pmk_rlog_record_bytes(len) / RLOG_LINE;
		ops->store_lines(log->map, dst, stage, lines);
		return;
	}
	ops->store_lines(log->map, dst, stage, 1);
	data += RLOG_INLINE;
	dst += RLOG_LINE;
	len -= RLOG_INLINE;
	lines = len / RLOG_LINE;
	ops->store_lines(log->map, dst, data, lines);
	data += lines * RLOG_LINE;
	dst += lines * RLOG_LINE;
	len %= RLOG_LINE;
	if (len) {
		pmk_rlog_stage(stage, data, len);
		ops->store_lines(log->map, dst, stage, 1);
	}
}

static int check_writer(const struct pmk_rlog *log, size_t n)
{
	if (!log->writer)
		return pmk_fail(PMK_E_READ_ONLY, "the log is open for reading");
	if (log->number > UINT64_MAX - n)
		return pmk_fail(-EOVERFLOW, "no numbers left");
	if (log->broken)
		return pmk_fail(PMK_E_LOG_BROKEN,
				"an earlier append failed; close and reopen");
	return 0;
}

/* Why the record that does not fit does not. */
static int full(const struct pmk_rlog *log, size_t len)
{
	if (len > PMK_RLOG_RECORD_MAX ||
	    pmk_rlog_record_bytes(len) > log->super.size - RLOG_DATA)
		return pmk_fail(PMK_E_RECORD_SIZE,
				"record of %zu bytes in a log of %llu", len,
				(unsigned long long)log->super.size);
	return pmk_fail(PMK_E_LOG_FULL, "%llu bytes free",
			(unsigned long long)(log->super.size - log->tail));
}

/* How many of the records fit before @limit; *@end_ret: where they end. */
static size_t how_many(const struct pmk_rlog *log,
		       const struct pmk_rlog_iov *iov, size_t n, uint64_t limit,
		       uint64_t *end_ret)
{
	uint64_t end = log->tail;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t bytes = pmk_rlog_record_bytes(iov[i].len);

		if (iov[i].len > PMK_RLOG_RECORD_MAX || bytes > limit - end)
			break;
		/* the distance back to the batch has 32 bits */
		if ((end - log->tail) / RLOG_LINE > UINT32_MAX)
			break;
		end += bytes;
	}
	*end_ret = end;
	return i;
}

static void put_batch(struct pmk_rlog *log, const struct pmk_rlog_iov *iov,
		      size_t n)
{
	uint64_t off = log->tail;

	for (size_t i = 0; i < n; i++) {
		put_record(log, &iov[i], i, off);
		off += pmk_rlog_record_bytes(iov[i].len);
	}
}

static int drain_batch(struct pmk_rlog *log, uint64_t end, bool state_stored)
{
	/* the header page too, if a state line went with the records */
	uint64_t from = state_stored ? 0 : log->tail;

	/* drain: all records of the batch, which makes them durable */
	return log->map->ops->drain(log->map, log->base + from, end - from);
}

PMK_EXPORT int64_t pmk_rlog_append_batch(struct pmk_rlog *log,
					 const struct pmk_rlog_iov *iov,
					 size_t n, uint64_t *first_ret)
{
	bool stored;
	uint64_t end;
	size_t fit;
	int rc = check_writer(log, n);

	if (rc)
		return rc;
	if (!n)
		return 0;
	fit = how_many(log, iov, n, log->super.size, &end);
	if (!fit)
		return full(log, iov[0].len);
	rc = pmk_rlog_extend(log, end, &stored);
	if (rc && log->broken)
		return rc;
	if (rc) { /* no blocks for all of them; some may fit */
		fit = how_many(log, iov, fit, log->state.limit, &end);
		stored = false;
		if (!fit)
			return rc;
	}
	put_batch(log, iov, fit);
	rc = drain_batch(log, end, stored);
	if (rc) {
		log->broken = true;
		return pmk_fail(rc, "cannot make records durable: %s",
				pmk_strerror(rc));
	}
	if (first_ret)
		*first_ret = log->number;
	log->tail = end;
	log->number += fit;
	return (int64_t)fit;
}

PMK_EXPORT int pmk_rlog_append(struct pmk_rlog *log, const void *data,
			       size_t len, uint64_t *number_ret)
{
	struct pmk_rlog_iov iov = { data, len };
	int64_t n = pmk_rlog_append_batch(log, &iov, 1, number_ret);

	return n < 0 ? (int)n : 0;
}
