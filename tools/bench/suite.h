/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A suite: the cases of one benchmark, measured one after the other and then
 * printed as a table, as JSON or as a report.
 *
 * A benchmark is
 *
 *	struct bench_suite s;
 *	bench_suite_init(&s, "page", opt);        facts of the host
 *	rc = bench_room_open(...)                 (room.h) memory to work on
 *	bench_suite_fact(&s, "libpmem", file);    who takes part
 *	bench_suite_expect(&s, n);                cases, for the progress
 *	for each: bench_suite_case(&s, &what, sides, n_sides, &work);
 *	bench_suite_target(&s, &target);          what is promised
 *	rc = bench_suite_finish(&s);              prints and frees: exit code
 *
 * Side 0 of a case is ours ("pmk"), the others are what it is compared to; a
 * ratio is the other's time by ours, so above 1 is in our favour.  A case in
 * which ours loses to another side (below REPORT_LOST, 0.97) is measured once
 * more with three times the rounds, and the second measurement is the one that
 * counts, whatever it says: a case has to look lost twice to be it.
 *
 * A side may be a floor: the least that the job can cost, and no competitor.
 * What counts there is our time by its, at least 1 by nature, so nothing is
 * lost to it, and it has no part in what the cases say together.
 *
 * When memory runs out the process ends with a message, as in out.h.
 */
#ifndef TOOLS_BENCH_SUITE_H
#define TOOLS_BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/bench.h"
#include "bench/benchfn.h"
#include "bench/host.h"

struct json_object;

/* One competitor in a case, and, after the measurement, its figures. */
struct bench_side {
	const char *key;     /* prefix in JSON: "pmk", "libpmem", "rep_movsq" */
	const char *variant; /* the kernel at work ("avx512f"), or NULL */
	bool floor;          /* no competitor, see above */
	struct benchfn_figure figure;
	struct benchfn_latency latency;
};

/*
 * What a case is: the coordinates that name it.  Strings are kept by reference
 * and must outlive the suite (literals).  A NULL string is a coordinate that
 * does not apply, and is neither printed nor in the JSON.
 */
struct bench_case {
	const char *op;        /* "copy", "set", "page", ... */
	size_t size;           /* bytes an operation */
	size_t dst_offset;     /* from a cache line */
	size_t src_offset;     /* from a cache line */
	const char *policy;    /* "persist", "nodrain", "batch64", ... */
	const char *pattern;   /* "hot", "stream", "scattered", ... */
	const char *direction; /* "to_pmem", "from_pmem" */
	const char *cpu;       /* "without avx512f", if not all of it is used */
	unsigned int threads;  /* 0 is 1 */
	/* Further members of the case in the JSON document, or NULL; the suite
	 * frees it. */
	struct json_object *extra;
	/* filled in by bench_suite_case() */
	size_t n_sides;
	struct bench_side *side;
};

/* How a side is run: benchfn.h says what the members are. */
struct bench_side_def {
	const char *key;
	const char *variant;
	bool floor;
	struct benchfn_side fn;
};

/* How a case is measured; all zero is the usual. */
struct bench_work {
	uint64_t unit;     /* operations come in multiples of this; 0 is 1 */
	uint64_t max_ops;  /* most that a round may do; 0 is 2^20 */
	uint64_t round_ns; /* about how long a round takes; 0 is 200 us */
	/* Rounds if --rounds does not say: 0 is 41, or 15 with --quick.  Less
	 * where the budget does not allow as many, but at least 5. */
	unsigned int rounds;
	uint64_t budget_ns; /* all rounds of all sides; 0 is 200 ms */
	bool latency;       /* percentiles of single operations as well */
};

/* A figure that is promised. */
struct bench_target {
	const char *key;  /* in JSON */
	const char *text; /* in the table, 45 columns at most */
	double bound;
	bool at_least; /* else at most */
	bool known;    /* false: not measured here, and why_not says why */
	double value;
	const char *why_not; /* "no libpmem"; kept by reference */
};

#define BENCH_TARGETS 24
#define BENCH_FACTS   16
#define BENCH_NOTES   12

#define BENCH_KEY_LEN 40

struct bench_fact {
	char key[BENCH_KEY_LEN];
	char value[320];
};

struct bench_suite {
	const char *name; /* "copy" */
	const struct bench_options *opt;
	/* The side that the summary is about: "losing_cases" of the JSON
	 * document are those lost to it.  "libpmem" if no other is named. */
	const char *peer;
	bool show_latency; /* our percentiles are columns of the table, too */
	struct host host;
	struct bench_fact fact[BENCH_FACTS];
	size_t n_facts;
	char note[BENCH_NOTES][400];
	size_t n_notes;
	struct bench_target target[BENCH_TARGETS];
	size_t n_targets;
	struct bench_case *cases;
	size_t n_cases;
	size_t room;                /* cases that fit in the array */
	size_t expected;            /* for the progress */
	size_t again;               /* cases that were measured a second time */
	uint64_t begin_ns;          /* of the first case */
	struct json_object *merged; /* has the strings of merged cases */
};

void bench_suite_init(struct bench_suite *s, const char *name,
		      const struct bench_options *opt);

/* Further facts of the host: a line of the table's head, a string in the JSON
 * document's "host".  A key is snake_case. */
void bench_suite_fact(struct bench_suite *s, const char *key,
		      const char *value);

/* The peer library, whose side is @key, kept by reference: the file it was
 * loaded from, or, if that is empty, why it is not there ("KEY": null and
 * "KEY_missing" in the JSON document). */
void bench_suite_peer(struct bench_suite *s, const char *key, const char *file,
		      const char *why);

/* A sentence below the table, and in "notes" of the JSON document: what was
 * left out, what a figure does not say, what was published elsewhere. */
__attribute__((format(printf, 2, 3))) void bench_suite_note(
	struct bench_suite *s, const char *fmt, ...);

/* How many cases there will be, for the progress on a terminal. */
void bench_suite_expect(struct bench_suite *s, size_t n);

/*
 * Measure one case and keep it.  @sides[0] is ours.  Returns the case with its
 * sides and their figures, valid until the next call.  Never fails: the
 * process ends if memory does.
 */
const struct bench_case *bench_suite_case(struct bench_suite *s,
					  const struct bench_case *what,
					  const struct bench_side_def *sides,
					  size_t n_sides,
					  const struct bench_work *work);

/* The side @key of @c, or NULL if it did not take part. */
const struct bench_side *bench_case_side(const struct bench_case *c,
					 const char *key);
/* Its time by ours, or 0 if it did not take part. */
double bench_case_ratio(const struct bench_case *c, const char *key);
/* "persist hot, 64 B at offset 8+1, 2 threads"; returns @text. */
char *bench_case_name(const struct bench_case *c, char *text, size_t size);
/* The bytes a second that a side moves, by all threads. */
double bench_case_rate(const struct bench_case *c, const struct bench_side *b);

void bench_suite_target(struct bench_suite *s, const struct bench_target *t);

/* Print the table, the JSON document or the report, and free everything.
 * Returns an exit code. */
int bench_suite_finish(struct bench_suite *s);
/* Free without printing: after a failure. */
void bench_suite_fini(struct bench_suite *s);

#endif /* TOOLS_BENCH_SUITE_H */
