/* SPDX-License-Identifier: BSD-3-Clause */
/* A writecache device and its origin in memory. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/endian.h"
#include "wc/engine.h"
#include "wc_fixture.h"

static void fill_file(int fd, size_t len, unsigned char v)
{
	unsigned char buf[4096];

	memset(buf, v, sizeof(buf));
	for (size_t off = 0; off < len; off += sizeof(buf)) {
		size_t n = len - off < sizeof(buf) ? len - off : sizeof(buf);

		assert_int_equal(pwrite(fd, buf, n, (off_t)off), n);
	}
}

void cache_blank(struct cache *c, char mode, size_t bytes, size_t origin_bytes)
{
	const struct pmk_map_params p = { .len = bytes,
					  .flags = PMK_MAP_EMULATED };

	memset(c, 0, sizeof(*c));
	c->mode = mode;
	assert_int_equal(pmk_map_open(NULL, &p, &c->map), 0);
	c->base = pmk_map_addr(c->map);
	c->fd = pmk_map_fd(c->map);
	c->origin = memfd_create("origin", MFD_CLOEXEC);
	assert_true(c->origin >= 0);
	fill_file(c->origin, origin_bytes, 'o');
}

void cache_vector(struct cache *c, char mode, uint64_t seq,
		  const struct vector_entry *e, size_t n)
{
	unsigned char *b;

	cache_blank(c, mode, VECTOR_BYTES, VECTOR_ORIGIN);
	b = c->base;
	pmk_put_le32(b, 0x23489321);
	pmk_put_le32(b + 4, 1);
	pmk_put_le32(b + 8, VECTOR_BS);
	pmk_put_le64(b + 16, VECTOR_N);
	pmk_put_le64(b + 24, seq);
	memset(b + 64, 0xff, (size_t)VECTOR_N * 16);
	for (size_t k = 0; k < n; k++) {
		pmk_put_le64(b + 64 + (size_t)e[k].i * 16, e[k].sector);
		pmk_put_le64(b + 72 + (size_t)e[k].i * 16, e[k].seq);
		memset(b + VECTOR_DATA + (size_t)e[k].i * VECTOR_BS,
		       (int)('A' + e[k].i), VECTOR_BS);
	}
}

int cache_open(struct cache *c, const struct pmk_wc_params *p)
{
	return c->mode == 'p' ? pmk_wc_open_map(c->map, c->origin, p, &c->wc)
			      : pmk_wc_open_fd(c->fd, c->origin, p, &c->wc);
}

void cache_close(struct cache *c)
{
	assert_int_equal(pmk_wc_close(c->wc), 0);
	c->wc = NULL;
}

void cache_free(struct cache *c)
{
	if (c->wc)
		pmk_wc_abandon(c->wc);
	pmk_map_close(c->map);
	close(c->origin);
}

uint64_t media_seq(const struct cache *c)
{
	return pmk_get_le64(c->base + 24);
}

struct vector_entry media_entry(const struct cache *c, unsigned int i)
{
	return (struct vector_entry){
		.i = i,
		.sector = pmk_get_le64(c->base + 64 + (size_t)i * 16),
		.seq = pmk_get_le64(c->base + 72 + (size_t)i * 16),
	};
}

unsigned char media_block(const struct cache *c, unsigned int i)
{
	return c->base[VECTOR_DATA + (size_t)i * VECTOR_BS];
}

unsigned char origin_byte(const struct cache *c, uint64_t sector)
{
	unsigned char v;

	assert_int_equal(pread(c->origin, &v, 1, (off_t)(sector * 512)), 1);
	return v;
}

unsigned char read_byte(struct cache *c, uint64_t sector)
{
	unsigned char buf[VECTOR_BS];

	assert_int_equal(pmk_wc_read(c->wc, sector * 512, buf, VECTOR_BS), 0);
	for (size_t i = 1; i < sizeof(buf); i++)
		assert_int_equal(buf[i], buf[0]);
	return buf[0];
}

int write_byte(struct cache *c, uint64_t sector, unsigned char v)
{
	unsigned char buf[VECTOR_BS];

	memset(buf, v, sizeof(buf));
	return pmk_wc_write(c->wc, sector * 512, buf, VECTOR_BS, 0);
}

struct pmk_wc_info cache_info(const struct cache *c)
{
	struct pmk_wc_info info;

	pmk_wc_get_info(c->wc, &info);
	return info;
}

struct pmk_wc_stats cache_stats(const struct cache *c)
{
	struct pmk_wc_stats s;

	pmk_wc_get_stats(c->wc, &s);
	return s;
}
