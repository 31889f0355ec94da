/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writeback and export of random caches, against a model that takes each sector
 * by itself: of the committed entries, the highest sequence, and of two alike
 * the later one.
 *
 * Covered: pmk_wc_origin_open, _close, _size, pmk_wc_misfits, pmk_wc_writeback,
 * pmk_wc_export, pmk_wc_doubt, pmk_wc_why_name, pmk_wc_why_text.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/wc_check.h>
#include <pmk/wc_writeback.h>

#include "support/seed.h"

#define ROUNDS 60
#define FREED  UINT64_MAX

struct model {
	uint32_t bs;
	uint64_t n, seq_count, data_off, size, origin_size;
	unsigned char *cache, *origin, *merged;
	uint64_t dirty, misfits;
	bool *gone; /* entries that writeback frees */
};

static char dir[] = "/tmp/pmk-test-wc-XXXXXX";
static char cache_path[64], origin_path[64], file_path[64];

static void put64(unsigned char *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static uint64_t get64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static unsigned char *entry_at(const struct model *m, uint64_t i)
{
	return m->cache + 64 + 16 * i;
}

static uint64_t random_sector(const struct model *m, struct rng *r)
{
	uint64_t blocks = m->origin_size / m->bs;

	switch (rng_below(r, 20)) {
	case 0:
		return rng_next(r);
	case 1: /* at the end, across it, behind it */
		return (blocks + rng_below(r, 3)) * (m->bs / 512) - m->bs / 512;
	case 2:
		return rng_below(r, m->origin_size / 512 + 1);
	default: /* few, so that many are there twice */
		return rng_below(r, blocks + 1) * (m->bs / 512);
	}
}

static void make_entries(struct model *m, struct rng *r)
{
	for (uint64_t i = 0; i < m->n; i++) {
		uint64_t seq = rng_below(r, m->seq_count + 1);

		if (!rng_below(r, 4))
			seq = FREED;
		put64(entry_at(m, i), random_sector(m, r));
		put64(entry_at(m, i) + 8, seq);
		rng_fill(r, m->cache + m->data_off + i * m->bs, m->bs);
		if (!rng_below(r, 8))
			memset(m->cache + m->data_off + i * m->bs, 0, m->bs);
	}
}

static void make(struct model *m, struct rng *r)
{
	static const uint32_t sizes[] = { 512, 1024, 4096, 65536 };

	*m = (struct model){ .bs = sizes[rng_below(r, 4)] };
	m->n = 1 + rng_below(r, m->bs > 4096 ? 40 : 900);
	m->seq_count = rng_below(r, 7);
	m->data_off = (64 + 16 * m->n + m->bs - 1) / m->bs * m->bs;
	m->size = m->data_off + m->n * m->bs;
	m->origin_size = m->bs * (1 + rng_below(r, 1000)) +
			 512 * rng_below(r, 3) + rng_below(r, 2);
	m->cache = calloc(1, m->size);
	m->origin = calloc(1, m->origin_size);
	m->merged = malloc(m->origin_size);
	m->gone = calloc(m->n, sizeof(*m->gone));
	assert_true(m->cache && m->origin && m->merged && m->gone);
	put64(m->cache, 0x0000000123489321U);
	put64(m->cache + 8, m->bs);
	put64(m->cache + 16, m->n);
	put64(m->cache + 24, m->seq_count);
	make_entries(m, r);
	/* some of it is a hole */
	rng_fill(r, m->origin, rng_below(r, m->origin_size + 1));
}

static bool is_committed(const struct model *m, uint64_t i)
{
	uint64_t seq = get64(entry_at(m, i) + 8);

	return seq != FREED && seq < m->seq_count;
}

/* Does entry @j supersede entry @i? */
static bool supersedes(const struct model *m, uint64_t j, uint64_t i)
{
	uint64_t a = get64(entry_at(m, i) + 8), b = get64(entry_at(m, j) + 8);

	return i != j && is_committed(m, j) &&
	       get64(entry_at(m, i)) == get64(entry_at(m, j)) &&
	       (b > a || (b == a && j > i));
}

static bool wins(const struct model *m, uint64_t i)
{
	for (uint64_t j = 0; j < m->n; j++)
		if (supersedes(m, j, i))
			return false;
	return true;
}

static bool fits(const struct model *m, uint64_t i)
{
	uint64_t sector = get64(entry_at(m, i));

	/* no product of a sector that may be any number */
	return sector <= m->origin_size / 512 && sector * 512 % m->bs == 0 &&
	       sector * 512 + m->bs <= m->origin_size;
}

static void solve(struct model *m)
{
	memcpy(m->merged, m->origin, m->origin_size);
	for (uint64_t i = 0; i < m->n; i++) {
		if (!is_committed(m, i))
			continue;
		m->gone[i] = fits(m, i);
		if (!wins(m, i))
			continue;
		m->dirty++;
		m->misfits += !fits(m, i);
		if (fits(m, i))
			memcpy(m->merged + get64(entry_at(m, i)) * 512,
			       m->cache + m->data_off + i * m->bs, m->bs);
	}
}

static void unmake(struct model *m)
{
	free(m->cache);
	free(m->origin);
	free(m->merged);
	free(m->gone);
}

static void save(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void is_file(const char *path, const void *data, size_t len)
{
	unsigned char *got = malloc(len + 1);
	FILE *f = fopen(path, "r");

	assert_true(got && f);
	assert_int_equal(fread(got, 1, len + 1, f), len);
	fclose(f);
	assert_memory_equal(got, data, len);
	free(got);
}

static void open_both(bool write, struct pmk_wc_image **img,
		      struct pmk_wc_origin **origin)
{
	const struct pmk_wc_open_params p = { .flags = write ? PMK_WC_WRITE
							     : 0 };

	assert_int_equal(pmk_wc_image_open(cache_path, &p, img), 0);
	assert_int_equal(pmk_wc_origin_open(origin_path, *img, write, origin),
			 0);
}

static void close_both(struct pmk_wc_image *img, struct pmk_wc_origin *origin)
{
	pmk_wc_origin_close(origin);
	pmk_wc_image_close(img);
}

struct heard {
	uint64_t n, last_sector;
	uint64_t calls, stop_at; /* of go_on */
};

static void hear(const struct pmk_wc_failure *f, void *arg)
{
	struct heard *h = arg;

	assert_true(f->why == PMK_WC_WHY_BEYOND ||
		    f->why == PMK_WC_WHY_UNALIGNED);
	assert_int_equal(f->error, 0);
	if (h->n++)
		assert_true(f->sector > h->last_sector);
	h->last_sector = f->sector;
}

static bool go_on(uint64_t done_bytes, void *arg)
{
	struct heard *h = arg;

	(void)done_bytes;
	return ++h->calls != h->stop_at;
}

static void check_export(const struct model *m, unsigned int threads)
{
	struct heard h = { .n = 0 };
	const struct pmk_wc_copy_params p = {
		.threads = threads,
		.go_on = go_on,
		.failed = hear,
		.arg = &h,
	};
	struct pmk_wc_copy_result res;
	struct pmk_wc_origin *origin;
	struct pmk_wc_image *img;
	int fd = open(file_path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	open_both(false, &img, &origin);
	assert_int_equal(pmk_wc_origin_size(origin), m->origin_size);
	assert_int_equal(pmk_wc_export(img, origin, fd, &p, &res), 0);
	assert_int_equal(res.dirty, m->dirty);
	assert_int_equal(res.copied, m->dirty - m->misfits);
	assert_int_equal(res.failed, m->misfits);
	assert_int_equal(h.n, m->misfits);
	assert_int_equal(res.left, 0);
	assert_int_equal(res.lost_bytes, 0);
	close_both(img, origin);
	close(fd);
	is_file(file_path, m->merged, m->origin_size);
	is_file(cache_path, m->cache, m->size);
	is_file(origin_path, m->origin, m->origin_size);
}

static uint64_t free_all(struct model *m)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < m->n; i++)
		if (m->gone[i]) {
			put64(entry_at(m, i) + 8, FREED);
			n++;
		}
	return n;
}

static void check_writeback(struct model *m, unsigned int threads)
{
	struct heard h = { .n = 0 };
	struct pmk_wc_copy_params p = {
		.threads = threads,
		.failed = hear,
		.arg = &h,
	};
	struct pmk_wc_copy_result res;
	struct pmk_wc_counts counts;
	struct pmk_wc_origin *origin;
	struct pmk_wc_image *img;

	open_both(true, &img, &origin);
	assert_int_equal(pmk_wc_misfits(img, m->origin_size, NULL, NULL),
			 m->misfits);
	if (m->misfits) {
		assert_int_equal(pmk_wc_writeback(img, origin, &p, &res),
				 PMK_E_WC_MISFIT);
		assert_int_equal(res.freed, 0);
		is_file(origin_path, m->origin, m->origin_size);
	}
	p.skip_misfits = true;
	assert_int_equal(pmk_wc_writeback(img, origin, &p, &res), 0);
	assert_int_equal(res.copied, m->dirty - m->misfits);
	assert_int_equal(res.failed, m->misfits);
	assert_int_equal(h.n, m->misfits);
	assert_int_equal(res.freed, free_all(m));
	pmk_wc_image_counts(img, &counts);
	assert_int_equal(counts.committed - counts.superseded, m->misfits);
	close_both(img, origin);
	is_file(origin_path, m->merged, m->origin_size);
	is_file(cache_path, m->cache, m->size);
}

static void random__is_what_the_model_says(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, "random__is_what_the_model_says");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int threads = 1 + (unsigned int)rng_below(&r, 6);
		struct model m;

		make(&m, &r);
		solve(&m);
		save(cache_path, m.cache, m.size);
		save(origin_path, m.origin, m.origin_size);
		check_export(&m, threads);
		check_writeback(&m, threads);
		unmake(&m);
	}
}

/* 40 MiB of blocks in order, of one value each. */
static void save_large(uint64_t n)
{
	struct model m = { .bs = 4096, .n = n, .seq_count = 2 };

	m.data_off = (64 + 16 * n + 4095) / 4096 * 4096;
	m.size = m.data_off + n * 4096;
	m.cache = calloc(1, m.size);
	assert_non_null(m.cache);
	put64(m.cache, 0x0000000123489321U);
	put64(m.cache + 8, 4096);
	put64(m.cache + 16, n);
	put64(m.cache + 24, 2);
	for (uint64_t i = 0; i < n; i++) {
		put64(entry_at(&m, i), i * 8);
		put64(entry_at(&m, i) + 8, 1);
		memset(m.cache + m.data_off + i * 4096, (int)(i % 255) + 1,
		       4096);
	}
	save(cache_path, m.cache, m.size);
	free(m.cache);
}

static void stopped__the_rest_is_left_and_done_by_the_next(void **state)
{
	struct heard h = { .stop_at = 2 };
	const struct pmk_wc_copy_params p = { .threads = 1,
					      .go_on = go_on,
					      .arg = &h };
	struct pmk_wc_copy_result res;
	struct pmk_wc_origin *origin;
	struct pmk_wc_image *img;
	const uint64_t n = 10240;

	(void)state;
	save_large(n);
	save(origin_path, "", 0);
	assert_int_equal(truncate(origin_path, (off_t)(n * 4096)), 0);
	open_both(true, &img, &origin);
	assert_int_equal(pmk_wc_writeback(img, origin, &p, &res), 0);
	assert_true(res.stopped);
	/* two lots of a megabyte, by the one thread */
	assert_int_equal(res.copied, 512);
	assert_int_equal(res.freed, 512);
	assert_int_equal(res.left, n - 512);
	assert_int_equal(pmk_wc_image_committed(img), n - 512);
	/* the same handles again */
	assert_int_equal(pmk_wc_writeback(img, origin, NULL, &res), 0);
	assert_false(res.stopped);
	assert_int_equal(res.copied, n - 512);
	assert_int_equal(res.left, 0);
	close_both(img, origin);
}

static void handles__must_be_open_for_what_is_done(void **state)
{
	const struct pmk_wc_copy_params keep = { .keep_metadata = true };
	const struct pmk_wc_open_params write = { .flags = PMK_WC_WRITE };
	struct pmk_wc_copy_result res;
	struct pmk_wc_origin *origin;
	struct pmk_wc_image *img;

	(void)state;
	save_large(1);
	save(origin_path, "", 0);
	assert_int_equal(truncate(origin_path, 4096), 0);
	assert_int_equal(pmk_wc_image_open(cache_path, NULL, &img), 0);
	assert_int_equal(pmk_wc_origin_open(cache_path, img, true, &origin),
			 PMK_E_WC_SAME);
	assert_int_equal(pmk_wc_origin_open("/dev/null", img, true, &origin),
			 PMK_E_FILE_TYPE);
	assert_int_equal(pmk_wc_origin_open("/none", img, true, &origin),
			 -ENOENT);
	assert_int_equal(pmk_wc_origin_open(origin_path, img, true, &origin),
			 0);
	assert_int_equal(pmk_wc_writeback(img, origin, NULL, &res),
			 PMK_E_READ_ONLY);
	assert_int_equal(pmk_wc_writeback(img, origin, &keep, &res), 0);
	assert_int_equal(res.copied, 1);
	assert_int_equal(res.freed, 0);
	close_both(img, origin);
	assert_int_equal(pmk_wc_image_open(cache_path, &write, &img), 0);
	assert_int_equal(pmk_wc_origin_open(origin_path, img, false, &origin),
			 0);
	assert_int_equal(pmk_wc_writeback(img, origin, NULL, &res),
			 PMK_E_READ_ONLY);
	close_both(img, origin);
}

static void no_cache__is_refused(void **state)
{
	const struct pmk_wc_copy_params keep = { .keep_metadata = true };
	char zeros[8192] = { 0 };
	struct pmk_wc_copy_result res;
	struct pmk_wc_origin *origin;
	struct pmk_wc_image *img;

	(void)state;
	save(cache_path, zeros, sizeof(zeros));
	save(origin_path, zeros, sizeof(zeros));
	open_both(true, &img, &origin);
	assert_int_equal(pmk_wc_misfits(img, 8192, NULL, NULL), 0);
	assert_int_equal(pmk_wc_writeback(img, origin, &keep, &res),
			 PMK_E_WC_NONE);
	assert_int_equal(pmk_wc_export(img, origin, STDOUT_FILENO, NULL, &res),
			 PMK_E_WC_NONE);
	close_both(img, origin);
}

/* The file at @path has not been written to. */
static void is_value(const char *path, int value, size_t len)
{
	unsigned char *want = malloc(len);

	assert_non_null(want);
	memset(want, value, len);
	is_file(path, want, len);
	free(want);
}

/* One field of a good superblock, and what the library says to the rest. */
static void doubtful__is_refused_before_anything_is_written(void **state)
{
	static const struct {
		unsigned int off;
		uint64_t value;
		enum pmk_wc_problem_code code;
		int rc;
	} cases[] = {
		{ 8, 512, PMK_WC_PROBLEM_N_BLOCKS_TOO_SMALL, PMK_E_WC_DOUBT },
		{ 8, 8192, PMK_WC_PROBLEM_N_BLOCKS_TOO_LARGE, PMK_E_WC_DOUBT },
		{ 16, 100, PMK_WC_PROBLEM_N_BLOCKS_TOO_SMALL, PMK_E_WC_DOUBT },
		{ 16, 300, PMK_WC_PROBLEM_N_BLOCKS_TOO_LARGE, PMK_E_WC_DOUBT },
		{ 24, 1, PMK_WC_PROBLEM_SEQ_AHEAD, PMK_E_WC_DOUBT },
		{ 24, UINT64_MAX, PMK_WC_PROBLEM_SEQ_WRAP, PMK_E_WC_DOUBT },
		/* none is told: the code stays what it was */
		{ 0, 0, PMK_WC_PROBLEM_BLANK, PMK_E_WC_NONE },
		{ 0, 2, PMK_WC_PROBLEM_BLANK, PMK_E_WC_NONE },
		{ 16, 0, PMK_WC_PROBLEM_N_BLOCKS_ZERO, PMK_E_WC_DOUBT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pmk_wc_problem p = { .code = PMK_WC_PROBLEM_BLANK };
		struct pmk_wc_copy_result res;
		struct pmk_wc_origin *origin;
		struct pmk_wc_image *img;
		unsigned char raw[8];
		int fd;

		save_large(254);
		fd = open(cache_path, O_RDWR);
		assert_true(fd >= 0);
		put64(raw, 2);
		/* entries of sequence 2 are not committed */
		assert_int_equal(pwrite(fd, raw, 8, 64 + 16 * 253 + 8), 8);
		put64(raw, cases[i].value);
		assert_int_equal(pwrite(fd, raw, 8, cases[i].off), 8);
		close(fd);
		save(origin_path, "", 0);
		save(file_path, "", 0);
		assert_int_equal(truncate(origin_path, 1 << 20), 0);
		open_both(true, &img, &origin);
		assert_int_equal(pmk_wc_doubt(img, &p), cases[i].rc);
		assert_int_equal(p.code, cases[i].code);
		assert_int_equal(pmk_wc_doubt(img, NULL), cases[i].rc);
		assert_int_equal(pmk_wc_writeback(img, origin, NULL, &res),
				 cases[i].rc);
		assert_int_equal(res.copied + res.freed, 0);
		fd = open(file_path, O_RDWR);
		assert_true(fd >= 0);
		assert_int_equal(pmk_wc_export(img, origin, fd, NULL, &res),
				 cases[i].rc);
		close(fd);
		close_both(img, origin);
		is_value(origin_path, 0, 1 << 20);
		is_file(file_path, "", 0);
	}
}

static void why__has_a_name_and_a_text(void **state)
{
	(void)state;
	assert_string_equal(pmk_wc_why_name(PMK_WC_WHY_BEYOND), "beyond");
	assert_string_equal(pmk_wc_why_text(PMK_WC_WHY_READ),
			    "cannot be read from the cache");
	assert_string_equal(pmk_wc_why_name((enum pmk_wc_why)0), "unknown");
	assert_string_equal(pmk_wc_why_name((enum pmk_wc_why)99), "unknown");
}

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(cache_path, sizeof(cache_path), "%s/cache", dir);
	snprintf(origin_path, sizeof(origin_path), "%s/origin", dir);
	snprintf(file_path, sizeof(file_path), "%s/file", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(cache_path);
	unlink(origin_path);
	unlink(file_path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random__is_what_the_model_says),
		cmocka_unit_test(
			stopped__the_rest_is_left_and_done_by_the_next),
		cmocka_unit_test(handles__must_be_open_for_what_is_done),
		cmocka_unit_test(no_cache__is_refused),
		cmocka_unit_test(
			doubtful__is_refused_before_anything_is_written),
		cmocka_unit_test(why__has_a_name_and_a_text),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
