/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy with overlap: strictly from one end to the other, one stream, each edge
 * loaded before it is stored.
 */
#include <stdint.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/flush.h>

#include "persist/copy_lines.h"
#include "persist/copy_overlap.h"
#include "persist/edge.h"
#include "persist/ops.h"
#include "persist/span.h"

typedef void (*edge_fn)(char *dst, const char *src, size_t len);

/* Who copies the parts of a range. */
struct mover {
	pmk_copy_lines_fn forward;
	pmk_copy_lines_fn backward;
	edge_fn edge;
};

static void edge_cached(char *dst, const char *src, size_t len)
{
	pmk_edge_store(dst, src, len);
}

static void edge_flush(char *dst, const char *src, size_t len)
{
	pmk_edge_flush(dst, src, len);
}

static void edge_streaming(char *dst, const char *src, size_t len)
{
	char buf[PMK_LINE_SIZE];

	if (!pmk_edge_is_words(dst, len)) {
		pmk_edge_flush(dst, src, len);
		return;
	}
	memcpy(buf, src, len);
	pmk_edge_stream(dst, buf, len);
}

static void lines_flush(void *dst, const void *src, size_t lines)
{
	pmk_kernels()->copy_cached->fn(dst, src, lines);
	pmk_flush(dst, lines * PMK_LINE_SIZE);
}

static void lines_flush_backward(void *dst, const void *src, size_t lines)
{
	pmk_copy_cached_backward(dst, src, lines);
	pmk_flush(dst, lines * PMK_LINE_SIZE);
}

/* The policies of copy.c, without thresholds. */
static struct mover mover_for(unsigned int flags)
{
	const struct pmk_kernels *k = pmk_kernels();

	if (flags & PMK_F_NOFLUSH)
		return (struct mover){ k->copy_cached->fn,
				       pmk_copy_cached_backward, edge_cached };
	if ((flags & PMK_F_TEMPORAL) && !(flags & PMK_F_NONTEMPORAL))
		return (struct mover){ lines_flush, lines_flush_backward,
				       edge_flush };
	if (flags & (PMK_F_NODRAIN | PMK_F_NONTEMPORAL))
		return (struct mover){ k->copy->fn, k->copy_backward->fn,
				       edge_streaming };
	return (struct mover){ k->copy_drained->fn, k->copy_backward->fn,
			       edge_flush };
}

static void move_forward(const struct pmk_span *s, const char *src,
			 const struct mover *m)
{
	size_t end = pmk_span_body_end(s);

	if (s->head)
		m->edge(s->dst, src, s->head);
	if (s->lines)
		m->forward(s->dst + s->head, src + s->head, s->lines);
	if (s->tail)
		m->edge(s->dst + end, src + end, s->tail);
}

static void move_backward(const struct pmk_span *s, const char *src,
			  const struct mover *m)
{
	size_t end = pmk_span_body_end(s);

	if (s->tail)
		m->edge(s->dst + end, src + end, s->tail);
	if (s->lines)
		m->backward(s->dst + s->head, src + s->head, s->lines);
	if (s->head)
		m->edge(s->dst, src, s->head);
}

void pmk_copy_overlapping(char *dst, const char *src, size_t len,
			  unsigned int flags)
{
	struct pmk_span s = pmk_span_of(dst, len);
	struct mover m = mover_for(flags);

	/* forward would overwrite source bytes before they are read */
	if ((uintptr_t)dst - (uintptr_t)src < len)
		move_backward(&s, src, &m);
	else
		move_forward(&s, src, &m);
}
