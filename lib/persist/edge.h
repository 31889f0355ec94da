/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edges of a range: the less than 64 bytes before its first and behind its
 * last whole line.
 *
 * All functions load everything before they store anything, so overlap is
 * right, and store aligned 8-byte words wherever the destination has them,
 * which is the 8-byte guarantee of <pmk/copy.h>.
 */
#ifndef LIB_PERSIST_EDGE_H
#define LIB_PERSIST_EDGE_H

#include <stddef.h>

/* Copy @len < 64 bytes that lie in one line of @dst. */
typedef void (*pmk_edge_fn)(char *dst, const char *src, size_t len);

/* Plain stores. */
void pmk_edge_cached(char *dst, const char *src, size_t len);
/* Plain stores, then write-back of the line: for a drain that follows soon. */
void pmk_edge_flush(char *dst, const char *src, size_t len);
/* MOVNTI for the words, plain stores and write-back for what is smaller: for
 * batches, where a line is written piece by piece before one drain. */
void pmk_edge_stream(char *dst, const char *src, size_t len);

#endif /* LIB_PERSIST_EDGE_H */
