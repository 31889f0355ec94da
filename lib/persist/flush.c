/* SPDX-License-Identifier: BSD-3-Clause */
/* Write-back of cache lines. */
#include <pmk/cpu.h>
#include <pmk/flush.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/ops.h"
#include "persist/prim.h"

static void flush_lines_clwb(const void *line, size_t lines)
{
	const char *p = line;

	for (; lines; lines--, p += PMK_LINE_SIZE)
		pmk_clwb(p);
}

static void flush_lines_clflushopt(const void *line, size_t lines)
{
	const char *p = line;

	for (; lines; lines--, p += PMK_LINE_SIZE)
		pmk_clflushopt(p);
}

static void flush_lines_clflush(const void *line, size_t lines)
{
	const char *p = line;

	for (; lines; lines--, p += PMK_LINE_SIZE)
		pmk_clflush(p);
}

/* Every x86-64 CPU has clflush: it comes with SSE2. */
const struct pmk_flush_kernel pmk_flush_kernels[] = {
	{ "clwb", PMK_CPU_CLWB, flush_lines_clwb },
	{ "clflushopt", PMK_CPU_CLFLUSHOPT, flush_lines_clflushopt },
	{ "clflush", 0, flush_lines_clflush },
};
const size_t pmk_n_flush_kernels = ARRAY_SIZE(pmk_flush_kernels);

PMK_EXPORT void pmk_flush(const void *addr, size_t len)
{
	const char *line;
	size_t lines;

	if (!len)
		return;
	line = (const char *)addr - ((uintptr_t)addr & (PMK_LINE_SIZE - 1));
	lines = ((uintptr_t)addr + len - 1) / PMK_LINE_SIZE -
		(uintptr_t)addr / PMK_LINE_SIZE + 1;
	pmk_kernels()->flush->fn(line, lines);
}

PMK_EXPORT void pmk_persist(const void *addr, size_t len)
{
	pmk_flush(addr, len);
	/* drain: the lines just flushed */
	pmk_drain();
}
