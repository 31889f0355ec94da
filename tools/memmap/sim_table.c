/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation as tables. */
#include <inttypes.h>
#include <stdio.h>

#include "base/size.h"
#include "bench/host.h"
#include "memmap/ns_opt.h"
#include "memmap/sim_out.h"
#include "out.h"
#include "pmk.h"

static const char *side_name(unsigned int side)
{
	return side == SIM_FILL ? "fill" : pmk_memmap_engine_name(side);
}

/* With @decimals, or a dash for what is not known; returns @text. */
static char *number(double v, int decimals, char text[32])
{
	if (v <= 0)
		snprintf(text, 32, "%9s", "-");
	else
		snprintf(text, 32, "%9.*f", decimals, v);
	return text;
}

static void print_namespace(const struct sim_out *o)
{
	const struct pmk_memmap_params *ns = &o->sim->ns;
	const struct sim_run *r = o->run;
	char size[32], align[32], bytes[32], window[32];

	pmk_size_format(ns->size, size, sizeof(size));
	pmk_size_format(ns->align, align, sizeof(align));
	pmk_size_format(r->written * r->page_bytes, bytes, sizeof(bytes));
	printf("namespace  %s, %s, map=%s, align %s, kernel %s\n", size,
	       pmk_mode_name(ns->mode), memmap_opt_map_name(ns->map), align,
	       pmk_memmap_kernel_name(ns->kernel));
	printf("memmap     %" PRIu64 " struct pages of %u bytes written, %s\n",
	       r->written, r->page_bytes, bytes);
	printf("threads    %u\n", r->threads);
	if (r->windows > 1) {
		pmk_size_format(r->len, window, sizeof(window));
		printf("windows    %" PRIu64 ", one after the other in %s: the "
		       "memmap is larger than what holds it\n",
		       r->windows, window);
	}
	putchar('\n');
}

/* A line for each rebind: milliseconds. */
static void print_rebinds(const struct sim_run *r)
{
	printf("rebind");
	for (unsigned int s = 0; s < SIM_SIDES; s++)
		if (r->side[s].measured)
			printf("  %9s", side_name(s));
	for (unsigned int n = 0; n < r->rebinds; n++) {
		printf("\n%6u", n + 1);
		for (unsigned int s = 0; s < SIM_SIDES; s++)
			if (r->side[s].measured)
				printf("  %9.2f", r->side[s].ms[n]);
	}
	printf("\n\n");
}

static void print_side(struct libscols_table *tb, const struct sim_out *o,
		       unsigned int side)
{
	const struct sim_side *s = &o->run->side[side];
	char cell[9][32];
	struct sim_figures f = { .ns_per_page = 0 };

	if (side != SIM_FILL)
		sim_figures(o, side, &f);
	else
		f.gb_per_s = (double)(o->run->written * o->run->page_bytes) /
			     (s->median_ms * 1e6);
	out_row(tb, side_name(side), number(s->mean_ms, 2, cell[0]),
		number(s->median_ms, 2, cell[1]),
		number(f.ns_per_page, 2, cell[2]),
		number(f.gb_per_s, 1, cell[3]),
		number(f.ratio_to_slow, 2, cell[4]),
		number(f.ratio_to_fill, 2, cell[5]), number(f.step, 2, cell[6]),
		number(f.published_ms, 2, cell[7]),
		number(f.published_step, 2, cell[8]), NULL);
}

int sim_print_table(const struct sim_out *o)
{
	struct libscols_table *tb;
	int rc;

	host_print(&o->suite->host);
	print_namespace(o);
	print_rebinds(o->run);
	tb = out_table("ENGINE", "MEAN MS", "MEDIAN MS", "NS/PAGE", "GB/S",
		       "X SLOW", "OF FILL", "STEP", "PUBLISHED MS",
		       "PUBLISHED STEP", NULL);
	for (unsigned int s = 0; s < SIM_SIDES; s++)
		if (o->run->side[s].measured)
			print_side(tb, o, s);
	rc = out_table_end(tb);
	if (o->run->altmap_ms > 0)
		printf("\nBefore each, pages of the altmap: %.2f ms.",
		       o->run->altmap_ms);
	printf("\nNs/page and ratios are of medians.  Step: how many times as "
	       "fast as the row above.  Fill: the\nsame bytes by "
	       "non-temporal stores of one value.  Published: 100 GB, Ice "
	       "Lake, means of 30 rebinds.\n");
	return rc;
}
