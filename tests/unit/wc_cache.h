/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caches as files: those of tests/golden/wc, and small ones made word by word.
 * It knows nothing of the library.
 */
#ifndef TESTS_UNIT_WC_CACHE_H
#define TESTS_UNIT_WC_CACHE_H

#include <stddef.h>
#include <stdint.h>

/* The path of a new file without a name for others: it is removed at exit. */
const char *cache_temp(void);

/* An image of tests/golden/wc, such as "p4k-crash", unpacked by xz(1). */
const char *cache_golden(const char *name);

/* A cache of 1 MiB with blocks of 4096: 254 free entries, and seq_count. */
const char *cache_new(uint64_t seq_count);

/* Of blocks of 512 bytes, with room for @n entries and no more. */
const char *cache_new_of(uint64_t n, uint64_t seq_count);

/* Little-endian bytes of @v at @off. */
void cache_put(const char *path, uint64_t off, uint64_t v, size_t len);
void cache_entry(const char *path, uint64_t i, uint64_t sector, uint64_t seq);

/* All @n entries at once: pairs of a sector and a sequence. */
void cache_entries(const char *path, uint64_t n, const uint64_t (*pairs)[2]);

#endif /* TESTS_UNIT_WC_CACHE_H */
