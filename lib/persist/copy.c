/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy: split a range into edges and whole lines, and pick what does each of
 * them from the flags.
 */
#include <pmk/copy.h>
#include <pmk/cpu.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/copy_lines.h"
#include "persist/edge.h"
#include "persist/ops.h"
#include "persist/prim.h"

/*
 * MOVDIR64B before AVX-512: 11.1 against 8.6 GB/s for large copies to DRAM on
 * a Sapphire Rapids, one thread.
 */
const struct pmk_copy_kernel pmk_copy_kernels[] = {
	{ "movdir64b", PMK_CPU_MOVDIR64B, pmk_copy_lines_movdir64b },
	{ "avx512", PMK_CPU_AVX512F, pmk_copy_lines_avx512 },
	{ "sse2", 0, pmk_copy_lines_sse2 },
};
const size_t pmk_n_copy_kernels = ARRAY_SIZE(pmk_copy_kernels);

const struct pmk_copy_kernel pmk_copy_backward_kernels[] = {
	{ "sse2", 0, pmk_copy_lines_backward },
};
const size_t pmk_n_copy_backward_kernels =
	ARRAY_SIZE(pmk_copy_backward_kernels);

/* A line of a record log: MOVDIR64B cannot tear it. */
const struct pmk_copy_kernel pmk_store_line_kernels[] = {
	{ "movdir64b", PMK_CPU_MOVDIR64B, pmk_copy_lines_movdir64b },
	{ "avx512", PMK_CPU_AVX512F, pmk_copy_lines_avx512 },
	{ "sse2", 0, pmk_copy_lines_sse2 },
};
const size_t pmk_n_store_line_kernels = ARRAY_SIZE(pmk_store_line_kernels);

/* Who copies the parts of a range. */
struct mover {
	pmk_copy_lines_fn forward;
	pmk_copy_lines_fn backward;
	pmk_edge_fn edge;
};

static void copy_lines_flush(void *dst, const void *src, size_t lines)
{
	pmk_copy_lines_cached(dst, src, lines);
	pmk_flush(dst, lines * PMK_LINE_SIZE);
}

static void copy_lines_flush_backward(void *dst, const void *src, size_t lines)
{
	pmk_copy_lines_cached_backward(dst, src, lines);
	pmk_flush(dst, lines * PMK_LINE_SIZE);
}

/*
 * Whole lines go past the cache.  A partial line that is drained at once is
 * cheaper stored and written back (227-241 ns against 297-331 ns for 8 bytes
 * on DRAM); in a batch, where the next store hits the same line, MOVNTI is
 * (3.7 ns against 216 ns).
 */
static struct mover mover_for(unsigned int flags)
{
	const struct pmk_kernels *k = pmk_kernels();

	if (flags & PMK_F_NOFLUSH)
		return (struct mover){ pmk_copy_lines_cached,
				       pmk_copy_lines_cached_backward,
				       pmk_edge_cached };
	if ((flags & PMK_F_TEMPORAL) && !(flags & PMK_F_NONTEMPORAL))
		return (struct mover){ copy_lines_flush,
				       copy_lines_flush_backward,
				       pmk_edge_flush };
	if (flags & (PMK_F_NODRAIN | PMK_F_NONTEMPORAL))
		return (struct mover){ k->copy->fn, k->copy_backward->fn,
				       pmk_edge_stream };
	return (struct mover){ k->copy->fn, k->copy_backward->fn,
			       pmk_edge_flush };
}

static void move(char *dst, const char *src, size_t len, const struct mover *m)
{
	size_t head = pmk_min_size(-(uintptr_t)dst & (PMK_LINE_SIZE - 1), len);
	size_t lines = (len - head) / PMK_LINE_SIZE;
	size_t body = lines * PMK_LINE_SIZE;
	size_t tail = len - head - body;
	/* forward would overwrite source bytes before they are read */
	bool backward = (uintptr_t)dst - (uintptr_t)src < len;

	if (!backward && head)
		m->edge(dst, src, head);
	if (backward && tail)
		m->edge(dst + head + body, src + head + body, tail);
	if (lines)
		(backward ? m->backward : m->forward)(dst + head, src + head,
						      lines);
	if (!backward && tail)
		m->edge(dst + head + body, src + head + body, tail);
	if (backward && head)
		m->edge(dst, src, head);
}

PMK_EXPORT void *pmk_memmove(void *dst, const void *src, size_t len,
			     unsigned int flags)
{
	pmk_check_region(src, len);
	pmk_check_region(dst, len);
	if (dst != src) {
		struct mover m = mover_for(flags);

		move(dst, src, len, &m);
	} else if (!(flags & PMK_F_NOFLUSH)) {
		pmk_flush(dst, len);
	}
	if (!(flags & (PMK_F_NODRAIN | PMK_F_NOFLUSH)))
		pmk_drain(); /* everything copied above */
	return dst;
}

PMK_EXPORT void *pmk_memcpy(void *dst, const void *src, size_t len,
			    unsigned int flags)
{
	return pmk_memmove(dst, src, len, flags);
}
