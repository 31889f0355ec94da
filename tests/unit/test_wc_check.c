/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check of a cache, where golden recipes do not reach: codes that stay,
 * random entries against a model of how the kernel loads them, devices that no
 * file system holds, and the contract of the call.
 *
 * APIs covered: pmk_wc_check(), pmk_wc_doubt(), pmk_wc_problem_info(),
 * pmk_wc_problem_detail().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/wc_check.h>

#include "base/util.h"
#include "support/guard.h"
#include "support/seed.h"
#include "wc_cache.h"

static struct pmk_wc_image *open_with(const char *path,
				      struct pmk_wc_table table)
{
	const struct pmk_wc_open_params p = { .table = table };
	struct pmk_wc_image *img = NULL;

	assert_int_equal(pmk_wc_image_open(path, &p, &img), 0);
	return img;
}

static struct pmk_wc_image *open_plain(const char *path)
{
	return open_with(path, (struct pmk_wc_table){ .mode = 0 });
}

static void check_all(const struct pmk_wc_image *img,
		      struct pmk_wc_check_report *rep)
{
	assert_int_equal(pmk_wc_check(img, NULL, NULL, NULL, rep), 0);
}

/* Scripts and people know them: a name is never changed or used again. */
static void table__codes_stay(void **state)
{
	static const char *const names[] = {
		"WC_BLANK",
		"WC_ZEROED",
		"WC_WIPED",
		"WC_INTERRUPTED",
		"WC_MAGIC_DAMAGED",
		"WC_BAD_MAGIC",
		"WC_BIG_ENDIAN",
		"WC_LAYOUT_2016",
		"WC_LAYOUT_PETASAN",
		"WC_BAD_VERSION",
		"WC_BAD_BLOCK_SIZE",
		"WC_BLOCK_SIZE_OVER_PAGE",
		"WC_BLOCK_SIZE_MISMATCH",
		"WC_TABLE_BLOCK_SIZE",
		"WC_TABLE_LOGICAL_BLOCK",
		"WC_TABLE_START_SECTOR",
		"WC_DEVICE_TOO_SMALL",
		"WC_N_BLOCKS_ZERO",
		"WC_N_BLOCKS_OVERFLOW",
		"WC_N_BLOCKS_TOO_LARGE",
		"WC_TRUNCATED",
		"WC_UNUSED_ROOM",
		"WC_JUNK_PAD",
		"WC_JUNK_RESERVED",
		"WC_TAIL_GARBAGE",
		"WC_SEQ_WRAP",
		"WC_SEQ_NEAR_WRAP",
		"WC_UNREADABLE_ENTRY",
		"WC_UNCOMMITTED",
		"WC_SEQ_AHEAD",
		"WC_SUPERSEDED",
		"WC_EQUAL_SEQ",
		"WC_UNALIGNED",
		"WC_SECTOR_OVERFLOW",
		"WC_PAST_ORIGIN",
		"WC_ACROSS_ORIGIN_END",
		"WC_DEVICE_TOO_LARGE",
		"WC_UNREADABLE_SUPERBLOCK",
		"WC_N_BLOCKS_TOO_SMALL",
		"WC_UNREADABLE_TAIL",
		"WC_UNREAD_TAIL",
	};

	(void)state;
	assert_int_equal(ARRAY_SIZE(names), PMK_WC_PROBLEMS);
	for (unsigned int i = 0; i < PMK_WC_PROBLEMS; i++) {
		const struct pmk_wc_problem_info *info = pmk_wc_problem_info(i);

		assert_string_equal(info->name, names[i]);
		assert_true(*info->text && *info->kernel && *info->remedy);
	}
	assert_null(pmk_wc_problem_info(PMK_WC_PROBLEMS));
	assert_null(pmk_wc_problem_info((enum pmk_wc_problem_code) - 1));
}

/* A device that is refused, or formatted, has to have a problem that is the
 * worse for it than information. */
static void table__what_is_not_loaded_is_no_information(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PMK_WC_PROBLEMS; i++) {
		const struct pmk_wc_problem_info *info = pmk_wc_problem_info(i);

		if (info->verdict != PMK_WC_LOADS)
			assert_int_not_equal(info->severity, PMK_WC_INFO);
	}
}

static void table__logical_blocks_of_4096(void **state)
{
	struct pmk_wc_image *img =
		open_with(cache_new_of(16, 5),
			  (struct pmk_wc_table){ .logical_block = 4096 });
	struct pmk_wc_check_report rep;

	(void)state;
	check_all(img, &rep);
	assert_int_equal(rep.load.verdict, PMK_WC_REFUSED);
	assert_int_equal(rep.found[PMK_WC_PROBLEM_TABLE_LOGICAL_BLOCK], 1);
	assert_int_equal(rep.worst, PMK_WC_ERROR);
	pmk_wc_image_close(img);
}

/* 2^47 blocks of 512 bytes with their entries are 2^56 + 2^51 bytes. */
static void device__with_2_to_47_blocks(void **state)
{
	int fd = memfd_create("huge", MFD_CLOEXEC);
	const struct pmk_wc_table table = { .block_size = 512, .mode = 's' };
	struct pmk_wc_check_report rep;
	struct pmk_wc_image *img;
	char path[64];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)1 << 57), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	img = open_with(path, table);
	check_all(img, &rep);
	assert_int_equal(rep.load.verdict, PMK_WC_REFUSED);
	assert_int_equal(rep.load.error, -EFBIG);
	assert_int_equal(rep.found[PMK_WC_PROBLEM_DEVICE_TOO_LARGE], 1);
	pmk_wc_image_close(img);
	close(fd);
}

struct met {
	unsigned int n;
	unsigned int end_at; /* 0: never */
	struct pmk_wc_problem last;
};

static int meet(const struct pmk_wc_problem *p, void *arg)
{
	struct met *m = arg;

	m->last = *p;
	return ++m->n == m->end_at ? 77 : 0;
}

static void call__ends_when_told(void **state)
{
	const char *path = cache_new(10);
	struct met m = { .end_at = 3 };
	struct pmk_wc_check_report rep;
	struct pmk_wc_image *img;

	(void)state;
	for (uint64_t i = 0; i < 20; i++)
		cache_entry(path, i, 8 * i, 10);
	img = open_plain(path);
	assert_int_equal(pmk_wc_check(img, NULL, meet, &m, &rep), 77);
	assert_int_equal(m.n, 3);
	assert_int_equal(m.last.code, PMK_WC_PROBLEM_UNCOMMITTED);
	assert_int_equal(m.last.entry, 2);
	assert_int_equal(m.last.sector, 16);
	assert_int_equal(m.last.seq_count, 10);
	assert_int_equal(rep.found[PMK_WC_PROBLEM_UNCOMMITTED], 3);
	pmk_wc_image_close(img);
}

static void call__origin_of_no_known_size(void **state)
{
	struct pmk_wc_check_params params = { .origin_bytes = 0 };
	const char *path = cache_new(10);
	struct pmk_wc_check_report rep;
	struct pmk_wc_image *img;

	(void)state;
	cache_entry(path, 0, (uint64_t)1 << 40, 1);
	img = open_plain(path);
	assert_int_equal(pmk_wc_check(img, &params, NULL, NULL, &rep), 0);
	assert_int_equal(rep.found[PMK_WC_PROBLEM_PAST_ORIGIN], 0);
	/* half a sector is none */
	params.origin_bytes = ((uint64_t)1 << 49) + 4095;
	assert_int_equal(pmk_wc_check(img, &params, NULL, NULL, &rep), 0);
	assert_int_equal(rep.found[PMK_WC_PROBLEM_ACROSS_ORIGIN_END], 1);
	pmk_wc_image_close(img);
}

static void detail__fits_into_any_buffer(void **state)
{
	struct pmk_wc_problem p = {
		.entry = UINT64_MAX - 1,
		.other_entry = UINT64_MAX - 1,
		.sector = UINT64_MAX,
		.seq_count = UINT64_MAX,
		.value = UINT64_MAX,
		.limit = UINT64_MAX,
	};
	struct guard g;

	(void)state;
	guard_init(&g, 4096);
	for (unsigned int code = 0; code < PMK_WC_PROBLEMS + 1; code++)
		for (size_t size = 1; size <= 160; size++)
			for (int entry = 0; entry < 2; entry++) {
				char *buf = (char *)guard_tail(&g, size);

				p.code = code;
				p.entry = entry ? 1 : PMK_WC_NO_ENTRY;
				memset(buf, 'x', size);
				pmk_wc_problem_detail(&p, buf, size);
				assert_non_null(memchr(buf, '\0', size));
				/* 160 is enough: nothing is cut off */
				assert_true(size < 160 || strlen(buf) < 159);
			}
	guard_fini(&g);
}

/*
 * How the kernel loads entries, one by one, as it was seen to: what is left,
 * and whether it met two alike.
 */
#define SECTORS 6U
#define ENTRIES 40U
#define SEQ     6U

struct model {
	int64_t winner[SECTORS]; /* entry, -1: none */
	uint64_t superseded, alike, uncommitted, ahead;
};

static void model_load(struct model *m, uint64_t (*e)[2])
{
	memset(m, 0, sizeof(*m));
	for (unsigned int s = 0; s < SECTORS; s++)
		m->winner[s] = -1;
	for (unsigned int i = 0; i < ENTRIES; i++) {
		int64_t *w = &m->winner[e[i][0] / 8];

		if (e[i][1] == UINT64_MAX)
			continue;
		if (e[i][1] >= SEQ) {
			m->ahead += e[i][1] > SEQ;
			m->uncommitted += e[i][1] == SEQ;
			continue;
		}
		if (*w < 0) {
			*w = (int64_t)i;
			continue;
		}
		m->superseded++;
		m->alike += e[*w][1] == e[i][1];
		if (e[*w][1] <= e[i][1])
			*w = (int64_t)i;
	}
}

static void random_entries(struct rng *r, uint64_t (*e)[2])
{
	/* from nearly none to nearly all in use */
	size_t in_use = rng_below(r, ENTRIES) + 1;

	for (unsigned int i = 0; i < ENTRIES; i++) {
		e[i][0] = 8 * rng_below(r, SECTORS);
		e[i][1] = rng_below(r, ENTRIES) < in_use ? rng_below(r, SEQ + 2)
							 : UINT64_MAX;
	}
}

struct seen {
	const uint64_t (*e)[2];
	const struct model *model;
};

/* Each loser loses to the entry that the model has in the end. */
static int is_right(const struct pmk_wc_problem *p, void *arg)
{
	const struct seen *s = arg;

	if (p->code != PMK_WC_PROBLEM_SUPERSEDED &&
	    p->code != PMK_WC_PROBLEM_EQUAL_SEQ)
		return 0;
	assert_int_equal(p->sector, s->e[p->entry][0]);
	assert_int_equal(p->seq_count, s->e[p->entry][1]);
	assert_int_equal(p->other_entry, s->model->winner[p->sector / 8]);
	return 0;
}

static void entries__random_ones_are_judged_as_loaded(void **state)
{
	const char *path = cache_new(SEQ);
	uint64_t e[ENTRIES][2];
	struct model m;
	struct rng r;

	(void)state;
	rng_init(&r, "wc_check");
	for (unsigned int round = 0; round < 400; round++) {
		struct pmk_wc_check_report rep;
		struct pmk_wc_image *img;
		struct seen s = { (const uint64_t(*)[2])e, &m };

		random_entries(&r, e);
		model_load(&m, e);
		cache_entries(path, ENTRIES, (const uint64_t(*)[2])e);
		img = open_plain(path);
		assert_int_equal(pmk_wc_check(img, NULL, is_right, &s, &rep),
				 0);
		assert_int_equal(rep.found[PMK_WC_PROBLEM_EQUAL_SEQ], m.alike);
		assert_int_equal(rep.found[PMK_WC_PROBLEM_SUPERSEDED] + m.alike,
				 m.superseded);
		assert_int_equal(rep.found[PMK_WC_PROBLEM_UNCOMMITTED],
				 m.uncommitted);
		assert_int_equal(rep.found[PMK_WC_PROBLEM_SEQ_AHEAD], m.ahead);
		assert_int_equal(rep.load.verdict,
				 m.alike ? PMK_WC_LOADS_WITH_ERROR
					 : PMK_WC_LOADS);
		pmk_wc_image_close(img);
	}
}

/* What keeps a kernel from loading it is no doubt about where its blocks are.
 */
static void doubt__is_of_the_cache_not_of_who_loads_it(void **state)
{
	static const struct {
		struct pmk_wc_table table;
		enum pmk_wc_problem_code code;
		int rc;
	} cases[] = {
		{ { .logical_block = 8192 },
		  PMK_WC_PROBLEM_TABLE_LOGICAL_BLOCK,
		  0 },
		{ { .page_size = 2048 },
		  PMK_WC_PROBLEM_BLOCK_SIZE_OVER_PAGE,
		  0 },
		{ { .page_size = 2048, .block_size = 4096 },
		  PMK_WC_PROBLEM_TABLE_BLOCK_SIZE,
		  0 },
		{ { .block_size = 512 },
		  PMK_WC_PROBLEM_BLOCK_SIZE_MISMATCH,
		  PMK_E_WC_DOUBT },
	};
	const char *path = cache_new(10);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pmk_wc_image *img = open_with(path, cases[i].table);
		struct pmk_wc_check_report rep;

		check_all(img, &rep);
		assert_int_equal(rep.found[cases[i].code], 1);
		assert_int_equal(pmk_wc_doubt(img, NULL), cases[i].rc);
		pmk_wc_image_close(img);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table__codes_stay),
		cmocka_unit_test(table__what_is_not_loaded_is_no_information),
		cmocka_unit_test(table__logical_blocks_of_4096),
		cmocka_unit_test(device__with_2_to_47_blocks),
		cmocka_unit_test(call__ends_when_told),
		cmocka_unit_test(call__origin_of_no_known_size),
		cmocka_unit_test(detail__fits_into_any_buffer),
		cmocka_unit_test(entries__random_ones_are_judged_as_loaded),
		cmocka_unit_test(doubt__is_of_the_cache_not_of_who_loads_it),
	};

	return cmocka_run_group_tests_name("wc_check", tests, NULL, NULL);
}
