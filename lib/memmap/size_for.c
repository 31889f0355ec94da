/* SPDX-License-Identifier: BSD-3-Clause */
/* The inverse of the prediction: the size that a namespace needs. */
#include <errno.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "memmap/predict.h"
#include "memmap/units.h"

/* 0 past 2^64. */
static uint64_t round_up(uint64_t v, uint64_t unit)
{
	uint64_t n = v / unit + (v % unit != 0);

	return n > UINT64_MAX / unit ? 0 : n * unit;
}

/*
 * A size below which there can be no room for @usable, since data and struct
 * pages follow one another: with s bytes behind the first 8 KiB, M bytes for
 * each struct page and floor(s / 4096) of them,
 *	usable <= s - M * floor(s / 4096) <= s - M * (s / 4096 - 1)
 */
static uint64_t lower_bound(const struct pmk_memmap_params *p, uint64_t usable)
{
	uint64_t m = p->struct_page ? p->struct_page : 64;

	/* a size that is none is found later */
	if (p->map == PMK_MEMMAP_MEM || m >= MEMMAP_PAGE || usable < m)
		return usable;
	return (usable - m) / (MEMMAP_PAGE - m) * MEMMAP_PAGE;
}

/* The next size that ends at or behind the next multiple of the alignment, or 0
 * past 2^64: up to there less and less is usable. */
static uint64_t next_size(const struct pmk_memmap_params *p, uint64_t granule)
{
	uint64_t align = p->align > MEMMAP_2M ? p->align : MEMMAP_2M;
	uint64_t end = pmk_align_down(p->start + p->size, align) + align;

	return round_up(end - p->start, granule);
}

static int search(struct pmk_memmap_params *p, uint64_t usable,
		  uint64_t granule, struct pmk_memmap_layout *l)
{
	int rc;

	while (p->size) {
		rc = pmk_memmap_work_out(p, l);
		if (rc && rc != -ENXIO)
			return rc;
		if (!rc && l->usable >= usable)
			return 0;
		p->size = next_size(p, granule);
	}
	l->reason = "namespace ends behind 2^63";
	return -EOVERFLOW;
}

PMK_EXPORT int pmk_memmap_size_for(const struct pmk_memmap_params *params,
				   uint64_t usable, uint64_t granule,
				   uint64_t *size_ret)
{
	struct pmk_memmap_params p = *params;
	struct pmk_memmap_layout l = { 0 };
	int rc;

	if (granule < MEMMAP_PAGE || granule % MEMMAP_PAGE)
		return pmk_fail(-EINVAL, "granule is not a multiple of 4096");
	if (usable > (uint64_t)1 << 63)
		return pmk_fail(-EOVERFLOW, "namespace ends behind 2^63");
	/* what has no room at all is no device */
	if (!usable)
		usable = 1;
	/* also what is smaller than its reserve has none */
	p.size = round_up(lower_bound(&p, usable) + 2 * MEMMAP_PAGE, granule);
	rc = search(&p, usable, granule, &l);
	if (rc)
		return pmk_fail(rc, "%s", l.reason);
	*size_ret = p.size;
	return 0;
}
