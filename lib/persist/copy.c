/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy: how a range is made durable, from the flags and the thresholds.
 *
 * Whole lines go first and edges last: that order is as good as any other for
 * a destination in the cache and up to a third better for one that is not
 * (1024 bytes at offset 8: 306 against 410 ns on DRAM).
 */
#include <stdbool.h>

#include <pmk/copy.h>
#include <pmk/tune.h>

#include "base/export.h"
#include "persist/copy_lines.h"
#include "persist/copy_overlap.h"
#include "persist/edge.h"
#include "persist/ops.h"
#include "persist/prim.h"
#include "persist/span.h"

static void store_edges(const struct pmk_span *s, const char *src)
{
	size_t end = pmk_span_body_end(s);

	if (s->tail)
		pmk_edge_store(s->dst + end, src + end, s->tail);
	if (s->head)
		pmk_edge_store(s->dst, src, s->head);
}

static void copy_cached(const struct pmk_kernels *k, const struct pmk_span *s,
			const char *src)
{
	if (s->lines)
		k->copy_cached->fn(s->dst + s->head, src + s->head, s->lines);
	store_edges(s, src);
}

/* Of eight streams: the CPU prefetches within a page only. */
#define BLOCK_PIECE 4096U

/* How a run of lines begins: @blocks of @streams pieces. */
struct plan {
	size_t streams;
	size_t piece;
	size_t blocks;
};

/* For @len >= t->two_streams. */
static struct plan plan_for(size_t len, const struct pmk_tuning *t)
{
	if (len >= t->eight_streams && len >= 8 * BLOCK_PIECE)
		return (struct plan){ 8, BLOCK_PIECE, len / (8 * BLOCK_PIECE) };
	if (len >= t->four_streams)
		return (struct plan){
			4, len / (4 * PMK_STREAM_UNIT) * PMK_STREAM_UNIT, 1
		};
	return (struct plan){ 2, len / (2 * PMK_STREAM_UNIT) * PMK_STREAM_UNIT,
			      1 };
}

/* By streams, as long as it is long enough; returns how many bytes. */
static __attribute__((noinline)) size_t copy_by_streams(
	char *dst, const char *src, size_t len, size_t two,
	const struct pmk_tuning *t)
{
	const struct pmk_kernels *k = pmk_kernels();
	size_t done = 0;

	while (len - done >= two) {
		struct plan p = plan_for(len - done, t);

		if (!p.piece)
			break;
		(p.streams >= 4 ? k->copy_blocks : k->copy_streams)
			->fn(dst + done, src + done, p.piece, p.streams,
			     p.blocks);
		done += p.streams * p.piece * p.blocks;
	}
	return done;
}

/*
 * Whole lines past the cache.  Each of several streams waits for its own source
 * line, which is what a long copy does most of the time.
 */
static inline void copy_lines(const struct pmk_kernels *k, char *dst,
			      const char *src, size_t lines, bool drained,
			      const struct pmk_tuning *t)
{
	size_t two = drained ? t->two_streams : t->two_streams_nodrain;

	if (lines >= two / PMK_LINE_SIZE) {
		/* to a whole unit of the medium: a stream's turn is one */
		size_t first =
			(-(uintptr_t)dst % PMK_STREAM_UNIT) / PMK_LINE_SIZE;
		size_t done;

		if (first && first < lines) {
			k->copy->fn(dst, src, first);
			dst += first * PMK_LINE_SIZE;
			src += first * PMK_LINE_SIZE;
			lines -= first;
		}
		done = copy_by_streams(dst, src, lines * PMK_LINE_SIZE, two, t);
		dst += done;
		src += done;
		lines -= done / PMK_LINE_SIZE;
	}
	if (lines)
		(drained ? k->copy_drained : k->copy)->fn(dst, src, lines);
}

/*
 * The caller drains at once.  A partial line is cheaper stored and written back
 * then (227-241 ns against 297-331 ns for 8 bytes on DRAM), and so are some
 * whole lines beside it; else whole lines go past the cache.
 */
static void copy_drained(const struct pmk_kernels *k, const struct pmk_span *s,
			 const char *src, size_t len,
			 const struct pmk_tuning *t)
{
	bool edges = s->head + s->tail;

	if (s->lines && len >= (edges ? t->nt_edges : t->nt_lines)) {
		copy_lines(k, s->dst + s->head, src + s->head, s->lines, true,
			   t);
		store_edges(s, src);
		pmk_span_flush_edges(k, s);
	} else {
		copy_cached(k, s, src);
		pmk_flush(s->dst, len);
	}
}

/*
 * The caller drains later, and may write the rest of a line meanwhile, so that
 * lines are better not fetched and written back: 3.7 against 216 ns for 8 bytes
 * behind 8 others.  Both ways in one line would be the worst (670 ns), so if an
 * edge has a piece smaller than a MOVNTI, both edges go through the cache: the
 * copies before and behind this one are likely to be of the same shape.
 */
static void copy_streaming(const struct pmk_kernels *k,
			   const struct pmk_span *s, const char *src,
			   size_t len, const struct pmk_tuning *t)
{
	char *body = s->dst + s->head;
	size_t end = pmk_span_body_end(s);

	if (pmk_edge_is_words(s->dst, len)) {
		if (s->head)
			pmk_edge_stream(s->dst, src, s->head);
		if (s->lines)
			copy_lines(k, body, src + s->head, s->lines, false, t);
		if (s->tail)
			pmk_edge_stream(s->dst + end, src + end, s->tail);
		return;
	}
	copy_lines(k, body, src + s->head, s->lines, false, t);
	store_edges(s, src);
	pmk_span_flush_edges(k, s);
}

static inline bool is_temporal(unsigned int flags)
{
	return (flags & (PMK_F_TEMPORAL | PMK_F_NONTEMPORAL)) == PMK_F_TEMPORAL;
}

static inline bool is_streaming(unsigned int flags)
{
	return flags & (PMK_F_NODRAIN | PMK_F_NONTEMPORAL) &&
	       !is_temporal(flags);
}

static void copy_apart(const struct pmk_kernels *k, char *dst, const char *src,
		       size_t len, unsigned int flags,
		       const struct pmk_tuning *t)
{
	struct pmk_span s = pmk_span_of(dst, len);
	/* as libpmem does: by 10 ns a line better than both ways mixed */
	bool odd = len < t->nt_edges && !pmk_edge_is_words(dst, len);

	if (flags & PMK_F_NOFLUSH) {
		copy_cached(k, &s, src);
	} else if (is_temporal(flags) ||
		   (odd && !(flags & PMK_F_NONTEMPORAL))) {
		copy_cached(k, &s, src);
		pmk_flush(dst, len);
	} else if (is_streaming(flags)) {
		copy_streaming(k, &s, src, len, t);
	} else {
		copy_drained(k, &s, src, len, t);
	}
}

/* Whole lines for which copy_apart() would do nothing else. */
static inline bool is_lines_past_cache(uintptr_t dst, size_t len,
				       unsigned int flags,
				       const struct pmk_tuning *t)
{
	return !((dst | len) % PMK_LINE_SIZE) &&
	       !(flags & (PMK_F_TEMPORAL | PMK_F_NOFLUSH)) &&
	       (len >= t->nt_lines || is_streaming(flags));
}

static inline void *move(const struct pmk_kernels *k, void *dst,
			 const void *src, size_t len, unsigned int flags,
			 const struct pmk_tuning *t)
{
	uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;

	pmk_check_region(src, len);
	pmk_check_region(dst, len);
	if (d == s) {
		if (!(flags & PMK_F_NOFLUSH))
			pmk_flush(dst, len);
	} else if (d - s < len || s - d < len) {
		pmk_copy_overlapping(dst, src, len, flags);
	} else if (len && is_lines_past_cache(d, len, flags, t)) {
		copy_lines(k, dst, src, len / PMK_LINE_SIZE,
			   !is_streaming(flags), t);
	} else if (len) {
		copy_apart(k, dst, src, len, flags, t);
	}
	if (!(flags & (PMK_F_NODRAIN | PMK_F_NOFLUSH)))
		pmk_drain(); /* everything copied above */
	return dst;
}

/*
 * flatten: all of the above in one function.  As calls of each other they cost
 * 3 ns, a tenth of a copy of two lines without a drain.
 */
PMK_EXPORT __attribute__((flatten)) void *pmk_memmove_tuned(
	void *dst, const void *src, size_t len, unsigned int flags,
	const struct pmk_tuning *tuning)
{
	return move(pmk_kernels(), dst, src, len, flags, tuning);
}

static __attribute__((noinline, flatten)) void *move_dram(void *dst,
							  const void *src,
							  size_t len,
							  unsigned int flags)
{
	const struct pmk_kernels *k = pmk_kernels();

	return move(k, dst, src, len, flags, &k->tuning[PMK_MEDIUM_DRAM]);
}

static __attribute__((noinline)) void *flush_in_line(void *dst,
						     unsigned int flags)
{
	pmk_flush(dst, 1);
	if (!(flags & PMK_F_NODRAIN))
		pmk_drain(); /* the line just flushed */
	return dst;
}

/*
 * What comes in front of everything else, for the short copies where each
 * instruction counts: nothing here is called except as the last thing, so that
 * no register has to be saved.  An append of 8 bytes to a log takes 27
 * instructions here, and 60 on the way of all other copies.
 */

/* Some aligned words, with PMK_F_NODRAIN. */
static inline bool is_append(uintptr_t dst, size_t len, unsigned int flags)
{
	return flags == PMK_F_NODRAIN && !((dst | len) & 7) &&
	       len - 1 < PMK_LINE_SIZE - 1;
}

static inline void *append_words(void *dst, const void *src, size_t len)
{
	size_t i = 0;

	pmk_check_region(src, len);
	pmk_check_region(dst, len);
	do
		pmk_nt_copy8((char *)dst + i, (const char *)src + i);
	while ((i += 8) < len);
	return dst;
}

/* Whole lines, with PMK_F_NODRAIN. */
static inline bool is_lines(uintptr_t dst, size_t len, unsigned int flags)
{
	return flags == PMK_F_NODRAIN && !((dst | len) % PMK_LINE_SIZE) && len;
}

static __attribute__((noinline)) void *stream_lines(void *dst, const void *src,
						    size_t len)
{
	const struct pmk_kernels *k = pmk_kernels();

	if (len >= k->tuning[PMK_MEDIUM_DRAM].two_streams_nodrain)
		return move_dram(dst, src, len, PMK_F_NODRAIN);
	pmk_check_region(src, len);
	pmk_check_region(dst, len);
	k->copy->fn(dst, src, len / PMK_LINE_SIZE);
	return dst;
}

/* Less than a line, in one line, with no other flag. */
static inline bool is_in_line(uintptr_t dst, size_t len, unsigned int flags)
{
	return !(flags & ~PMK_F_NODRAIN) &&
	       len - 1 < PMK_LINE_SIZE - 1 - dst % PMK_LINE_SIZE;
}

static inline void *move_in_line(void *dst, const void *src, size_t len,
				 unsigned int flags)
{
	const struct pmk_kernels *k = atomic_load_explicit(
		&pmk_kernels_published, memory_order_acquire);

	pmk_check_region(src, len);
	pmk_check_region(dst, len);
	if ((flags & PMK_F_NODRAIN) && pmk_edge_is_words(dst, len)) {
		pmk_edge_stream(dst, src, len);
		return dst;
	}
	pmk_edge_store(dst, src, len);
	if (!k || k->flush->needs != PMK_CPU_CLWB)
		return flush_in_line(dst, flags);
	pmk_clwb(dst);
	if (!(flags & PMK_F_NODRAIN))
		pmk_drain(); /* the line just written back */
	return dst;
}

/* Words in the end of a line and the beginning of the next, with
 * PMK_F_NODRAIN. */
static inline bool is_across(uintptr_t dst, size_t len, unsigned int flags)
{
	size_t head = PMK_LINE_SIZE - dst % PMK_LINE_SIZE;

	return flags == PMK_F_NODRAIN && !((dst | len) & 3) && len > head &&
	       len - head < PMK_LINE_SIZE;
}

static inline void *stream_across(void *dst, const void *src, size_t len)
{
	size_t head = PMK_LINE_SIZE - (uintptr_t)dst % PMK_LINE_SIZE;

	pmk_check_region(src, len);
	pmk_check_region(dst, len);
	pmk_edge_stream(dst, src, head);
	pmk_edge_stream((char *)dst + head, (const char *)src + head,
			len - head);
	return dst;
}

PMK_EXPORT void *pmk_memmove(void *dst, const void *src, size_t len,
			     unsigned int flags)
{
	uintptr_t d = (uintptr_t)dst;

	/* not above @src by less than @len: words go in ascending order */
	if (d - (uintptr_t)src >= len) {
		if (is_append(d, len, flags))
			return append_words(dst, src, len);
		if (is_in_line(d, len, flags))
			return move_in_line(dst, src, len, flags);
		if (is_lines(d, len, flags))
			return stream_lines(dst, src, len);
		if (is_across(d, len, flags))
			return stream_across(dst, src, len);
	}
	return move_dram(dst, src, len, flags);
}

PMK_EXPORT __attribute__((alias("pmk_memmove"))) void *pmk_memcpy(
	void *dst, const void *src, size_t len, unsigned int flags);
