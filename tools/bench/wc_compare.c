/* SPDX-License-Identifier: BSD-3-Clause */
/* Side 0 of pmk bench wc and the kernel's dm-writecache, side by side. */
#include <cpuid.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "bench/suite.h"
#include "bench/wc_beside.h"
#include "bench/wc_compare.h"
#include "bench/wc_sides.h"
#include "out.h"
#include "pmk.h"

static int check_same(const char *who, const struct wc_proof *p)
{
	if (p->same == p->blocks)
		return EXIT_OK;
	return out_error("%s: %" PRIu64 " of %" PRIu64
			 " blocks are not read back as they were written",
			 who, p->blocks - p->same, p->blocks);
}

static int prove_kernel(struct wc_sides *w, struct wc_compare *c)
{
	struct wc_counts was;
	int rc = wc_target_count(w->beside->fd, &was);

	if (!rc)
		rc = wc_prove(&w->kernel, &c->kernel);
	if (!rc)
		rc = wc_target_count(w->beside->fd, &c->counted);
	if (rc)
		return out_fail(w->beside->path, rc, NULL);
	c->counted.writes -= was.writes;
	c->counted.write_hits -= was.write_hits;
	c->counted.flushes -= was.flushes;
	return check_same(w->beside->path, &c->kernel);
}

int wc_compare(struct wc_sides *w, struct wc_compare *compare_ret)
{
	int rc = wc_prove(&w->side[0], &compare_ret->pmk);

	if (rc)
		return out_fail("writecache", rc, NULL);
	rc = check_same("writecache", &compare_ret->pmk);
	return rc ? rc : prove_kernel(w, compare_ret);
}

static void add_json(struct json_object *o, const struct wc_compare *c)
{
	out_json_u64(o, "pmk_proof_blocks", c->pmk.blocks);
	out_json_u64(o, "pmk_proof_commits", c->pmk.commits);
	out_json_u64(o, "pmk_proof_same", c->pmk.same);
	out_json_u64(o, "kernel_proof_blocks", c->kernel.blocks);
	out_json_u64(o, "kernel_proof_commits", c->kernel.commits);
	out_json_u64(o, "kernel_proof_same", c->kernel.same);
	out_json_u64(o, "kernel_counted_writes", c->counted.writes);
	out_json_u64(o, "kernel_counted_write_hits", c->counted.write_hits);
	out_json_u64(o, "kernel_counted_flushes", c->counted.flushes);
}

void wc_compare_say(struct bench_suite *s, const struct bench_case *c,
		    const struct wc_compare *compare)
{
	const struct bench_side *kernel = bench_case_side(c, "kernel");
	uint64_t new = compare->counted.writes - compare->counted.write_hits;

	add_json(c->extra, compare);
	bench_suite_note(
		s,
		"%s, blocks of %zu bytes: pmk %.0f ns a block, the "
		"kernel %.0f with its system calls, %.2f times as long. The same "
		"%" PRIu64 " blocks with %" PRIu64
		" commits each were read back alike.",
		c->op, c->size, c->side[0].figure.median_ns,
		kernel->figure.median_ns, bench_case_ratio(c, "kernel"),
		compare->pmk.blocks, compare->pmk.commits);
	if (new)
		bench_suite_note(s,
				 "%s: the kernel wrote back meanwhile, %" PRIu64
				 " blocks were no longer in its cache: give it "
				 "a larger one, or high_watermark 100.",
				 c->op, new);
}

/* The leaf of a hypervisor, of QEMU's emulator here. */
static bool is_emulated(void)
{
	char name[12];
	unsigned int a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1U << 31))
		return false;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
	return !memcmp(name, "TCGTCGTCGTCG", sizeof(name));
}

void wc_compare_end(struct bench_suite *s)
{
	if (is_emulated())
		bench_suite_note(s,
				 "The CPU is emulated (QEMU, TCG): these are "
				 "lengths of paths, and no times of any "
				 "machine.");
}
