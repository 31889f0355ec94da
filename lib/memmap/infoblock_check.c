/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a kernel says to an info block: its checks, in its order, a function
 * each.  infoblock_text.c has what is said of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pmk/infoblock.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "memmap/infoblock.h"
#include "memmap/profile.h"

#define GIB ((uint64_t)1 << 30)

/* A block while it is looked at. */
struct look {
	struct pmk_infoblock ib; /* changes as the kernel fills in fields */
	const struct pmk_infoblock_ns *ns;
	const struct memmap_profile *kernel;
	unsigned int struct_page;
	char *detail; /* of the report */
};

static enum pmk_infoblock_result passed_if(bool good)
{
	return good ? PMK_INFOBLOCK_PASSED : PMK_INFOBLOCK_FAILED;
}

/* FAILED, with the numbers of it. */
__attribute__((format(printf, 2, 3))) static enum pmk_infoblock_result fails(
	struct look *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->detail, sizeof(((struct pmk_infoblock_report *)0)->detail),
		  fmt, ap);
	va_end(ap);
	return PMK_INFOBLOCK_FAILED;
}

static enum pmk_infoblock_result check_signature(struct look *l)
{
	enum pmk_infoblock_type t = l->ib.type;

	switch (l->ns->mode) {
	case PMK_MODE_FSDAX:
		return passed_if(t == PMK_INFOBLOCK_PFN);
	case PMK_MODE_DEVDAX:
		return passed_if(t == PMK_INFOBLOCK_DAX);
	default:
		return passed_if(t != PMK_INFOBLOCK_NONE);
	}
}

static enum pmk_infoblock_result check_checksum(struct look *l)
{
	if (l->ib.checksum == l->ib.checksum_computed)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "stored 0x%016" PRIx64 ", computed 0x%016" PRIx64,
		     l->ib.checksum, l->ib.checksum_computed);
}

static enum pmk_infoblock_result check_parent_uuid(struct look *l)
{
	if (!l->ns->parent_uuid_known)
		return PMK_INFOBLOCK_SKIPPED;
	return passed_if(!memcmp(l->ib.parent_uuid, l->ns->parent_uuid,
				 sizeof(l->ib.parent_uuid)));
}

static enum pmk_infoblock_result check_mode(struct look *l)
{
	if (l->ib.mode == PMK_INFOBLOCK_MODE_MEM ||
	    l->ib.mode == PMK_INFOBLOCK_MODE_DEV)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "mode %" PRIu32, l->ib.mode);
}

static enum pmk_infoblock_result check_page_size(struct look *l)
{
	if (l->ib.mode != PMK_INFOBLOCK_MODE_DEV)
		return PMK_INFOBLOCK_NOT_APPLICABLE;
	if (l->ib.page_size <= INFOBLOCK_PAGE)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "pages of %" PRIu32 " bytes, the kernel has %u",
		     l->ib.page_size, INFOBLOCK_PAGE);
}

static enum pmk_infoblock_result check_struct_page(struct look *l)
{
	if (l->ib.mode != PMK_INFOBLOCK_MODE_DEV)
		return PMK_INFOBLOCK_NOT_APPLICABLE;
	if (l->ib.page_struct_size >= l->struct_page)
		return PMK_INFOBLOCK_PASSED;
	return fails(l,
		     "%u bytes were kept for each struct page, this kernel's "
		     "has %u",
		     l->ib.page_struct_size, l->struct_page);
}

static enum pmk_infoblock_result check_align(struct look *l)
{
	uint64_t a = l->ib.align;

	if (l->ib.type != PMK_INFOBLOCK_DAX)
		return PMK_INFOBLOCK_NOT_APPLICABLE;
	if (a == INFOBLOCK_PAGE || a == INFOBLOCK_COMPAT || a == GIB)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "align 0x%" PRIx64, a);
}

static enum pmk_infoblock_result check_uuid(struct look *l)
{
	if (!l->ns->uuid_known)
		return PMK_INFOBLOCK_SKIPPED;
	return passed_if(!memcmp(l->ib.uuid, l->ns->uuid, sizeof(l->ib.uuid)));
}

/* Of a device that has the UUID of the block: it was set up before. */
static enum pmk_infoblock_result check_settings(struct look *l)
{
	uint64_t align = l->ns->align;
	uint32_t mode = l->ns->map_mode;

	if (!l->ns->uuid_known || (!align && !mode))
		return PMK_INFOBLOCK_SKIPPED;
	if ((!align || align == l->ib.align) && (!mode || mode == l->ib.mode))
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "align 0x%" PRIx64 ", mode %" PRIu32 " in the block",
		     l->ib.align, l->ib.mode);
}

static enum pmk_infoblock_result check_align_fits(struct look *l)
{
	if (!l->ns->size_known)
		return PMK_INFOBLOCK_SKIPPED;
	if (l->ib.align <= l->ns->size)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "align 0x%" PRIx64 ", size 0x%" PRIx64, l->ib.align,
		     l->ns->size);
}

static enum pmk_infoblock_result check_dataoff_fits(struct look *l)
{
	if (!l->ns->size_known)
		return PMK_INFOBLOCK_SKIPPED;
	if (l->ib.dataoff < l->ns->size)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "data begins at 0x%" PRIx64 ", size 0x%" PRIx64,
		     l->ib.dataoff, l->ns->size);
}

static enum pmk_infoblock_result check_offset(struct look *l)
{
	uint64_t data = l->ns->start + l->ib.dataoff + l->ib.start_pad;

	if (!pmk_is_aligned(l->ib.dataoff, INFOBLOCK_PAGE))
		return fails(l, "dataoff 0x%" PRIx64 " is no multiple of %u",
			     l->ib.dataoff, INFOBLOCK_PAGE);
	if (!l->ns->start_known)
		return PMK_INFOBLOCK_SKIPPED;
	if (pmk_is_aligned(data, l->ib.align))
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "data is at address 0x%" PRIx64 ", align is 0x%" PRIx64,
		     data, l->ib.align);
}

static enum pmk_infoblock_result check_start(struct look *l)
{
	uint64_t start = l->ns->start + l->ib.start_pad;

	if (!l->ns->start_known)
		return PMK_INFOBLOCK_SKIPPED;
	if (pmk_is_aligned(start, INFOBLOCK_COMPAT))
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "begins at address 0x%" PRIx64, start);
}

static enum pmk_infoblock_result check_end(struct look *l)
{
	uint64_t end = l->ns->start + l->ns->size - l->ib.end_trunc;

	if (!l->ns->start_known || !l->ns->size_known)
		return PMK_INFOBLOCK_SKIPPED;
	if (pmk_is_aligned(end, INFOBLOCK_COMPAT))
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "ends at address 0x%" PRIx64, end);
}

static enum pmk_infoblock_result check_room(struct look *l)
{
	/* may wrap, as in the kernel */
	uint64_t room = l->ns->size - l->ib.start_pad - l->ib.end_trunc;

	if (!l->kernel->refuses_truncated)
		return PMK_INFOBLOCK_NOT_APPLICABLE;
	if (!l->ns->size_known)
		return PMK_INFOBLOCK_SKIPPED;
	if (l->ib.dataoff < room)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "data begins at 0x%" PRIx64 " of 0x%" PRIx64,
		     l->ib.dataoff, room);
}

static enum pmk_infoblock_result check_reserve(struct look *l)
{
	if (l->ib.mode != PMK_INFOBLOCK_MODE_MEM)
		return PMK_INFOBLOCK_NOT_APPLICABLE;
	if (l->ib.dataoff >= MEMMAP_RESERVE)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "data begins at 0x%" PRIx64, l->ib.dataoff);
}

static uint64_t pads(const struct look *l)
{
	return (uint64_t)l->ib.start_pad + l->ib.end_trunc;
}

static enum pmk_infoblock_result check_pads(struct look *l)
{
	if (!l->ns->size_known)
		return PMK_INFOBLOCK_SKIPPED;
	if (pads(l) < l->ns->size)
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "0x%" PRIx64 " of 0x%" PRIx64 " bytes", pads(l),
		     l->ns->size);
}

static enum pmk_infoblock_result check_altmap(struct look *l)
{
	if (l->ib.mode != PMK_INFOBLOCK_MODE_DEV)
		return PMK_INFOBLOCK_NOT_APPLICABLE;
	if (l->ib.dataoff < MEMMAP_RESERVE)
		return fails(l, "data begins at 0x%" PRIx64, l->ib.dataoff);
	if (!l->ns->size_known)
		return PMK_INFOBLOCK_SKIPPED;
	if (l->ib.dataoff <= l->ns->size - pads(l))
		return PMK_INFOBLOCK_PASSED;
	return fails(l, "data begins at 0x%" PRIx64 " of 0x%" PRIx64,
		     l->ib.dataoff, l->ns->size - pads(l));
}

/*
 * Each whole section takes 2 MiB of what is kept, from a multiple of 2 MiB on.
 * What larger struct pages take has not been seen.
 */
static enum pmk_infoblock_result check_memmap(struct look *l)
{
	uint64_t begin = l->ns->start + l->ib.start_pad;
	uint64_t end = l->ns->start + l->ns->size - l->ib.end_trunc;
	uint64_t first = pmk_align_up(begin, MEMMAP_SECTION);
	uint64_t behind = pmk_align_down(end, MEMMAP_SECTION);
	uint64_t need;

	if (l->ib.mode != PMK_INFOBLOCK_MODE_DEV)
		return PMK_INFOBLOCK_NOT_APPLICABLE;
	if (!l->ns->start_known || !l->ns->size_known ||
	    l->struct_page != INFOBLOCK_STRUCT_PAGE)
		return PMK_INFOBLOCK_SKIPPED;
	if (behind <= first)
		return PMK_INFOBLOCK_PASSED;
	need = INFOBLOCK_COMPAT +
	       (behind - first) / MEMMAP_SECTION * INFOBLOCK_COMPAT;
	if (l->ib.dataoff >= need)
		return PMK_INFOBLOCK_PASSED;
	return fails(l,
		     "data begins at 0x%" PRIx64 ", struct pages take up to "
		     "0x%" PRIx64,
		     l->ib.dataoff, need);
}

static enum pmk_infoblock_result (*const run[])(struct look *l) = {
	[INFOBLOCK_CHECK_SIGNATURE] = check_signature,
	[INFOBLOCK_CHECK_CHECKSUM] = check_checksum,
	[INFOBLOCK_CHECK_PARENT_UUID] = check_parent_uuid,
	[INFOBLOCK_CHECK_MODE] = check_mode,
	[INFOBLOCK_CHECK_PAGE_SIZE] = check_page_size,
	[INFOBLOCK_CHECK_PAGE_STRUCT_SIZE] = check_struct_page,
	[INFOBLOCK_CHECK_ALIGN] = check_align,
	[INFOBLOCK_CHECK_UUID] = check_uuid,
	[INFOBLOCK_CHECK_SETTINGS] = check_settings,
	[INFOBLOCK_CHECK_ALIGN_FITS] = check_align_fits,
	[INFOBLOCK_CHECK_DATAOFF_FITS] = check_dataoff_fits,
	[INFOBLOCK_CHECK_OFFSET] = check_offset,
	[INFOBLOCK_CHECK_START] = check_start,
	[INFOBLOCK_CHECK_END] = check_end,
	[INFOBLOCK_CHECK_ROOM] = check_room,
	[INFOBLOCK_CHECK_RESERVE] = check_reserve,
	[INFOBLOCK_CHECK_PADS] = check_pads,
	[INFOBLOCK_CHECK_ALTMAP] = check_altmap,
	[INFOBLOCK_CHECK_MEMMAP] = check_memmap,
};

_Static_assert(ARRAY_SIZE(run) == INFOBLOCK_CHECKS, "each can be run");

/* What versions before the newest do not have.  Nobody looks at the major
 * version. */
static void fill_in_version(struct pmk_infoblock *ib)
{
	if (ib->version_minor < 1)
		ib->start_pad = ib->end_trunc = 0;
	if (ib->version_minor < 2)
		ib->align = 0;
	if (ib->version_minor < 4) {
		ib->page_struct_size = INFOBLOCK_STRUCT_PAGE;
		ib->page_size = INFOBLOCK_PAGE;
	}
}

static uint64_t highest_bit(uint64_t v)
{
	/* of 0 the kernel's shift by -1 makes this */
	return (uint64_t)1 << (v ? 63 - __builtin_clzll(v) : 63);
}

static void look_at(const void *block, struct look *l)
{
	pmk_infoblock_decode(block, &l->ib);
	if (l->ib.type != PMK_INFOBLOCK_PFN && l->ib.type != PMK_INFOBLOCK_DAX)
		return;
	fill_in_version(&l->ib);
	if (!l->ib.align)
		l->ib.align = highest_bit(l->ib.dataoff);
}

static void run_checks(struct look *l, struct pmk_infoblock_report *rep)
{
	bool is_btt = l->ib.type == PMK_INFOBLOCK_BTT;

	for (int i = 0; i < INFOBLOCK_CHECKS; i++) {
		const struct infoblock_check *c = &pmk_infoblock_checks[i];

		rep->results[i] = is_btt && !c->btt
					  ? PMK_INFOBLOCK_NOT_APPLICABLE
					  : run[i](l);
		if (rep->results[i] != PMK_INFOBLOCK_FAILED)
			continue;
		rep->failed = i;
		rep->error = c->error;
		rep->reason = c->reason;
		rep->says = c->says;
		rep->remedy = c->remedy;
		return;
	}
}

/* What comes of a block that is loaded: npfns is counted anew. */
static void add_size(struct pmk_infoblock_report *rep,
		     const struct pmk_infoblock_ns *ns)
{
	const struct pmk_infoblock *ib = &rep->effective;
	uint64_t pads = (uint64_t)ib->start_pad + ib->end_trunc;

	if (rep->error || ib->type == PMK_INFOBLOCK_BTT || !ns->size_known)
		return;
	if (pads > ns->size || ib->dataoff > ns->size - pads)
		return;
	rep->npfns = (ns->size - pads - ib->dataoff) / INFOBLOCK_PAGE;
	rep->usable = rep->npfns * INFOBLOCK_PAGE;
}

PMK_EXPORT int pmk_infoblock_check(const void *block,
				   const struct pmk_infoblock_ns *ns,
				   struct pmk_infoblock_report *report_ret)
{
	struct pmk_infoblock_report rep = { .failed = -1, .says = "" };
	struct look l = {
		.ns = ns,
		.kernel = pmk_memmap_profile(ns->kernel),
		.struct_page = ns->struct_page ? ns->struct_page
					       : INFOBLOCK_STRUCT_PAGE,
		.detail = rep.detail,
	};

	if (!l.kernel)
		return pmk_fail(-ENOENT, "kernel %u is not known", ns->kernel);
	if (ns->mode != PMK_MODE_UNKNOWN && ns->mode != PMK_MODE_FSDAX &&
	    ns->mode != PMK_MODE_DEVDAX)
		return pmk_fail(-EINVAL, "%s: no info block of this kind",
				pmk_mode_name(ns->mode));
	look_at(block, &l);
	run_checks(&l, &rep);
	rep.effective = l.ib;
	add_size(&rep, ns);
	pmk_infoblock_notes(block, ns, &rep);
	*report_ret = rep;
	return 0;
}
