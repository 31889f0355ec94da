/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of discover_ndctl.c, without the headers of libndctl. */
#include "discover/impl.h"

static const char without[] = "built without libndctl and libdaxctl";

void pmk_extra_dimms(struct pmk_inventory *inv)
{
	for (size_t i = 0; i < inv->dimms.n; i++) {
		struct pmk_dimm *d = inv->dimms.items[i];

		d->health = pmk_text_unknown(without);
	}
}

void pmk_extra_memory(struct pmk_inventory *inv)
{
	for (size_t i = 0; i < inv->devs.n; i++) {
		struct pmk_dev *d = inv->devs.items[i];

		if (d->mode == PMK_MODE_SYSTEM_RAM)
			d->online_blocks = d->total_blocks =
				pmk_unknown(without);
	}
}
