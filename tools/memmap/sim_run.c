/* SPDX-License-Identifier: BSD-3-Clause */
/* Rebinds, timed. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/error.h>

#include "clock.h"
#include "memmap/sim_run.h"
#include "out.h"
#include "pmk.h"
#include "progress.h"

/* One thread's piece of a window. */
struct piece {
	struct sim_run *run;
	unsigned int side;
	uint64_t first;
	uint64_t n;
	char *buf;
	int64_t written;
	pthread_t thread;
};

/* Pages of a page block, and of the largest compound. */
#define PIECE_SMALL 512U
#define PIECE_LARGE 262144U

uint64_t sim_next_cut(const struct pmk_memmap *map, uint64_t frame)
{
	uint64_t next = pmk_memmap_cut(map, frame + PIECE_SMALL);

	return next > frame ? next : pmk_memmap_cut(map, frame + PIECE_LARGE);
}

uint64_t sim_window_end(const struct pmk_memmap *map, uint64_t first,
			size_t len)
{
	uint64_t fits = sim_next_cut(map, first), mid;
	uint64_t not = pmk_memmap_frames(map);

	if (pmk_memmap_bytes(map, first, not -first) <= len)
		return not ;
	/* of the cuts between the two, one is the first that does not fit */
	while ((mid = pmk_memmap_cut(map, fits + (not -fits) / 2)) > fits)
		if (pmk_memmap_bytes(map, first, mid - first) <= len)
			fits = mid;
		else
			not = mid;
	return fits;
}

uint64_t sim_data_frame(const struct pmk_memmap *map)
{
	const struct pmk_memmap_layout *l = pmk_memmap_layout(map);

	return l->altmap_reserve ? l->dataoff / 4096 : 0;
}

/* The same bytes that an engine writes, as fast as they can be. */
static void fill(struct piece *p)
{
	uint64_t data = sim_data_frame(p->run->map), end = p->first + p->n,
		 skip;

	if (data >= end)
		return;
	skip = data > p->first ? pmk_memmap_bytes(p->run->map, p->first,
						  data - p->first)
			       : 0;
	pmk_memset(p->buf + skip, 0xff,
		   pmk_memmap_bytes(p->run->map, p->first, p->n) - skip,
		   PMK_F_NONTEMPORAL);
}

static void *do_piece(void *arg)
{
	struct piece *p = arg;

	p->written = 0;
	if (p->side == SIM_FILL)
		fill(p);
	else
		p->written = pmk_memmap_build(p->run->map, p->side, p->first,
					      p->n, p->buf);
	return NULL;
}

/* Cut [@first, @end) for the threads; returns the number of pieces. */
static unsigned int cut(struct sim_run *r, unsigned int side, uint64_t first,
			uint64_t end, struct piece pieces[SIM_THREADS])
{
	uint64_t data = sim_data_frame(r->map), from = first, to;
	uint64_t begin = data > first && data < end ? data : first;
	unsigned int n = 0;

	/* equal parts of what is written; what lies before goes to the first */
	for (unsigned int t = 1; t <= r->threads; t++) {
		to = t == r->threads
			     ? end
			     : pmk_memmap_cut(r->map,
					      begin + (end - begin) * t /
							      r->threads);
		if (to == from)
			continue;
		pieces[n++] = (struct piece){
			.run = r,
			.side = side,
			.first = from,
			.n = to - from,
			.buf = r->buf +
			       pmk_memmap_bytes(r->map, first, from - first),
		};
		from = to;
	}
	return n;
}

/* EXIT_OK, or EXIT_FAIL after a message. */
static int run_pieces(struct piece *pieces, unsigned int n)
{
	unsigned int started = 1;
	int rc = 0;

	for (; started < n && !rc; started += !rc)
		rc = -pthread_create(&pieces[started].thread, NULL, do_piece,
				     &pieces[started]);
	if (!rc)
		do_piece(&pieces[0]);
	for (unsigned int i = 1; i < started; i++)
		pthread_join(pieces[i].thread, NULL);
	return rc ? out_fail("a thread", rc, "--threads with less") : EXIT_OK;
}

static int window(struct sim_run *r, unsigned int side, uint64_t first,
		  uint64_t end, double *ms)
{
	struct piece pieces[SIM_THREADS];
	unsigned int n = cut(r, side, first, end, pieces);
	uint64_t start = clock_now_ns();
	int rc = run_pieces(pieces, n);

	*ms += (double)(clock_now_ns() - start) / 1e6;
	for (unsigned int i = 0; i < n && side != SIM_FILL && !rc; i++)
		r->written += (uint64_t)pieces[i].written;
	return rc;
}

/* One side builds all of the memmap, and how long that takes. */
static int bind(struct sim_run *r, unsigned int side, double *ms)
{
	uint64_t frames = pmk_memmap_frames(r->map), end, start;
	int rc = EXIT_OK;

	*ms = 0;
	r->written = side == SIM_FILL ? r->written : 0;
	for (uint64_t first = 0; first < frames && !rc; first = end) {
		end = sim_window_end(r->map, first, r->len);
		start = clock_now_ns();
		if (side != SIM_FILL)
			pmk_memmap_build_altmap(r->map, first, end - first,
						r->buf);
		r->altmap_ms += (double)(clock_now_ns() - start) / 1e6;
		rc = window(r, side, first, end, ms);
		r->done += pmk_memmap_bytes(r->map, first, end - first);
		progress_update(&r->bar, r->done);
	}
	return rc;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void sum_up(struct sim_side *s, unsigned int n)
{
	double *sorted = malloc(n * sizeof(*sorted));

	if (!sorted)
		out_of_memory();
	memcpy(sorted, s->ms, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	s->mean_ms = 0;
	for (unsigned int i = 0; i < n; i++)
		s->mean_ms += sorted[i] / n;
	s->median_ms =
		n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	s->min_ms = sorted[0];
	free(sorted);
}

static void count_windows(struct sim_run *r)
{
	uint64_t frames = pmk_memmap_frames(r->map);

	r->windows = 0;
	for (uint64_t first = 0; first < frames; r->windows++)
		first = sim_window_end(r->map, first, r->len);
}

int sim_run(struct sim_run *r)
{
	unsigned int builds = 0, sides = 0;
	int rc = EXIT_OK;

	count_windows(r);
	for (unsigned int i = 0; i < SIM_SIDES; i++) {
		r->side[i].ms = calloc(r->rebinds, sizeof(double));
		if (!r->side[i].ms)
			out_of_memory();
		sides += r->side[i].measured;
	}
	progress_start(&r->bar, "rebinding",
		       pmk_memmap_bytes(r->map, 0, pmk_memmap_frames(r->map)) *
			       r->rebinds * sides);
	for (unsigned int n = 0; n < r->rebinds; n++)
		for (unsigned int i = 0; i < SIM_SIDES && !rc; i++) {
			/* nobody is always behind the same one */
			unsigned int s = (i + n) % SIM_SIDES;

			if (!r->side[s].measured)
				continue;
			builds += s != SIM_FILL;
			rc = bind(r, s, &r->side[s].ms[n]);
		}
	progress_end(&r->bar);
	for (unsigned int i = 0; i < SIM_SIDES && !rc; i++)
		if (r->side[i].measured)
			sum_up(&r->side[i], r->rebinds);
	r->altmap_ms /= builds ? builds : 1;
	return rc;
}

void sim_run_free(struct sim_run *r)
{
	for (unsigned int i = 0; i < SIM_SIDES; i++)
		free(r->side[i].ms);
	pmk_memmap_free(r->map);
}
