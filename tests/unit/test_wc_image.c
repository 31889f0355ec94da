/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opened caches: what kernels left, what is damaged, cut off or cannot be read.
 * The figures of golden images are those of the README beside them.
 *
 * APIs covered: pmk_wc_image_open(), pmk_wc_image_close(),
 * pmk_wc_image_superblock(), pmk_wc_image_geometry(), pmk_wc_image_layout(),
 * pmk_wc_image_load(), pmk_wc_image_entry(), pmk_wc_image_entry_ok(),
 * pmk_wc_image_counts(), pmk_wc_image_read().
 */
#include <errno.h>
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

#include <pmk/wc_image.h>

#include "base/io.h"
#include "base/util.h"
#include "wc/image.h"
#include "wc_cache.h"

#define FREE UINT64_MAX

static struct pmk_wc_image *open_at(const char *path, uint64_t offset)
{
	const struct pmk_wc_open_params p = { .offset = offset };
	struct pmk_wc_image *img = NULL;

	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	return img;
}

static struct pmk_wc_image *open_plain(const char *path)
{
	struct pmk_wc_image *img = NULL;

	assert_int_equal(pmk_wc_image_open(path, NULL, &img), 0);
	return img;
}

static void loads_as(const struct pmk_wc_image *img,
		     enum pmk_wc_verdict verdict, int error,
		     const char *message)
{
	const struct pmk_wc_load *l = pmk_wc_image_load(img);

	assert_int_equal(l->verdict, verdict);
	assert_int_equal(l->error, error);
	if (message)
		assert_string_equal(l->message, message);
	else
		assert_null(l->message);
}

static void counts_are(const struct pmk_wc_image *img, struct pmk_wc_counts c)
{
	struct pmk_wc_counts have;

	pmk_wc_image_counts(img, &have);
	assert_int_equal(have.free, c.free);
	assert_int_equal(have.committed, c.committed);
	assert_int_equal(have.superseded, c.superseded);
	assert_int_equal(have.uncommitted, c.uncommitted);
	assert_int_equal(have.unreadable, c.unreadable);
	assert_int_equal(have.dirty_bytes, c.dirty_bytes);
	assert_int_equal(pmk_wc_image_committed(img), c.committed);
}

/* Entries @first to @last have sectors from @sector on, 8 apart, and @seq. */
static void entries_are(const struct pmk_wc_image *img, uint64_t first,
			uint64_t last, uint64_t sector, uint64_t seq)
{
	for (uint64_t i = first; i <= last; i++) {
		struct pmk_wc_entry e = pmk_wc_image_entry(img, i);

		assert_int_equal(e.original_sector, sector + 8 * (i - first));
		assert_int_equal(e.seq_count, seq);
		assert_true(pmk_wc_image_entry_ok(img, i));
	}
}

/* The data of blocks @first to @last are those of an origin's @byte on. */
static void data_are(const struct pmk_wc_image *img, uint64_t first,
		     uint64_t last, uint64_t seed, uint64_t byte)
{
	unsigned char buf[4096];

	for (uint64_t i = first; i <= last; i++) {
		assert_int_equal(pmk_wc_image_read(img, i, buf), 0);
		for (unsigned int w = 0; w < 512; w++, byte += 8) {
			uint64_t v = 0;

			for (unsigned int b = 8; b--;)
				v = v << 8 | buf[8 * w + b];
			assert_int_equal(v, seed << 32 | byte / 8);
		}
	}
}

static void golden__p_after_a_crash(void **state)
{
	struct pmk_wc_image *img = open_at(cache_golden("p4k-crash"), 0x200000);
	const struct pmk_wc_superblock *sb = pmk_wc_image_superblock(img);
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(img);

	(void)state;
	assert_int_equal(pmk_wc_image_layout(img), PMK_WC_LAYOUT_V1);
	assert_int_equal(sb->block_size, 4096);
	assert_int_equal(sb->n_blocks, 3570);
	assert_int_equal(sb->seq_count, 3);
	assert_int_equal(geo->data_off, 0xe000);
	assert_int_equal(geo->end, 0x1000000 - 0x200000);
	loads_as(img, PMK_WC_LOADS, 0, NULL);
	counts_are(img, (struct pmk_wc_counts){ .free = 3298,
						.committed = 256,
						.uncommitted = 16,
						.dirty_bytes = 1 << 20 });
	entries_are(img, 0, 255, 0, FREE);
	entries_are(img, 256, 271, 4096, FREE);
	entries_are(img, 272, 511, 4224, 1);
	entries_are(img, 512, 527, 4096, 2);
	entries_are(img, 528, 543, 8192, 3);
	data_are(img, 272, 511, 0x22, 0x210000);
	data_are(img, 512, 527, 0x33, 0x200000);
	data_are(img, 528, 543, 0x44, 0x400000);
	/* by sector: the sixteen that were written last come first */
	for (uint64_t k = 0; k < 256; k++) {
		assert_int_equal(pmk_wc_image_nth(img, k),
				 k < 16 ? 512 + k : 272 + k - 16);
		assert_true(pmk_wc_image_wins(img, k));
	}
	pmk_wc_image_close(img);
}

static void golden__p_removed(void **state)
{
	struct pmk_wc_image *img = open_at(cache_golden("p4k-clean"), 0x200000);

	(void)state;
	loads_as(img, PMK_WC_LOADS, 0, NULL);
	counts_are(img, (struct pmk_wc_counts){ .free = 3314,
						.committed = 256,
						.dirty_bytes = 1 << 20 });
	entries_are(img, 272, 511, 4224, 1);
	entries_are(img, 512, 527, 4096, 2);
	pmk_wc_image_close(img);
}

static void golden__s_after_a_crash(void **state)
{
	struct pmk_wc_image *img = open_plain(cache_golden("s4k-crash"));
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(img);

	(void)state;
	assert_int_equal(geo->n_blocks, 1020);
	assert_int_equal(geo->data_off, 0x4000);
	assert_int_equal(geo->end, 0x400000);
	assert_int_equal(pmk_wc_image_superblock(img)->seq_count, 2);
	loads_as(img, PMK_WC_LOADS, 0, NULL);
	counts_are(img, (struct pmk_wc_counts){ .free = 764,
						.committed = 256,
						.dirty_bytes = 1 << 20 });
	entries_are(img, 256, 271, 4096, 1);
	entries_are(img, 272, 511, 4224, 1);
	data_are(img, 256, 271, 0x33, 0x200000);
	data_are(img, 272, 511, 0x22, 0x210000);
	/* ascending as they are */
	for (uint64_t k = 0; k < 256; k++)
		assert_int_equal(pmk_wc_image_nth(img, k), 256 + k);
	pmk_wc_image_close(img);
}

static void place__start_sector_and_offset(void **state)
{
	const char *path = cache_golden("p4k-clean");
	struct pmk_wc_open_params p = { .table.start_sector = 4096 };
	struct pmk_wc_image *img;

	(void)state;
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	loads_as(img, PMK_WC_LOADS, 0, NULL);
	pmk_wc_image_close(img);
	/* half by either */
	p.offset = 0x100000;
	p.table.start_sector = 2048;
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	loads_as(img, PMK_WC_LOADS, 0, NULL);
	pmk_wc_image_close(img);
	/* a device that ends with the last block, and one byte before */
	p.size = 0xf00000;
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	loads_as(img, PMK_WC_LOADS, 0, NULL);
	pmk_wc_image_close(img);
	p.size--;
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	loads_as(img, PMK_WC_REFUSED, -EINVAL, "Memory area is too small");
	pmk_wc_image_close(img);
	/* at zeros */
	img = open_plain(path);
	loads_as(img, PMK_WC_FORMATS, 0, NULL);
	assert_null(pmk_wc_image_geometry(img));
	pmk_wc_image_close(img);
}

static void place__not_inside(void **state)
{
	static const struct {
		uint64_t offset, size;
		int rc;
	} rows[] = {
		{ 1 << 20, 0, PMK_E_RANGE },
		{ (1 << 20) + 1, 0, PMK_E_RANGE },
		{ UINT64_MAX, 0, PMK_E_RANGE },
		{ 0, (1 << 20) + 1, PMK_E_RANGE },
		{ 4096, 1 << 20, PMK_E_RANGE },
		{ 4096, UINT64_MAX, PMK_E_RANGE },
	};
	const char *path = cache_new(10);
	struct pmk_wc_open_params p = { .table.start_sector = UINT64_MAX };
	struct pmk_wc_image *img;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct pmk_wc_open_params wrong = {
			.offset = rows[i].offset, .size = rows[i].size
		};

		assert_int_equal(pmk_wc_image_open(path, &wrong, &img),
				 rows[i].rc);
	}
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	loads_as(img, PMK_WC_REFUSED, -EINVAL, "Invalid optional argument");
	assert_int_equal(pmk_wc_image_layout(img), PMK_WC_LAYOUT_UNKNOWN);
	pmk_wc_image_close(img);
	p.table.start_sector = 4096;
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	loads_as(img, PMK_WC_REFUSED, -EINVAL, "Invalid optional argument");
	assert_int_equal(pmk_wc_image_layout(img), PMK_WC_LAYOUT_UNKNOWN);
	pmk_wc_image_close(img);
}

static void open__wrong_files(void **state)
{
	const char *path = cache_temp();
	struct pmk_wc_image *img;

	(void)state;
	assert_int_equal(pmk_wc_image_open("/tmp", NULL, &img),
			 PMK_E_FILE_TYPE);
	assert_int_equal(pmk_wc_image_open("/dev/null", NULL, &img),
			 PMK_E_FILE_TYPE);
	assert_int_equal(pmk_wc_image_open("/nonexistent", NULL, &img),
			 -ENOENT);
	/* and an empty one is only an empty device */
	img = open_plain(path);
	loads_as(img, PMK_WC_REFUSED, -ENOSPC, "Invalid device size");
	pmk_wc_image_close(img);
	/* a FIFO, at which open(2) would wait */
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pmk_wc_image_open(path, NULL, &img), PMK_E_FILE_TYPE);
	pmk_wc_image_close(NULL);
}

static void truncated__entries_remain(void **state)
{
	/* into the middle of block 4 */
	const struct pmk_wc_open_params p = { .size = 8192 + 4 * 4096 + 100 };
	const char *path = cache_new(10);
	struct pmk_wc_image *img;
	unsigned char buf[4096];

	(void)state;
	cache_entry(path, 3, 80, 9);
	cache_put(path, 8192 + 3 * 4096, 0x77, 1);
	/* what is behind the device is not its data */
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	assert_int_equal(pmk_wc_image_read(img, 3, buf), 0);
	assert_int_equal(pmk_wc_image_read(img, 4, buf), PMK_E_RANGE);
	pmk_wc_image_close(img);
	cache_entry(path, 200, 160, 9);
	assert_int_equal(truncate(path, (off_t)p.size), 0);
	img = open_plain(path);
	loads_as(img, PMK_WC_REFUSED, -EINVAL, "Memory area is too small");
	counts_are(img, (struct pmk_wc_counts){ .free = 252,
						.committed = 2,
						.dirty_bytes = 8192 });
	assert_int_equal(pmk_wc_image_read(img, 3, buf), 0);
	assert_int_equal(buf[0], 0x77);
	assert_int_equal(pmk_wc_image_read(img, 4, buf), PMK_E_RANGE);
	assert_int_equal(pmk_wc_image_read(img, 200, buf), PMK_E_RANGE);
	pmk_wc_image_close(img);
	/* after the last entry, which ends at 4128; and in it */
	assert_int_equal(truncate(path, 4128), 0);
	img = open_plain(path);
	assert_non_null(pmk_wc_image_geometry(img));
	pmk_wc_image_close(img);
	assert_int_equal(truncate(path, 4127), 0);
	img = open_plain(path);
	assert_null(pmk_wc_image_geometry(img));
	loads_as(img, PMK_WC_REFUSED, -ENOSPC, "Invalid device size");
	pmk_wc_image_close(img);
}

static void superblock__lost_but_the_rest_fits(void **state)
{
	static const struct {
		uint32_t magic, version;
		bool entries;
		enum pmk_wc_layout layout;
		enum pmk_wc_verdict verdict;
	} rows[] = {
		{ 0, 0, true, PMK_WC_LAYOUT_BLANK, PMK_WC_FORMATS },
		{ 0, 1, true, PMK_WC_LAYOUT_INTERRUPTED, PMK_WC_REFUSED },
		{ 7, 1, true, PMK_WC_LAYOUT_UNKNOWN, PMK_WC_REFUSED },
		{ 0x23489321, 9, true, PMK_WC_LAYOUT_VERSION, PMK_WC_REFUSED },
		{ 0x23489321, 2, false, PMK_WC_LAYOUT_PETASAN, PMK_WC_REFUSED },
		{ 0x21934823, 1, false, PMK_WC_LAYOUT_BIG_ENDIAN,
		  PMK_WC_REFUSED },
		{ 0x23489321, 4096, false, PMK_WC_LAYOUT_2016, PMK_WC_REFUSED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *path = cache_new(10);
		struct pmk_wc_image *img;

		cache_entry(path, 3, 80, 9);
		cache_put(path, 0, rows[i].magic, 4);
		cache_put(path, 4, rows[i].version, 4);
		img = open_plain(path);
		assert_int_equal(pmk_wc_image_layout(img), rows[i].layout);
		assert_int_equal(pmk_wc_image_load(img)->verdict,
				 rows[i].verdict);
		assert_int_equal(pmk_wc_image_committed(img), rows[i].entries);
		pmk_wc_image_close(img);
		/* a block more than there is room for: it is nothing */
		cache_put(path, 16, 255, 8);
		img = open_plain(path);
		assert_null(pmk_wc_image_geometry(img));
		assert_int_equal(pmk_wc_image_committed(img), 0);
		pmk_wc_image_close(img);
	}
}

static void superblock__n_blocks(void **state)
{
	static const uint64_t beyond[] = { 65533, 1 << 28, 1ULL << 48,
					   1ULL << 60, UINT64_MAX };
	const char *path = cache_new(10);
	struct pmk_wc_image *img;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(beyond); i++) {
		cache_put(path, 16, beyond[i], 8);
		img = open_plain(path);
		assert_null(pmk_wc_image_geometry(img));
		assert_int_equal(pmk_wc_image_load(img)->verdict,
				 PMK_WC_REFUSED);
		pmk_wc_image_close(img);
	}
	cache_put(path, 16, 0, 8);
	img = open_plain(path);
	loads_as(img, PMK_WC_REFUSED, -ENOMEM, "Cannot allocate memory");
	counts_are(img, (struct pmk_wc_counts){ 0 });
	pmk_wc_image_close(img);
	/* 2^32 entries: the file is sparse */
	if (truncate(path, (off_t)64 + ((off_t)16 << 32)) < 0)
		skip();
	cache_put(path, 16, 1ULL << 32, 8);
	assert_int_equal(pmk_wc_image_open(path, NULL, &img), -EFBIG);
}

static void superblock__sequence_given(void **state)
{
	const char *path = cache_new(3);
	struct pmk_wc_open_params p = { .seq_count = 11 };
	struct pmk_wc_image *img;

	(void)state;
	cache_entry(path, 0, 0, 9);
	cache_entry(path, 1, 8, 10);
	cache_entry(path, 2, 16, 2);
	img = open_plain(path);
	counts_are(img, (struct pmk_wc_counts){ .free = 251,
						.committed = 1,
						.uncommitted = 2,
						.dirty_bytes = 4096 });
	pmk_wc_image_close(img);
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	counts_are(img, (struct pmk_wc_counts){ .free = 251,
						.committed = 3,
						.dirty_bytes = 3 * 4096 });
	assert_int_equal(pmk_wc_image_superblock(img)->seq_count, 11);
	pmk_wc_image_close(img);
}

static void note_progress(uint64_t done, uint64_t total, void *arg)
{
	uint64_t *last = arg;

	/* each of 254 entries of 16 bytes counts twice */
	assert_int_equal(total, 2 * 254 * 16);
	assert_in_range(done, *last, total);
	*last = done;
}

static void open__progress(void **state)
{
	const char *path = cache_new(3);
	uint64_t last = 0;
	const struct pmk_wc_open_params p = { .progress = note_progress,
					      .arg = &last };
	struct pmk_wc_image *img;

	(void)state;
	/* not in order, so that both have to be put in order */
	cache_entry(path, 0, 8, 1);
	cache_entry(path, 1, 0, 1);
	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	assert_int_equal(last, (254 + 2) * 16);
	pmk_wc_image_close(img);
}

/* A medium that fails in [bad_from, bad_to), as it does: whole sectors. */
static uint64_t bad_from, bad_to;
static int bad_error;
static unsigned int n_reads;

static ssize_t read_bad(int fd, void *buf, size_t len, uint64_t off)
{
	n_reads++;
	if (off < bad_to && off + len > bad_from) {
		memset(buf, 0x11, len); /* what is left is not to be trusted */
		return bad_error;
	}
	return pmk_pread_full(fd, buf, len, off);
}

static int open_bad(const char *path, uint64_t from, uint64_t to, int error,
		    struct pmk_wc_image **img_ret)
{
	bad_from = from;
	bad_to = to;
	bad_error = error;
	return pmk_wc_image_open_with(path, NULL, read_bad, img_ret);
}

static void unreadable__one_sector(void **state)
{
	const char *path = cache_new(10);
	struct pmk_wc_image *img;

	(void)state;
	cache_entry(path, 27, 80, 9);  /* ends at 512 */
	cache_entry(path, 28, 88, 9);  /* from 512 to 528 */
	cache_entry(path, 59, 96, 9);  /* ends at 1024 */
	cache_entry(path, 60, 104, 9); /* from 1024 on */
	assert_int_equal(open_bad(path, 512, 1024, -EIO, &img), 0);
	loads_as(img, PMK_WC_LOADS_WITH_ERROR, -EIO, NULL);
	counts_are(img, (struct pmk_wc_counts){ .free = 220,
						.committed = 2,
						.unreadable = 32,
						.dirty_bytes = 8192 });
	for (uint64_t i = 0; i < 254; i++)
		assert_int_equal(pmk_wc_image_entry_ok(img, i),
				 i < 28 || i > 59);
	assert_int_equal(pmk_wc_image_entry(img, 28).original_sector, FREE);
	assert_int_equal(pmk_wc_image_entry(img, 28).seq_count, FREE);
	assert_int_equal(pmk_wc_image_nth(img, 0), 27);
	assert_int_equal(pmk_wc_image_nth(img, 1), 60);
	/* a sector of nine is found in a few steps */
	assert_true(n_reads < 16);
	pmk_wc_image_close(img);
}

static void unreadable__first_and_last_sectors(void **state)
{
	const char *path = cache_new(10);
	struct pmk_wc_image *img;

	(void)state;
	/* the sector of the superblock */
	cache_entry(path, 27, 80, 9);
	assert_int_equal(open_bad(path, 0, 512, -EIO, &img), 0);
	loads_as(img, PMK_WC_REFUSED, -EIO,
		 "Unable to read first block of metadata");
	assert_null(pmk_wc_image_geometry(img));
	assert_int_equal(pmk_wc_image_layout(img), PMK_WC_LAYOUT_UNKNOWN);
	pmk_wc_image_close(img);
	/* of entries in the sector of the superblock, which could be read */
	assert_int_equal(open_bad(path, 64, 512, -EIO, &img), 0);
	counts_are(img,
		   (struct pmk_wc_counts){ .free = 226, .unreadable = 28 });
	pmk_wc_image_close(img);
	/* the last two, which end at 4128 */
	assert_int_equal(open_bad(path, 4096, 4608, -ENODATA, &img), 0);
	counts_are(img, (struct pmk_wc_counts){ .free = 251,
						.committed = 1,
						.unreadable = 2,
						.dirty_bytes = 4096 });
	pmk_wc_image_close(img);
	/* everything but the superblock */
	assert_int_equal(open_bad(path, 64, UINT64_MAX, -EIO, &img), 0);
	counts_are(img, (struct pmk_wc_counts){ .unreadable = 254 });
	pmk_wc_image_close(img);
}

static void unreadable__other_errors_end_it(void **state)
{
	const char *path = cache_new(10);
	struct pmk_wc_image *img;

	(void)state;
	assert_int_equal(open_bad(path, 0, 512, -ENXIO, &img), -ENXIO);
	assert_int_equal(open_bad(path, 512, 1024, -ENXIO, &img), -ENXIO);
}

static void unreadable__data(void **state)
{
	const char *path = cache_new(10);
	struct pmk_wc_image *img;
	unsigned char buf[4096];

	(void)state;
	assert_int_equal(open_bad(path, 12288, 12800, -EIO, &img), 0);
	loads_as(img, PMK_WC_LOADS, 0, NULL);
	assert_int_equal(pmk_wc_image_read(img, 0, buf), 0);
	assert_int_equal(pmk_wc_image_read(img, 1, buf), -EIO);
	assert_int_equal(pmk_wc_image_read(img, 2, buf), 0);
	pmk_wc_image_close(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden__p_after_a_crash),
		cmocka_unit_test(golden__p_removed),
		cmocka_unit_test(golden__s_after_a_crash),
		cmocka_unit_test(place__start_sector_and_offset),
		cmocka_unit_test(place__not_inside),
		cmocka_unit_test(open__wrong_files),
		cmocka_unit_test(truncated__entries_remain),
		cmocka_unit_test(superblock__lost_but_the_rest_fits),
		cmocka_unit_test(superblock__n_blocks),
		cmocka_unit_test(superblock__sequence_given),
		cmocka_unit_test(open__progress),
		cmocka_unit_test(unreadable__one_sector),
		cmocka_unit_test(unreadable__first_and_last_sectors),
		cmocka_unit_test(unreadable__other_errors_end_it),
		cmocka_unit_test(unreadable__data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
