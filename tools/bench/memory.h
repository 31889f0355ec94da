/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory there is, and in what pages a range of it is mapped. */
#ifndef TOOLS_BENCH_MEMORY_H
#define TOOLS_BENCH_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* EXIT_OK if @need bytes of memory can be had without the system, or the
 * control group of this process, running out; else a message, with @remedy, and
 * EXIT_FAIL. */
int memory_check(uint64_t need, const char *remedy);

/* Bytes that can be had so. */
uint64_t memory_available(void);

/* "none", "all" or "in part": how much of [@addr, @addr + @len) is mapped by
 * entries of 2 MiB, as /proc/self/smaps tells; "unknown" of a DAX mapping, of
 * which it does not.  Written to @text. */
void memory_huge_pages(const void *addr, size_t len, char *text, size_t size);

#endif /* TOOLS_BENCH_MEMORY_H */
