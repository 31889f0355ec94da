/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk wc info has found out, and its printing. */
#ifndef TOOLS_WC_INFO_OUT_H
#define TOOLS_WC_INFO_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/wc_image.h>

/* What the entries are with another seq_count. */
struct wc_reading {
	uint64_t seq_count;
	struct pmk_wc_counts counts;
};

struct wc_info {
	const char *path;
	const struct pmk_wc_open_params *params; /* as asked for */
	struct pmk_wc_superblock sb;
	enum pmk_wc_layout layout;
	struct pmk_wc_load load;
	struct pmk_wc_counts counts;
	bool has_geo; /* else there are no entries */
	struct pmk_wc_geometry geo;
	uint64_t newest; /* highest sequence of an entry in use */
	bool seq_lost;   /* it is above the superblock's */
	struct wc_reading readings[2];
	unsigned int n_readings;
};

/* An exit code. */
int info_print_table(const struct wc_info *info);
int info_print_json(const struct wc_info *info);

#endif /* TOOLS_WC_INFO_OUT_H */
