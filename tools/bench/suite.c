/* SPDX-License-Identifier: BSD-3-Clause */
/* Collect the cases of a benchmark: measure, name, compare. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include <pmk/error.h>

#include "base/size.h"
#include "bench/report.h"
#include "bench/suite.h"
#include "bench/suite_out.h"
#include "clock.h"
#include "out.h"
#include "pmk.h"

#define ROUNDS       41
#define ROUNDS_QUICK 15
#define ROUNDS_MIN   5
#define ROUND_NS     200000
#define BUDGET_NS    200000000
#define MAX_OPS      ((uint64_t)1 << 20)
/* A benchmark ends in 5 minutes, with --quick in 20 seconds: what is left for
 * what comes before and behind the cases is in these. */
#define TOTAL_NS       270000000000
#define TOTAL_QUICK_NS 16000000000
/* for p99.9 to be more than the largest few */
#define LATENCY_OPS       20000
#define LATENCY_OPS_QUICK 5000
#define LATENCY_NS        10000000

void bench_suite_init(struct bench_suite *s, const char *name,
		      const struct bench_options *opt)
{
	*s = (struct bench_suite){
		.name = name,
		.opt = opt,
		.peer = "libpmem",
	};
	host_read(&s->host);
}

void bench_suite_fact(struct bench_suite *s, const char *key, const char *value)
{
	struct bench_fact *f = &s->fact[s->n_facts];

	if (s->n_facts == BENCH_FACTS)
		return;
	snprintf(f->key, sizeof(f->key), "%s", key);
	snprintf(f->value, sizeof(f->value), "%s", value);
	s->n_facts++;
}

void bench_suite_peer(struct bench_suite *s, const char *key, const char *file,
		      const char *why)
{
	char missing[sizeof(s->fact->key)];

	s->peer = key;
	if (*file) {
		bench_suite_fact(s, key, file);
		return;
	}
	snprintf(missing, sizeof(missing), "%s_missing", key);
	bench_suite_fact(s, missing, why);
}

const char *bench_fact_name(const struct bench_fact *f,
			    char name[BENCH_KEY_LEN])
{
	static const char suffix[] = "_missing";
	size_t len = strlen(f->key), tail = sizeof(suffix) - 1;

	snprintf(name, BENCH_KEY_LEN, "%s", f->key);
	if (len > tail && !strcmp(f->key + len - tail, suffix))
		name[len - tail] = '\0';
	return name;
}

void bench_suite_note(struct bench_suite *s, const char *fmt, ...)
{
	va_list ap;

	if (s->n_notes == BENCH_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(s->note[s->n_notes++], sizeof(s->note[0]), fmt, ap);
	va_end(ap);
}

void bench_suite_expect(struct bench_suite *s, size_t n)
{
	s->expected = n;
}

/* A new case with room for its sides. */
static struct bench_case *add_case(struct bench_suite *s,
				   const struct bench_case *what,
				   size_t n_sides)
{
	struct bench_case *c;

	if (s->n_cases == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		c = reallocarray(s->cases, s->room, sizeof(*c));
		if (!c)
			out_of_memory();
		s->cases = c;
	}
	c = &s->cases[s->n_cases++];
	*c = *what;
	if (!c->threads)
		c->threads = 1;
	c->n_sides = n_sides;
	c->side = calloc(n_sides, sizeof(*c->side));
	if (!c->side)
		out_of_memory();
	return c;
}

static unsigned int rounds_of(const struct bench_options *opt,
			      const struct bench_work *w)
{
	if (opt->rounds)
		return opt->rounds;
	if (w->rounds)
		return w->rounds;
	return opt->quick ? ROUNDS_QUICK : ROUNDS;
}

static void measure(struct bench_case *c, const struct benchfn_params *p)
{
	struct benchfn_outcome outcome;
	int rc = benchfn_measure(p, &outcome);

	if (rc)
		exit(out_error("cannot measure: %s", pmk_strerror(rc)));
	for (size_t i = 0; i < c->n_sides; i++)
		c->side[i].figure = outcome.side[i];
}

static bool is_lost(const struct bench_case *c)
{
	for (size_t i = 1; i < c->n_sides; i++)
		if (bench_side_is_lost(c, i))
			return true;
	return false;
}

static void measure_latency(struct bench_case *c, const struct benchfn_side *fn,
			    bool quick)
{
	for (size_t i = 0; i < c->n_sides; i++)
		benchfn_latency(&fn[i], quick ? LATENCY_OPS_QUICK : LATENCY_OPS,
				LATENCY_NS, &c->side[i].latency);
}

/*
 * The time for a case: its budget, unless the machine is so busy that the cases
 * to come would not have theirs.  Then fewer rounds are all that gives way.
 */
static uint64_t budget_of(struct bench_suite *s, const struct bench_work *w)
{
	uint64_t budget = w->budget_ns ? w->budget_ns : BUDGET_NS;
	uint64_t total = s->opt->quick ? TOTAL_QUICK_NS : TOTAL_NS;
	uint64_t used, left;

	if (s->opt->rounds) /* so many, however long they take */
		return budget;
	if (!s->begin_ns)
		s->begin_ns = clock_now_ns();
	used = clock_now_ns() - s->begin_ns;
	left = used < total ? total - used : 1;
	/* the case itself is counted already; and one in six is measured again,
	 * with three times the rounds */
	left = left * 2 / 3 /
	       (s->expected >= s->n_cases ? s->expected - s->n_cases + 1 : 1);
	return left < budget ? left : budget;
}

static void measure_case(struct bench_suite *s, struct bench_case *c,
			 const struct benchfn_side *fn,
			 const struct bench_work *w)
{
	struct benchfn_params p = {
		.sides = fn,
		.n_sides = c->n_sides,
		.threads = c->threads,
		.rounds = rounds_of(s->opt, w),
		.min_rounds = ROUNDS_MIN,
		.budget_ns = budget_of(s, w),
		.round_ns = w->round_ns ? w->round_ns : ROUND_NS,
		.unit = w->unit ? w->unit : 1,
		.max_ops = w->max_ops ? w->max_ops : MAX_OPS,
	};

	measure(c, &p);
	if (is_lost(c)) {
		p.rounds *= 3;
		p.min_rounds *= 3;
		p.budget_ns *= 3;
		s->again++;
		measure(c, &p);
	}
	if (w->latency)
		measure_latency(c, fn, s->opt->quick);
}

const struct bench_case *bench_suite_case(struct bench_suite *s,
					  const struct bench_case *what,
					  const struct bench_side_def *sides,
					  size_t n_sides,
					  const struct bench_work *work)
{
	struct benchfn_side fn[BENCHFN_SIDES];
	struct bench_case *c;
	char title[48];

	snprintf(title, sizeof(title), "pmk bench %s", s->name);
	report_progress(title, s->n_cases,
			s->expected > s->n_cases ? s->expected
						 : s->n_cases + 1);
	c = add_case(s, what, n_sides);
	for (size_t i = 0; i < n_sides; i++) {
		c->side[i].key = sides[i].key;
		c->side[i].variant = sides[i].variant;
		c->side[i].floor = sides[i].floor;
		fn[i] = sides[i].fn;
	}
	measure_case(s, c, fn, work);
	return c;
}

struct bench_case *bench_suite_add(struct bench_suite *s,
				   const struct bench_case *what,
				   size_t n_sides)
{
	return add_case(s, what, n_sides);
}

const struct bench_side *bench_case_side(const struct bench_case *c,
					 const char *key)
{
	for (size_t i = 0; i < c->n_sides; i++)
		if (!strcmp(c->side[i].key, key))
			return &c->side[i];
	return NULL;
}

double bench_side_ratio(const struct bench_case *c, size_t side)
{
	return c->side[side].figure.median_ns / c->side[0].figure.median_ns;
}

bool bench_side_is_lost(const struct bench_case *c, size_t side)
{
	return !c->side[side].floor && bench_side_ratio(c, side) < REPORT_LOST;
}

double bench_case_ratio(const struct bench_case *c, const char *key)
{
	const struct bench_side *b = bench_case_side(c, key);

	return b ? b->figure.median_ns / c->side[0].figure.median_ns : 0;
}

double bench_case_rate(const struct bench_case *c, const struct bench_side *b)
{
	return (double)c->size * c->threads * 1e9 / b->figure.median_ns;
}

char *bench_case_name(const struct bench_case *c, char *text, size_t size)
{
	const char *words[] = { c->policy, c->pattern, c->direction };
	char bytes[32];
	size_t n = (size_t)snprintf(text, size, "%s", c->op);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i] && n < size)
			n += (size_t)snprintf(text + n, size - n, " %s",
					      words[i]);
	pmk_size_format(c->size, bytes, sizeof(bytes));
	if (n < size)
		n += (size_t)snprintf(text + n, size - n, ", %s at offset %zu",
				      bytes, c->dst_offset);
	if (c->src_offset && n < size)
		n += (size_t)snprintf(text + n, size - n, " from offset %zu",
				      c->src_offset);
	if (c->threads > 1 && n < size)
		n += (size_t)snprintf(text + n, size - n, ", %u threads",
				      c->threads);
	if (c->cpu && n < size)
		snprintf(text + n, size - n, ", %s", c->cpu);
	return text;
}

static size_t find_keys(const struct bench_suite *s, bool floors,
			const char *keys[BENCH_KEYS])
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_cases; i++)
		for (size_t k = 1; k < s->cases[i].n_sides; k++) {
			const struct bench_side *b = &s->cases[i].side[k];
			size_t j = 0;

			while (j < n && strcmp(keys[j], b->key))
				j++;
			if (b->floor == floors && j == n && n < BENCH_KEYS)
				keys[n++] = b->key;
		}
	return n;
}

size_t bench_suite_keys(const struct bench_suite *s,
			const char *keys[BENCH_KEYS])
{
	return find_keys(s, false, keys);
}

size_t bench_suite_floors(const struct bench_suite *s,
			  const char *keys[BENCH_KEYS])
{
	return find_keys(s, true, keys);
}

size_t bench_suite_ops(const struct bench_suite *s, const char *ops[BENCH_KEYS])
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_cases; i++) {
		size_t j = 0;

		while (j < n && strcmp(ops[j], s->cases[i].op))
			j++;
		if (j == n && n < BENCH_KEYS)
			ops[n++] = s->cases[i].op;
	}
	return n;
}

void bench_suite_ratios(const struct bench_suite *s, const char *key,
			const char *op, struct bench_ratios *ratios_ret)
{
	struct bench_ratios r = { .cases = 0 };
	double log_sum = 0;

	for (size_t i = 0; i < s->n_cases; i++) {
		const struct bench_case *c = &s->cases[i];
		double ratio = bench_case_ratio(c, key);

		if (ratio <= 0 || (op && strcmp(op, c->op)))
			continue;
		if (!r.cases++ || ratio < r.worst) {
			r.worst = ratio;
			r.worst_case = c;
		}
		r.lost += ratio < REPORT_LOST;
		log_sum += log(ratio);
	}
	if (r.cases)
		r.geomean = exp(log_sum / (double)r.cases);
	*ratios_ret = r;
}

void bench_suite_target(struct bench_suite *s, const struct bench_target *t)
{
	if (s->n_targets < BENCH_TARGETS)
		s->target[s->n_targets++] = *t;
}

bool bench_target_is_met(const struct bench_target *t)
{
	return t->at_least ? t->value >= t->bound : t->value <= t->bound;
}

int bench_suite_finish(struct bench_suite *s)
{
	int rc;

	report_progress("", 1, 1);
	if (!s->n_cases && s->opt->n_sizes) {
		out_error("nothing to measure: --sizes names no size that this "
			  "benchmark has, or that fits");
		return EXIT_USAGE;
	}
	rc = s->opt->json ? bench_suite_json(s) : bench_suite_table(s);
	if (!rc && s->opt->report)
		rc = bench_suite_html(s);
	bench_suite_fini(s);
	return rc;
}

void bench_suite_fini(struct bench_suite *s)
{
	for (size_t i = 0; i < s->n_cases; i++) {
		json_object_put(s->cases[i].extra);
		free(s->cases[i].side);
	}
	json_object_put(s->merged);
	s->merged = NULL;
	free(s->cases);
	s->cases = NULL;
	s->n_cases = s->room = 0;
}
