/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine that builds struct pages as fast as this library can: nothing is
 * written twice, and every line at once.
 *
 * Pages are the same for long runs: all of a section, or all tails of a
 * compound but the first two.  Groups of four, which end with a line whatever
 * the size of a struct page, are made in the cache and stored again and again.
 */
#include <string.h>

#include "base/util.h"
#include "memmap/build.h"
#include "memmap/stream.h"

struct stream {
	struct pmk_memmap *m;
	memmap_stream_fn *store;
	unsigned int lines; /* of a group */
	_Alignas(64) char first[MEMMAP_GROUP_MAX * MEMMAP_LINE];
	_Alignas(64) char other[MEMMAP_GROUP_MAX * MEMMAP_LINE];
};

static uint64_t *page_of(struct stream *s, char *group, unsigned int i)
{
	return (uint64_t *)(void *)(group + (size_t)i * s->m->bytes);
}

static void fill_group(struct stream *s, char *group, const uint64_t *page)
{
	for (unsigned int i = 0; i < MEMMAP_GROUP; i++)
		memcpy(page_of(s, group, i), page, s->m->bytes);
}

/* The frame behind the last whose struct page is that of @frame. */
static uint64_t run_end(const struct stream *s, uint64_t frame, uint64_t end)
{
	uint64_t base = s->m->base, next;

	if (!s->m->init.section)
		return end;
	next = pmk_align_down(base + frame, MEMMAP_SECTION_PAGES) +
	       MEMMAP_SECTION_PAGES - base;
	return next < end ? next : end;
}

static void stream_pages(struct stream *s, uint64_t first, uint64_t end,
			 char *page)
{
	uint64_t template[MEMMAP_BYTES_MAX / 8], next;

	for (uint64_t f = first; f < end; f = next) {
		next = run_end(s, f, end);
		pmk_memmap_init_device(&s->m->init, template, s->m->base + f);
		fill_group(s, s->first, template);
		s->store(page, s->first, s->lines, (next - f) / MEMMAP_GROUP);
		page += (next - f) * s->m->bytes;
	}
}

/* Groups for frames @run on of the compound at @head: its section is what may
 * differ from run to run. */
static void make_tails(struct stream *s, uint64_t head, uint64_t run)
{
	uint64_t template[MEMMAP_BYTES_MAX / 8];
	struct pmk_memmap *m = s->m;

	pmk_memmap_init_tail(
		&m->init, template, m->base + run,
		pmk_memmap_head_link(&m->init, m->base + head, m->order));
	fill_group(s, s->other, template);
}

static void make_head(struct stream *s, uint64_t head)
{
	uint64_t *page = page_of(s, s->first, 0);
	struct pmk_memmap *m = s->m;

	memcpy(s->first, s->other, sizeof(s->first));
	pmk_memmap_init_device(&m->init, page, m->base + head);
	pmk_memmap_set_head(&m->init, page);
	pmk_memmap_prep_head(&m->init, page, m->base + head, m->order);
}

static uint64_t stream_compound(struct stream *s, uint64_t head, char *page)
{
	uint64_t n = pmk_memmap_compound_pages(s->m, head), end = head + n,
		 next;

	for (uint64_t f = head; f < end; f = next) {
		next = run_end(s, f, end);
		make_tails(s, head, f);
		if (f == head) {
			make_head(s, head);
			s->store(page, s->first, s->lines, 1);
			f += MEMMAP_GROUP;
		}
		s->store(page + (f - head) * s->m->bytes, s->other, s->lines,
			 (next - f) / MEMMAP_GROUP);
	}
	return n;
}

static void set_movable(struct pmk_memmap *m, uint64_t first, uint64_t n)
{
	for (uint64_t f = first; f < first + n; f += MEMMAP_PAGEBLOCK)
		memmap_set_movable(m, f);
}

int64_t pmk_memmap_build_stream(struct pmk_memmap *m, uint64_t first,
				uint64_t end, char *buf)
{
	struct stream s = {
		.m = m,
		.store = pmk_memmap_stream_kernel()->fn,
		.lines = m->bytes * MEMMAP_GROUP / MEMMAP_LINE,
	};
	uint64_t written = 0, n;

	if (!m->order) {
		stream_pages(&s, first, end, buf);
		written = end - first;
		if (!m->profile->pageblock_pass)
			set_movable(m, first, written);
	}
	for (uint64_t f = first; m->order && f < end; f += 1UL << m->order) {
		n = stream_compound(&s, f, buf);
		buf += pmk_memmap_compound_memory(m, f) * m->bytes;
		written += n;
		if (!m->profile->pageblock_pass)
			set_movable(m, f, n);
	}
	return (int64_t)written;
}
