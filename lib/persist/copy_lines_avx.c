/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-temporal copy of whole lines with AVX: two stores a line. */
#include <immintrin.h>

#include "base/util.h"
#include "persist/copy_lines.h"
#include "persist/prim.h"

#define LINES   pmk_copy_lines_avx
#define CACHED  pmk_copy_cached_avx
#define STREAMS pmk_copy_streams_avx
#define TARGET  __attribute__((target("avx")))
#define VEC     __m256i
#define LOADU   _mm256_loadu_si256
#define STREAM  _mm256_stream_si256
#define STORE   _mm256_store_si256
#include "persist/copy_lines_template.h"
