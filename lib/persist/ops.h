/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of the persist layer and how one is chosen.
 *
 * Kernels see only whole, 64-byte aligned lines; the edges of a range are done
 * once, in copy.c and set.c.  No kernel fences, but one of pages.
 */
#ifndef LIB_PERSIST_OPS_H
#define LIB_PERSIST_OPS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/cpu.h>
#include <pmk/tune.h>

#include "persist/prim.h"
#include "persist/tune.h"

/* Write back @lines lines from @line on. */
typedef void (*pmk_flush_lines_fn)(const void *line, size_t lines);
/* Copy @lines lines to the aligned @dst from @src at any alignment.  Each line
 * is loaded whole before it is stored, and lines go in ascending (backward:
 * descending) order, so overlap with @dst < @src (backward: >) is right. */
typedef void (*pmk_copy_lines_fn)(void *dst, const void *src, size_t lines);
/*
 * Copy @blocks blocks, which lie one behind the other, of @streams pieces of
 * @piece bytes each, a multiple of 256: 256 bytes of each piece in turn, so
 * that the CPU waits for several places of @src at once.  @dst is aligned to
 * lines and does not overlap @src.
 */
typedef void (*pmk_copy_streams_fn)(void *dst, const void *src, size_t piece,
				    size_t streams, size_t blocks);
/* Fill @lines lines at @dst with the 8-byte pattern @word. */
typedef void (*pmk_set_lines_fn)(void *dst, uint64_t word, size_t lines);
/* Copy @n pages of @page_size bytes, a multiple of 4096; @dst[i] and @src[i]
 * are aligned to 4096, no page overlaps another. */
typedef void (*pmk_copy_pages_fn)(void *const dst[], const void *const src[],
				  size_t n, size_t page_size);
/* Clear @len bytes at @dst, any alignment. */
typedef void (*pmk_clear_fn)(void *dst, size_t len);

/* A kernel and the CPU features it needs. */
struct pmk_flush_kernel {
	const char *name;
	uint32_t needs;
	pmk_flush_lines_fn fn;
};

struct pmk_copy_kernel {
	const char *name;
	uint32_t needs;
	pmk_copy_lines_fn fn;
};

struct pmk_streams_kernel {
	const char *name;
	uint32_t needs;
	pmk_copy_streams_fn fn;
};

struct pmk_set_kernel {
	const char *name;
	uint32_t needs;
	pmk_set_lines_fn fn;
};

/* What a page copy leaves to be done until its result is durable. */
enum pmk_page_result {
	PMK_PAGE_CACHED,  /* write back, then drain */
	PMK_PAGE_NT,      /* drain */
	PMK_PAGE_DRAINED, /* nothing: the one kernel that fences */
};

struct pmk_page_kernel {
	const char *name;
	uint32_t needs;
	enum pmk_page_result result;
	pmk_copy_pages_fn fn;
};

struct pmk_clear_kernel {
	const char *name;
	uint32_t needs;
	pmk_clear_fn fn;
};

/*
 * Tables, best first; the last entry needs nothing, so choosing is walking to
 * the first whose needs are met.  flush.c, copy_kernels.c, set.c,
 * page_variants.c, clear.c.
 */
extern const struct pmk_flush_kernel pmk_flush_kernels[];
extern const size_t pmk_n_flush_kernels;
extern const struct pmk_copy_kernel pmk_copy_kernels[];
extern const size_t pmk_n_copy_kernels;
/* For copies that are drained at once. */
extern const struct pmk_copy_kernel pmk_copy_drained_kernels[];
extern const size_t pmk_n_copy_drained_kernels;
/* Two streams; and four, or blocks of eight. */
extern const struct pmk_streams_kernel pmk_copy_streams_kernels[];
extern const size_t pmk_n_copy_streams_kernels;
extern const struct pmk_streams_kernel pmk_copy_blocks_kernels[];
extern const size_t pmk_n_copy_blocks_kernels;
/* Through the cache; not flushed. */
extern const struct pmk_copy_kernel pmk_copy_cached_kernels[];
extern const size_t pmk_n_copy_cached_kernels;
extern const struct pmk_copy_kernel pmk_copy_backward_kernels[];
extern const size_t pmk_n_copy_backward_kernels;
extern const struct pmk_set_kernel pmk_set_kernels[];
extern const size_t pmk_n_set_kernels;
/* One line: as copy kernels with @lines always 1. */
extern const struct pmk_copy_kernel pmk_store_line_kernels[];
extern const size_t pmk_n_store_line_kernels;
/* To memory that is not read soon (PMK_PAGE_NT), and to memory that is. */
extern const struct pmk_page_kernel pmk_copy_page_kernels[];
extern const size_t pmk_n_copy_page_kernels;
extern const struct pmk_page_kernel pmk_copy_page_from_kernels[];
extern const size_t pmk_n_copy_page_from_kernels;
/* A page or two, through the cache. */
extern const struct pmk_clear_kernel pmk_clear_kernels[];
extern const size_t pmk_n_clear_kernels;
/* Any length, durable after a drain. */
extern const struct pmk_clear_kernel pmk_clear_nt_kernels[];
extern const size_t pmk_n_clear_nt_kernels;

/* The first entry of @table whose needs are all in @features. */
#define PMK_KERNEL_CHOOSE(table, features)                    \
	__extension__({                                       \
		const __typeof__((table)[0]) *k_ = (table);   \
                                                              \
		while ((k_->needs & (features)) != k_->needs) \
			k_++;                                 \
		k_;                                           \
	})

/* What the features of this CPU choose; filled in once, then constant. */
struct pmk_kernels {
	const struct pmk_flush_kernel *flush;
	const struct pmk_copy_kernel *copy;
	const struct pmk_copy_kernel *copy_drained;
	const struct pmk_streams_kernel *copy_streams;
	const struct pmk_streams_kernel *copy_blocks;
	const struct pmk_copy_kernel *copy_cached;
	const struct pmk_copy_kernel *copy_backward;
	const struct pmk_set_kernel *set;
	const struct pmk_copy_kernel *store_line;
	const struct pmk_page_kernel *copy_page;
	const struct pmk_page_kernel *copy_page_from;
	const struct pmk_clear_kernel *clear;
	const struct pmk_clear_kernel *clear_nt;
	/* not chosen, but needed with it: see tune.c */
	struct pmk_tuning tuning[PMK_MEDIA];
};

/* Choose for @features.  Pure. */
void pmk_kernels_choose(uint32_t features, struct pmk_kernels *kernels_ret);

/* NULL until pmk_kernels_init() has chosen. */
extern _Atomic(const struct pmk_kernels *) pmk_kernels_published;

/* Choose for this CPU. */
const struct pmk_kernels *pmk_kernels_init(void);

/* The choice for this CPU.  Thread safe; signal safe after its first call. */
static inline const struct pmk_kernels *pmk_kernels(void)
{
	const struct pmk_kernels *k = atomic_load_explicit(
		&pmk_kernels_published, memory_order_acquire);

	return k ? k : pmk_kernels_init();
}

/* Write back the line that @addr is in.  One line by clwb is worth a branch: it
 * costs as much as the call of a kernel. */
static inline void pmk_flush_line(const struct pmk_kernels *k, const void *addr)
{
	const char *line = (const char *)addr - (uintptr_t)addr % PMK_LINE_SIZE;

	if (k->flush->needs == PMK_CPU_CLWB)
		pmk_clwb(line);
	else
		k->flush->fn(line, 1);
}

#endif /* LIB_PERSIST_OPS_H */
