/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs on memfds; see rlog_fixture.h. */
#include <string.h>

#include "rlog_fixture.h"

struct pmk_map *fixture_map(uint64_t size)
{
	struct pmk_map_params p = { .len = size, .flags = PMK_MAP_EMULATED };
	struct pmk_map *map;

	assert_int_equal(pmk_map_open(NULL, &p, &map), 0);
	return map;
}

struct pmk_map *fixture_log_map(uint64_t size)
{
	struct pmk_map *map = fixture_map(size);

	assert_int_equal(pmk_rlog_format(map, 0), 0);
	return map;
}

struct pmk_map *fixture_image_map(const void *image, size_t size)
{
	struct pmk_map *map = fixture_map(size);

	memcpy(pmk_map_addr(map), image, size);
	return map;
}

struct pmk_rlog *fixture_writer(struct pmk_map *map)
{
	struct pmk_rlog *log;

	assert_int_equal(pmk_rlog_attach(map, PMK_RLOG_WRITE, &log), 0);
	return log;
}

struct pmk_rlog *fixture_reader(struct pmk_map *map)
{
	struct pmk_rlog *log;

	assert_int_equal(pmk_rlog_attach(map, 0, &log), 0);
	return log;
}

size_t fixture_record(uint64_t n, unsigned char *buf, size_t room)
{
	/* 0 to 199, so that records take one to four lines */
	size_t len = (size_t)(n * 67 % FIXTURE_MAX_LEN);

	assert_true(len <= room);
	for (size_t i = 0; i < len; i++)
		buf[i] = (unsigned char)(n * 131 + i * 7 + (n >> 8));
	return len;
}

void fixture_append(struct pmk_rlog *log, uint64_t first, size_t n)
{
	unsigned char buf[FIXTURE_MAX_LEN];

	for (size_t i = 0; i < n; i++) {
		size_t len = fixture_record(first + i, buf, sizeof(buf));
		uint64_t number;

		assert_int_equal(pmk_rlog_append(log, buf, len, &number), 0);
		assert_int_equal(number, first + i);
	}
}

int fixture_is_right(const struct pmk_rlog_record *rec)
{
	unsigned char buf[FIXTURE_MAX_LEN];
	size_t len = fixture_record(rec->number, buf, sizeof(buf));

	return rec->len == len && !memcmp(rec->data, buf, len);
}

uint64_t fixture_count(struct pmk_rlog *log)
{
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	uint64_t n = 0;
	int rc;

	pmk_rlog_rewind(&cursor);
	while ((rc = pmk_rlog_next(log, &cursor, &rec)) == 1) {
		assert_int_equal(rec.number, n + 1);
		assert_true(fixture_is_right(&rec));
		n++;
	}
	assert_int_equal(rc, 0);
	return n;
}
