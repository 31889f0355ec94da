/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a cache can be believed: before blocks are taken from it. */
#include <pmk/wc_check.h>

#include "base/export.h"
#include "base/log.h"
#include "wc/image.h"

static bool is_doubtful(const struct pmk_wc_problem *p)
{
	const struct pmk_wc_problem_info *info = pmk_wc_problem_info(p->code);

	switch (p->code) {
	case PMK_WC_PROBLEM_SEQ_AHEAD:
	/* raised by damage, it makes uncommitted entries winners */
	case PMK_WC_PROBLEM_SEQ_NEAR_WRAP:
		return true;
	case PMK_WC_PROBLEM_TRUNCATED:
	case PMK_WC_PROBLEM_UNREADABLE_TAIL:
	/* of whom loads it; blocks can be taken on any machine */
	case PMK_WC_PROBLEM_BLOCK_SIZE_OVER_PAGE:
	case PMK_WC_PROBLEM_TABLE_BLOCK_SIZE:
	case PMK_WC_PROBLEM_TABLE_LOGICAL_BLOCK:
		return false;
	default:
		return p->entry == PMK_WC_NO_ENTRY &&
		       (info->severity == PMK_WC_ERROR ||
			info->verdict == PMK_WC_REFUSED ||
			info->verdict == PMK_WC_FORMATS);
	}
}

static int stop_at_doubt(const struct pmk_wc_problem *p, void *arg)
{
	struct pmk_wc_problem *found = arg;

	if (!is_doubtful(p))
		return 0;
	*found = *p;
	return 1;
}

PMK_EXPORT int pmk_wc_doubt(const struct pmk_wc_image *img,
			    struct pmk_wc_problem *problem_ret)
{
	const struct pmk_wc_problem_info *info;
	struct pmk_wc_check_report report;
	struct pmk_wc_problem p;
	int rc;

	if (!img->has_geo || img->layout != PMK_WC_LAYOUT_V1)
		return pmk_fail(PMK_E_WC_NONE, "the superblock is: %s",
				pmk_wc_layout_name(img->layout));
	rc = pmk_wc_check(img, NULL, stop_at_doubt, &p, &report);
	if (rc <= 0)
		return rc;
	if (problem_ret)
		*problem_ret = p;
	info = pmk_wc_problem_info(p.code);
	return pmk_fail(PMK_E_WC_DOUBT, "%s: %s", info->name, info->text);
}
