/* SPDX-License-Identifier: BSD-3-Clause */
/* The edges of a range, see edge.h. */
#include <stdint.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/flush.h>

#include "base/util.h"
#include "persist/edge.h"
#include "persist/prim.h"

/*
 * volatile: the compiler must neither merge these stores nor turn a loop of
 * them into memcpy(), whose store width libc does not promise.
 */
static inline void store8(char *d, const char *s)
{
	uint64_t v;

	memcpy(&v, s, sizeof(v));
	*(volatile pmk_u64_any *)d = v;
}

static inline void store_bytes(char *d, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((volatile char *)d)[i] = s[i];
}

/* Bytes before the first aligned word of @dst, then whole words behind. */
static inline size_t lead_bytes(const char *dst, size_t len)
{
	return pmk_min_size(-(uintptr_t)dst & 7, len);
}

void pmk_edge_cached(char *dst, const char *src, size_t len)
{
	char buf[PMK_LINE_SIZE];
	size_t i = lead_bytes(dst, len);

	memcpy(buf, src, len);
	store_bytes(dst, buf, i);
	for (; i + 8 <= len; i += 8)
		store8(dst + i, buf + i);
	store_bytes(dst + i, buf + i, len - i);
}

void pmk_edge_flush(char *dst, const char *src, size_t len)
{
	pmk_edge_cached(dst, src, len);
	pmk_flush(dst, len);
}

void pmk_edge_stream(char *dst, const char *src, size_t len)
{
	char buf[PMK_LINE_SIZE];
	size_t lead = lead_bytes(dst, len);
	size_t words = pmk_align_down(len - lead, 8);
	size_t tail = len - lead - words;

	memcpy(buf, src, len);
	store_bytes(dst, buf, lead);
	store_bytes(dst + lead + words, buf + lead + words, tail);
	if (lead + tail)
		pmk_flush(dst, len);
	for (size_t i = lead; i < lead + words; i += 8)
		pmk_nt_copy8(dst + i, buf + i);
}
