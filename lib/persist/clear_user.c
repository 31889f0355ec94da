/* SPDX-License-Identifier: BSD-3-Clause */
/* Clear that survives memory it cannot write, to the byte. */
#include <pmk/clear.h>
#include <pmk/cpu.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/clear_variants.h"
#include "persist/fault.h"
#include "persist/prim.h"

/*
 * The string instructions clear in order, so nothing behind the first byte that
 * fails is touched.  How far a piece got is not known: one that failed is done
 * again by pages, and the page that failed by bytes.  Pieces of a page alone
 * would cost 13 % of a clear that misses the cache, pieces of 64 KiB nothing
 * that can be measured.
 */
#define PIECE 65536U
#define PAGE  4096U

/* From this length on the two system calls of a look, 0.25 us, are a fifth of
 * the clear or less. */
#define LOOK 65536U

struct job {
	uintptr_t dst; /* an address: it may be NULL, to which nothing adds */
	size_t len;
	size_t piece;
	pmk_clear_fn clear;
	volatile size_t done; /* read after a fault */
};

static void clear_pieces(void *arg)
{
	struct job *j = arg;
	size_t done = j->done, n;

	for (; done < j->len; j->done = done) {
		/* whole pages, which fail as such */
		n = j->piece - ((j->dst + done) & (j->piece - 1));
		n = pmk_min_size(n, j->len - done);
		j->clear((void *)(j->dst + done), n);
		done += n;
	}
}

static void clear_bytes(void *arg)
{
	struct job *j = arg;
	size_t end = pmk_min_size(j->done + PAGE, j->len);

	for (; j->done < end; j->done++)
		*(volatile char *)(j->dst + j->done) = 0;
}

PMK_EXPORT size_t pmk_clear_user(void *dst, size_t len)
{
	struct job j = {
		.dst = (uintptr_t)dst,
		.len = len,
		.piece = PIECE,
		.clear = pmk_cpu_features() & PMK_CPU_ERMS
				 ? pmk_clear_rep_stosb
				 : pmk_clear_rep_stosq,
	};

	if (!len || len >= LOOK)
		pmk_fault_look();
	pmk_check_region(dst, len);
	while (pmk_fault_call(clear_pieces, &j, dst, len, NULL)) {
		/* what failed may work when it is done again: a file became
		 * longer */
		if (j.piece == PAGE &&
		    pmk_fault_call(clear_bytes, &j, dst, len, NULL))
			return len - j.done;
		j.piece = PAGE;
	}
	return 0;
}
