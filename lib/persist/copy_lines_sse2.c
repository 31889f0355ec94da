/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-temporal copy of whole lines with SSE2, which every x86-64 CPU has. */
#include <emmintrin.h>

#include "persist/copy_lines.h"
#include "persist/prim.h"

#define KERNEL pmk_copy_lines_sse2
#define TARGET
#define VEC    __m128i
#define LOADU  _mm_loadu_si128
#define STREAM _mm_stream_si128
#include "persist/copy_lines_template.h"
