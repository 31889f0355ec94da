/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench page --migrate: what move_pages(2) costs from one NUMA node to
 * another and back, beside the library's copy of the same pages between memory
 * of the same nodes.  The copy is all that a program could do by itself; the
 * rest is unmapping, flushing of TLBs and mapping.
 *
 * With one node only the call itself can be measured: a query, and a move to
 * where the pages are already, which copies nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <json-c/json.h>
#include <libsmartcols/libsmartcols.h>

#include <pmk/kernel.h>
#include <pmk/page.h>

#include "base/util.h"
#include "bench/bench.h"
#include "bench/benchfn.h"
#include "bench/host.h"
#include "bench/memory.h"
#include "bench/migrate.h"
#include "bench/move_status.h"
#include "bench/numa_lib.h"
#include "bench/report.h"
#include "out.h"
#include "pmk.h"

#define HUGE_SIZE ((size_t)2 << 20)
#define ROOM      ((size_t)256 << 20) /* moved in a round */
#define QUICK     ((size_t)8 << 20)
#define MOVE      (1 << 1) /* MPOL_MF_MOVE of <numaif.h> */
#define NODES     2
#define CASES     6

/* Pages in memory of a given node, or nowhere yet. */
struct range {
	char *map; /* to be unmapped */
	size_t map_len;
	void **page;
	size_t n;
};

/* One row.  Without figures, @why tells why not. */
struct row {
	const char *op;
	size_t page_size;
	int from, to; /* nodes; the same: nothing is copied */
	size_t pages;
	struct benchfn_figure move;
	struct benchfn_figure copy;
	bool has_copy;
	char why[256];
};

struct migration {
	const struct bench_options *opt;
	struct numa_lib numa;
	struct host host;
	int node[NODES]; /* with memory */
	size_t n_nodes;
	char why[400]; /* why moves cannot be measured; empty: they can */
	struct row row[CASES];
	size_t n_rows;
};

/* What a side works on. */
struct job {
	struct migration *m;
	struct range *pages; /* that move */
	struct range *dst;   /* of the copy */
	struct range *src;
	int *want; /* a node for each page, or NULL: a query */
	int *back;
	int *status;
	size_t page_size;
	unsigned int variant;
	char *why; /* the first failure */
	size_t why_size;
};

static void range_fini(struct range *r)
{
	if (r->map)
		munmap(r->map, r->map_len);
	free(r->page);
	*r = (struct range){ .map = NULL };
}

/* @len bytes on @node, every page there.  EXIT_OK, or EXIT_FAIL and a
 * message. */
static int range_init(struct range *r, const struct migration *m, size_t len,
		      size_t page_size, int node)
{
	char *p = MAP_FAILED;

	r->map_len = len + HUGE_SIZE;
	r->n = len / page_size;
	r->page = calloc(r->n, sizeof(*r->page));
	if (!r->page)
		out_of_memory();
	p = mmap(NULL, r->map_len, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return out_error("no memory to migrate: %s", strerror(errno));
	r->map = p;
	p += -(uintptr_t)p & (HUGE_SIZE - 1);
	madvise(p, len,
		page_size == HUGE_SIZE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	m->numa.tonode_memory(p, len, node);
	memset(p, 0xa5, len);
	for (size_t i = 0; i < r->n; i++)
		r->page[i] = p + i * page_size;
	return EXIT_OK;
}

static void fail(struct job *j, const char *what, const char *text)
{
	if (!*j->why)
		snprintf(j->why, j->why_size, "%s: %s", what, text);
}

/* Every page is where @nodes says, or the first that is not is a failure. */
static void move_pages(struct job *j, const int *nodes)
{
	const struct range *r = j->pages;
	char text[160];
	int rc;

	for (size_t i = 0; i < r->n; i++)
		j->status[i] = MOVE_STATUS_UNSET;
	rc = j->m->numa.move_pages(0, r->n, r->page, nodes, j->status,
				   nodes ? MOVE : 0);
	if (rc < 0) {
		fail(j, "move_pages",
		     move_result_text(-errno, text, sizeof(text)));
		return;
	}
	for (size_t i = 0; i < r->n; i++)
		if (nodes ? j->status[i] != nodes[i] : j->status[i] < 0) {
			fail(j, "a page did not move",
			     move_status_text(j->status[i], text,
					      sizeof(text)));
			return;
		}
	if (rc)
		fail(j, "move_pages", move_result_text(rc, text, sizeof(text)));
}

static void run_move(void *arg, uint64_t ops)
{
	struct job *j = arg;

	(void)ops; /* all pages */
	move_pages(j, j->want);
}

static void prepare_move(void *arg, uint64_t ops)
{
	struct job *j = arg;

	(void)ops;
	move_pages(j, j->back);
}

static void run_copy(void *arg, uint64_t ops)
{
	struct job *j = arg;

	if (pmk_copy_pages_by(j->variant, j->dst->page,
			      (const void *const *)j->src->page, ops,
			      j->page_size) < 0)
		fail(j, "pmk", "the copy was refused");
}

static unsigned int number_of(const char *name)
{
	unsigned int i = 0;

	while (strcmp(pmk_page_variant_name(i), name))
		i++;
	return i;
}

static void fill(int *v, size_t n, int node)
{
	for (size_t i = 0; i < n; i++)
		v[i] = node;
}

static int *new_ints(size_t n)
{
	int *v = calloc(n, sizeof(*v));

	if (!v)
		out_of_memory();
	return v;
}

static void measure_sides(struct migration *m, struct row *row, struct job *j)
{
	const struct benchfn_side sides[] = {
		{ run_move, j->back ? prepare_move : NULL, { j } },
		{ run_copy, NULL, { j } },
	};
	struct benchfn_params p = {
		.sides = sides,
		.n_sides = row->has_copy ? 2 : 1,
		.rounds = m->opt->rounds  ? m->opt->rounds
			  : m->opt->quick ? 3
					  : 15,
		.round_ns = 1,
		.unit = row->pages,
		.max_ops = row->pages,
	};
	struct benchfn_outcome outcome;

	if (benchfn_measure(&p, &outcome))
		out_of_memory();
	row->move = outcome.side[0];
	row->copy = outcome.side[1];
}

static struct row *new_row(struct migration *m, const char *op,
			   size_t page_size, int from, int to)
{
	struct row *row = &m->row[m->n_rows++];

	*row = (struct row){
		.op = op, .page_size = page_size, .from = from, .to = to
	};
	return row;
}

/* As much as the node with less room has for the pages and for the copy. */
static size_t room_of(const struct migration *m)
{
	size_t room = m->opt->quick ? QUICK : ROOM;
	long long left;

	for (size_t i = 0; i < m->n_nodes; i++) {
		if (m->numa.node_size(m->node[i], &left) < 0)
			left = 0;
		room = pmk_min_size(room, (size_t)left / 4);
	}
	return room / HUGE_SIZE * HUGE_SIZE;
}

/* A range of 2 MiB pages that the kernel made of small ones is not what is to
 * be measured. */
static void check_huge(struct row *row, const struct range *r, size_t len)
{
	char text[16];

	memory_huge_pages(r->page[0], len, text, sizeof(text));
	if (row->page_size == HUGE_SIZE && strcmp(text, "all"))
		snprintf(row->why, sizeof(row->why),
			 "the kernel gave huge pages to %s of the memory",
			 strcmp(text, "none") ? "a part" : "nothing");
}

static int measure_row(struct migration *m, struct row *row, bool query)
{
	struct range pages = { .map = NULL }, src = { .map = NULL };
	struct range dst = { .map = NULL };
	size_t len = room_of(m);
	struct job j = { .m = m,
			 .pages = &pages,
			 .src = &src,
			 .dst = &dst,
			 .page_size = row->page_size,
			 .variant = number_of(pmk_op_kernel(PMK_OP_COPY_PAGE)),
			 .why = row->why,
			 .why_size = sizeof(row->why) };
	int rc;

	if (!len) {
		snprintf(row->why, sizeof(row->why), "no memory is free");
		return EXIT_OK;
	}
	row->has_copy = row->from != row->to;
	rc = range_init(&pages, m, len, row->page_size, row->from);
	if (!rc && row->has_copy)
		rc = range_init(&src, m, len, row->page_size, row->from);
	if (!rc && row->has_copy)
		rc = range_init(&dst, m, len, row->page_size, row->to);
	if (!rc) {
		row->pages = pages.n;
		j.status = new_ints(pages.n);
		j.want = query ? NULL : new_ints(pages.n);
		j.back = row->has_copy ? new_ints(pages.n) : NULL;
		if (j.want)
			fill(j.want, pages.n, row->to);
		if (j.back)
			fill(j.back, pages.n, row->from);
		check_huge(row, &pages, len);
		if (!*row->why)
			measure_sides(m, row, &j);
	}
	free(j.status);
	free(j.want);
	free(j.back);
	range_fini(&pages);
	range_fini(&src);
	range_fini(&dst);
	return rc;
}

static void find_nodes(struct migration *m)
{
	long long left;

	for (int i = 0; i <= m->numa.max_node() && m->n_nodes < NODES; i++)
		if (m->numa.node_size(i, &left) > 0)
			m->node[m->n_nodes++] = i;
	if (m->n_nodes < NODES)
		snprintf(m->why, sizeof(m->why), "one NUMA node");
}

static int measure_moves(struct migration *m)
{
	static const size_t sizes[] = { PMK_PAGE_SIZE, HUGE_SIZE };
	int rc = EXIT_OK;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!bench_wants_size(m->opt, sizes[i]))
			continue;
		for (size_t d = 0; d < NODES && !rc; d++)
			rc = measure_row(m,
					 new_row(m, "move", sizes[i],
						 m->node[d], m->node[!d]),
					 false);
	}
	return rc;
}

static int measure(struct migration *m)
{
	int rc;

	if (!numa_lib_load(&m->numa)) {
		snprintf(m->why, sizeof(m->why), "%s", m->numa.why);
		return EXIT_OK;
	}
	find_nodes(m);
	rc = measure_row(
		m, new_row(m, "query", PMK_PAGE_SIZE, m->node[0], m->node[0]),
		true);
	if (!rc)
		rc = measure_row(m,
				 new_row(m, "already there", PMK_PAGE_SIZE,
					 m->node[0], m->node[0]),
				 false);
	if (!rc && !*m->why)
		rc = measure_moves(m);
	return rc;
}

static double ms_per_gib(const struct row *row, const struct benchfn_figure *f)
{
	return f->median_ns * (double)((size_t)1 << 30) /
	       (double)row->page_size / 1e6;
}

static void print_row(struct libscols_table *tb, const struct row *row)
{
	char way[32] = "", ns[2][24] = { "", "" }, ms[2][24] = { "", "" };
	char ratio[24] = "";

	if (row->from != row->to)
		snprintf(way, sizeof(way), "%d to %d", row->from, row->to);
	if (!*row->why)
		snprintf(ns[0], sizeof(ns[0]), "%10.1f", row->move.median_ns);
	if (!*row->why && row->has_copy) {
		snprintf(ms[0], sizeof(ms[0]), "%8.1f",
			 ms_per_gib(row, &row->move));
		snprintf(ns[1], sizeof(ns[1]), "%10.1f", row->copy.median_ns);
		snprintf(ms[1], sizeof(ms[1]), "%8.1f",
			 ms_per_gib(row, &row->copy));
		snprintf(ratio, sizeof(ratio), "%.2f",
			 row->move.median_ns / row->copy.median_ns);
	}
	out_row(tb, row->op, row->page_size == HUGE_SIZE ? "2 MiB" : "4 KiB",
		way, ns[0], ms[0], ns[1], ms[1], ratio,
		*row->why ? row->why : "", NULL);
}

static int print_table(const struct migration *m)
{
	struct libscols_table *tb;
	int rc = EXIT_OK;

	host_print(&m->host);
	putchar('\n');
	if (m->n_rows) {
		tb = out_table("MOVE_PAGES", "PAGE", "NODES", "NS/PAGE",
			       "MS/GIB", "COPY NS/PAGE", "MS/GIB", "MOVE/COPY",
			       "NOT MEASURABLE", NULL);
		for (size_t i = 0; i < m->n_rows; i++)
			print_row(tb, &m->row[i]);
		rc = out_table_end(tb);
		putchar('\n');
	}
	if (*m->why)
		printf("Moves between nodes: not measurable: %s\n", m->why);
	puts("A query and a move to where the pages are copy nothing.  The copy "
	     "is pmk's,\nbetween memory of the same nodes.");
	return rc;
}

static struct json_object *row_to_json(const struct row *row)
{
	struct json_object *o = json_object_new_object();
	char way[48];

	out_json_str(o, "op", "migrate");
	out_json_name(o, "policy", row->op);
	out_json_u64(o, "size_bytes", row->page_size);
	if (*row->why) {
		out_json_str(o, "not_measurable", row->why);
		return o;
	}
	out_json_u64(o, "pages", row->pages);
	report_json_figure(o, "move_pages", &row->move);
	if (!row->has_copy)
		return o;
	snprintf(way, sizeof(way), "node%d_to_node%d", row->from, row->to);
	out_json_str(o, "direction", way);
	report_json_double(o, "move_pages_ms_per_gib",
			   ms_per_gib(row, &row->move));
	report_json_figure(o, "pmk", &row->copy);
	out_json_str(o, "pmk_variant", pmk_op_kernel(PMK_OP_COPY_PAGE));
	report_json_double(o, "pmk_ms_per_gib", ms_per_gib(row, &row->copy));
	report_json_double(o, "move_pages_over_pmk",
			   row->move.median_ns / row->copy.median_ns);
	return o;
}

static int print_json(const struct migration *m)
{
	struct json_object *o = out_json();
	struct json_object *cases = json_object_new_array();

	out_json_str(o, "benchmark", "page_migrate");
	out_json_add(o, "host", host_to_json(&m->host));
	out_json_bool(o, "measurable", !*m->why);
	if (*m->why)
		out_json_str(o, "not_measurable", m->why);
	for (size_t i = 0; i < m->n_rows; i++)
		if (!cases ||
		    json_object_array_add(cases, row_to_json(&m->row[i])))
			out_of_memory();
	out_json_add(o, "cases", cases);
	return out_json_end(o);
}

/* It has memory of its own and no plots. */
static int check(const struct bench_options *opt)
{
	const char *bad = opt->on ? "--on" : opt->report ? "--report" : NULL;

	if (!bad)
		return EXIT_OK;
	out_error("page --migrate does not take %s", bad);
	return EXIT_USAGE;
}

int bench_migrate(const struct bench_options *opt)
{
	struct migration m = { .opt = opt };
	int rc = check(opt);

	if (rc)
		return rc;
	host_read(&m.host);
	snprintf(m.host.medium, sizeof(m.host.medium),
		 "memory of NUMA nodes, anonymous");
	rc = measure(&m);
	if (rc)
		return rc;
	return opt->json ? print_json(&m) : print_table(&m);
}
