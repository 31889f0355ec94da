/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench copy: copies that are durable on return, or in batches that one
 * drain makes durable, against libpmem's function for the same job and against
 * memcpy(3) followed by a flush.
 */
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include <pmk/copy.h>
#include <pmk/flush.h>
#include <pmk/map.h>

#include "base/size.h"
#include "base/util.h"
#include "bench/bench.h"
#include "bench/benchfn.h"
#include "bench/host.h"
#include "bench/peer.h"
#include "bench/report.h"
#include "out.h"
#include "pmk.h"

#define ROOM      ((size_t)64 << 20) /* that copies go through */
#define SLACK     4096               /* behind it, for the offset */
#define BATCH     64
#define BATCH_MAX ((size_t)64 << 10) /* largest size of a batch's copies */

static const size_t sizes[] = {
	8,    16,   24,   64,    128,     192,      256,
	1000, 1024, 4096, 65536, 1 << 20, 16 << 20,
};
static const size_t offsets[] = { 0, 8 };

enum pattern {
	PERSIST_HOT,    /* the same destination again and again */
	PERSIST_STREAM, /* through all of the room, source too */
	BATCH_STREAM,   /* destinations one behind the other, one source */
	PATTERNS,
};

static const struct {
	const char *policy;
	const char *pattern;
} names[PATTERNS] = {
	[PERSIST_HOT] = { "persist", "hot" },
	[PERSIST_STREAM] = { "persist", "stream" },
	[BATCH_STREAM] = { "batch64", "stream" },
};

enum side {
	SIDE_PMK,
	SIDE_LIBC,
	SIDE_LIBPMEM, /* last: may be missing */
	SIDES,
};

/* What a side works on.  Each has its own, and all work on the same memory. */
struct job {
	char *dst;
	const char *src;
	size_t len;
	size_t step; /* from one destination to the next */
	size_t at;   /* offset of the next */
	const struct peer_pmem *peer;
};

struct cell {
	size_t len;
	size_t offset;
	enum pattern pattern;
	struct benchfn_figure side[SIDES];
};

struct copy_bench {
	const struct bench_options *opt;
	struct pmk_map *dst;
	struct pmk_map *src;
	struct peer_pmem peer;
	size_t n_sides;
	struct cell cell[PATTERNS * ARRAY_SIZE(sizes) * ARRAY_SIZE(offsets)];
	size_t n_cells;
	struct report_ratios libpmem;
	struct report_ratios libc;
	struct host host;
};

/* The offset of the next @n destinations. */
static inline size_t advance(struct job *j, size_t n)
{
	size_t at = j->at, span = n * j->step;

	if (at + span > ROOM)
		at = 0;
	j->at = at + span;
	return at;
}

static void persist_pmk(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--) {
		size_t at = advance(j, 1);

		pmk_memcpy(j->dst + at, j->src + at, j->len, 0);
	}
}

static void persist_libpmem(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--) {
		size_t at = advance(j, 1);

		j->peer->memcpy_persist(j->dst + at, j->src + at, j->len);
	}
}

static void persist_libc(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops--) {
		size_t at = advance(j, 1);

		memcpy(j->dst + at, j->src + at, j->len);
		pmk_persist(j->dst + at, j->len);
	}
}

static void batch_pmk(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops -= BATCH) {
		char *dst = j->dst + advance(j, BATCH);

		for (size_t i = 0; i < BATCH; i++, dst += j->step)
			pmk_memcpy(dst, j->src, j->len, PMK_F_NODRAIN);
		pmk_drain(); /* the batch */
	}
}

static void batch_libpmem(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops -= BATCH) {
		char *dst = j->dst + advance(j, BATCH);

		for (size_t i = 0; i < BATCH; i++, dst += j->step)
			j->peer->memcpy_nodrain(dst, j->src, j->len);
		j->peer->drain();
	}
}

static void batch_libc(void *arg, uint64_t ops)
{
	struct job *j = arg;

	for (; ops; ops -= BATCH) {
		char *start = j->dst + advance(j, BATCH), *dst = start;

		for (size_t i = 0; i < BATCH; i++, dst += j->step)
			memcpy(dst, j->src, j->len);
		pmk_persist(start, BATCH * j->step);
	}
}

static const struct {
	void (*persist)(void *arg, uint64_t ops);
	void (*batch)(void *arg, uint64_t ops);
} runs[SIDES] = {
	[SIDE_PMK] = { persist_pmk, batch_pmk },
	[SIDE_LIBC] = { persist_libc, batch_libc },
	[SIDE_LIBPMEM] = { persist_libpmem, batch_libpmem },
};

static size_t step_of(const struct cell *c)
{
	switch (c->pattern) {
	case PERSIST_STREAM: /* each at the same offset in its line */
		return pmk_align_up(c->len, PMK_LINE_SIZE);
	case BATCH_STREAM: /* without gaps, as a log is written */
		return c->len;
	default:
		return 0;
	}
}

static void measure_cell(struct copy_bench *b, struct cell *c)
{
	bool batch = c->pattern == BATCH_STREAM;
	struct benchfn_side sides[SIDES];
	struct job jobs[SIDES];
	struct benchfn_outcome outcome;
	struct benchfn_params p = {
		.sides = sides,
		.n_sides = b->n_sides,
		.rounds = b->opt->rounds  ? b->opt->rounds
			  : b->opt->quick ? 31
					  : 201,
		.round_ns = 500000,
		.unit = batch ? BATCH : 1,
		.max_ops = (uint64_t)1 << 20,
	};

	for (size_t s = 0; s < b->n_sides; s++) {
		jobs[s] = (struct job){
			.dst = (char *)pmk_map_addr(b->dst) + c->offset,
			.src = pmk_map_addr(b->src),
			.len = c->len,
			.step = step_of(c),
			.peer = &b->peer,
		};
		sides[s] = (struct benchfn_side){
			.run = batch ? runs[s].batch : runs[s].persist,
			.arg = &jobs[s],
		};
	}
	if (benchfn_measure(&p, &outcome))
		out_of_memory();
	for (size_t s = 0; s < b->n_sides; s++)
		c->side[s] = outcome.side[s];
}

static double ratio(const struct cell *c, enum side other)
{
	return c->side[other].median_ns / c->side[SIDE_PMK].median_ns;
}

static void list_cells(struct copy_bench *b)
{
	for (unsigned int p = 0; p < PATTERNS; p++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
			for (size_t o = 0; o < ARRAY_SIZE(offsets); o++) {
				if (p == BATCH_STREAM && sizes[i] > BATCH_MAX)
					continue;
				b->cell[b->n_cells++] = (struct cell){
					.len = sizes[i],
					.offset = offsets[o],
					.pattern = p,
				};
			}
}

static void measure(struct copy_bench *b)
{
	for (size_t i = 0; i < b->n_cells; i++) {
		struct cell *c = &b->cell[i];
		char size[32], name[64];

		report_progress("pmk bench copy", i, b->n_cells);
		measure_cell(b, c);
		pmk_size_format(c->len, size, sizeof(size));
		snprintf(name, sizeof(name), "%s %s, %s at offset %zu",
			 names[c->pattern].policy, names[c->pattern].pattern,
			 size, c->offset);
		report_ratios_add(&b->libc, name, ratio(c, SIDE_LIBC));
		if (*b->peer.file)
			report_ratios_add(&b->libpmem, name,
					  ratio(c, SIDE_LIBPMEM));
	}
	report_progress("pmk bench copy", b->n_cells, b->n_cells);
}

static void print_row(struct libscols_table *tb, const struct cell *c,
		      bool has_libpmem)
{
	char size[32], offset[24], ns[SIDES][32], of[SIDES][32];
	bool to_libpmem = has_libpmem && ratio(c, SIDE_LIBPMEM) < REPORT_LOST;
	bool to_libc = ratio(c, SIDE_LIBC) < REPORT_LOST;

	pmk_size_format(c->len, size, sizeof(size));
	snprintf(offset, sizeof(offset), "%zu", c->offset);
	for (unsigned int s = 0; s < SIDES; s++) {
		if (s == SIDE_LIBPMEM && !has_libpmem) {
			snprintf(ns[s], sizeof(ns[s]), "%11s", "-");
			snprintf(of[s], sizeof(of[s]), "%8s", "-");
			continue;
		}
		snprintf(ns[s], sizeof(ns[s]), "%11.1f", c->side[s].median_ns);
		snprintf(of[s], sizeof(of[s]), "%8.2f", ratio(c, s));
	}
	out_row(tb, names[c->pattern].policy, names[c->pattern].pattern, size,
		offset, ns[SIDE_PMK], ns[SIDE_LIBPMEM], ns[SIDE_LIBC],
		of[SIDE_LIBPMEM], of[SIDE_LIBC],
		to_libpmem && to_libc ? "libpmem, libc"
		: to_libpmem          ? "libpmem"
		: to_libc             ? "libc"
				      : "",
		NULL);
}

static int print_table(const struct copy_bench *b)
{
	struct libscols_table *tb = out_table(
		"POLICY", "PATTERN", "SIZE", "OFFSET", "PMK NS", "LIBPMEM NS",
		"LIBC NS", "LIBPMEM/PMK", "LIBC/PMK", "LOST TO", NULL);
	int rc;

	host_print(&b->host);
	report_print_peer("libpmem", b->peer.file, b->peer.why);
	printf("libc    memcpy, then pmk_persist\n\n");
	for (size_t i = 0; i < b->n_cells; i++)
		print_row(tb, &b->cell[i], *b->peer.file);
	rc = out_table_end(tb);
	printf("\nA ratio above 1 is in pmk's favour; lost is below %.2f.\n",
	       REPORT_LOST);
	report_ratios_print(&b->libpmem, "libpmem");
	report_ratios_print(&b->libc, "libc");
	return rc;
}

static struct json_object *cell_to_json(const struct cell *c, bool has_libpmem)
{
	struct json_object *o = json_object_new_object();

	out_json_str(o, "op", "copy");
	out_json_u64(o, "size_bytes", c->len);
	out_json_u64(o, "dst_offset_bytes", c->offset);
	out_json_u64(o, "src_offset_bytes", 0);
	out_json_str(o, "policy", names[c->pattern].policy);
	out_json_str(o, "pattern", names[c->pattern].pattern);
	out_json_u64(o, "threads", 1);
	report_json_figure(o, "pmk", &c->side[SIDE_PMK]);
	report_json_figure(o, "libc", &c->side[SIDE_LIBC]);
	report_json_double(o, "ratio_libc", ratio(c, SIDE_LIBC));
	if (has_libpmem) {
		report_json_figure(o, "libpmem", &c->side[SIDE_LIBPMEM]);
		report_json_double(o, "ratio_libpmem", ratio(c, SIDE_LIBPMEM));
	}
	return o;
}

static int print_json(struct copy_bench *b)
{
	struct json_object *o = out_json(), *host = host_to_json(&b->host);
	struct json_object *cases = json_object_new_array();
	struct json_object *summary = json_object_new_object();

	report_json_peer(host, "libpmem", b->peer.file, b->peer.why);
	out_json_str(host, "libc", "memcpy, then pmk_persist");
	out_json_add(o, "host", host);
	for (size_t i = 0; i < b->n_cells; i++)
		if (!cases ||
		    json_object_array_add(
			    cases, cell_to_json(&b->cell[i], *b->peer.file)))
			out_of_memory();
	out_json_add(o, "cases", cases);
	report_ratios_to_json(&b->libpmem, summary, "libpmem");
	report_ratios_to_json(&b->libc, summary, "libc");
	out_json_add(o, "summary", summary);
	return out_json_end(o);
}

/* Memory like an emulated mapping's, every page of it there. */
static int open_room(struct pmk_map **map_ret)
{
	const struct pmk_map_params params = {
		.len = ROOM + SLACK,
		.flags = PMK_MAP_EMULATED,
	};
	int rc = pmk_map_open(NULL, &params, map_ret);

	if (rc)
		return out_fail("memory for the copies", rc, NULL);
	memset(pmk_map_addr(*map_ret), 0xa5, ROOM + SLACK);
	return EXIT_OK;
}

int bench_copy(const struct bench_options *opt)
{
	struct copy_bench b = { .opt = opt };
	int rc = open_room(&b.dst);

	if (!rc)
		rc = open_room(&b.src);
	if (!rc) {
		b.n_sides = peer_load_pmem(&b.peer) ? SIDES : SIDE_LIBPMEM;
		report_ratios_init(&b.libpmem);
		report_ratios_init(&b.libc);
		host_read(&b.host, "DRAM: emulated persistent memory on a "
				   "memfd, not persistent memory");
		list_cells(&b);
		measure(&b);
		rc = opt->json ? print_json(&b) : print_table(&b);
		report_ratios_fini(&b.libpmem);
		report_ratios_fini(&b.libc);
	}
	pmk_map_close(b.src);
	pmk_map_close(b.dst);
	return rc;
}
