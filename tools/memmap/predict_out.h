/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk memmap predict prints. */
#ifndef TOOLS_MEMMAP_PREDICT_OUT_H
#define TOOLS_MEMMAP_PREDICT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/memmap.h>

/* One namespace, and what becomes of it. */
struct prediction {
	struct pmk_memmap_params ns;
	unsigned int ways; /* that the region interleaves */
	uint64_t wanted;   /* --usable, or 0: then the size was looked for */
	int rc;            /* of pmk_memmap_predict() */
	struct pmk_memmap_layout layout;
	const char *ndctl_refuses; /* why, or NULL */
	/* the smallest that gives @wanted and that ndctl takes, or 0 */
	uint64_t ndctl_size;
};

void predict_print_table(const struct prediction *p, size_t n);
void predict_print_json(const struct prediction *p, size_t n);

#endif /* TOOLS_MEMMAP_PREDICT_OUT_H */
