/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernel the library chose for each operation on this CPU. */
#ifndef PMK_KERNEL_H
#define PMK_KERNEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* What the library has more than one kernel for. */
enum pmk_op {
	PMK_OP_FLUSH = 0,         /* write a cache line back */
	PMK_OP_COPY = 1,          /* non-temporal copy of whole lines */
	PMK_OP_COPY_BACKWARD = 2, /* the same for overlap with dst > src */
	PMK_OP_SET = 3,           /* non-temporal fill of whole lines */
	PMK_OP_STORE_LINE = 4,    /* one 64-byte line of a record log */
};

/**
 * pmk_op_name() - the name of an operation
 * @op: enum pmk_op; counting from 0 lists them all
 *
 * Thread and signal safe.
 *
 * Return: a static string, or NULL past the last operation.
 */
const char *pmk_op_name(unsigned int op);

/**
 * pmk_op_kernel() - the kernel chosen for an operation on this CPU
 * @op: enum pmk_op
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 *
 * Return: a static string such as "clwb" or "movdir64b", or NULL past the last
 * operation.
 */
const char *pmk_op_kernel(unsigned int op);

#ifdef __cplusplus
}
#endif

#endif /* PMK_KERNEL_H */
