/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engines that go page by page: field by field, or by copies of a template,
 * as the series "mm: template for ZONE_DEVICE struct pages" of 2026 does.
 *
 * A template is one struct page that went through init.c.  What depends on the
 * frame is refreshed in the template, never in the copy: an ordinary store to a
 * line that was just written around the cache fetches it back.
 */
#include <string.h>

#include <pmk/copy.h>
#include <pmk/flush.h>

#include "base/util.h"
#include "memmap/build.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct template
{
	_Alignas(64) uint64_t head[MEMMAP_BYTES_MAX / 8];
	_Alignas(64) uint64_t tail[MEMMAP_BYTES_MAX / 8];
};

/* Constants, wherever these are called: one loop for each is compiled. */
struct how {
	unsigned int engine;
	unsigned int bytes;
};

/* Does it leave lines on their way to memory that a drain waits for? */
ALWAYS_INLINE bool is_nt(struct how how)
{
	return how.engine == PMK_MEMMAP_CALL || how.engine == PMK_MEMMAP_INLINE;
}

ALWAYS_INLINE void copy(struct how how, char *dst, const uint64_t *src)
{
	switch (how.engine) {
	case PMK_MEMMAP_TEMPLATE:
		memcpy(dst, src, how.bytes);
		/* page by page, as in Linux: no loop of two is joined */
		__asm__ volatile("" : : : "memory");
		break;
	case PMK_MEMMAP_CALL:
		pmk_memcpy_flushcache_any(dst, src, how.bytes);
		break;
	default:
		pmk_memcpy_flushcache(dst, src, how.bytes);
		break;
	}
}

ALWAYS_INLINE void refresh(const struct pmk_memmap *m, uint64_t *template,
			   uint64_t frame)
{
	const uint64_t below = ((uint64_t)1 << MEMMAP_SECTION_SHIFT) - 1;

	if (m->init.section)
		template[MEMMAP_FLAGS] = (template[MEMMAP_FLAGS] & below) |
					 memmap_section_bits(m->base + frame);
}

/* Without a pass for it, every page looks whether it is the first of a block.
 */
ALWAYS_INLINE void look_at_pageblock(struct pmk_memmap *m, uint64_t frame)
{
	if (!m->profile->pageblock_pass &&
	    (m->base + frame) % MEMMAP_PAGEBLOCK == 0)
		memmap_set_movable(m, frame);
}

ALWAYS_INLINE void put_head(struct pmk_memmap *m, struct how how,
			    struct template *t, uint64_t frame, char *page)
{
	if (how.engine == PMK_MEMMAP_SLOW) {
		pmk_memmap_init_device(&m->init, (void *)page, m->base + frame);
	} else {
		refresh(m, t->head, frame);
		copy(how, page, t->head);
	}
	look_at_pageblock(m, frame);
}

ALWAYS_INLINE void put_tail(struct pmk_memmap *m, struct how how,
			    struct template *t, uint64_t link, uint64_t frame,
			    char *page)
{
	if (how.engine == PMK_MEMMAP_SLOW) {
		pmk_memmap_init_tail(&m->init, (void *)page, m->base + frame,
				     link);
	} else {
		refresh(m, t->tail, frame);
		copy(how, page, t->tail);
	}
	look_at_pageblock(m, frame);
}

/* The tail behind which the head is prepared; 0: behind the last. */
static uint64_t prepared_behind(const struct memmap_profile *p)
{
	switch (p->head) {
	case MEMMAP_HEAD_AFTER_TAIL1:
		return 1;
	case MEMMAP_HEAD_AFTER_TAIL2:
		return 2;
	default:
		return 0;
	}
}

static void prep_head(struct pmk_memmap *m, bool nt, uint64_t head, char *page)
{
	if (nt)
		pmk_drain(); /* the tails, before ordinary stores to them */
	pmk_memmap_prep_head(&m->init, (void *)page, m->base + head, m->order);
}

/* The rest of a compound whose head is initialised, at @page; returns how many
 * tails were written. */
ALWAYS_INLINE uint64_t init_compound(struct pmk_memmap *m, struct how how,
				     struct template *t, uint64_t head,
				     char *page)
{
	uint64_t behind = prepared_behind(m->profile);
	uint64_t n = pmk_memmap_compound_pages(m, head);
	uint64_t link =
		pmk_memmap_head_link(&m->init, m->base + head, m->order);

	if (is_nt(how))
		pmk_drain(); /* the head, before an ordinary store to it */
	pmk_memmap_set_head(&m->init, (void *)page);
	if (how.engine != PMK_MEMMAP_SLOW)
		pmk_memmap_init_tail(&m->init, t->tail, m->base + head, link);
	for (uint64_t i = 1; i < n; i++) {
		put_tail(m, how, t, link, head + i, page + i * how.bytes);
		if (i == behind)
			prep_head(m, is_nt(how), head, page);
	}
	if (!behind)
		prep_head(m, is_nt(how), head, page);
	return n - 1;
}

ALWAYS_INLINE int64_t build(struct pmk_memmap *m, struct how how,
			    uint64_t first, uint64_t end, char *page)
{
	uint64_t step = (uint64_t)1 << m->order, written = 0;
	struct template t;

	pmk_memmap_init_device(&m->init, t.head, m->base + first);
	for (uint64_t f = first; f < end; f += step) {
		put_head(m, how, &t, f, page);
		written++;
		if (m->order)
			written += init_compound(m, how, &t, f, page);
		page += (m->order ? pmk_memmap_compound_memory(m, f) : 1) *
			how.bytes;
	}
	return (int64_t)written;
}

/* The size of a struct page is a constant in a kernel, too. */
#define BUILD(name, which)                                                     \
	int64_t pmk_memmap_build_##name(struct pmk_memmap *m, uint64_t first,  \
					uint64_t end, char *buf)               \
	{                                                                      \
		switch (m->bytes) {                                            \
		case 64:                                                       \
			return build(m, (struct how){ which, 64 }, first, end, \
				     buf);                                     \
		case 80:                                                       \
			return build(m, (struct how){ which, 80 }, first, end, \
				     buf);                                     \
		default:                                                       \
			return build(m, (struct how){ which, 96 }, first, end, \
				     buf);                                     \
		}                                                              \
	}

BUILD(slow, PMK_MEMMAP_SLOW)
BUILD(template, PMK_MEMMAP_TEMPLATE)
BUILD(call, PMK_MEMMAP_CALL)
BUILD(inline, PMK_MEMMAP_INLINE)
