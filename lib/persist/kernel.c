/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose a kernel for each operation, once per process. */
#include <stdatomic.h>
#include <stddef.h>

#include <pmk/cpu.h>
#include <pmk/kernel.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/ops.h"
#include "persist/tune.h"

void pmk_kernels_choose(uint32_t features, struct pmk_kernels *kernels_ret)
{
	*kernels_ret = (struct pmk_kernels){
		.flush = PMK_KERNEL_CHOOSE(pmk_flush_kernels, features),
		.copy = PMK_KERNEL_CHOOSE(pmk_copy_kernels, features),
		.copy_drained =
			PMK_KERNEL_CHOOSE(pmk_copy_drained_kernels, features),
		.copy_streams =
			PMK_KERNEL_CHOOSE(pmk_copy_streams_kernels, features),
		.copy_blocks =
			PMK_KERNEL_CHOOSE(pmk_copy_blocks_kernels, features),
		.copy_cached =
			PMK_KERNEL_CHOOSE(pmk_copy_cached_kernels, features),
		.copy_backward =
			PMK_KERNEL_CHOOSE(pmk_copy_backward_kernels, features),
		.set = PMK_KERNEL_CHOOSE(pmk_set_kernels, features),
		.store_line =
			PMK_KERNEL_CHOOSE(pmk_store_line_kernels, features),
		.copy_page = PMK_KERNEL_CHOOSE(pmk_copy_page_kernels, features),
		.copy_page_from =
			PMK_KERNEL_CHOOSE(pmk_copy_page_from_kernels, features),
		.clear = PMK_KERNEL_CHOOSE(pmk_clear_kernels, features),
		.clear_nt = PMK_KERNEL_CHOOSE(pmk_clear_nt_kernels, features),
	};
	pmk_tuning_defaults(kernels_ret->tuning);
}

_Atomic(const struct pmk_kernels *) pmk_kernels_published;

/* How many threads, and signal handlers in them, may choose at once without
 * waiting for one of the others. */
#define SLOTS 16U

/*
 * No lock and no pthread_once(): a signal handler may come here while the
 * thread that it interrupted is in the middle of it.  Whoever is first
 * publishes; all choose the same.
 */
const struct pmk_kernels *pmk_kernels_init(void)
{
	static struct pmk_kernels slots[SLOTS];
	static atomic_uint taken;
	const struct pmk_kernels *k = NULL;
	unsigned int slot = atomic_fetch_add(&taken, 1);

	if (slot < SLOTS) {
		pmk_kernels_choose(pmk_cpu_features(), &slots[slot]);
		pmk_tuning_from_environment(slots[slot].tuning);
		/* release: the table is complete before its address is seen */
		if (atomic_compare_exchange_strong_explicit(
			    &pmk_kernels_published, &k, &slots[slot],
			    memory_order_acq_rel, memory_order_acquire))
			return &slots[slot];
		return k;
	}
	while (!k)
		k = atomic_load_explicit(&pmk_kernels_published,
					 memory_order_acquire);
	return k;
}

static const char *const op_names[] = {
	[PMK_OP_FLUSH] = "flush",
	[PMK_OP_COPY] = "copy",
	[PMK_OP_COPY_DRAINED] = "copy drained",
	[PMK_OP_COPY_STREAMS] = "copy streams",
	[PMK_OP_COPY_BLOCKS] = "copy blocks",
	[PMK_OP_COPY_CACHED] = "copy cached",
	[PMK_OP_COPY_BACKWARD] = "copy backward",
	[PMK_OP_SET] = "set",
	[PMK_OP_STORE_LINE] = "store line",
	[PMK_OP_COPY_PAGE] = "copy page",
	[PMK_OP_COPY_PAGE_FROM] = "copy page from",
	[PMK_OP_CLEAR] = "clear",
	[PMK_OP_CLEAR_NT] = "clear nontemporal",
};

PMK_EXPORT const char *pmk_op_name(unsigned int op)
{
	return op < ARRAY_SIZE(op_names) ? op_names[op] : NULL;
}

PMK_EXPORT const char *pmk_op_kernel(unsigned int op)
{
	const struct pmk_kernels *k = pmk_kernels();

	switch (op) {
	case PMK_OP_FLUSH:
		return k->flush->name;
	case PMK_OP_COPY:
		return k->copy->name;
	case PMK_OP_COPY_DRAINED:
		return k->copy_drained->name;
	case PMK_OP_COPY_STREAMS:
		return k->copy_streams->name;
	case PMK_OP_COPY_BLOCKS:
		return k->copy_blocks->name;
	case PMK_OP_COPY_CACHED:
		return k->copy_cached->name;
	case PMK_OP_COPY_BACKWARD:
		return k->copy_backward->name;
	case PMK_OP_SET:
		return k->set->name;
	case PMK_OP_STORE_LINE:
		return k->store_line->name;
	case PMK_OP_COPY_PAGE:
		return k->copy_page->name;
	case PMK_OP_COPY_PAGE_FROM:
		return k->copy_page_from->name;
	case PMK_OP_CLEAR:
		return k->clear->name;
	case PMK_OP_CLEAR_NT:
		return k->clear_nt->name;
	default:
		return NULL;
	}
}
