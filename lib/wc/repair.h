/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a repair share. */
#ifndef LIB_WC_REPAIR_H
#define LIB_WC_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wc_repair.h>

/* A store that has been noted; its bytes are in the repair's. */
struct wc_change {
	uint64_t entry;
	uint64_t off;
	size_t bytes; /* the old ones are there, the new ones behind them */
	uint32_t len;
	uint16_t code;
	uint16_t stage;
};

struct pmk_wc_repair {
	struct pmk_wc_image *img;
	struct pmk_wc_repair_params params;
	struct wc_change *changes;
	size_t n;
	unsigned char *bytes;
	size_t n_bytes, max_bytes;
	unsigned int stage; /* of what is noted next */
	unsigned char raw_before[PMK_WC_SUPERBLOCK_BYTES];
	/* of an undo file: the metadata, and what of them was left alone */
	uint64_t kept_off, kept_len, kept_sum;
	struct pmk_wc_check_report before, after;
};

/* For whom a change is noted. */
struct wc_cause {
	enum pmk_wc_problem_code code;
	uint64_t entry;
};

/* Make room for one more change of @len bytes; 0 or -ENOMEM. */
int pmk_wc_repair_grow(struct pmk_wc_repair *r, size_t len) PMK_MUST_CHECK;

/* Note that @len bytes at @off become @bytes, and do so to what the image has
 * of entries; nothing if they are that already.  0 or a negative code. */
int pmk_wc_repair_note(struct pmk_wc_repair *r, struct wc_cause cause,
		       uint64_t off, const void *bytes, size_t len)
	PMK_MUST_CHECK;

/* The same for @len bytes that all become ones. */
int pmk_wc_repair_note_ones(struct pmk_wc_repair *r, struct wc_cause cause,
			    uint64_t off, uint64_t len) PMK_MUST_CHECK;

/* What follows is stored when all that was noted is durable. */
static inline void pmk_wc_repair_fence(struct pmk_wc_repair *r)
{
	r->stage++;
}

/* Do what can be done about this problem of the superblock; *@done_ret: the
 * image has another superblock now.  0 or a negative code. */
int pmk_wc_repair_superblock(struct pmk_wc_repair *r,
			     enum pmk_wc_problem_code code, bool *done_ret)
	PMK_MUST_CHECK;

/* For notes of entries: take the image's entries as they will be. */
void pmk_wc_repair_replay(struct pmk_wc_repair *r);

#endif /* LIB_WC_REPAIR_H */
