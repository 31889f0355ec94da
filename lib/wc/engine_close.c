/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a cache, and what may be asked of it before. */
#include <stdlib.h>

#include "base/export.h"
#include "wc/engine.h"

void pmk_wc_abandon(struct pmk_wc *wc)
{
	pmk_wc_table_fini(&wc->table);
	if (wc->target.mode == 's') {
		free(wc->meta);
		free(wc->dirty);
	}
	free(wc);
}

PMK_EXPORT int pmk_wc_close(struct pmk_wc *wc)
{
	int rc;

	if (!wc)
		return 0;
	rc = pmk_wc_commit(wc);
	pmk_wc_abandon(wc);
	return rc;
}

PMK_EXPORT void pmk_wc_get_stats(const struct pmk_wc *wc,
				 struct pmk_wc_stats *stats_ret)
{
	*stats_ret = wc->stats;
}

PMK_EXPORT void pmk_wc_get_info(const struct pmk_wc *wc,
				struct pmk_wc_info *info_ret)
{
	*info_ret = (struct pmk_wc_info){
		.geometry = wc->geo,
		.mode = wc->target.mode,
		.error = wc->error,
		.seq_count = wc->seq,
		.free = wc->table.free.n,
		.committed = wc->table.used.n - wc->uncommitted,
		.uncommitted = wc->uncommitted,
		.high_threshold = wc->high_free,
		.low_threshold = wc->low_free,
	};
}
