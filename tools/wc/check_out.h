/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk wc check prints. */
#ifndef TOOLS_WC_CHECK_OUT_H
#define TOOLS_WC_CHECK_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/wc_check.h>

/* Of each code, as many are listed in JSON, and fewer in the table: a device
 * can have millions. */
#define WC_CHECK_LISTED_JSON  1000U
#define WC_CHECK_LISTED_TABLE 5U

struct wc_check_out {
	const char *path;
	bool json;
	struct pmk_wc_check_report report;
	struct pmk_wc_problem *listed; /* in the order in which they came */
	uint64_t n;
	uint64_t n_of[PMK_WC_PROBLEMS];
};

void wc_check_out_init(struct wc_check_out *out, const char *path, bool json);
/* For pmk_wc_check(): keeps what will be listed; @arg is the wc_check_out. */
int wc_check_out_meet(const struct pmk_wc_problem *problem, void *arg);
/* Prints and frees; returns EXIT_OK or EXIT_BAD: by the worst problem. */
int wc_check_out_end(struct wc_check_out *out, const struct pmk_wc_image *img);

#endif /* TOOLS_WC_CHECK_OUT_H */
