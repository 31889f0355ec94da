/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine on devices that a kernel (6.1, dm-writecache) left, and on what
 * it left itself: reads are what the kernel served after its own recovery, and
 * cleaning makes the origin so.  Then random histories, mode p and mode s in
 * turn on the same device, against an array.
 *
 * Covered: pmk_wc_open_map, _open_fd, _read, _write, _discard, _commit, _work,
 * _clean, _close.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/wc_image.h>

#include "base/endian.h"
#include "base/util.h"
#include "support/seed.h"
#include "wc/engine.h"
#include "wc_fixture.h"

#define ORIGIN_BYTES ((size_t)8 << 20)
#define BS           4096U

static const struct device {
	const char *file;
	size_t bytes;
	uint64_t offset;
	uint64_t dirty; /* blocks */
	uint64_t erased;
} devices[] = {
	{ "p4k-crash", (size_t)16 << 20, 2U << 20, 256, 16 },
	{ "p4k-clean", (size_t)16 << 20, 2U << 20, 256, 0 },
	{ "s4k-crash", (size_t)4 << 20, 0, 256, 0 },
};

/* Whole of a packed file. */
static void unpack(const char *name, unsigned char *buf, size_t len)
{
	char command[4096];
	FILE *f;

	snprintf(command, sizeof(command), "xz -dc '%s/%s.img.xz'",
		 PMK_TEST_GOLDEN_WC, name);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fread(buf, 1, len, f), len);
	assert_int_equal(fgetc(f), EOF);
	assert_int_equal(pclose(f), 0);
}

/* The number in each word, as the README beside the files has it. */
static unsigned int seed_at(uint64_t off)
{
	if (off < 0x100000)
		return 0x11;
	if (off >= 0x200000 && off < 0x210000)
		return 0x33;
	if (off >= 0x210000 && off < 0x300000)
		return 0x22;
	return 0x01;
}

static void expect_served(const unsigned char *buf, uint64_t off, size_t len)
{
	for (size_t i = 0; i < len; i += 8)
		if (pmk_get_le64(buf + i) !=
		    ((uint64_t)seed_at(off + i) << 32 | (off + i) / 8))
			fail_msg("byte %#llx", (unsigned long long)(off + i));
}

static void load(struct cache *c, const struct device *d, char mode)
{
	static unsigned char origin[ORIGIN_BYTES];

	cache_blank(c, mode, d->bytes, ORIGIN_BYTES);
	unpack(d->file, c->base, d->bytes);
	unpack("origin", origin, sizeof(origin));
	assert_int_equal(pwrite(c->origin, origin, sizeof(origin), 0),
			 sizeof(origin));
}

static void serve(const struct device *d, char mode)
{
	static unsigned char buf[ORIGIN_BYTES];
	const struct pmk_wc_params p = { .offset = d->offset };
	struct cache c;

	load(&c, d, mode);
	assert_int_equal(cache_open(&c, &p), 0);
	assert_int_equal(cache_info(&c).error, 0);
	assert_int_equal(cache_info(&c).committed, d->dirty);
	assert_int_equal(cache_stats(&c).erased, d->erased);
	assert_int_equal(pmk_wc_read(c.wc, 0, buf, sizeof(buf)), 0);
	expect_served(buf, 0, sizeof(buf));
	assert_int_equal(pmk_wc_clean(c.wc), d->dirty);
	memset(buf, 0, sizeof(buf));
	assert_int_equal(pread(c.origin, buf, sizeof(buf), 0), sizeof(buf));
	expect_served(buf, 0, sizeof(buf));
	cache_free(&c);
}

static void kernel__device_serves_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		serve(&devices[i], 'p');
		serve(&devices[i], 's');
	}
}

/* A history of calls, by an array of what each block of the origin holds. */

#define BLOCKS 96U

struct history {
	struct cache c;
	struct rng rng;
	uint64_t now[BLOCKS];  /* as it must be read */
	uint64_t sure[BLOCKS]; /* and after a crash, of mode p */
	uint64_t versions;
	uint32_t bs;
};

static void fill(const struct history *h, uint64_t v, unsigned char *buf)
{
	for (size_t i = 0; i < h->bs; i += 8)
		pmk_put_le64(buf + i, v);
}

static void expect_all(struct history *h)
{
	static unsigned char got[BLOCKS * BS], want[BS];

	assert_int_equal(pmk_wc_read(h->c.wc, 0, got, BLOCKS * h->bs), 0);
	for (size_t b = 0; b < BLOCKS; b++) {
		fill(h, h->now[b], want);
		assert_memory_equal(got + b * h->bs, want, h->bs);
	}
}

static void committed(struct history *h)
{
	memcpy(h->sure, h->now, sizeof(h->sure));
}

/* Autocommits happen by themselves: then all before is committed. */
static void write_some(struct history *h)
{
	static unsigned char buf[16 * BS];
	size_t n = 1 + rng_below(&h->rng, 16);
	size_t b = rng_below(&h->rng, BLOCKS - n + 1);
	uint64_t before = cache_stats(&h->c).commits;

	for (size_t i = 0; i < n; i++) {
		h->now[b + i] = ++h->versions;
		fill(h, h->versions, buf + i * h->bs);
	}
	assert_int_equal(pmk_wc_write(h->c.wc, b * h->bs, buf, n * h->bs,
				      rng_below(&h->rng, 4) ? 0 : PMK_WC_FUA),
			 0);
	if (cache_stats(&h->c).commits != before &&
	    !cache_info(&h->c).uncommitted)
		committed(h);
}

static void discard_some(struct history *h)
{
	size_t n = 1 + rng_below(&h->rng, 8);
	size_t b = rng_below(&h->rng, BLOCKS - n + 1);

	assert_int_equal(pmk_wc_discard(h->c.wc, b * h->bs, n * h->bs), 0);
	for (size_t i = 0; i < n; i++) /* a memfd gives zeros */
		h->now[b + i] = h->sure[b + i] = 0;
}

/* Room for all, so that no commit happens in the middle of a write. */
static void start(struct history *h, uint32_t bs, char mode)
{
	const struct pmk_wc_params p = { .block_size = bs };
	size_t meta = 64 + 16 * (size_t)(BLOCKS * 2 + 16);

	h->bs = bs;
	cache_blank(&h->c, mode, meta + (BLOCKS * 2 + 16) * (size_t)bs + bs,
		    BLOCKS * (size_t)bs);
	assert_int_equal(pmk_wc_create_map(h->c.map, &p), 0);
	for (size_t b = 0; b < BLOCKS; b++)
		h->now[b] = h->sure[b] = 0x6f6f6f6f6f6f6f6fU;
	assert_int_equal(cache_open(&h->c, NULL), 0);
}

static void reopen(struct history *h, bool crash)
{
	if (crash) {
		pmk_wc_abandon(h->c.wc);
		h->c.wc = NULL;
		memcpy(h->now, h->sure, sizeof(h->now));
	} else {
		cache_close(&h->c);
		committed(h);
	}
	h->c.mode = h->c.mode == 'p' ? 's' : 'p';
	assert_int_equal(cache_open(&h->c, NULL), 0);
	assert_int_equal(cache_info(&h->c).error, 0);
}

static void one_call(struct history *h)
{
	switch (rng_below(&h->rng, 14)) {
	case 0:
		discard_some(h);
		break;
	case 1:
		assert_true(pmk_wc_clean(h->c.wc) >= 0);
		committed(h);
		break;
	case 2:
		assert_true(pmk_wc_work(h->c.wc) >= 0);
		break;
	case 3:
		reopen(h, false);
		break;
	case 4: /* mode s has in place what was not committed */
		reopen(h, h->c.mode == 'p');
		break;
	case 5:
	case 6:
		assert_int_equal(pmk_wc_commit(h->c.wc), 0);
		committed(h);
		break;
	default:
		write_some(h);
		break;
	}
}

/* What the tools that only look at a cache say of the same bytes. */
static void expect_image(struct history *h)
{
	struct pmk_wc_info info = cache_info(&h->c);
	struct pmk_wc_counts counts;
	struct pmk_wc_image *img;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", h->c.fd);
	assert_int_equal(pmk_wc_image_open(path, NULL, &img), 0);
	assert_int_equal(pmk_wc_image_load(img)->verdict, PMK_WC_LOADS);
	pmk_wc_image_counts(img, &counts);
	assert_int_equal(counts.free, info.free);
	assert_int_equal(counts.committed, info.committed);
	assert_int_equal(counts.superseded, 0);
	assert_int_equal(counts.uncommitted, 0);
	assert_int_equal(pmk_wc_image_superblock(img)->seq_count,
			 info.seq_count);
	pmk_wc_image_close(img);
}

static void history__random(void **state)
{
	static struct history h;
	struct rng rng;

	(void)state;
	rng_init(&rng, "history__random");
	for (size_t k = 0; k < 12; k++) {
		memset(&h, 0, sizeof(h));
		h.rng.state = rng_next(&rng);
		start(&h, (uint32_t)512 << k % 4, k & 1 ? 'p' : 's');
		for (int i = 0; i < 400; i++) {
			one_call(&h);
			expect_all(&h);
		}
		assert_int_equal(pmk_wc_commit(h.c.wc), 0);
		expect_image(&h);
		assert_true(pmk_wc_clean(h.c.wc) >= 0);
		expect_all(&h);
		expect_image(&h);
		assert_int_equal(cache_info(&h.c).committed, 0);
		cache_free(&h.c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel__device_serves_the_same),
		cmocka_unit_test(history__random),
	};

	return cmocka_run_group_tests_name("wc kernel", tests, NULL, NULL);
}
