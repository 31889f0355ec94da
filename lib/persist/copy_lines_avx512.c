/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-temporal copy of whole lines with AVX-512: one store is one line. */
#include <immintrin.h>

#include "base/util.h"
#include "persist/copy_lines.h"
#include "persist/prim.h"

#define LINES   pmk_copy_lines_avx512
#define CACHED  pmk_copy_cached_avx512
#define STREAMS pmk_copy_streams_avx512
#define TARGET  __attribute__((target("avx512f")))
#define VEC     __m512i
#define LOADU   _mm512_loadu_si512
#define STREAM  _mm512_stream_si512
#define STORE   _mm512_store_si512
#include "persist/copy_lines_template.h"
