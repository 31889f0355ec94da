/* SPDX-License-Identifier: BSD-3-Clause */
/* A progress bar on stderr, if that is a terminal. */
#include <stdio.h>
#include <unistd.h>

#include "base/size.h"
#include "clock.h"
#include "progress.h"

#define BAR_WIDTH   30
#define INTERVAL_NS 100000000U

void progress_start(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){ .what = what, .total = total };
	p->enabled = total && isatty(STDERR_FILENO);
	/* quick work shows no bar at all */
	p->shown_ns = clock_now_ns();
}

static void draw(const struct progress *p, uint64_t done)
{
	double part = (double)done / (double)p->total;
	char text[32], bar[BAR_WIDTH + 1];

	for (int i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < (int)(part * BAR_WIDTH) ? '#' : '.';
	bar[BAR_WIDTH] = '\0';
	pmk_size_format(done, text, sizeof(text));
	fprintf(stderr, "\r%s [%s] %3d%% %s\033[K", p->what, bar,
		(int)(part * 100), text);
}

void progress_update(struct progress *p, uint64_t done)
{
	uint64_t now;

	if (!p->enabled)
		return;
	now = clock_now_ns();
	if (now - p->shown_ns < INTERVAL_NS)
		return;
	p->shown_ns = now;
	draw(p, done);
}

void progress_end(const struct progress *p)
{
	if (p->enabled)
		fputs("\r\033[K", stderr);
}
