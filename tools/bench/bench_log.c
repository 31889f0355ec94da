/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench log: durable appends to a record log, one at a time and in
 * batches, against the least a durable store can cost (MOVNTI and a fence) and
 * against libpmemlog.
 */
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include <pmk/map.h>

#include "base/util.h"
#include "bench/bench.h"
#include "bench/benchfn.h"
#include "bench/host.h"
#include "bench/log_sides.h"
#include "bench/memory.h"
#include "bench/peer.h"
#include "bench/report.h"
#include "bench/suite_out.h"
#include "out.h"
#include "pmk.h"

static const struct log_case_def {
	const char *name;
	size_t payload; /* bytes of a record */
	size_t batch;   /* records of a drain */
} defs[] = {
	{ "append", 64, 1 },
	{ "append", 32, 1 },
	{ "batch64", 64, LOG_BATCH },
	{ "batch64", 32, LOG_BATCH },
};

struct log_case {
	const struct log_case_def *def;
	struct benchfn_figure side[LOG_SIDES];
	struct benchfn_latency latency[LOG_SIDES]; /* of one record a drain */
};

/* What is promised of 64-byte records, on DRAM. */
enum target_id {
	TARGET_BARE,
	TARGET_BATCH,
	TARGET_PMEMLOG,
	TARGETS,
};

struct log_bench {
	const struct bench_options *opt;
	struct log_sides sides;
	struct log_case cases[ARRAY_SIZE(defs)];
	struct bench_target target[TARGETS];
	struct host host;
};

static double over_bare(const struct log_case *c)
{
	return c->side[LOG_PMK].median_ns / c->side[LOG_BARE].median_ns;
}

static double ratio_pmemlog(const struct log_case *c)
{
	return c->side[LOG_PMEMLOG].median_ns / c->side[LOG_PMK].median_ns;
}

static int measure_case(struct log_bench *b, struct log_case *c)
{
	bool quick = b->opt->quick;
	struct benchfn_side sides[LOG_SIDES];
	struct benchfn_outcome outcome;
	struct benchfn_params p = {
		.sides = sides,
		.n_sides = b->sides.n,
		.rounds = b->opt->rounds ? b->opt->rounds
			  : quick        ? 101
					 : 1001,
		.round_ns = 500000,
		.unit = c->def->batch,
		.max_ops = LOG_ROOM / 8 / LOG_LINE,
	};

	for (size_t s = 0; s < b->sides.n; s++)
		sides[s] =
			log_side(&b->sides, s, c->def->payload, c->def->batch);
	if (benchfn_measure(&p, &outcome))
		out_of_memory();
	for (size_t s = 0; s < b->sides.n; s++) {
		c->side[s] = outcome.side[s];
		if (c->def->batch == 1)
			benchfn_latency(&sides[s], quick ? 20000 : 200000, 0,
					&c->latency[s]);
	}
	return log_sides_verdict(&b->sides);
}

static void judge(struct log_bench *b)
{
	const struct log_case *append = &b->cases[0], *batch = &b->cases[2];
	bool peer = b->sides.n == LOG_SIDES;

	b->target[TARGET_BARE] = (struct bench_target){
		.key = "append_64_over_bare",
		.text = "append of 64 bytes / bare store of 64 bytes",
		.bound = 1.25,
		.known = true,
		.value = over_bare(append),
	};
	b->target[TARGET_BATCH] = (struct bench_target){
		.key = "batch64_64_ns",
		.text = "record of 64 bytes in a batch of 64, ns",
		.bound = 25,
		.known = true,
		.value = batch->side[LOG_PMK].median_ns,
	};
	b->target[TARGET_PMEMLOG] = (struct bench_target){
		.key = "append_64_ratio_libpmemlog",
		.text = "libpmemlog's append of 64 bytes / ours",
		.bound = 2,
		.at_least = true,
		.known = peer,
		.value = peer ? ratio_pmemlog(append) : 0,
		.why_not = "no libpmemlog",
	};
}

static void print_ns(char text[32], double ns, bool known)
{
	if (known)
		snprintf(text, 32, "%8.1f", ns);
	else
		snprintf(text, 32, "%8s", "-");
}

static void print_row(struct libscols_table *tb, const struct log_case *c,
		      size_t n_sides)
{
	char size[24], media[24], ns[LOG_SIDES][32], bare[32], peer[32];
	char p50[32], p99[32], p999[32];
	bool single = c->def->batch == 1, has_peer = n_sides == LOG_SIDES;

	snprintf(size, sizeof(size), "%zu", c->def->payload);
	snprintf(media, sizeof(media), "%zu", log_media_bytes(c->def->payload));
	for (size_t s = 0; s < LOG_SIDES; s++)
		print_ns(ns[s], c->side[s].median_ns, s < n_sides);
	print_ns(p50, c->latency[LOG_PMK].p50_ns, single);
	print_ns(p99, c->latency[LOG_PMK].p99_ns, single);
	print_ns(p999, c->latency[LOG_PMK].p999_ns, single);
	snprintf(bare, sizeof(bare), "%8.2f", over_bare(c));
	snprintf(peer, sizeof(peer), "%8s", "-");
	if (has_peer)
		snprintf(peer, sizeof(peer), "%8.2f", ratio_pmemlog(c));
	out_row(tb, c->def->name, size, media, ns[LOG_PMK], ns[LOG_BARE],
		ns[LOG_PMEMLOG], bare, peer, p50, p99, p999, NULL);
}

static int print_table(const struct log_bench *b)
{
	struct libscols_table *tb =
		out_table("CASE", "RECORD", "ON MEDIA", "PMK NS", "BARE NS",
			  "LIBPMEMLOG NS", "PMK/BARE", "LIBPMEMLOG/PMK",
			  "PMK P50", "PMK P99", "PMK P99.9", NULL);
	int rc;

	host_print(&b->host);
	report_print_peer("peer", b->sides.peer.file, b->sides.peer.why);
	printf("bare    MOVNTI of one line a record, and one fence a drain\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(defs); i++)
		print_row(tb, &b->cases[i], b->sides.n);
	rc = out_table_end(tb);
	printf("\nNanoseconds a record; RECORD and ON MEDIA in bytes.  P50, P99 "
	       "and P99.9 are of\nsingle appends, from the end of one to the "
	       "end of the next.  A batch of libpmemlog is\none pmemlog_appendv(), "
	       "without a checksum.\n\n");
	bench_targets_print(b->target, TARGETS);
	return rc;
}

static struct json_object *case_to_json(const struct log_case *c,
					size_t n_sides)
{
	static const char *const names[LOG_SIDES] = {
		[LOG_PMK] = "pmk",
		[LOG_BARE] = "bare",
		[LOG_PMEMLOG] = "libpmemlog",
	};
	struct json_object *o = json_object_new_object();

	out_json_str(o, "op", c->def->name);
	out_json_u64(o, "size_bytes", c->def->payload);
	out_json_u64(o, "media_bytes", log_media_bytes(c->def->payload));
	out_json_u64(o, "records_per_drain", c->def->batch);
	for (size_t s = 0; s < n_sides; s++) {
		report_json_figure(o, names[s], &c->side[s]);
		if (c->def->batch == 1)
			report_json_latency(o, names[s], &c->latency[s]);
	}
	report_json_double(o, "pmk_over_bare", over_bare(c));
	if (n_sides == LOG_SIDES)
		report_json_double(o, "ratio_libpmemlog", ratio_pmemlog(c));
	return o;
}

/* Against libpmemlog, as the other benchmarks have it against libpmem. */
static struct json_object *summary_to_json(const struct log_bench *b)
{
	struct json_object *o = json_object_new_object();
	struct json_object *lost = json_object_new_array();
	double worst = 0;

	if (b->sides.n <= LOG_PMEMLOG) {
		json_object_put(lost);
		out_json_null(o, "worst_ratio_libpmemlog");
		out_json_null(o, "losing_cases");
		return o;
	}
	for (size_t i = 0; i < ARRAY_SIZE(b->cases); i++) {
		const struct log_case *c = &b->cases[i];
		double ratio = ratio_pmemlog(c);
		char name[64];

		worst = !i || ratio < worst ? ratio : worst;
		snprintf(name, sizeof(name), "%s, %zu B", c->def->name,
			 c->def->payload);
		if (ratio < REPORT_LOST &&
		    (!lost ||
		     json_object_array_add(lost, json_object_new_string(name))))
			out_of_memory();
	}
	report_json_double(o, "worst_ratio_libpmemlog", worst);
	out_json_add(o, "losing_cases", lost);
	return o;
}

static int print_json(const struct log_bench *b)
{
	struct json_object *o = out_json(), *host = host_to_json(&b->host);
	struct json_object *cases = json_object_new_array();

	out_json_str(o, "benchmark", "log");
	report_json_peer(host, "libpmemlog", b->sides.peer.file,
			 b->sides.peer.why);
	out_json_add(o, "host", host);
	for (size_t i = 0; i < ARRAY_SIZE(defs); i++)
		if (!cases ||
		    json_object_array_add(
			    cases, case_to_json(&b->cases[i], b->sides.n)))
			out_of_memory();
	out_json_add(o, "cases", cases);
	out_json_add(o, "summary", summary_to_json(b));
	out_json_add(o, "targets", bench_targets_to_json(b->target, TARGETS));
	out_json_add(o, "notes", json_object_new_array());
	return out_json_end(o);
}

int bench_log(const struct bench_options *opt)
{
	struct log_bench b = { .opt = opt };
	int rc = log_sides_open(&b.sides);

	host_read(&b.host);
	snprintf(b.host.medium, sizeof(b.host.medium),
		 "DRAM: emulated persistent memory on a memfd, not "
		 "persistent memory");
	if (!rc)
		memory_huge_pages(pmk_map_addr(b.sides.bare_map), LOG_ROOM,
				  b.host.huge_pages, sizeof(b.host.huge_pages));
	for (size_t i = 0; i < ARRAY_SIZE(defs) && !rc; i++) {
		report_progress("pmk bench log", i, ARRAY_SIZE(defs));
		b.cases[i].def = &defs[i];
		rc = measure_case(&b, &b.cases[i]);
	}
	report_progress("pmk bench log", 1, 1);
	if (!rc) {
		judge(&b);
		rc = opt->json ? print_json(&b) : print_table(&b);
	}
	log_sides_close(&b.sides);
	return rc;
}
