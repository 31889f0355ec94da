/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Read a log: find the next record, and tell its end from damage.
 *
 * The one hard question is what an unsound record means.  Either an append was
 * cut short, which ends the log, or records that were durable are damaged.  It
 * is damage if it lies before the committed offset of the state line, or if a
 * later sound record began its batch behind it: a batch begins only after the
 * one before it has been drained.
 */
#include <string.h>

#include "base/export.h"
#include "base/util.h"
#include "rlog/rlog_impl.h"

/* A cursor remembers in @reserved that it has told of the truncation. */
#define TOLD_TRUNCATED 1U

enum rlog_verdict pmk_rlog_look(const struct pmk_rlog *log, uint64_t off,
				struct rlog_found *found_ret)
{
	unsigned char bytes[RLOG_HEADER];
	struct rlog_found f = { .off = off };
	uint64_t room, size, seed;

	if (off > log->avail || log->avail - off < RLOG_LINE)
		return RLOG_NONE;
	room = log->avail - off;
	/* a copy, so that what was checked is what is used */
	memcpy(bytes, log->base + off, sizeof(bytes));
	if (!pmk_rlog_get_header(bytes, log->super.id, off, &f.header, &seed))
		return RLOG_NONE;
	size = pmk_rlog_record_bytes(f.header.len);
	f.batch = off - (uint64_t)f.header.back * RLOG_LINE;
	if (f.batch > off || f.batch < RLOG_DATA)
		return RLOG_NONE;
	f.end = off + pmk_min_size(size, room);
	f.data = log->base + off + RLOG_HEADER;
	*found_ret = f;
	if (size > room ||
	    pmk_rlog_payload_sum(f.data, f.header.len, seed) != f.header.sum ||
	    !pmk_is_zero(f.data + f.header.len,
			 size - RLOG_HEADER - f.header.len))
		return RLOG_DAMAGED;
	return RLOG_GOOD;
}

/*
 * Is a sound record one of the sequence that @cursor follows?  Behind the end
 * of the log there may be sound records of an earlier writer, from a batch
 * that a crash cut short; they have an older epoch.
 */
static bool belongs(const struct pmk_rlog *log,
		    const struct pmk_rlog_cursor *cursor,
		    const struct rlog_found *f)
{
	if (f->header.number < cursor->number ||
	    f->header.epoch < cursor->epoch)
		return false;
	return f->off < log->state.committed ||
	       f->header.epoch >= log->state.epoch;
}

/*
 * Where records can be: behind it, nothing was ever written, and in a sparse
 * file there may be no block even to read.
 */
static uint64_t written_end(const struct pmk_rlog *log)
{
	return log->limit_known && log->state.limit < log->avail
		       ? log->state.limit
		       : log->avail;
}

static bool next_in_order(const struct pmk_rlog *log,
			  const struct pmk_rlog_cursor *cursor,
			  struct rlog_found *found_ret)
{
	return cursor->off < written_end(log) &&
	       pmk_rlog_look(log, cursor->off, found_ret) == RLOG_GOOD &&
	       belongs(log, cursor, found_ret) &&
	       found_ret->header.number == cursor->number;
}

static void move_behind(struct pmk_rlog_cursor *cursor,
			const struct rlog_found *f)
{
	cursor->off = f->end;
	cursor->number = f->header.number + 1;
	cursor->epoch = f->header.epoch;
}

/* What lies behind an unsound record. */
struct survey {
	bool found;
	struct rlog_found first; /* sound record of the sequence */
	struct rlog_found last;  /* first sound record of the last batch */
};

/* Look from @cursor to @end, or only for the first sound record. */
static struct survey survey(const struct pmk_rlog *log,
			    const struct pmk_rlog_cursor *cursor, uint64_t end,
			    bool first_only)
{
	struct survey s = { .found = false };
	uint64_t off = cursor->off;
	struct rlog_found f;

	while (off < end && !(s.found && first_only)) {
		enum rlog_verdict v = pmk_rlog_look(log, off, &f);

		if (v == RLOG_NONE) {
			off += RLOG_LINE;
			continue;
		}
		/* a sound header tells where the next record is */
		off = f.end;
		if (v != RLOG_GOOD || f.off == cursor->off ||
		    f.header.number <= cursor->number ||
		    !belongs(log, cursor, &f))
			continue;
		if (!s.found)
			s.first = f;
		if (!s.found || f.batch > s.last.batch)
			s.last = f;
		s.found = true;
	}
	return s;
}

/*
 * Everything before an offset was durable: by the state line, or because a
 * batch began there, which the cursor remembers.
 */
static void learn_durable(const struct pmk_rlog *log,
			  struct pmk_rlog_cursor *cursor)
{
	struct survey s;

	if (cursor->durable < log->state.committed) {
		cursor->durable = log->state.committed;
		cursor->durable_number = log->state.number;
	}
	if (cursor->off < cursor->durable ||
	    log->state.flags & RLOG_STATE_CLEAN)
		return;
	s = survey(log, cursor, written_end(log), false);
	if (!s.found || s.last.batch <= cursor->off)
		return;
	cursor->durable = s.last.batch;
	/* if the batch's first record is not sound, it was cut short: none of
	 * it counts, and the number at its place is anyone's guess */
	cursor->durable_number =
		s.last.header.number - (s.last.off > s.last.batch ? 1 : 0);
}

/*
 * Nothing sound is at the cursor.  True if that is damage; then the log goes on
 * at *@off_ret with record *@number_ret.
 */
static bool is_damage(const struct pmk_rlog *log,
		      struct pmk_rlog_cursor *cursor, uint64_t *off_ret,
		      uint64_t *number_ret)
{
	struct survey s;
	uint64_t end;

	if (cursor->off >= log->avail) /* no line left that could be damaged */
		return false;
	learn_durable(log, cursor);
	if (cursor->off >= cursor->durable)
		return false;
	end = cursor->durable < log->avail ? cursor->durable : log->avail;
	s = survey(log, cursor, end, true);
	*off_ret = s.found ? s.first.off : end;
	*number_ret = s.found ? s.first.header.number : cursor->durable_number;
	return true;
}

static int report_damage(struct pmk_rlog_cursor *cursor, uint64_t off,
			 uint64_t number, struct pmk_rlog_record *rec_ret)
{
	*rec_ret = (struct pmk_rlog_record){
		.number = cursor->number,
		.off = cursor->off,
		.len = off - cursor->off,
		.lost = number > cursor->number ? number - cursor->number : 0,
	};
	cursor->off = off;
	cursor->number = number;
	return PMK_E_LOG_DAMAGED;
}

static int end_of_log(const struct pmk_rlog *log,
		      struct pmk_rlog_cursor *cursor)
{
	bool cut =
		log->avail < log->super.size && log->state.limit > log->avail;

	/* a clean log that ends before the cut has lost nothing */
	if (log->state.flags & RLOG_STATE_CLEAN)
		cut = cut && log->state.committed > log->avail;
	if (!cut || cursor->reserved & TOLD_TRUNCATED)
		return 0;
	cursor->reserved |= TOLD_TRUNCATED;
	return PMK_E_LOG_TRUNCATED;
}

PMK_EXPORT void pmk_rlog_rewind(struct pmk_rlog_cursor *cursor)
{
	*cursor = (struct pmk_rlog_cursor){ .off = RLOG_DATA, .number = 1 };
}

PMK_EXPORT int pmk_rlog_next(struct pmk_rlog *log,
			     struct pmk_rlog_cursor *cursor,
			     struct pmk_rlog_record *rec_ret)
{
	uint64_t off, number;
	struct rlog_found f;
	bool damage;

	if (!next_in_order(log, cursor, &f)) {
		if (!log->writer)
			pmk_rlog_load_state(log);
		damage = is_damage(log, cursor, &off, &number);
		/* look again: a writer may have finished it meanwhile, and
		 * then gone on to what looked like a proof */
		if (!next_in_order(log, cursor, &f))
			return damage ? report_damage(cursor, off, number,
						      rec_ret)
				      : end_of_log(log, cursor);
	}
	*rec_ret = (struct pmk_rlog_record){
		.data = f.data,
		.len = f.header.len,
		.number = f.header.number,
		.off = f.off,
	};
	move_behind(cursor, &f);
	return 1;
}

/* Bytes of an append that was cut short: up to the last line that is not
 * zero, as far as anything was written. */
static uint64_t torn_bytes(const struct pmk_rlog *log, uint64_t off)
{
	uint64_t end = written_end(log);

	if (log->state.flags & RLOG_STATE_CLEAN)
		return 0;
	while (end > off && pmk_is_zero(log->base + end - RLOG_LINE, RLOG_LINE))
		end -= RLOG_LINE;
	return end > off ? end - off : 0;
}

static void count(struct pmk_rlog_report *r, int rc,
		  const struct pmk_rlog_record *rec)
{
	if (rc == 1) {
		r->records++;
		r->record_bytes += rec->len;
		return;
	}
	if (rc == PMK_E_LOG_TRUNCATED) {
		r->problems |= PMK_RLOG_SHORT_FILE;
		return;
	}
	if (!r->damaged++)
		r->first_damaged_off = rec->off;
	r->problems |= PMK_RLOG_BAD_RECORD;
	r->damaged_bytes += rec->len;
	r->lost += rec->lost;
}

PMK_EXPORT int pmk_rlog_check(struct pmk_rlog *log,
			      struct pmk_rlog_report *report_ret)
{
	struct pmk_rlog_report r = { 0 };
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	int rc;

	pmk_rlog_rewind(&cursor);
	while ((rc = pmk_rlog_next(log, &cursor, &rec)) != 0)
		count(&r, rc, &rec);
	if (log->bad_super)
		r.problems |= PMK_RLOG_BAD_HEADER;
	if (!log->valid_states)
		r.problems |= PMK_RLOG_BAD_STATE;
	if (log->avail < log->super.size)
		r.problems |= PMK_RLOG_SHORT_FILE;
	r.torn_state = log->valid_states == 1 && log->state.generation > 0;
	r.end_off = cursor.off;
	r.free_bytes = log->super.size - cursor.off;
	r.torn_bytes = torn_bytes(log, cursor.off);
	*report_ret = r;
	return 0;
}
