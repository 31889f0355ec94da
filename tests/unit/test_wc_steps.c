/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions, and which system calls, the engine makes durable with:
 * the counts of dm-writecache on x86-64, a new 4096-byte block being 2 MOVNTI
 * of metadata and 512 of data, or 64 CLFLUSHOPT; a commit a MOVNTI between two
 * SFENCE, and one more of each if it supersedes a block.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wc_fixture.h"

#include "base/util.h"
#include "support/steptrace.h"

static unsigned char block[VECTOR_BS];
static unsigned int syncs; /* of the cache's file */
static int sync_fd = -1;

/* In place of the C library's. */
int fdatasync(int fd)
{
	syncs += fd == sync_fd;
	return (int)syscall(SYS_fdatasync, fd);
}

static void call_write(void *arg)
{
	struct cache *c = arg;

	(void)!pmk_wc_write(c->wc, 0, block, sizeof(block), 0);
}

static void call_commit(void *arg)
{
	struct cache *c = arg;

	(void)!pmk_wc_commit(c->wc);
}

/* In a child, and then here: the engine's memory is not shared. */
static struct step_counts trace(struct cache *c, void (*fn)(void *),
				const struct step_watch *watch)
{
	struct step_counts n;

	assert_int_equal(steptrace_run(fn, c, watch, &n), 0);
	fn(c);
	return n;
}

static void expect(const struct step_counts *n, uint64_t nt, uint64_t flushes,
		   uint64_t fences)
{
	assert_int_equal(n->nt_stores, nt);
	assert_int_equal(n->nt_bytes, 8 * nt);
	assert_int_equal(n->flushes, flushes);
	assert_int_equal(n->fences, fences);
}

/* MOVNTI and CLFLUSHOPT of the data of a block. */
static void check_store(enum pmk_wc_store store, uint64_t nt, uint64_t flushes)
{
	const struct pmk_wc_params params = { .store = store };
	struct step_watch data = { .len = VECTOR_BS };
	struct step_counts n;
	struct cache c;

	cache_vector(&c, 'p', 10, NULL, 0);
	assert_int_equal(cache_open(&c, &params), 0);
	memset(block, 'x', sizeof(block));
	data.addr = c.base + VECTOR_DATA; /* of block 0, the first free one */
	n = trace(&c, call_write, &data);
	expect(&n, 2 + nt, flushes, 0);
	assert_int_equal(n.lines_covered, VECTOR_BS / 64);
	assert_int_equal(n.lines_unflushed, 0);

	n = trace(&c, call_commit, NULL);
	expect(&n, 1, 0, 2);
	assert_int_equal(n.nt_before[0], 0);
	assert_int_equal(n.nt_before[1], 1);
	assert_int_equal(n.after_fence, 0);

	call_write(&c);
	n = trace(&c, call_commit, NULL);
	expect(&n, 2, 0, 3);
	assert_int_equal(n.nt_before[1], 1);
	assert_int_equal(n.nt_before[2], 2);
	assert_int_equal(n.after_fence, 0);
	n = trace(&c, call_commit, NULL);
	expect(&n, 0, 0, 0);
	cache_free(&c);
}

static void steps__of_each_way_to_store(void **state)
{
	(void)state;
	check_store(PMK_WC_STORE_INLINE, 512, 0);
	check_store(PMK_WC_STORE_CALL, 512, 0);
	check_store(PMK_WC_STORE_EXPLICIT, 512, 0);
	if (pmk_wc_store_name(PMK_WC_STORE_CLFLUSHOPT, VECTOR_BS))
		check_store(PMK_WC_STORE_CLFLUSHOPT, 0, 64);
	else
		print_message("no CLFLUSHOPT on this CPU\n");
}

/* A FLUSH between data and sequence, and one behind it (the kernel: FUA). */
static void syncs__of_mode_s(void **state)
{
	struct cache c;

	(void)state;
	cache_vector(&c, 's', 10, NULL, 0);
	assert_int_equal(cache_open(&c, NULL), 0);
	sync_fd = c.fd;
	syncs = 0;
	call_write(&c);
	assert_int_equal(syncs, 0);
	call_commit(&c);
	assert_int_equal(syncs, 2);
	call_commit(&c);
	assert_int_equal(syncs, 2);
	/* in place */
	call_write(&c);
	call_commit(&c);
	assert_int_equal(syncs, 3);
	sync_fd = -1;
	cache_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps__of_each_way_to_store),
		cmocka_unit_test(syncs__of_mode_s),
	};
	const char *why = steptrace_unavailable();

	if (why) {
		printf("skipped: %s\n", why);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
