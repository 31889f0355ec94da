/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done about each problem.  The superblock first: only then it is known
 * what the entries are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/image.h"
#include "wc/media.h"
#include "wc/repair.h"

enum policy {
	LEAVE = 0,       /* harmless, or for a person to decide */
	SUPERBLOCK,      /* put together anew what is certain */
	FREE_LOSER,      /* an entry that the kernel erases, too */
	FREE_BAD,        /* an entry whose sector cannot be right */
	FREE_IF_ALLOWED, /* what was never committed */
};

/* [enum pmk_wc_problem_code]; others are left */
static const enum policy policies[PMK_WC_PROBLEMS] = {
	[PMK_WC_PROBLEM_ZEROED] = SUPERBLOCK,
	[PMK_WC_PROBLEM_WIPED] = SUPERBLOCK,
	[PMK_WC_PROBLEM_INTERRUPTED] = SUPERBLOCK,
	[PMK_WC_PROBLEM_MAGIC_DAMAGED] = SUPERBLOCK,
	[PMK_WC_PROBLEM_BAD_VERSION] = SUPERBLOCK,
	[PMK_WC_PROBLEM_BAD_BLOCK_SIZE] = SUPERBLOCK,
	[PMK_WC_PROBLEM_N_BLOCKS_ZERO] = SUPERBLOCK,
	[PMK_WC_PROBLEM_N_BLOCKS_OVERFLOW] = SUPERBLOCK,
	[PMK_WC_PROBLEM_N_BLOCKS_TOO_LARGE] = SUPERBLOCK,
	[PMK_WC_PROBLEM_SEQ_WRAP] = SUPERBLOCK,
	[PMK_WC_PROBLEM_SEQ_NEAR_WRAP] = SUPERBLOCK,
	[PMK_WC_PROBLEM_SEQ_AHEAD] = SUPERBLOCK,
	[PMK_WC_PROBLEM_SUPERSEDED] = FREE_LOSER,
	[PMK_WC_PROBLEM_EQUAL_SEQ] = FREE_LOSER,
	[PMK_WC_PROBLEM_UNALIGNED] = FREE_BAD,
	[PMK_WC_PROBLEM_SECTOR_OVERFLOW] = FREE_BAD,
	[PMK_WC_PROBLEM_PAST_ORIGIN] = FREE_BAD,
	[PMK_WC_PROBLEM_ACROSS_ORIGIN_END] = FREE_BAD,
	[PMK_WC_PROBLEM_UNCOMMITTED] = FREE_IF_ALLOWED,
};

/* Each can bring out another one, and none comes twice. */
#define MAX_ROUNDS PMK_WC_PROBLEMS

static int check(struct pmk_wc_repair *r, struct pmk_wc_check_report *report,
		 int (*met)(const struct pmk_wc_problem *p, void *arg),
		 void *arg)
{
	const struct pmk_wc_check_params params = { r->params.origin_bytes };

	return pmk_wc_check(r->img, &params, met, arg, report);
}

/* Problems of the superblock that were met, one after the other, until one
 * could be done something about. */
static int round_of_superblock(struct pmk_wc_repair *r, bool *done_ret)
{
	struct pmk_wc_check_report report;
	int rc = check(r, &report, NULL, NULL);

	*done_ret = false;
	for (unsigned int c = 0; c < PMK_WC_PROBLEMS && !rc && !*done_ret; c++)
		if (report.found[c] && policies[c] == SUPERBLOCK)
			rc = pmk_wc_repair_superblock(
				r, (enum pmk_wc_problem_code)c, done_ret);
	return rc;
}

static int make_superblock(struct pmk_wc_repair *r)
{
	bool done = true;
	int rc = 0;

	for (unsigned int i = 0; i < MAX_ROUNDS && done && !rc; i++)
		rc = round_of_superblock(r, &done);
	return rc;
}

/* Entries of one policy, in the order in which the check meets them. */
struct pick {
	struct pmk_wc_repair *r;
	enum policy policy;
	struct wc_cause *causes;
	size_t n;
};

static int pick(const struct pmk_wc_problem *p, void *arg)
{
	struct pick *pick = arg;

	if (p->entry == PMK_WC_NO_ENTRY || policies[p->code] != pick->policy)
		return 0;
	/* a sector can be wrong in two ways */
	if (pick->n && pick->causes[pick->n - 1].entry == p->entry)
		return 0;
	/* doubles at powers of two */
	if (!(pick->n & (pick->n - 1))) {
		struct wc_cause *more = reallocarray(
			pick->causes, pick->n ? 2 * pick->n : 1, sizeof(*more));

		if (!more)
			return -ENOMEM;
		pick->causes = more;
	}
	pick->causes[pick->n++] = (struct wc_cause){ p->code, p->entry };
	return 0;
}

static int free_entries(struct pmk_wc_repair *r, enum policy policy)
{
	static const unsigned char ones[8] = { 0xff, 0xff, 0xff, 0xff,
					       0xff, 0xff, 0xff, 0xff };
	struct pick p = { .r = r, .policy = policy };
	struct pmk_wc_check_report report;
	int rc = check(r, &report, pick, &p);

	for (size_t i = 0; i < p.n && !rc; i++)
		/* the sequence; the sector stays, as the kernel leaves it */
		rc = pmk_wc_repair_note(r, p.causes[i],
					pmk_wc_entry_off(p.causes[i].entry) + 8,
					ones, sizeof(ones));
	free(p.causes);
	if (rc || !p.n)
		return rc;
	/* losers before winners: a winner that is freed first would leave an
	 * old block as the newest there is */
	pmk_wc_repair_fence(r);
	rc = pmk_wc_image_reindex(r->img);
	pmk_wc_image_judge(r->img);
	return rc;
}

/* Of what is no cache, or of a wrong number of blocks, something else may be
 * taken for an entry; and with a wrong sequence, for the newer one. */
static int ask_sure_entries(const struct pmk_wc_image *img, bool *sure_ret)
{
	int rc = pmk_wc_doubt(img, NULL);

	*sure_ret = !rc && img->geo.end <= img->room;
	return rc == PMK_E_WC_DOUBT || rc == PMK_E_WC_NONE ? 0 : rc;
}

static int plan(struct pmk_wc_repair *r)
{
	int rc = check(r, &r->before, NULL, NULL);
	bool sure = false;

	if (!rc)
		rc = make_superblock(r);
	if (!rc)
		rc = ask_sure_entries(r->img, &sure);
	if (!rc && sure) {
		rc = free_entries(r, FREE_LOSER);
		if (!rc)
			rc = free_entries(r, FREE_BAD);
		if (!rc && r->params.free_uncommitted)
			rc = free_entries(r, FREE_IF_ALLOWED);
	}
	return rc ? rc : check(r, &r->after, NULL, NULL);
}

PMK_EXPORT int pmk_wc_repair_plan(struct pmk_wc_image *img,
				  const struct pmk_wc_repair_params *params,
				  struct pmk_wc_repair **repair_ret)
{
	struct pmk_wc_repair *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return pmk_fail(-ENOMEM, "a repair");
	r->img = img;
	if (params)
		r->params = *params;
	memcpy(r->raw_before, img->raw, sizeof(r->raw_before));
	rc = plan(r);
	if (rc)
		pmk_wc_repair_free(r);
	else
		*repair_ret = r;
	return rc;
}

PMK_EXPORT void pmk_wc_repair_free(struct pmk_wc_repair *repair)
{
	if (!repair)
		return;
	free(repair->changes);
	free(repair->bytes);
	free(repair);
}

PMK_EXPORT const struct pmk_wc_check_report *pmk_wc_repair_before(
	const struct pmk_wc_repair *repair)
{
	return &repair->before;
}

PMK_EXPORT const struct pmk_wc_check_report *pmk_wc_repair_after(
	const struct pmk_wc_repair *repair)
{
	return &repair->after;
}
