/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of the persist layer and how one is chosen.
 *
 * Kernels see only whole, 64-byte aligned lines; the edges of a range are done
 * once, in copy.c and set.c.  No kernel fences.
 */
#ifndef LIB_PERSIST_OPS_H
#define LIB_PERSIST_OPS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Write back @lines lines from @line on. */
typedef void (*pmk_flush_lines_fn)(const void *line, size_t lines);
/* Copy @lines lines to the aligned @dst from @src at any alignment.  Each line
 * is loaded whole before it is stored, and lines go in ascending (backward:
 * descending) order, so overlap with @dst < @src (backward: >) is right. */
typedef void (*pmk_copy_lines_fn)(void *dst, const void *src, size_t lines);
/* Fill @lines lines at @dst with the 8-byte pattern @word. */
typedef void (*pmk_set_lines_fn)(void *dst, uint64_t word, size_t lines);

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

struct pmk_set_kernel {
	const char *name;
	uint32_t needs;
	pmk_set_lines_fn fn;
};

/*
 * Tables, best first; the last entry needs nothing, so choosing is walking to
 * the first whose needs are met.  flush.c, copy.c, copy.c, set.c, copy.c.
 */
extern const struct pmk_flush_kernel pmk_flush_kernels[];
extern const size_t pmk_n_flush_kernels;
extern const struct pmk_copy_kernel pmk_copy_kernels[];
extern const size_t pmk_n_copy_kernels;
extern const struct pmk_copy_kernel pmk_copy_backward_kernels[];
extern const size_t pmk_n_copy_backward_kernels;
extern const struct pmk_set_kernel pmk_set_kernels[];
extern const size_t pmk_n_set_kernels;
/* One line: as copy kernels with @lines always 1. */
extern const struct pmk_copy_kernel pmk_store_line_kernels[];
extern const size_t pmk_n_store_line_kernels;

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
	const struct pmk_copy_kernel *copy_backward;
	const struct pmk_set_kernel *set;
	const struct pmk_copy_kernel *store_line;
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

#endif /* LIB_PERSIST_OPS_H */
