/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy that survives memory it cannot read, to the byte. */
#include <string.h>

#include <pmk/copy.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/fault.h"
#include "persist/prim.h"

/*
 * memcpy() may touch a range in any order, so what it did before it failed is
 * not known: it gets pieces, of which only the one that failed is done again,
 * by bytes.  Smaller pieces cost speed (a large copy in pieces of 4096 bytes
 * and as a whole differ by less than the noise), larger ones time on a fault.
 */
#define PIECE 4096U

/* From this length on the two system calls of a look, 0.25 us, are a fifth of
 * the copy or less. */
#define LOOK 65536U

struct job {
	uintptr_t dst; /* addresses: one may be NULL, to which nothing adds */
	uintptr_t src;
	size_t len;
	volatile size_t done; /* read after a fault */
};

static void copy_pieces(void *arg)
{
	struct job *j = arg;
	size_t done = j->done, n;

	for (; done < j->len; j->done = done) {
		/* whole pages of the source, which fail as such */
		n = PIECE - ((j->src + done) & (PIECE - 1));
		n = pmk_min_size(n, j->len - done);
		/* or gcc knows a bound and makes it REP MOVSQ: 64 bytes in 18
		 * instead of 8 ns */
		__asm__("" : "+r"(n));
		memcpy((void *)(j->dst + done), (const void *)(j->src + done),
		       n);
		done += n;
	}
}

/* A piece, but in order. */
static void copy_bytes(void *arg)
{
	struct job *j = arg;
	size_t end = pmk_min_size(j->done + PIECE, j->len);

	for (; j->done < end; j->done++)
		*(volatile char *)(j->dst + j->done) =
			*(const char *)(j->src + j->done);
}

PMK_EXPORT size_t pmk_copy_mc(void *dst, const void *src, size_t len)
{
	const struct pmk_fault_range ranges[] = { { src, len }, { dst, len } };
	struct job j = { .dst = (uintptr_t)dst,
			 .src = (uintptr_t)src,
			 .len = len };

	if (!len || len >= LOOK)
		pmk_fault_look();
	pmk_check_region(src, len);
	pmk_check_region(dst, len);
	/* what failed may work when it is done again: a file became longer */
	while (pmk_fault_guard(copy_pieces, &j, ranges, 2, NULL))
		if (pmk_fault_guard(copy_bytes, &j, ranges, 2, NULL))
			return len - j.done;
	return 0;
}
