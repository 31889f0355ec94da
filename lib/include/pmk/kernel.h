/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernel the library chose for each operation on this CPU. */
#ifndef PMK_KERNEL_H
#define PMK_KERNEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* What the library has more than one kernel for. */
enum pmk_op {
	PMK_OP_FLUSH = 0,          /* write a cache line back */
	PMK_OP_COPY = 1,           /* non-temporal copy of whole lines */
	PMK_OP_COPY_BACKWARD = 2,  /* the same for overlap with dst > src */
	PMK_OP_SET = 3,            /* non-temporal fill of whole lines */
	PMK_OP_STORE_LINE = 4,     /* one 64-byte line of a record log */
	PMK_OP_COPY_PAGE = 5,      /* pages, to memory that is not read soon */
	PMK_OP_COPY_PAGE_FROM = 6, /* eight pages or more, to memory that is */
	PMK_OP_CLEAR = 7,          /* a page that is used next */
	PMK_OP_COPY_DRAINED = 8,   /* whole lines, with a drain right after */
	PMK_OP_COPY_STREAMS = 9,   /* two places side by side */
	PMK_OP_COPY_BLOCKS = 10,   /* four or eight of them */
	PMK_OP_COPY_CACHED = 11,   /* whole lines, through the cache */
	PMK_OP_CLEAR_NT = 12,      /* what is not read soon */
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
