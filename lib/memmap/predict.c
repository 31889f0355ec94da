/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel makes of a namespace: where its data begin, how much of it
 * can be used, and what its struct pages cost.
 */
#include <errno.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "memmap/params.h"
#include "memmap/predict.h"
#include "memmap/profile.h"
#include "memmap/units.h"

/* What a start must be aligned to on x86-64, and data are at the least
 * (memremap_compat_align). */
#define COMPAT  MEMMAP_2M
#define END_MAX ((uint64_t)1 << 63)
/* What the results are worked out from. */
struct plan {
	const struct pmk_memmap_params *p;
	const struct memmap_profile *profile;
	uint64_t bytes; /* of a struct page */
	uint64_t end;   /* of what is used, behind the start */
	uint64_t pages; /* from the start to @end: all have a struct page */
	/* pages of a compound whose tails share memory, 0 without such */
	uint64_t compound;
	/* pages behind the start: what is up to @head_end and what is from
	 * @tail_start on is in sections that are shared with RAM */
	uint64_t head_end;
	uint64_t tail_start;
};

static int refuse(struct pmk_memmap_layout *l, int code, const char *reason)
{
	l->reason = reason;
	return code;
}

/* What no kernel is asked, as it cannot come to it. */
static int check_params(const struct pmk_memmap_params *p,
			struct pmk_memmap_layout *l)
{
	unsigned int kept = p->struct_page;

	if (!pmk_memmap_profile(p->kernel))
		return refuse(l, -ENOENT, "no such kernel");
	if (p->mode != PMK_MODE_FSDAX && p->mode != PMK_MODE_DEVDAX)
		return refuse(l, -EINVAL, "mode is neither fsdax nor devdax");
	if (p->map != PMK_MEMMAP_DEV && p->map != PMK_MEMMAP_MEM)
		return refuse(l, -EINVAL, "map is neither dev nor mem");
	if (p->align != MEMMAP_PAGE && p->align != MEMMAP_2M &&
	    p->align != MEMMAP_1G)
		return refuse(l, -EINVAL, "align is not 4K, 2M or 1G");
	if (kept && kept != 64 && kept != 80 && kept != 96 && kept != 128)
		return refuse(l, -EINVAL,
			      "struct page is not of 64, 80, 96 or 128 bytes");
	if (p->size > END_MAX || p->start > END_MAX - p->size)
		return refuse(l, -EOVERFLOW, "namespace ends behind 2^63");
	if (p->size < MEMMAP_RESERVE)
		return refuse(l, -EINVAL, "size is below 8 KiB");
	if (pmk_memmap_overlaps_ram(p, p->start, p->start + p->size))
		return refuse(l, -EEXIST, "namespace overlaps RAM");
	return 0;
}

/* Where data begin and end.  Nothing wraps: the end is at 2^63 at most, and
 * struct pages take at most a 32nd of it. */
static int place_data(const struct pmk_memmap_params *p, bool strict,
		      struct pmk_memmap_layout *l)
{
	uint64_t align = p->align > COMPAT ? p->align : COMPAT;
	uint64_t trunc = (p->start + p->size) % align, off = MEMMAP_RESERVE;

	if (!pmk_is_aligned(p->start, COMPAT))
		return refuse(l, -EINVAL, "start misaligned");
	/* of all of the size, also of what is left out at the end */
	if (p->map == PMK_MEMMAP_DEV)
		off += (p->struct_page ? p->struct_page : 64) *
		       ((p->size - MEMMAP_RESERVE) / MEMMAP_PAGE);
	off = pmk_align_up(p->start + off, align) - p->start;
	/* data begin and end at multiples of @align: if they begin inside the
	 * namespace, then not behind their end */
	if (off >= p->size || (strict && off == p->size - trunc))
		return refuse(l, -ENXIO,
			      "unable to satisfy requested alignment");
	l->dataoff = off;
	l->end_trunc = trunc;
	l->usable = p->size - trunc - off;
	l->npfns = l->usable / MEMMAP_PAGE;
	return 0;
}

/* A section that is whole is not shared: only the first and the last can be. */
static void find_shared(struct plan *pl, struct pmk_memmap_layout *l)
{
	uint64_t start = pl->p->start, end = start + pl->end;
	uint64_t first = pmk_align_down(start, MEMMAP_SECTION);
	uint64_t last = pmk_align_down(end - 1, MEMMAP_SECTION);

	pl->tail_start = pl->pages;
	if (pmk_memmap_overlaps_ram(pl->p, first, first + MEMMAP_SECTION)) {
		l->shared_sections++;
		pl->head_end =
			end > first + MEMMAP_SECTION
				? (first + MEMMAP_SECTION - start) / MEMMAP_PAGE
				: pl->pages;
	}
	if (last != first &&
	    pmk_memmap_overlaps_ram(pl->p, last, last + MEMMAP_SECTION)) {
		l->shared_sections++;
		pl->tail_start = (last - start) / MEMMAP_PAGE;
	}
}

static struct plan make_plan(const struct pmk_memmap_params *p,
			     struct pmk_memmap_layout *l)
{
	struct plan pl = {
		.p = p,
		.profile = pmk_memmap_profile(p->kernel),
		.bytes = p->struct_page == 80 || p->struct_page == 96
				 ? p->struct_page
				 : 64,
		.end = p->size - l->end_trunc,
	};

	pl.pages = pl.end / MEMMAP_PAGE;
	/* no altmap, and struct pages whose size is a power of two */
	if (p->mode == PMK_MODE_DEVDAX && p->align > MEMMAP_PAGE &&
	    p->map == PMK_MEMMAP_MEM && pl.bytes == 64)
		pl.compound = p->align / MEMMAP_PAGE;
	find_shared(&pl, l);
	return pl;
}

static uint64_t full_sections(const struct plan *pl)
{
	uint64_t first = pmk_align_up(pl->p->start, MEMMAP_SECTION);
	uint64_t end = pmk_align_down(pl->p->start + pl->end, MEMMAP_SECTION);

	return end > first ? (end - first) / MEMMAP_SECTION : 0;
}

/* Struct pages of whole sections come from the namespace, in blocks of 2 MiB;
 * those of others from ordinary memory. */
static void fill_altmap(const struct plan *pl, struct pmk_memmap_layout *l)
{
	uint64_t full = full_sections(pl);
	/* up to the first multiple of 2 MiB behind the reserve */
	uint64_t skip = (MEMMAP_2M - MEMMAP_RESERVE) / MEMMAP_PAGE;

	if (pl->p->map != PMK_MEMMAP_DEV)
		return;
	l->altmap_reserve = MEMMAP_RESERVE / MEMMAP_PAGE;
	l->altmap_free = (l->dataoff - MEMMAP_RESERVE) / MEMMAP_PAGE;
	if (full && pl->bytes == 64)
		l->altmap_used = full * (MEMMAP_2M / MEMMAP_PAGE) + skip;
	l->memmap_pmem_bytes = full * MEMMAP_SECTION_PAGES * pl->bytes;
}

/* Compounds are laid from the start of the namespace on. */
static uint64_t heads_before(const struct plan *pl, uint64_t page)
{
	return (page + pl->compound - 1) / pl->compound;
}

static uint64_t pages_before(const struct plan *pl, uint64_t page)
{
	uint64_t n = heads_before(pl, page) * pl->compound;

	return n < pl->pages ? n : pl->pages;
}

/* Compounds whose tails share memory, but for those whose head is in a section
 * that has a memmap already. */
static void fill_compounds(const struct plan *pl, struct pmk_memmap_layout *l)
{
	uint64_t all = heads_before(pl, pl->pages);
	uint64_t head = heads_before(pl, pl->head_end);
	uint64_t tail = heads_before(pl, pl->tail_start);
	uint64_t shared = head + all - tail;

	l->struct_pages_written = all * MEMMAP_KEPT;
	if (pl->profile->early_sections)
		l->struct_pages_written = (all - shared) * MEMMAP_KEPT +
					  pages_before(pl, pl->head_end) +
					  pl->pages -
					  pages_before(pl, pl->tail_start);
	l->memmap_bytes = (all - shared) * MEMMAP_KEPT * pl->bytes;
}

static void fill_memmap(const struct plan *pl, struct pmk_memmap_layout *l)
{
	bool dev = pl->p->map == PMK_MEMMAP_DEV;

	l->init_pages = dev ? l->npfns : pl->pages;
	if (pl->compound) {
		fill_compounds(pl, l);
	} else {
		l->struct_pages_written = l->init_pages;
		l->memmap_bytes = (pl->tail_start - pl->head_end) * pl->bytes;
	}
	l->memmap_dram_bytes = l->memmap_bytes - l->memmap_pmem_bytes;
}

static const char *find_warning(const struct plan *pl,
				const struct pmk_memmap_layout *l)
{
	if (!l->npfns)
		return "nothing is left for data: the device has no size, and "
		       "may not come up again";
	if (pl->compound == MEMMAP_1G / MEMMAP_PAGE &&
	    !pmk_is_aligned(pl->p->start, MEMMAP_1G))
		return "compounds of 1 GiB are laid from the start of the "
		       "namespace, which is not aligned to 1 GiB, and not from "
		       "that of the data";
	if (pl->compound && l->shared_sections && !pl->profile->early_sections)
		return "tails of compounds in sections shared with RAM are not "
		       "initialised by this kernel";
	return NULL;
}

int pmk_memmap_work_out(const struct pmk_memmap_params *p,
			struct pmk_memmap_layout *layout_ret)
{
	struct plan pl;
	int rc;

	*layout_ret = (struct pmk_memmap_layout){ 0 };
	rc = check_params(p, layout_ret);
	if (!rc)
		rc = place_data(
			p, pmk_memmap_profile(p->kernel)->refuses_truncated,
			layout_ret);
	if (rc)
		return rc;
	pl = make_plan(p, layout_ret);
	/* a dax device without a range has no driver, which makes the struct
	 * pages (tried on 6.1; an fsdax one has all of them) */
	if (layout_ret->npfns || p->mode == PMK_MODE_FSDAX) {
		fill_altmap(&pl, layout_ret);
		fill_memmap(&pl, layout_ret);
	}
	layout_ret->warning = find_warning(&pl, layout_ret);
	return 0;
}

PMK_EXPORT int pmk_memmap_predict(const struct pmk_memmap_params *params,
				  struct pmk_memmap_layout *layout_ret)
{
	int rc = pmk_memmap_work_out(params, layout_ret);

	return rc ? pmk_fail(rc, "%s", layout_ret->reason) : 0;
}
