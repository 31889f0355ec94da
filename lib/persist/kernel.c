/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose a kernel for each operation, once per process. */
#include <stdatomic.h>
#include <stddef.h>

#include <pmk/cpu.h>
#include <pmk/kernel.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/ops.h"

void pmk_kernels_choose(uint32_t features, struct pmk_kernels *kernels_ret)
{
	*kernels_ret = (struct pmk_kernels){
		.flush = PMK_KERNEL_CHOOSE(pmk_flush_kernels, features),
		.copy = PMK_KERNEL_CHOOSE(pmk_copy_kernels, features),
		.copy_backward =
			PMK_KERNEL_CHOOSE(pmk_copy_backward_kernels, features),
		.set = PMK_KERNEL_CHOOSE(pmk_set_kernels, features),
		.store_line =
			PMK_KERNEL_CHOOSE(pmk_store_line_kernels, features),
	};
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
	[PMK_OP_COPY_BACKWARD] = "copy backward",
	[PMK_OP_SET] = "set",
	[PMK_OP_STORE_LINE] = "store line",
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
	case PMK_OP_COPY_BACKWARD:
		return k->copy_backward->name;
	case PMK_OP_SET:
		return k->set->name;
	case PMK_OP_STORE_LINE:
		return k->store_line->name;
	default:
		return NULL;
	}
}
