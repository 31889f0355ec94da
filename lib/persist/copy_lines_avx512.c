/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-temporal copy of whole lines with AVX-512: one store is one line. */
#include <immintrin.h>

#include "persist/copy_lines.h"
#include "persist/prim.h"

#define KERNEL pmk_copy_lines_avx512
#define TARGET __attribute__((target("avx512f")))
#define VEC    __m512i
#define LOADU  _mm512_loadu_si512
#define STREAM _mm512_stream_si512
#include "persist/copy_lines_template.h"
