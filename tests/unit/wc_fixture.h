/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writecache device and its origin in memory, both modes on the same bytes,
 * as of section "test vectors": 1 MiB of 4096-byte blocks, 254 of them, the
 * sequence 10, and an origin of 1 MiB of 'o'.
 */
#ifndef TESTS_UNIT_WC_FIXTURE_H
#define TESTS_UNIT_WC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pmk/map.h>
#include <pmk/wc.h>

#define VECTOR_BS     4096U
#define VECTOR_N      254U
#define VECTOR_BYTES  (1U << 20)
#define VECTOR_DATA   8192U /* where data begin */
#define VECTOR_ORIGIN (1U << 20)

struct cache {
	struct pmk_map *map;
	unsigned char *base;
	int fd; /* of the same bytes */
	int origin;
	char mode;
	struct pmk_wc *wc;
};

struct vector_entry {
	unsigned int i;
	uint64_t sector;
	uint64_t seq;
};

/* Any cache: all zero, and an origin of 'o'. */
void cache_blank(struct cache *c, char mode, size_t bytes, size_t origin_bytes);
/* The vectors': those entries, block i filled with 'A' + i. */
void cache_vector(struct cache *c, char mode, uint64_t seq,
		  const struct vector_entry *e, size_t n);
int cache_open(struct cache *c, const struct pmk_wc_params *p);
void cache_close(struct cache *c);
void cache_free(struct cache *c);

/* What is on the medium. */
uint64_t media_seq(const struct cache *c);
struct vector_entry media_entry(const struct cache *c, unsigned int i);
/* The first byte of block @i of the cache, and of a block of the origin. */
unsigned char media_block(const struct cache *c, unsigned int i);
unsigned char origin_byte(const struct cache *c, uint64_t sector);
/* The byte that all of a block is read as. */
unsigned char read_byte(struct cache *c, uint64_t sector);
int write_byte(struct cache *c, uint64_t sector, unsigned char v);
struct pmk_wc_info cache_info(const struct cache *c);
struct pmk_wc_stats cache_stats(const struct cache *c);

#endif /* TESTS_UNIT_WC_FIXTURE_H */
