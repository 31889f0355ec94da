/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench log: durable appends to a record log, one at a time and in
 * batches, against the least a durable store can cost (MOVNTI and a fence) and
 * against libpmemlog.
 */
#include <string.h>

#include <json-c/json.h>

#include "base/util.h"
#include "bench/bench.h"
#include "bench/log_sides.h"
#include "bench/room.h"
#include "bench/suite.h"
#include "out.h"
#include "pmk.h"

/* As long as the scheduler lets a process run, about. */
#define ROUND_NS     500000
#define ROUNDS       1001
#define ROUNDS_QUICK 101
/* all rounds of three sides, and as much again */
#define BUDGET_NS 3000000000

/* Bytes of a record: with its header a line, and two. */
static const size_t sizes[] = { 32, 64 };

/* What is promised is of these. */
#define PROMISED 64

struct log_bench {
	const struct bench_options *opt;
	struct bench_suite suite;
	struct bench_room room;
	struct log_sides sides;
};

/* EXIT_OK, or an exit code after a message. */
static int measure(struct log_bench *b, size_t batch, size_t size)
{
	const struct bench_case what = {
		.op = batch > 1 ? "batch64" : "append",
		.size = size,
		.extra = json_object_new_object(),
	};
	const struct bench_work work = {
		.unit = batch,
		.max_ops = b->sides.room / 8 / LOG_LINE,
		.round_ns = ROUND_NS,
		.rounds = b->opt->quick ? ROUNDS_QUICK : ROUNDS,
		.budget_ns = BUDGET_NS,
		.latency = batch == 1,
	};
	struct bench_side_def sides[LOG_SIDES];
	size_t n = log_sides(&b->sides, size, batch, sides);

	out_json_u64(what.extra, "media_bytes", log_media_bytes(size));
	out_json_u64(what.extra, "records_per_drain", batch);
	bench_suite_case(&b->suite, &what, sides, n, &work);
	return log_sides_verdict(&b->sides);
}

static int measure_all(struct log_bench *b)
{
	static const size_t batches[] = { 1, LOG_BATCH };
	size_t n = 0;
	int rc = EXIT_OK;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		n += bench_wants_size(b->opt, sizes[i]);
	bench_suite_expect(&b->suite, n * ARRAY_SIZE(batches));
	for (size_t k = 0; k < ARRAY_SIZE(batches); k++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes) && !rc; i++)
			if (bench_wants_size(b->opt, sizes[i]))
				rc = measure(b, batches[k], sizes[i]);
	return rc;
}

static const struct bench_case *find(const struct bench_suite *s,
				     const char *op)
{
	for (size_t i = 0; i < s->n_cases; i++)
		if (!strcmp(s->cases[i].op, op) && s->cases[i].size == PROMISED)
			return &s->cases[i];
	return NULL;
}

/* What is promised of records of 64 bytes, on DRAM. */
static void judge(struct log_bench *b)
{
	const struct bench_case *append = find(&b->suite, "append");
	const struct bench_case *batch = find(&b->suite, "batch64");
	bool known = append && batch && !b->sides.pages;
	bool peer = known && b->sides.n == LOG_SIDES;
	const char *why = b->sides.pages ? "of msync(2) nothing is promised"
					 : "no records of 64 bytes";

	bench_suite_target(
		&b->suite,
		&(struct bench_target){
			.key = "append_64_over_bare",
			.text = "append of 64 bytes / bare store of 64 bytes",
			.bound = 1.25,
			.known = known,
			.value = known ? 1 / bench_case_ratio(append, "bare")
				       : 0,
			.why_not = why,
		});
	bench_suite_target(
		&b->suite,
		&(struct bench_target){
			.key = "batch64_64_ns",
			.text = "record of 64 bytes in a batch of "
				"64, ns",
			.bound = 25,
			.known = known,
			.value = known ? batch->side->figure.median_ns : 0,
			.why_not = why,
		});
	bench_suite_target(
		&b->suite,
		&(struct bench_target){
			.key = "append_64_ratio_libpmemlog",
			.text = "libpmemlog's append of 64 bytes / ours",
			.bound = 2,
			.at_least = true,
			.known = peer,
			.value = peer ? bench_case_ratio(append, "libpmemlog")
				      : 0,
			.why_not = known ? "no libpmemlog" : why,
		});
}

static void explain(struct log_bench *b)
{
	bench_suite_note(&b->suite,
			 "Nanoseconds a record.  bare is the least that a "
			 "durable record can cost: %s; nothing is lost to it.",
			 b->sides.pages ? "one line stored, and one msync(2) a "
					  "drain"
					: "one line by MOVNTI, and one fence a "
					  "drain");
	bench_suite_note(&b->suite,
			 "With its header a record of %zu bytes takes %zu on "
			 "media, one of %zu takes %zu.",
			 sizes[0], log_media_bytes(sizes[0]), sizes[1],
			 log_media_bytes(sizes[1]));
	bench_suite_note(&b->suite,
			 "p50, p99 and p99.9 are of single appends, from the "
			 "end of one to the end of the next.  A batch of "
			 "libpmemlog is one pmemlog_appendv(), without header "
			 "and checksum.");
}

int bench_log(const struct bench_options *opt)
{
	struct log_bench b = { .opt = opt, .room = { .allow_pages = true } };
	int rc;

	bench_suite_init(&b.suite, "log", opt);
	b.suite.show_latency = true;
	rc = bench_room_open(&b.room, &b.suite, LOG_ROOM, LOG_ROOM_LEAST);
	if (!rc) {
		log_sides_open(&b.sides, &b.room);
		bench_suite_peer(&b.suite, "libpmemlog", b.sides.peer.file,
				 b.sides.peer.why);
		rc = measure_all(&b);
		log_sides_close(&b.sides);
	}
	bench_room_close(&b.room);
	if (!rc) {
		judge(&b);
		explain(&b);
		rc = bench_suite_finish(&b.suite);
	}
	bench_suite_fini(&b.suite);
	return rc;
}
