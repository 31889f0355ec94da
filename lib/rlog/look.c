/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What lies at a place of a log.  Every read of a mapping that may fail is here
 * or by pmk_copy_mc(): its storage may be damaged, its file cut off meanwhile.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/endian.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "persist/fault.h"
#include "rlog/rlog_impl.h"

/* Memory fails in pages or larger units. */
#define PAGE 4096U

static uint64_t next_page(uint64_t off)
{
	return pmk_align_down(off, PAGE) + PAGE;
}

struct look {
	const struct pmk_rlog *log;
	uint64_t off;
	struct rlog_found *found;
	enum rlog_verdict verdict;
	volatile bool header_is_sound; /* @found is filled in */
};

static bool payload_is_sound(const struct rlog_found *f, uint64_t seed)
{
	size_t len = f->header.len;

	return pmk_rlog_payload_sum(f->data, len, seed) == f->header.sum &&
	       pmk_is_zero(f->data + len,
			   pmk_rlog_record_bytes(len) - RLOG_HEADER - len);
}

static void look(void *arg)
{
	struct look *l = arg;
	const struct pmk_rlog *log = l->log;
	struct rlog_found f = { .off = l->off };
	uint64_t room = log->avail - l->off, size, seed;
	unsigned char bytes[RLOG_HEADER];

	l->verdict = RLOG_NONE;
	/* a copy, so that what was checked is what is used */
	memcpy(bytes, log->base + f.off, sizeof(bytes));
	if (!pmk_rlog_get_header(bytes, log->super.id, f.off, &f.header, &seed))
		return;
	size = pmk_rlog_record_bytes(f.header.len);
	f.batch = f.off - (uint64_t)f.header.back * RLOG_LINE;
	if (f.batch > f.off || f.batch < RLOG_DATA)
		return;
	f.end = f.off + pmk_min_size(size, room);
	f.data = log->base + f.off + RLOG_HEADER;
	*l->found = f;
	/* what is found is in memory before the payload is read */
	atomic_signal_fence(memory_order_seq_cst);
	l->header_is_sound = true;
	l->verdict = size <= room && payload_is_sound(&f, seed) ? RLOG_GOOD
								: RLOG_DAMAGED;
}

enum rlog_verdict pmk_rlog_look(const struct pmk_rlog *log, uint64_t off,
				struct rlog_found *found_ret)
{
	struct look l = { .log = log, .off = off, .found = found_ret };

	if (off > log->avail || log->avail - off < RLOG_LINE)
		return RLOG_NONE;
	if (!pmk_fault_call(look, &l, log->base, log->avail, NULL))
		return l.verdict;
	if (!l.header_is_sound)
		*found_ret = (struct rlog_found){ .off = off,
						  .end = next_page(off) };
	return RLOG_UNREADABLE;
}

/* A walk over lines, of which each is read. */
struct walk {
	const unsigned char *base;
	uint64_t end;
	volatile uint64_t off;
};

/* Up to one that may begin a record: its number is not 0. */
static void skip_blank(void *arg)
{
	struct walk *w = arg;

	while (w->off < w->end && !pmk_get_le64(w->base + w->off + 8))
		w->off += RLOG_LINE;
}

uint64_t pmk_rlog_skip_blank(const struct pmk_rlog *log, uint64_t off,
			     uint64_t end)
{
	struct walk w = { .base = log->base, .end = end, .off = off };

	while (pmk_fault_call(skip_blank, &w, log->base, end, NULL))
		w.off = next_page(w.off);
	return pmk_min_size(w.off, end);
}

/* Back to one that is not all zero. */
static void skip_zeros_back(void *arg)
{
	struct walk *w = arg;

	while (w->off > w->end &&
	       pmk_is_zero(w->base + w->off - RLOG_LINE, RLOG_LINE))
		w->off -= RLOG_LINE;
}

uint64_t pmk_rlog_written_end(const struct pmk_rlog *log, uint64_t off,
			      uint64_t end)
{
	struct walk w = { .base = log->base, .end = off, .off = end };

	while (end > off &&
	       pmk_fault_call(skip_zeros_back, &w, log->base, end, NULL))
		w.off = pmk_align_down(w.off - 1, PAGE);
	return w.off > off ? w.off : off;
}

static void read_pages(void *arg)
{
	struct walk *w = arg;

	for (; w->off < w->end; w->off = next_page(w->off))
		(void)*(const volatile unsigned char *)(w->base + w->off);
}

uint64_t pmk_rlog_readable_end(const struct pmk_rlog *log, uint64_t off,
			       uint64_t end)
{
	struct walk w = { .base = log->base, .end = end, .off = off };

	pmk_fault_call(read_pages, &w, log->base, end, NULL);
	return pmk_min_size(w.off, end);
}

uint64_t pmk_rlog_unreadable_end(const struct pmk_rlog *log, uint64_t off,
				 uint64_t end)
{
	while (off < end && pmk_rlog_readable_end(log, off, off + 1) == off)
		off = next_page(off);
	return pmk_min_size(off, end);
}
