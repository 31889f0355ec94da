/* SPDX-License-Identifier: BSD-3-Clause */
/* What is promised of copies against libpmem: each line names the cases that
 * it is about, and the worst of them counts. */
#include <string.h>

#include "base/util.h"
#include "bench/copy_targets.h"

#define MAX_SIZES 6

static const struct rule {
	const char *key;
	const char *text;
	double bound;
	const char *op;
	size_t sizes[MAX_SIZES]; /* none: any from least on */
	size_t least;
	size_t offsets[3]; /* of the destination; 0 and 0 is 0 alone */
	const char *policy;
	const char *pattern; /* NULL: any */
	unsigned int threads;
	bool without_avx512f;
} rules[] = {
	{
		.key = "flushcache_nodrain_64",
		.text = "flushcache of 64 bytes, line after line",
		.bound = 3,
		.op = "flushcache",
		.sizes = { 64 },
		.policy = "nodrain",
		.pattern = "stream",
		.threads = 1,
	},
	{
		.key = "flushcache_batch64_8_16_24",
		.text = "64 sequential copies of 8, 16, 24 bytes, one drain",
		.bound = 30,
		.op = "flushcache",
		.sizes = { 8, 16, 24 },
		.policy = "batch64",
		.threads = 1,
	},
	{
		.key = "persist_64_128_192",
		.text = "persist 64, 128, 192 bytes",
		.bound = 1.05,
		.op = "copy",
		.sizes = { 64, 128, 192 },
		.policy = "persist",
		.threads = 1,
	},
	{
		.key = "persist_8_16_248",
		.text = "persist 8, 16, 248 bytes alone",
		.bound = 0.98,
		.op = "copy",
		.sizes = { 8, 16, 248 },
		.policy = "persist",
		.threads = 1,
	},
	{
		.key = "persist_256_to_4096_at_8_32",
		.text = "persist 256 to 4096 bytes at offsets 8, 32",
		.bound = 1.25,
		.op = "copy",
		.sizes = { 256, 512, 1000, 1024, 4096 },
		.offsets = { 8, 32 },
		.policy = "persist",
		.threads = 1,
	},
	{
		.key = "persist_64k_up",
		.text = "persist 64 KiB and above, streaming",
		.bound = 1.25,
		.op = "copy",
		.least = 65536,
		.policy = "persist",
		.pattern = "stream",
		.threads = 1,
	},
	{
		.key = "persist_64k_up_2_threads",
		.text = "the same, two threads",
		.bound = 1.2,
		.op = "copy",
		.least = 65536,
		.policy = "persist",
		.pattern = "stream",
		.threads = 2,
	},
	{
		.key = "persist_4096_without_avx512f",
		.text = "persist 4 KiB without AVX-512 on both sides",
		.bound = 3,
		.op = "copy",
		.sizes = { 4096 },
		.policy = "persist",
		.threads = 1,
		.without_avx512f = true,
	},
};

static bool is_one_of(const size_t *list, size_t n, size_t v)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

static bool size_matches(const struct rule *r, size_t size)
{
	return r->least ? size >= r->least
			: is_one_of(r->sizes, ARRAY_SIZE(r->sizes), size);
}

/* Offset 0 belongs to a list only if the list is of nothing else. */
static bool offset_matches(const struct rule *r, size_t offset)
{
	if (!*r->offsets)
		return !offset;
	return offset && is_one_of(r->offsets, ARRAY_SIZE(r->offsets), offset);
}

static bool matches(const struct rule *r, const struct bench_case *c)
{
	return !strcmp(c->op, r->op) && !strcmp(c->policy, r->policy) &&
	       (!r->pattern || !strcmp(c->pattern, r->pattern)) &&
	       size_matches(r, c->size) && offset_matches(r, c->dst_offset) &&
	       !c->src_offset && c->threads == r->threads &&
	       !c->cpu == !r->without_avx512f;
}

static void judge(struct bench_suite *s, const struct rule *r)
{
	struct bench_target t = {
		.key = r->key,
		.text = r->text,
		.bound = r->bound,
		.at_least = true,
		.why_not = "not measured",
	};

	for (size_t i = 0; i < s->n_cases; i++) {
		double ratio = bench_case_ratio(&s->cases[i], "libpmem");

		if (ratio <= 0 || !matches(r, &s->cases[i]) ||
		    (t.known && ratio >= t.value))
			continue;
		t.known = true;
		t.value = ratio;
	}
	bench_suite_target(s, &t);
}

static void judge_all(struct bench_suite *s)
{
	struct bench_target t = {
		.key = "any_case",
		.text = "the worst case of all",
		.bound = 0.97,
		.at_least = true,
		.why_not = "not measured",
	};

	for (size_t i = 0; i < s->n_cases; i++) {
		double ratio = bench_case_ratio(&s->cases[i], "libpmem");

		if (ratio <= 0 || (t.known && ratio >= t.value))
			continue;
		t.known = true;
		t.value = ratio;
	}
	bench_suite_target(s, &t);
}

void copy_targets(struct bench_suite *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		judge(s, &rules[i]);
	judge_all(s);
}
