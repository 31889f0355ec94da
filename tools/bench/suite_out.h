/* SPDX-License-Identifier: BSD-3-Clause */
/* What the outputs of a suite share; benchmarks do not need it. */
#ifndef TOOLS_BENCH_SUITE_OUT_H
#define TOOLS_BENCH_SUITE_OUT_H

#include "bench/suite.h"

/* Different sides, or operations, that all cases of a suite may have. */
#define BENCH_KEYS 32

/* One comparison over all cases that have it. */
struct bench_ratios {
	size_t cases;
	size_t lost;
	double worst;
	double geomean;
	const struct bench_case *worst_case;
};

/* A case without figures, which the caller fills in. */
struct bench_case *bench_suite_add(struct bench_suite *s,
				   const struct bench_case *what,
				   size_t n_sides);

/* The keys of all competitors, or all floors; and all operations.  In the order
 * in which they appear.  Return their number. */
size_t bench_suite_keys(const struct bench_suite *s,
			const char *keys[BENCH_KEYS]);
size_t bench_suite_floors(const struct bench_suite *s,
			  const char *keys[BENCH_KEYS]);
size_t bench_suite_ops(const struct bench_suite *s,
		       const char *ops[BENCH_KEYS]);

/* What a fact is called: a peer that is missing ("KEY_missing") by its key.
 * Returns @name. */
const char *bench_fact_name(const struct bench_fact *f,
			    char name[BENCH_KEY_LEN]);

/* Against side @key, in cases of @op (NULL: all). */
void bench_suite_ratios(const struct bench_suite *s, const char *key,
			const char *op, struct bench_ratios *ratios_ret);
/* The time of side @side by ours. */
double bench_side_ratio(const struct bench_case *c, size_t side);
bool bench_side_is_lost(const struct bench_case *c, size_t side);
bool bench_target_is_met(const struct bench_target *t);
/* One line each; a member each of those that are known. */
void bench_targets_print(const struct bench_target *t, size_t n);
struct json_object *bench_targets_to_json(const struct bench_target *t,
					  size_t n);

/* The document, which the caller frees. */
struct json_object *bench_suite_to_json(const struct bench_suite *s);

/* Each prints or writes, and returns an exit code. */
int bench_suite_table(const struct bench_suite *s);
int bench_suite_json(const struct bench_suite *s);
int bench_suite_html(const struct bench_suite *s);

#endif /* TOOLS_BENCH_SUITE_OUT_H */
