/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which copy kernel is best for what, and what it needs.  Figures: a Sapphire
 * Rapids, one thread, DRAM; all of them are in docs/design/0007-engines.md.
 */
#include <pmk/cpu.h>

#include "base/util.h"
#include "persist/copy_lines.h"
#include "persist/ops.h"

/* Copies of some lines that nobody waits for: 256 bytes take 29 ns with
 * AVX-512 and 35 with MOVDIR64B. */
const struct pmk_copy_kernel pmk_copy_kernels[] = {
	{ "avx512", PMK_CPU_AVX512F, pmk_copy_lines_avx512 },
	{ "movdir64b", PMK_CPU_MOVDIR64B, pmk_copy_lines_movdir64b },
	{ "avx", PMK_CPU_AVX, pmk_copy_lines_avx },
	{ "sse2", 0, pmk_copy_lines_sse2 },
};
const size_t pmk_n_copy_kernels = ARRAY_SIZE(pmk_copy_kernels);

/* MOVDIR64B leaves nothing in a buffer that the fence has to wait for: 64 bytes
 * take 192 and not 204 ns with it. */
const struct pmk_copy_kernel pmk_copy_drained_kernels[] = {
	{ "movdir64b", PMK_CPU_MOVDIR64B, pmk_copy_lines_movdir64b },
	{ "avx512", PMK_CPU_AVX512F, pmk_copy_lines_avx512 },
	{ "avx", PMK_CPU_AVX, pmk_copy_lines_avx },
	{ "sse2", 0, pmk_copy_lines_sse2 },
};
const size_t pmk_n_copy_drained_kernels = ARRAY_SIZE(pmk_copy_drained_kernels);

/* Of 4 KiB, drained: 533 ns with MOVDIR64B, 541 to 557 with the others. */
const struct pmk_streams_kernel pmk_copy_streams_kernels[] = {
	{ "movdir64b", PMK_CPU_MOVDIR64B, pmk_copy_streams_movdir64b },
	{ "avx512", PMK_CPU_AVX512F, pmk_copy_streams_avx512 },
	{ "avx", PMK_CPU_AVX, pmk_copy_streams_avx },
	{ "sse2", 0, pmk_copy_streams_sse2 },
};
const size_t pmk_n_copy_streams_kernels = ARRAY_SIZE(pmk_copy_streams_kernels);

/*
 * From DRAM, 1 MiB: 12.9 GB/s with AVX-512, 12.6 with AVX and MOVDIR64B.  Four
 * pieces a page apart, in the cache: 680 and 740 ns for 16 KiB, as MOVDIR64B
 * takes a load for one of what was stored to the same place of another page.
 */
const struct pmk_streams_kernel pmk_copy_blocks_kernels[] = {
	{ "avx512", PMK_CPU_AVX512F, pmk_copy_streams_avx512 },
	{ "avx", PMK_CPU_AVX, pmk_copy_streams_avx },
	{ "movdir64b", PMK_CPU_MOVDIR64B, pmk_copy_streams_movdir64b },
	{ "sse2", 0, pmk_copy_streams_sse2 },
};
const size_t pmk_n_copy_blocks_kernels = ARRAY_SIZE(pmk_copy_blocks_kernels);

/* Three lines in a cache that holds them: 289 ns with AVX-512, 318 with SSE2,
 * write-back and drain included. */
const struct pmk_copy_kernel pmk_copy_cached_kernels[] = {
	{ "avx512", PMK_CPU_AVX512F, pmk_copy_cached_avx512 },
	{ "avx", PMK_CPU_AVX, pmk_copy_cached_avx },
	{ "sse2", 0, pmk_copy_cached_sse2 },
};
const size_t pmk_n_copy_cached_kernels = ARRAY_SIZE(pmk_copy_cached_kernels);

const struct pmk_copy_kernel pmk_copy_backward_kernels[] = {
	{ "sse2", 0, pmk_copy_lines_backward },
};
const size_t pmk_n_copy_backward_kernels =
	ARRAY_SIZE(pmk_copy_backward_kernels);

/* A line of a record log: MOVDIR64B cannot tear it. */
const struct pmk_copy_kernel pmk_store_line_kernels[] = {
	{ "movdir64b", PMK_CPU_MOVDIR64B, pmk_copy_lines_movdir64b },
	{ "avx512", PMK_CPU_AVX512F, pmk_copy_lines_avx512 },
	{ "avx", PMK_CPU_AVX, pmk_copy_lines_avx },
	{ "sse2", 0, pmk_copy_lines_sse2 },
};
const size_t pmk_n_store_line_kernels = ARRAY_SIZE(pmk_store_line_kernels);
