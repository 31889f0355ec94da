/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-temporal copy of whole lines with SSE2, which every x86-64 CPU has. */
#include <emmintrin.h>

#include "base/util.h"
#include "persist/copy_lines.h"
#include "persist/prim.h"

#define LINES   pmk_copy_lines_sse2
#define CACHED  pmk_copy_cached_sse2
#define STREAMS pmk_copy_streams_sse2
#define TARGET
#define VEC    __m128i
#define LOADU  _mm_loadu_si128
#define STREAM _mm_stream_si128
#define STORE  _mm_store_si128
#include "persist/copy_lines_template.h"
