/* SPDX-License-Identifier: BSD-3-Clause */
/* What must be in a writecache, said without the engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/endian.h"
#include "wc_model.h"

#define SECTOR 512U

void model_fill(unsigned int version, unsigned char *buf, size_t len)
{
	for (size_t i = 0; i < len; i += 8)
		pmk_put_le64(buf + i, (uint64_t)version << 32 | i);
}

/* Whether a sector of a block, @at bytes into it, is of that version.  First
 * and last words tell versions apart, words between tell mixtures. */
static bool is_version(const unsigned char *sector, size_t at,
		       unsigned int version)
{
	for (size_t i = 0; i < SECTOR; i += 8)
		if (pmk_get_le64(sector + i) !=
		    ((uint64_t)version << 32 | (at + i)))
			return false;
	return true;
}

static bool is_allowed(const struct model *m, size_t b, unsigned int version,
		       const unsigned char *sector, size_t at)
{
	const struct model_block *mb = &m->block[b];

	if (is_version(sector, at, version))
		return true;
	for (size_t i = 0; i < mb->n_alts; i++)
		if (is_version(sector, at, mb->alt[i]))
			return true;
	return false;
}

static void complain(struct model *m, const char *what, uint64_t which)
{
	if (!m->wrong)
		snprintf(m->first_wrong, sizeof(m->first_wrong),
			 "%s %llu; states %zu told, %zu begun, %zu units "
			 "pending",
			 what, (unsigned long long)which, m->acked, m->begun,
			 m->r.n_pending);
	m->wrong++;
}

static void judge_blocks(struct model *m, struct pmk_wc *wc, size_t state)
{
	unsigned char buf[4096];

	for (size_t b = 0; b < m->n; b++) {
		if (pmk_wc_read(wc, b * m->bs, buf, m->bs)) {
			complain(m, "unreadable block", b);
			continue;
		}
		for (size_t at = 0; at < m->bs; at += SECTOR)
			if (!is_allowed(m, b, m->state[state][b], buf + at, at))
				complain(m, "wrong content of block", b);
	}
}

static void judge(struct model *m, struct media *image)
{
	static const struct pmk_wc_params usual;
	uint64_t seq = pmk_get_le64(image->now[WC_CACHE] + 24);
	struct wc_target t = media_target(image, m->r.mode);
	struct pmk_wc_info info;
	struct pmk_wc *wc;

	m->images++;
	if (seq < m->first_seq + m->acked || seq > m->first_seq + m->begun) {
		complain(m, "sequence", seq);
		return;
	}
	if (pmk_wc_open_target(&t, &usual, &wc)) {
		complain(m, "does not open at sequence", seq);
		return;
	}
	pmk_wc_get_info(wc, &info);
	if (info.error)
		complain(m, "error state at sequence", seq);
	judge_blocks(m, wc, (size_t)(seq - m->first_seq));
	pmk_wc_abandon(wc);
}

/* All subsets of the units that are not durable, or a sample. */
void model_judge_all(struct model *m)
{
	static struct media image;
	unsigned char kept[RECORDER_UNITS];
	size_t n = m->r.n_pending;
	bool all = n <= m->all_of;
	uint64_t tries = all ? (uint64_t)1 << n : m->samples;

	m->sampled += !all;
	for (uint64_t k = 0; k < tries; k++) {
		for (size_t i = 0; i < n; i++)
			kept[i] = all ? k >> i & 1 : rng_next(&m->rng) & 1;
		recorder_image(&m->r, kept, &image);
		judge(m, &image);
	}
}

static void crash_now(void *arg)
{
	model_judge_all(arg);
}

void model_init(struct model *m, char mode, size_t bs, size_t cache_blocks,
		size_t n)
{
	size_t data_off = (64 + 16 * cache_blocks + bs - 1) / bs * bs;
	const struct pmk_wc_params p = { .block_size = (uint32_t)bs };
	struct wc_target t;

	assert_true(n <= MODEL_BLOCKS && bs <= 4096);
	memset(m, 0, sizeof(*m));
	recorder_init(&m->r, mode, data_off + cache_blocks * bs, n * bs);
	m->bs = bs;
	m->n = n;
	m->all_of = 18;
	m->samples = 500;
	for (size_t b = 0; b < n; b++) {
		m->block[b].now = m->state[0][b] = ++m->versions;
		model_fill(m->versions, m->r.m.now[WC_ORIGIN] + b * bs, bs);
	}
	t = recorder_target(&m->r);
	assert_int_equal(pmk_wc_create_target(&t, &p), 0);
	recorder_settle(&m->r);
}

void model_open(struct model *m)
{
	const struct pmk_wc_params p = { .autocommit_blocks = UINT32_MAX };
	struct wc_target t = recorder_target(&m->r);

	m->r.crash = crash_now;
	m->r.arg = m;
	assert_int_equal(pmk_wc_open_target(&t, &p, &m->wc), 0);
	model_judge_all(m);
}

void model_fini(struct model *m)
{
	if (m->wc)
		pmk_wc_abandon(m->wc);
	m->wc = NULL;
}

/* A commit begins: it is a new state if anything has to be committed. */
static void begin_commit(struct model *m)
{
	bool any = false;

	for (size_t b = 0; b < m->n; b++)
		any |= m->block[b].cached && !m->block[b].committed;
	if (!any)
		return;
	m->begun++;
	assert_true(m->begun < MODEL_STATES);
	for (size_t b = 0; b < m->n; b++)
		m->state[m->begun][b] = m->block[b].now;
}

static void end_commit(struct model *m)
{
	m->acked = m->begun;
	for (size_t b = 0; b < m->n; b++) {
		struct model_block *mb = &m->block[b];

		mb->n_alts = 0;
		mb->committed = mb->cached;
		m->state[m->acked][b] = mb->now;
	}
}

void model_commit(struct model *m)
{
	begin_commit(m);
	assert_int_equal(pmk_wc_commit(m->wc), 0);
	end_commit(m);
	model_judge_all(m);
}

static size_t used(const struct model *m)
{
	struct pmk_wc_info info;

	pmk_wc_get_info(m->wc, &info);
	return (size_t)(info.geometry.n_blocks - info.free);
}

/* What mode p does when no block is free: commit if nothing can be written
 * back, and write back up to 64, here all. */
static bool makes_room(const struct model *m, size_t b)
{
	struct pmk_wc_info info;

	pmk_wc_get_info(m->wc, &info);
	return m->r.mode == 'p' && !info.free &&
	       !(m->block[b].cached && !m->block[b].committed);
}

static void begin_room(struct model *m)
{
	struct pmk_wc_info info;

	pmk_wc_get_info(m->wc, &info);
	if (!info.committed)
		begin_commit(m);
}

static void end_room(struct model *m)
{
	m->acked = m->begun;
	for (size_t b = 0; b < m->n; b++) {
		struct model_block *mb = &m->block[b];

		/* a newer one that is not committed stays */
		if (mb->cached && m->state[m->acked][b] == mb->now)
			mb->cached = mb->committed = false;
	}
}

static void note_write(struct model *m, size_t b, bool in_cache)
{
	struct model_block *mb = &m->block[b];

	if (!in_cache || (m->r.mode == 's' && mb->committed)) {
		assert_true(mb->n_alts < MODEL_ALTS);
		mb->alt[mb->n_alts++] = m->versions;
	} else {
		mb->cached = true;
		mb->committed = false;
	}
	mb->now = m->versions;
}

void model_write(struct model *m, size_t b)
{
	unsigned char buf[4096];
	bool room = makes_room(m, b);
	/* mode s, and no block is free: to the origin */
	bool around = m->r.mode == 's' && !m->block[b].cached &&
		      used(m) == m->wc->geo.n_blocks;

	assert_true(m->versions + 1 < MODEL_VERSIONS);
	model_fill(++m->versions, buf, m->bs);
	if (room)
		begin_room(m);
	if (!room)
		note_write(m, b, !around);
	assert_int_equal(pmk_wc_write(m->wc, b * m->bs, buf, m->bs, 0), 0);
	if (room) {
		end_room(m);
		note_write(m, b, true);
	}
}

/* Until it is done, either content; then the origin's, of all states that an
 * image may be in. */
void model_discard(struct model *m, size_t b)
{
	struct model_block *mb = &m->block[b];
	const unsigned char *origin = m->r.m.now[WC_ORIGIN] + b * m->bs;
	unsigned int version = (unsigned int)(pmk_get_le64(origin) >> 32);

	assert_true(mb->n_alts < MODEL_ALTS);
	mb->alt[mb->n_alts++] = version;
	assert_int_equal(pmk_wc_discard(m->wc, (uint64_t)b * m->bs, m->bs), 0);
	if (mb->cached && !m->wc->wrote_around)
		mb->n_alts = 0;
	mb->now = version;
	mb->cached = mb->committed = false;
	m->state[m->acked][b] = version;
	model_judge_all(m);
}

void model_clean(struct model *m)
{
	begin_commit(m);
	assert_true(pmk_wc_clean(m->wc) >= 0);
	end_commit(m);
	for (size_t b = 0; b < m->n; b++)
		m->block[b].cached = m->block[b].committed = false;
	model_judge_all(m);
}

void model_reopen(struct model *m)
{
	begin_commit(m);
	assert_int_equal(pmk_wc_close(m->wc), 0);
	end_commit(m);
	m->wc = NULL;
	model_open(m);
}

void model_check_reads(struct model *m)
{
	unsigned char buf[4096], want[4096];

	for (size_t b = 0; b < m->n; b++) {
		assert_int_equal(pmk_wc_read(m->wc, b * m->bs, buf, m->bs), 0);
		model_fill(m->block[b].now, want, m->bs);
		assert_memory_equal(buf, want, m->bs);
	}
}

void model_crash(struct model *m)
{
	static struct media image;
	unsigned char kept[RECORDER_UNITS], buf[4096];

	for (size_t i = 0; i < m->r.n_pending; i++)
		kept[i] = rng_next(&m->rng) & 1;
	recorder_image(&m->r, kept, &image);
	model_fini(m);
	for (int f = 0; f < 2; f++)
		memcpy(m->r.m.now[f], image.now[f], image.bytes[f]);
	recorder_settle(&m->r);
	/* all that was begun had ended; blocks in place are what they are */
	m->first_seq += m->acked;
	memcpy(m->state[0], m->state[m->acked], sizeof(m->state[0]));
	m->begun = m->acked = 0;
	model_open(m);
	for (size_t b = 0; b < m->n; b++) {
		struct model_block *mb = &m->block[b];

		assert_int_equal(pmk_wc_read(m->wc, b * m->bs, buf, m->bs), 0);
		mb->now = (unsigned int)(pmk_get_le64(buf) >> 32);
		m->state[0][b] = mb->now;
		mb->n_alts = 0;
		mb->cached = mb->committed =
			pmk_wc_table_find(&m->wc->table, b * m->bs / 512) !=
			WC_NONE;
	}
}
