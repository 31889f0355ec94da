/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz the record log's reader and recovery.
 *
 * The input is a list of edits of a small good log: single bytes, ranges, the
 * length of the file, and forgeries, which have right checksums and wrong
 * contents.  Whatever they are, nothing crashes, reading ends, offsets only
 * grow; and unless something was forged, each record that comes out is the one
 * that went in, and a new append is kept.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/rlog.h>

#include "base/endian.h"
#include "map/map_impl.h"
#include "rlog/format.h"

#define SIZE    8192U
#define RECORDS 12U
#define ID      0x1234567890abcdefU
#define EDIT    12U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct pmk_map *map;
static unsigned char good[SIZE];

#define CHECK(cond)              \
	do {                     \
		if (!(cond))     \
			abort(); \
	} while (0)

static size_t make(uint64_t number, unsigned char *buf)
{
	size_t len = (size_t)(number * 53 % 120);

	memset(buf, (int)('a' + number % 26), len);
	return len;
}

/* As pmk_rlog_format(), but with an id that is always the same. */
static void format(void)
{
	struct rlog_super super = {
		.version = RLOG_VERSION,
		.flags = RLOG_SUPER_EMULATED,
		.size = SIZE,
		.id = ID,
	};
	struct rlog_state state = {
		.flags = RLOG_STATE_CLEAN,
		.committed = RLOG_DATA,
		.number = 1,
		.limit = RLOG_DATA,
	};

	pmk_rlog_put_super(map->addr + RLOG_SUPER_A, &super);
	pmk_rlog_put_super(map->addr + RLOG_SUPER_B, &super);
	pmk_rlog_put_state(map->addr + RLOG_STATE_A, &state, ID);
}

static void append(struct pmk_rlog *log, uint64_t number)
{
	unsigned char buf[128];
	size_t len = make(number, buf);
	int rc = pmk_rlog_append(log, buf, len, NULL);

	CHECK(!rc || rc == PMK_E_LOG_FULL);
}

/* Half of the records by a writer that closed, half by one that did not. */
static void make_good(void)
{
	struct pmk_map_params p = { .len = SIZE, .flags = PMK_MAP_EMULATED };
	struct pmk_rlog *log;

	CHECK(!pmk_map_open(NULL, &p, &map));
	format();
	for (int half = 0; half < 2; half++) {
		CHECK(!pmk_rlog_attach(map, PMK_RLOG_WRITE, &log));
		for (uint64_t i = 1; i <= RECORDS / 2; i++)
			append(log, (uint64_t)half * RECORDS / 2 + i);
		if (half)
			memcpy(good, map->addr, SIZE);
		CHECK(!pmk_rlog_close(log));
	}
}

static void forge_record(const uint8_t *e, size_t off)
{
	uint32_t len = pmk_get_le32(e + 4) % 300;
	unsigned char *at;

	off = off / RLOG_LINE * RLOG_LINE;
	at = map->addr + off;
	if (off + RLOG_HEADER + len <= SIZE)
		pmk_rlog_put_header(at, e[3], len | (uint64_t)(e[8] % 4) << 32,
				    e[9], at + RLOG_HEADER, ID + off);
}

static void forge_state(const uint8_t *e)
{
	struct rlog_state s = {
		.generation = e[1],
		.epoch = e[2] % 4,
		.flags = e[3],
		.committed = pmk_get_le32(e + 4) % (SIZE + 128),
		.number = e[8],
		.limit = (uint64_t)e[9] * RLOG_LINE,
	};

	s.committed = s.committed / RLOG_LINE * RLOG_LINE;
	pmk_rlog_put_state(
		map->addr + (s.generation & 1 ? RLOG_STATE_B : RLOG_STATE_A),
		&s, ID);
}

/* Apply one edit; true if it was a forgery. */
static bool edit(const uint8_t *e)
{
	size_t off = pmk_get_le32(e + 1) % SIZE;
	size_t len = pmk_get_le32(e + 4) % (SIZE - off);
	size_t from = pmk_get_le32(e + 8) % (SIZE - len);

	switch (e[0] % 7) {
	case 0:
		map->addr[off] ^= e[4];
		return false;
	case 1:
		map->addr[off] = e[4];
		return false;
	case 2:
		memmove(map->addr + off, map->addr + from, len);
		return false;
	case 3:
		memset(map->addr + off, e[8], len);
		return false;
	case 4:
		map->len = off;
		return false;
	case 5:
		forge_record(e, off);
		return true;
	default:
		forge_state(e);
		return true;
	}
}

static bool is_right(const struct pmk_rlog_record *rec)
{
	unsigned char buf[128];
	size_t len = make(rec->number, buf);

	return rec->len == len && !memcmp(rec->data, buf, len);
}

/* Read all; returns how many records there are. */
static size_t read_all(bool forged)
{
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	struct pmk_rlog_report report;
	struct pmk_rlog *log;
	uint64_t off = 0;
	size_t n = 0;
	int rc;

	if (pmk_rlog_attach(map, 0, &log))
		return 0;
	pmk_rlog_rewind(&cursor);
	while ((rc = pmk_rlog_next(log, &cursor, &rec)) != 0) {
		if (rc == PMK_E_LOG_TRUNCATED)
			continue;
		CHECK(rc == 1 || rc == PMK_E_LOG_DAMAGED);
		CHECK(rec.off >= off && cursor.off > rec.off);
		off = cursor.off;
		if (rc != 1)
			continue;
		CHECK(forged || is_right(&rec));
		n++;
	}
	CHECK(!pmk_rlog_check(log, &report));
	CHECK(report.records == n);
	CHECK(!pmk_rlog_close(log));
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_rlog *log;
	bool forged = false;
	size_t before;

	if (!map)
		make_good();
	map->len = SIZE;
	memcpy(map->addr, good, SIZE);
	for (; size >= EDIT; data += EDIT, size -= EDIT)
		forged |= edit(data);
	if (!map->len)
		return 0;
	before = read_all(forged);
	if (!pmk_rlog_attach(map, PMK_RLOG_WRITE, &log)) {
		int rc = pmk_rlog_append(log, "", 0, NULL);

		CHECK(!pmk_rlog_close(log));
		if (!forged)
			CHECK(read_all(true) >= before + (rc == 0));
	}
	return 0;
}
