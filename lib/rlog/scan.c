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
#include "base/export.h"
#include "base/util.h"
#include "persist/fault.h"
#include "rlog/rlog_impl.h"

/* A cursor remembers in @reserved that it has told of the truncation. */
#define TOLD_TRUNCATED 1U

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

/* What lies at @cursor; RLOG_GOOD only if it is the next record. */
static enum rlog_verdict next_in_order(const struct pmk_rlog *log,
				       const struct pmk_rlog_cursor *cursor,
				       struct rlog_found *found_ret)
{
	enum rlog_verdict v;

	if (cursor->off >= written_end(log))
		return RLOG_NONE;
	v = pmk_rlog_look(log, cursor->off, found_ret);
	if (v == RLOG_GOOD && !(belongs(log, cursor, found_ret) &&
				found_ret->header.number == cursor->number))
		return RLOG_NONE;
	return v;
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

	while (!(s.found && first_only)) {
		enum rlog_verdict v;

		off = pmk_rlog_skip_blank(log, off, end);
		if (off >= end)
			break;
		v = pmk_rlog_look(log, off, &f);
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

static void learn_committed(const struct pmk_rlog *log,
			    struct pmk_rlog_cursor *cursor)
{
	if (cursor->durable < log->state.committed) {
		cursor->durable = log->state.committed;
		cursor->durable_number = log->state.number;
	}
}

/*
 * Everything before an offset was durable: by the state line, or because a
 * batch began there, which the cursor remembers.
 */
static void learn_durable(const struct pmk_rlog *log,
			  struct pmk_rlog_cursor *cursor)
{
	struct survey s;

	learn_committed(log, cursor);
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

/* Where the log goes on behind damage, and with which record. */
struct resume {
	uint64_t off;
	uint64_t number;
};

/*
 * Nothing sound is at the cursor, though it can be read.  True if that is
 * damage.
 */
static bool is_damage(const struct pmk_rlog *log,
		      struct pmk_rlog_cursor *cursor, struct resume *resume_ret)
{
	struct survey s;
	uint64_t end;

	learn_durable(log, cursor);
	if (cursor->off >= cursor->durable)
		return false;
	end = pmk_min_size(cursor->durable, log->avail);
	s = survey(log, cursor, end, true);
	resume_ret->off = s.found ? s.first.off : end;
	resume_ret->number =
		s.found ? s.first.header.number : cursor->durable_number;
	return true;
}

/* Is @f in a batch of which what comes before it can be read, and is not sound?
 * The batch may have been cut short. */
static bool may_be_torn(const struct pmk_rlog *log,
			const struct pmk_rlog_cursor *cursor,
			const struct rlog_found *f)
{
	return f->batch > cursor->off && f->batch < f->off &&
	       pmk_rlog_readable_end(log, f->batch, f->off) == f->off;
}

/*
 * What is at the cursor cannot be read, from there to @f->end at least.  That
 * is no append that was cut short: it is damage wherever records can be, and
 * a sound record behind it counts, unless it is of a batch that was.
 */
static bool is_unreadable(const struct pmk_rlog *log,
			  struct pmk_rlog_cursor *cursor,
			  const struct rlog_found *f, struct resume *resume_ret)
{
	uint64_t end = written_end(log);
	struct survey s;

	learn_committed(log, cursor);
	if (cursor->off >= cursor->durable &&
	    (cursor->off >= end || log->state.flags & RLOG_STATE_CLEAN))
		return false;
	s = survey(log, cursor, end, true);
	if (s.found && may_be_torn(log, cursor, &s.first))
		return is_damage(log, cursor, resume_ret);
	if (s.found) {
		*resume_ret =
			(struct resume){ s.first.off, s.first.header.number };
	} else if (cursor->off < cursor->durable) {
		resume_ret->off = pmk_min_size(cursor->durable, log->avail);
		resume_ret->number = cursor->durable_number;
	} else {
		resume_ret->off = pmk_rlog_unreadable_end(log, f->end, end);
		resume_ret->number = cursor->number;
	}
	return true;
}

static int report_damage(struct pmk_rlog_cursor *cursor,
			 const struct resume *to,
			 struct pmk_rlog_record *rec_ret)
{
	*rec_ret = (struct pmk_rlog_record){
		.number = cursor->number,
		.off = cursor->off,
		.len = to->off - cursor->off,
		.lost = to->number > cursor->number
				? to->number - cursor->number
				: 0,
	};
	cursor->off = to->off;
	cursor->number = to->number;
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

/* Nothing sound is at the cursor: @v and @found tell what is. */
static int not_in_order(struct pmk_rlog *log, struct pmk_rlog_cursor *cursor,
			enum rlog_verdict v, struct rlog_found *found,
			struct pmk_rlog_record *rec_ret)
{
	struct resume resume;
	bool damage = false;

	if (!log->writer) {
		pmk_rlog_load_avail(log);
		pmk_rlog_load_state(log);
	}
	if (cursor->off < log->avail)
		damage = v == RLOG_UNREADABLE
				 ? is_unreadable(log, cursor, found, &resume)
				 : is_damage(log, cursor, &resume);
	/* look again: a writer may have finished it meanwhile, and then gone on
	 * to what looked like a proof */
	if (next_in_order(log, cursor, found) == RLOG_GOOD)
		return 1;
	return damage ? report_damage(cursor, &resume, rec_ret)
		      : end_of_log(log, cursor);
}

PMK_EXPORT int pmk_rlog_next(struct pmk_rlog *log,
			     struct pmk_rlog_cursor *cursor,
			     struct pmk_rlog_record *rec_ret)
{
	enum rlog_verdict v;
	struct rlog_found f;
	int rc;

	if (cursor->off == RLOG_DATA)
		pmk_fault_look();
	v = next_in_order(log, cursor, &f);
	if (v != RLOG_GOOD) {
		rc = not_in_order(log, cursor, v, &f, rec_ret);
		if (rc != 1)
			return rc;
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
	if (log->state.flags & RLOG_STATE_CLEAN)
		return 0;
	return pmk_rlog_written_end(log, off, written_end(log)) - off;
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
