/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two state lines.  They are written in turn, so that a crash in the middle
 * of one leaves the other, which said the same or less.
 */
#include <pmk/copy.h>

#include "base/util.h"
#include "map/map_impl.h"
#include "rlog/rlog_impl.h"

static uint64_t slot_off(uint64_t generation)
{
	return generation & 1 ? RLOG_STATE_B : RLOG_STATE_A;
}

static bool load_slot(const struct pmk_rlog *log, uint64_t off,
		      struct rlog_state *state_ret)
{
	unsigned char line[RLOG_LINE];

	/* a copy: a writer in another process may store it meanwhile */
	return !pmk_copy_mc(line, log->base + off, sizeof(line)) &&
	       pmk_rlog_get_state(line, &log->super, state_ret) &&
	       slot_off(state_ret->generation) == off;
}

static bool slot_is_zero(const struct pmk_rlog *log, uint64_t off)
{
	unsigned char line[RLOG_LINE];

	return !pmk_copy_mc(line, log->base + off, sizeof(line)) &&
	       pmk_is_zero(line, sizeof(line));
}

void pmk_rlog_load_state(struct pmk_rlog *log)
{
	struct rlog_state a = { 0 }, b = { 0 };
	bool has_a = load_slot(log, RLOG_STATE_A, &a);
	bool has_b = load_slot(log, RLOG_STATE_B, &b);

	log->valid_states = (unsigned int)has_a + has_b;
	/* in a new log the other slot was never written; else one that is not
	 * sound may have held a newer line */
	log->limit_known =
		log->valid_states == 2 ||
		(has_a && !a.generation && slot_is_zero(log, RLOG_STATE_B));
	if (has_a && (!has_b || a.generation > b.generation))
		log->state = a;
	else if (has_b)
		log->state = b;
	else /* knows nothing: everything may have been written */
		log->state = (struct rlog_state){
			.committed = RLOG_DATA,
			.number = 1,
			.limit = log->super.size,
		};
}

void pmk_rlog_store_state(struct pmk_rlog *log, const struct rlog_state *next)
{
	unsigned char line[RLOG_LINE] __attribute__((aligned(RLOG_LINE)));
	struct rlog_state s = *next;

	s.generation = log->state.generation + 1;
	pmk_rlog_put_state(line, &s, log->super.id);
	log->map->ops->store_lines(log->map, log->base + slot_off(s.generation),
				   line, 1);
	log->state = s;
	log->valid_states = 2;
	log->limit_known = true;
}

int pmk_rlog_commit_state(struct pmk_rlog *log, const struct rlog_state *next)
{
	pmk_rlog_store_state(log, next);
	/* drain: the state line, before anything that relies on it */
	return log->map->ops->drain(log->map, log->base, RLOG_DATA);
}
