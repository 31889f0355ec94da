/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose a kernel for each operation, once per process. */
#include <pthread.h>
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

static void choose_for_this_cpu(void)
{
	static struct pmk_kernels chosen;

	pmk_kernels_choose(pmk_cpu_features(), &chosen);
	/* release: the table is complete before its address is seen */
	atomic_store_explicit(&pmk_kernels_published, &chosen,
			      memory_order_release);
}

const struct pmk_kernels *pmk_kernels_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, choose_for_this_cpu);
	return atomic_load_explicit(&pmk_kernels_published,
				    memory_order_acquire);
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
