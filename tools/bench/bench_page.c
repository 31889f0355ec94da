/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk bench page: every way to copy pages, on pages that are in no cache.
 *
 * The pages of two rooms are walked in two random orders, and a page is met
 * again only when both rooms are through.  A direction is what happens
 * afterwards: to persistent memory the copies are durable and are not read;
 * from it each batch is read at once, which is what a page is fetched for.
 * Variants whose result is in the cache are not made durable on the way there:
 * that is how Linux uses them, and they would only lose by it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>
#include <libsmartcols/libsmartcols.h>

#include <pmk/kernel.h>
#include <pmk/page.h>

#include "base/size.h"
#include "base/util.h"
#include "bench/migrate.h"
#include "bench/report.h"
#include "bench/room.h"
#include "bench/suite.h"
#include "out.h"
#include "pmk.h"

#define HUGE_SIZE  ((size_t)2 << 20)
#define ROOM       ((size_t)1 << 30)
#define ROOM_LEAST ((size_t)128 << 20)
#define CHUNK      ((size_t)32 << 20) /* that a side copies at a time */
#define ROUNDS     (ROOM / CHUNK)     /* 1 GiB for each side */
#define QUICK      5

enum {
	TO,
	FROM,
	DIRECTIONS
};
enum {
	SMALL,
	HUGE,
	SIZES
};

static const size_t sizes[SIZES] = { PMK_PAGE_SIZE, HUGE_SIZE };
static const char *const directions[DIRECTIONS] = { "to_pmem", "from_pmem" };

/* Pages a call: Linux migrates 2 MiB at a time; what is read at once must still
 * be in the cache. */
static const size_t batches[SIZES][DIRECTIONS] = {
	[SMALL] = { [TO] = 512, [FROM] = 16 },
	[HUGE] = { [TO] = 16, [FROM] = 1 },
};

/* The pages of the rooms in random order, and how far the sides, which take
 * turns, have come. */
struct walk {
	void **dst;
	const void **src;
	size_t n;
	size_t at;
	size_t page_size;
};

struct job {
	struct walk *walk;
	size_t batch;
	bool read;
	/* NULL: by variant */
	void (*copy)(void *const dst[], const void *const src[], size_t n);
	unsigned int variant;
};

struct page_bench {
	struct bench_suite suite;
	struct bench_room pmem; /* what is measured, maybe a device */
	struct bench_room dram;
	size_t room; /* used of each */
	/* for the table in ms/GiB; variants, and ours */
	double ms[BENCHFN_SIDES][SIZES][DIRECTIONS];
};

static size_t n_variants(void)
{
	size_t n = 0;

	while (n < BENCHFN_SIDES - 1 && pmk_page_variant_name((unsigned int)n))
		n++;
	return n;
}

/* A generator of a fixed sequence (splitmix64): each run has the same order. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Pointers to the pages of @room in random order. */
static void **shuffled(char *room, size_t n, size_t page_size, uint64_t seed)
{
	void **v = malloc(n * sizeof(*v));

	if (!v)
		out_of_memory();
	for (size_t i = 0; i < n; i++)
		v[i] = room + i * page_size;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = (size_t)(next_random(&seed) % (i + 1));
		void *t = v[i];

		v[i] = v[j];
		v[j] = t;
	}
	return v;
}

static void walk_init(struct walk *w, const struct page_bench *b,
		      size_t page_size, unsigned int direction)
{
	char *dst = direction == TO ? b->pmem.addr : b->dram.addr;
	char *src = direction == TO ? b->dram.addr : b->pmem.addr;

	w->n = b->room / page_size;
	w->at = 0;
	w->page_size = page_size;
	w->dst = shuffled(dst, w->n, page_size, 1);
	w->src = (const void **)shuffled(src, w->n, page_size, 2);
}

static void walk_fini(struct walk *w)
{
	free(w->dst);
	free(w->src);
}

/* Read a word of every line, which brings all of it into the cache. */
static void read_pages(void *const *page, size_t n, size_t page_size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t off = 0; off < page_size; off += 64)
			sum += *(uint64_t *)((char *)page[i] + off);
	__asm__ volatile("" ::"r"(sum)); /* somebody wants it */
}

static void run(void *arg, uint64_t ops)
{
	const struct job *j = arg;
	struct walk *w = j->walk;

	for (; ops; ops -= j->batch) {
		void *const *dst;
		const void *const *src;

		if (w->at + j->batch > w->n)
			w->at = 0;
		dst = w->dst + w->at;
		src = w->src + w->at;
		w->at += j->batch;
		if (j->copy)
			j->copy(dst, src, j->batch);
		else if (pmk_copy_pages_by(j->variant, dst, src, j->batch,
					   w->page_size) < 0)
			abort(); /* asked for what can_run() refuses */
		if (j->read)
			read_pages(dst, j->batch, w->page_size);
	}
}

static bool can_run(unsigned int variant)
{
	return pmk_copy_pages_by(variant, NULL, NULL, 0, PMK_PAGE_SIZE) >= 0;
}

static unsigned int number_of(const char *name)
{
	unsigned int i = 0;

	while (strcmp(pmk_page_variant_name(i), name))
		i++;
	return i;
}

/* What a caller of the library would do: the calls for pages of 4 KiB, the
 * kernel of copies to memory for pages that do not fit in the cache anyway. */
static const char *choose_ours(struct job *j, unsigned int size,
			       unsigned int direction)
{
	bool from = size == SMALL && direction == FROM;
	const char *name =
		pmk_op_kernel(from ? PMK_OP_COPY_PAGE_FROM : PMK_OP_COPY_PAGE);

	if (size == SMALL)
		j->copy = from ? pmk_copy_pages_from : pmk_copy_pages;
	else
		j->variant = number_of(name);
	return name;
}

static struct json_object *ms_to_json(const struct bench_case *c)
{
	struct json_object *o = json_object_new_object();
	double pages = (double)ROOM / (double)c->size;

	for (size_t i = 0; i < c->n_sides; i++)
		report_json_double(o, c->side[i].key,
				   c->side[i].figure.median_ns * pages / 1e6);
	return o;
}

static void keep(struct page_bench *b, const struct bench_case *c,
		 unsigned int size, unsigned int direction)
{
	double pages = (double)ROOM / (double)c->size;

	for (size_t i = 0; i < c->n_sides; i++) {
		size_t row = i ? number_of(c->side[i].key) : n_variants();

		b->ms[row][size][direction] =
			c->side[i].figure.median_ns * pages / 1e6;
	}
}

static void add_target(struct page_bench *b, const struct bench_case *c,
		       unsigned int size)
{
	static const struct bench_target targets[SIZES] = {
		[SMALL] = { .key = "page_4k_ratio_rep_movsq",
			    .text = "4 KiB pages to pmem: rep movsq / pmk" },
		[HUGE] = { .key = "page_2m_ratio_rep_movsq",
			   .text = "2 MiB pages to pmem: rep movsq / pmk" },
	};
	struct bench_target t = targets[size];

	t.bound = 1.25;
	t.at_least = true;
	t.known = true;
	t.value = bench_case_ratio(c, "rep_movsq");
	bench_suite_target(&b->suite, &t);
}

static void measure(struct page_bench *b, unsigned int size,
		    unsigned int direction)
{
	const struct bench_work work = {
		.unit = CHUNK / sizes[size],
		.max_ops = CHUNK / sizes[size],
		.rounds = b->suite.opt->quick ? QUICK : ROUNDS,
		.budget_ns = (uint64_t)60 * 1000000000,
	};
	struct bench_case what = {
		.op = "page",
		.size = sizes[size],
		.pattern = "scattered",
		.direction = directions[direction],
		.extra = json_object_new_object(),
	};
	struct bench_side_def sides[BENCHFN_SIDES];
	struct job jobs[BENCHFN_SIDES];
	const struct bench_case *c;
	size_t n = 0;
	struct walk walk;

	walk_init(&walk, b, sizes[size], direction);
	for (size_t v = 0; v <= n_variants(); v++) {
		unsigned int variant = (unsigned int)v - 1;
		const char *kernel;

		if (v && !can_run(variant))
			continue;
		jobs[n] = (struct job){ .walk = &walk,
					.batch = batches[size][direction],
					.read = direction == FROM,
					.variant = variant };
		kernel = v ? NULL : choose_ours(&jobs[n], size, direction);
		sides[n] = (struct bench_side_def){
			.key = v ? pmk_page_variant_name(variant) : "pmk",
			.variant = kernel,
			.fn = { .run = run, .arg = { &jobs[n] } },
		};
		n++;
	}
	c = bench_suite_case(&b->suite, &what, sides, n, &work);
	walk_fini(&walk);
	out_json_u64(what.extra, "batch_pages", batches[size][direction]);
	out_json_bool(what.extra, "read_after", direction == FROM);
	out_json_u64(what.extra, "moved_bytes",
		     (uint64_t)c->side[0].figure.rounds * CHUNK);
	out_json_add(what.extra, "ms_per_gib", ms_to_json(c));
	keep(b, c, size, direction);
	if (direction == TO)
		add_target(b, c, size);
}

static void add_notes(struct page_bench *b)
{
	struct bench_suite *s = &b->suite;
	long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
	char room[32], cache[32];

	pmk_size_format(b->room, room, sizeof(room));
	pmk_size_format(l3 > 0 ? (uint64_t)l3 : 0, cache, sizeof(cache));
	bench_suite_note(s,
			 "Pages in random order: %s of sources and %s of "
			 "destinations, through which all variants go in turn; "
			 "the third-level cache has %s.",
			 room, room, l3 > 0 ? cache : "an unknown size");
	bench_suite_note(s, "To pmem: 512 pages of 4 KiB or 16 of 2 MiB a "
			    "call, not read afterwards; only non-temporal "
			    "variants are durable then.  From pmem: 16 pages "
			    "of 4 KiB or one of 2 MiB a call, and each is read "
			    "at once, which is in the figure.");
	bench_suite_note(s, "Published in 2021 for move_pages(2) of 1 GiB, "
			    "with other hardware (DRAM and Optane DIMMs) and "
			    "not comparable: DRAM to pmem 2030 ms with rep "
			    "movsq and 890 ms with movnti_2021, back 372 and "
			    "477 ms.");
	if (s->opt->quick)
		bench_suite_note(s,
				 "--quick: each variant moved %zu MiB in "
				 "each case, not 1 GiB.",
				 QUICK * CHUNK >> 20);
}

/* The same figures as the published ones are given. */
static int print_ms(const struct page_bench *b)
{
	struct libscols_table *tb =
		out_table("MS/GIB", "4K TO PMEM", "4K FROM PMEM", "2M TO PMEM",
			  "2M FROM PMEM", NULL);
	size_t n = n_variants();

	putchar('\n');
	for (size_t i = 0; i <= n; i++) {
		size_t row = i ? i - 1 : n;
		char text[SIZES][DIRECTIONS][24];

		for (size_t k = 0; k < (size_t)SIZES * DIRECTIONS; k++) {
			double ms = b->ms[row][k / 2][k % 2];

			snprintf(text[k / 2][k % 2], sizeof(text[0][0]),
				 ms > 0 ? "%.1f" : "-", ms);
		}
		out_row(tb,
			i ? pmk_page_variant_name((unsigned int)row) : "pmk",
			text[SMALL][TO], text[SMALL][FROM], text[HUGE][TO],
			text[HUGE][FROM], NULL);
	}
	return out_table_end(tb);
}

/* Whole chunks, of both rooms the same. */
static int open_rooms(struct page_bench *b)
{
	int rc = bench_room_open(&b->pmem, &b->suite, ROOM, ROOM_LEAST);

	if (rc)
		return rc;
	b->room = pmk_min_size(ROOM, b->pmem.size) / CHUNK * CHUNK;
	return bench_room_dram(&b->dram, b->room);
}

int bench_page(const struct bench_options *opt)
{
	struct page_bench b = { .room = 0 };
	int rc;

	if (opt->migrate)
		return bench_migrate(opt);
	bench_suite_init(&b.suite, "page", opt);
	rc = open_rooms(&b);
	if (!rc) {
		bench_suite_expect(&b.suite, SIZES * DIRECTIONS);
		for (unsigned int size = 0; size < SIZES; size++)
			for (unsigned int d = 0; d < DIRECTIONS; d++)
				if (bench_wants_size(opt, sizes[size]))
					measure(&b, size, d);
		add_notes(&b);
		rc = bench_suite_finish(&b.suite);
		if (!rc && !opt->json)
			rc = print_ms(&b);
	} else {
		bench_suite_fini(&b.suite);
	}
	bench_room_close(&b.dram);
	bench_room_close(&b.pmem);
	return rc;
}
