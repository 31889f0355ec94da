/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of a repair, where the command does not reach: somebody changes the
 * cache between the plan and the stores, or has it open as well.
 *
 * Covered: pmk_wc_repair_plan, pmk_wc_repair_apply, pmk_wc_undo,
 * pmk_wc_image_open.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/wc_repair.h>

#include "wc_cache.h"

#define METADATA 8192

static const struct pmk_wc_open_params for_writing = { .flags = PMK_WC_WRITE };

/* Two of a sector and two of another: both losers are to be freed. */
static const char *cache_to_repair(void)
{
	const char *path = cache_new(10);

	cache_entry(path, 0, 0, 5);
	cache_entry(path, 1, 0, 6);
	cache_entry(path, 2, 8, 5);
	cache_entry(path, 3, 8, 6);
	return path;
}

static void metadata_of(const char *path, unsigned char *buf)
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, buf, METADATA, 0), METADATA);
	close(fd);
}

static int apply_after(const char *path, uint64_t off, uint64_t value,
		       size_t len)
{
	unsigned char changed[METADATA], after[METADATA];
	struct pmk_wc_repair *r;
	struct pmk_wc_image *img;
	int rc;

	assert_int_equal(pmk_wc_image_open(path, &for_writing, &img), 0);
	assert_int_equal(pmk_wc_repair_plan(img, NULL, &r), 0);
	assert_int_equal(pmk_wc_repair_changes(r), 2);
	if (len)
		cache_put(path, off, value, len);
	metadata_of(path, changed);
	rc = pmk_wc_repair_apply(r);
	metadata_of(path, after);
	if (rc)
		assert_memory_equal(changed, after, METADATA);
	pmk_wc_repair_free(r);
	pmk_wc_image_close(img);
	return rc;
}

static void apply__what_was_planned_is_still_there(void **state)
{
	(void)state;
	assert_int_equal(apply_after(cache_to_repair(), 0, 0, 0), 0);
	/* the second of two places; the first is not stored either */
	assert_int_equal(apply_after(cache_to_repair(), 64 + 16 * 2 + 8, 7, 8),
			 PMK_E_WC_CHANGED);
	assert_int_equal(apply_after(cache_to_repair(), 64 + 8, 7, 8),
			 PMK_E_WC_CHANGED);
	/* a commit by somebody else */
	assert_int_equal(apply_after(cache_to_repair(), 24, 11, 8),
			 PMK_E_WC_CHANGED);
	assert_int_equal(apply_after(cache_to_repair(), 0, 0, 4),
			 PMK_E_WC_CHANGED);
}

static void open__locks_before_anything_is_read(void **state)
{
	const char *path = cache_to_repair();
	struct pmk_wc_image *img, *other;

	(void)state;
	assert_int_equal(pmk_wc_image_open(path, &for_writing, &img), 0);
	assert_int_equal(pmk_wc_image_open(path, &for_writing, &other), -EBUSY);
	/* who only looks may look */
	assert_int_equal(pmk_wc_image_open(path, NULL, &other), 0);
	pmk_wc_image_close(other);
	pmk_wc_image_close(img);
	assert_int_equal(pmk_wc_image_open(path, &for_writing, &img), 0);
	pmk_wc_image_close(img);
}

/* Offsets in an undo file count from the start of what is opened. */
static void undo__is_not_for_an_image_at_an_offset(void **state)
{
	const struct pmk_wc_open_params at = { .offset = 512,
					       .flags = PMK_WC_WRITE };
	const char *path = cache_to_repair(), *undo = cache_temp();
	unsigned char before[METADATA], after[METADATA];
	int fd = open(undo, O_RDWR);
	struct pmk_wc_repair *r;
	struct pmk_wc_image *img;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pmk_wc_image_open(path, &for_writing, &img), 0);
	assert_int_equal(pmk_wc_repair_plan(img, NULL, &r), 0);
	assert_int_equal(pmk_wc_repair_undo_write(r, fd), 0);
	pmk_wc_repair_free(r);
	pmk_wc_image_close(img);

	metadata_of(path, before);
	assert_int_equal(pmk_wc_image_open(path, &at, &img), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(pmk_wc_undo(img, fd, true), PMK_E_RANGE);
	pmk_wc_image_close(img);
	metadata_of(path, after);
	assert_memory_equal(before, after, METADATA);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apply__what_was_planned_is_still_there),
		cmocka_unit_test(open__locks_before_anything_is_read),
		cmocka_unit_test(undo__is_not_for_an_image_at_an_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
