/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a simulation. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <pmk/error.h>

#include "base/size.h"
#include "base/util.h"
#include "bench/memory.h"
#include "bench/suite.h"
#include "memmap/sim_room.h"
#include "out.h"
#include "pmk.h"

#define HUGE_PAGE ((uint64_t)2 << 20)

/* What others may need meanwhile: it is left to them. */
#define LEFT_ALONE ((uint64_t)1 << 30)

static uint64_t affordable(void)
{
	uint64_t have = memory_available();

	return have > 2 * LEFT_ALONE ? have - LEFT_ALONE : have / 2;
}

static int open_anon(struct sim_room *r, struct bench_suite *s, uint64_t len)
{
	r->anon_len = len + HUGE_PAGE;
	r->anon = mmap(NULL, r->anon_len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->anon == MAP_FAILED) {
		r->anon = NULL;
		return out_fail("memory for the memmap", -errno, NULL);
	}
	r->len = len;
	r->buf =
		(char *)r->anon + (pmk_align_up((uintptr_t)r->anon, HUGE_PAGE) -
				   (uintptr_t)r->anon);
	/* not everywhere; what was had is said */
	madvise(r->buf, len, MADV_HUGEPAGE);
	memset(r->buf, 0, len);
	memory_huge_pages(r->buf, len, s->host.huge_pages,
			  sizeof(s->host.huge_pages));
	snprintf(s->host.medium, sizeof(s->host.medium),
		 "DRAM: anonymous memory, not persistent memory");
	return EXIT_OK;
}

static int open_on(struct sim_room *r, struct bench_suite *s, uint64_t want,
		   uint64_t least)
{
	int rc;

	r->room.allow_pages = true;
	rc = bench_room_open(&r->room, s, want, least);
	if (rc)
		return rc;
	r->buf = r->room.addr;
	r->len = pmk_min_size(r->room.size, want);
	return EXIT_OK;
}

static int too_little(uint64_t least)
{
	char text[32];

	pmk_size_format(least, text, sizeof(text));
	return out_error("--memory: %s is the least, as compounds are built "
			 "whole",
			 text);
}

int sim_room_open(struct sim_room *r, struct bench_suite *s, uint64_t want,
		  uint64_t least, uint64_t most)
{
	int rc;

	*r = (struct sim_room){ .buf = NULL };
	if (most && most < least)
		return too_little(least);
	if (most && most < want)
		want = most;
	if (s->opt->on)
		return open_on(r, s, want, least);
	if (affordable() < want)
		want = affordable();
	if (want < least)
		want = least;
	rc = memory_check(want, "a smaller --size needs less");
	return rc ? rc : open_anon(r, s, want);
}

void sim_room_close(struct sim_room *r)
{
	if (r->anon)
		munmap(r->anon, r->anon_len);
	bench_room_close(&r->room);
}
