/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power failures and kills of one writer after the other, against a model of
 * memory with two faces: what the CPU sees, and what is durable.
 *
 * An ops table keeps both.  A store is seen at once; it is durable once it was
 * flushed (stored past the cache) and drained, in the page model once its page
 * was written.  At every step of a writer the process may be killed, which
 * loses nothing that is seen, or power may fail, which leaves of each line
 * that is not durable the old one, the new one or a mixture of words.  Then the
 * next writer goes on, dozens of times in one log.
 *
 * What must hold: what was acknowledged is there, once and in order; behind it
 * a beginning of the batch that was under way, and what a writer has found it
 * keeps for ever; nothing else; and a log is never called damaged.
 *
 * Covered: pmk_rlog_attach, _append_batch, _close, _next, _check.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "map/map_impl.h"
#include "rlog/rlog_impl.h"
#include "rlog_fixture.h"
#include "support/seed.h"

#define LINE        64U
#define SIZE        (64U << 10)
#define MAX_BATCH   4U
#define MAX_WRITERS 40
/* Fewer than SIZE has room for, whatever their lengths. */
#define MAX_RECORDS 200U

/* The machine. */
static struct {
	struct pmk_map *map; /* what the CPU sees */
	unsigned char durable[SIZE];
	bool pending[SIZE / LINE]; /* flushed, and not yet drained */
	bool pages;                /* model of a page cache */
	size_t steps_left;         /* until the writer dies; 0: never */
	bool dead; /* what the process still does has no effect */
} machine;

/* What the log's user knows: records by what they are made from. */
static struct {
	uint64_t seeds[MAX_RECORDS + 64];
	uint64_t acked, begun;
} user;

/* False once the process is dead. */
static bool step(void)
{
	if (machine.steps_left && !--machine.steps_left)
		machine.dead = true;
	return !machine.dead;
}

static size_t line_of(const struct pmk_map *map, const void *addr)
{
	return (size_t)((const unsigned char *)addr - map->addr) / LINE;
}

static void make_durable(size_t first, size_t last)
{
	memcpy(machine.durable + first * LINE, machine.map->addr + first * LINE,
	       (last - first + 1) * LINE);
}

static void model_flush(struct pmk_map *map, const void *addr, size_t len)
{
	if (machine.pages || machine.dead || !len)
		return;
	for (size_t i = line_of(map, addr);
	     i <= line_of(map, (const char *)addr + len - 1); i++)
		machine.pending[i] = true;
}

static int model_drain(struct pmk_map *map, const void *addr, size_t len)
{
	if (!step())
		return -EIO;
	if (machine.pages && len) {
		size_t page = 4096 / LINE;
		size_t last = line_of(map, (const char *)addr + len - 1);

		make_durable(line_of(map, addr) / page * page,
			     last / page * page + page - 1);
	}
	for (size_t i = 0; i < SIZE / LINE; i++) {
		if (machine.pending[i])
			make_durable(i, i);
		machine.pending[i] = false;
	}
	return step() ? 0 : -EIO;
}

static void model_store_lines(struct pmk_map *map, void *dst, const void *src,
			      size_t lines)
{
	for (size_t i = 0; i < lines; i++) {
		char *line = (char *)dst + i * LINE;

		if (!step())
			return;
		memcpy(line, (const char *)src + i * LINE, LINE);
		if (!machine.pages)
			machine.pending[line_of(map, line)] = true;
	}
}

static const struct pmk_map_ops model_ops = {
	.flush = model_flush,
	.drain = model_drain,
	.store_lines = model_store_lines,
};

/* Record @n of a log; @seed tells apart what was lost from what came after. */
static size_t make(uint64_t seed, unsigned char *buf)
{
	struct rng r = { seed };
	size_t len = rng_below(&r, rng_below(&r, 4) ? 100 : 1500);

	memset(buf, (int)rng_next(&r), len);
	memcpy(buf, &seed, len < sizeof(seed) ? len : sizeof(seed));
	return len;
}

/* Append a batch; false if the writer cannot go on. */
static bool append(struct pmk_rlog *log, struct rng *rng)
{
	static unsigned char bufs[MAX_BATCH][1500];
	struct pmk_rlog_iov iov[MAX_BATCH];
	size_t n = 1 + rng_below(rng, MAX_BATCH);
	int64_t done;

	for (size_t i = 0; i < n; i++) {
		uint64_t seed = rng_next(rng);

		user.seeds[user.acked + i] = seed;
		iov[i].data = bufs[i];
		iov[i].len = make(seed, bufs[i]);
	}
	user.begun = user.acked + n;
	done = pmk_rlog_append_batch(log, iov, n, NULL);
	if (done < 0) {
		assert_true(machine.dead || done == PMK_E_LOG_FULL);
		return false;
	}
	user.acked += (uint64_t)done;
	user.begun = user.acked;
	return true;
}

/* One writer's life, until it closes or dies.  What it finds it keeps: its
 * numbers go on behind. */
static void write_records(struct rng *rng)
{
	struct pmk_rlog *log;

	if (pmk_rlog_attach(machine.map, PMK_RLOG_WRITE, &log)) {
		assert_true(machine.dead);
		return;
	}
	assert_in_range(log->number - 1, user.acked, user.begun);
	user.acked = user.begun = log->number - 1;
	while (rng_below(rng, 20) && append(log, rng))
		;
	assert_true(!pmk_rlog_close(log) || machine.dead);
}

/* Each line that is not durable: the old one, the new one, or some of both. */
static void fail_power(struct rng *rng)
{
	for (size_t off = 0; off < SIZE; off += LINE) {
		unsigned char *seen = machine.map->addr + off;
		const unsigned char *durable = machine.durable + off;
		size_t how = rng_below(rng, 3);

		for (size_t w = 0; w < LINE; w += 8)
			if (how == 0 || (how == 1 && rng_below(rng, 2)))
				memcpy(seen + w, durable + w, 8);
	}
	memcpy(machine.durable, machine.map->addr, SIZE);
}

/* What is there must be a beginning of what was begun, and all that was
 * acknowledged. */
static uint64_t read_records(void)
{
	unsigned char buf[1500];
	struct pmk_rlog *log = fixture_reader(machine.map);
	struct pmk_rlog_report report;
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record rec;
	uint64_t n = 0;
	int rc;

	pmk_rlog_rewind(&cursor);
	while ((rc = pmk_rlog_next(log, &cursor, &rec)) == 1) {
		assert_true(n < user.begun);
		assert_int_equal(rec.len, make(user.seeds[n], buf));
		assert_memory_equal(rec.data, buf, rec.len);
		assert_int_equal(rec.number, ++n);
	}
	assert_int_equal(rc, 0);
	assert_true(n >= user.acked);
	assert_int_equal(pmk_rlog_check(log, &report), 0);
	assert_int_equal(report.problems, 0);
	assert_int_equal(report.records, n);
	assert_int_equal(pmk_rlog_close(log), 0);
	return n;
}

/*
 * After a kill, records may be seen that are not durable, and be gone after a
 * power failure: nobody was told of them.  After a power failure all that is
 * seen is durable.
 */
static void one_log(struct rng *rng)
{
	memset(machine.map->addr, 0, SIZE);
	user.acked = user.begun = 0;
	machine.map->ops = pmk_map_ops_for(PMK_GRANULARITY_CACHE_LINE);
	assert_int_equal(pmk_rlog_format(machine.map, 0), 0);
	memcpy(machine.durable, machine.map->addr, SIZE);
	machine.map->ops = &model_ops;
	for (int i = 0; i < MAX_WRITERS && user.acked < MAX_RECORDS; i++) {
		machine.steps_left = 1 + rng_below(rng, 60);
		machine.dead = false;
		write_records(rng);
		machine.steps_left = 0;
		machine.dead = false;
		memset(machine.pending, 0, sizeof(machine.pending));
		if (rng_below(rng, 2)) {
			fail_power(rng);
			user.acked = user.begun = read_records();
		} else {
			read_records();
		}
	}
}

static void run(bool pages, const char *name)
{
	struct pmk_map *map = fixture_map(SIZE);
	struct rng rng;

	rng_init(&rng, name);
	machine.map = map;
	machine.pages = pages;
	for (int i = 0; i < 300; i++)
		one_log(&rng);
	map->ops = pmk_map_ops_for(PMK_GRANULARITY_CACHE_LINE);
	pmk_map_close(map);
}

static void power__cache_lines(void **state)
{
	(void)state;
	run(false, "power__cache_lines");
}

static void power__pages(void **state)
{
	(void)state;
	run(true, "power__pages");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power__cache_lines),
		cmocka_unit_test(power__pages),
	};

	return cmocka_run_group_tests_name("rlog power", tests, NULL, NULL);
}
