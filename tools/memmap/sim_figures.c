/* SPDX-License-Identifier: BSD-3-Clause */
/* What the times of a simulation come to, and what was published. */
#include "memmap/sim_out.h"

/*
 * Means of 30 rebinds of 100 GB on an Ice Lake VM, in milliseconds, from the
 * series "mm: ZONE_DEVICE struct page templates" of 2026 (v2, v3 and v10):
 * nd_pmem and dax_pmem.
 */
static const struct {
	double fsdax;
	double devdax;
} published[SIM_ENGINES] = {
	[PMK_MEMMAP_SLOW] = { 273.52, 313.45 },
	[PMK_MEMMAP_TEMPLATE] = { 245.73, 240.42 },
	[PMK_MEMMAP_CALL] = { 150.83, 153.55 },
	[PMK_MEMMAP_INLINE] = { 96.79, 119.04 },
};

static double published_ms(const struct sim_out *o, unsigned int engine)
{
	return o->sim->ns.mode == PMK_MODE_DEVDAX ? published[engine].devdax
						  : published[engine].fsdax;
}

static double ratio(const struct sim_run *r, unsigned int side,
		    unsigned int engine)
{
	const struct sim_side *a = &r->side[side], *b = &r->side[engine];

	return a->measured && b->median_ms > 0 ? a->median_ms / b->median_ms
					       : 0;
}

/* The engine in the row above; @engine itself if it is the first. */
static unsigned int previous(const struct sim_run *r, unsigned int engine)
{
	for (unsigned int e = engine; e--;)
		if (r->side[e].measured)
			return e;
	return engine;
}

void sim_figures(const struct sim_out *o, unsigned int engine,
		 struct sim_figures *f)
{
	const struct sim_run *r = o->run;
	double ns = r->side[engine].median_ms * 1e6;
	double pages = (double)r->written;
	unsigned int before;

	*f = (struct sim_figures){
		.ns_per_page = pages > 0 ? ns / pages : 0,
		.gb_per_s = ns > 0 ? pages * r->page_bytes / ns : 0,
		.ratio_to_slow = ratio(r, PMK_MEMMAP_SLOW, engine),
		.ratio_to_fill = ratio(r, SIM_FILL, engine),
		.published_ms = published_ms(o, engine),
	};
	before = previous(r, engine);
	if (before == engine)
		return;
	f->step = ratio(r, before, engine);
	if (f->published_ms > 0)
		f->published_step = published_ms(o, before) / f->published_ms;
}
