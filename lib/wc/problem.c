/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of problems, and one of them in words. */
#include <inttypes.h>
#include <stdio.h>

#include <pmk/wc_check.h>

#include "base/export.h"
#include "base/util.h"

static const struct {
	struct pmk_wc_problem_info info;
	const char *value;
	const char *limit;
} table[] = {
#define PMK_WC_PROBLEM(symbol, number, severity, verdict, value, limit, text, \
		       kernel, remedy)                                        \
	[number] = { { "WC_" #symbol, PMK_WC_##severity, PMK_WC_##verdict,    \
		       text, kernel, remedy },                                \
		     value,                                                   \
		     limit },
#include "wc/problem.def"
#undef PMK_WC_PROBLEM
};

_Static_assert(ARRAY_SIZE(table) == PMK_WC_PROBLEMS, "a row for each code");

#define PMK_WC_PROBLEM(symbol, number, ...)                 \
	_Static_assert(PMK_WC_PROBLEM_##symbol == (number), \
		       "problem.def and wc_check.h say the same");
#include "wc/problem.def"
#undef PMK_WC_PROBLEM

PMK_EXPORT const struct pmk_wc_problem_info *pmk_wc_problem_info(
	enum pmk_wc_problem_code code)
{
	return (unsigned int)code < PMK_WC_PROBLEMS ? &table[code].info : NULL;
}

static void detail_of_entry(const struct pmk_wc_problem *p, char *buf,
			    size_t size)
{
	if (p->code == PMK_WC_PROBLEM_UNREADABLE_ENTRY)
		snprintf(buf, size, "entry %" PRIu64, p->entry);
	else if (p->other_entry == PMK_WC_NO_ENTRY)
		snprintf(buf, size,
			 "entry %" PRIu64 ", sector %" PRIu64
			 ", sequence %" PRIu64,
			 p->entry, p->sector, p->seq_count);
	else
		snprintf(buf, size,
			 "entry %" PRIu64 ", sector %" PRIu64
			 ", sequence %" PRIu64 "; wins: entry %" PRIu64,
			 p->entry, p->sector, p->seq_count, p->other_entry);
}

PMK_EXPORT void pmk_wc_problem_detail(const struct pmk_wc_problem *problem,
				      char *buf, size_t size)
{
	const char *value, *limit;

	buf[0] = '\0';
	if ((unsigned int)problem->code >= PMK_WC_PROBLEMS)
		return;
	value = table[problem->code].value;
	limit = table[problem->code].limit;
	if (problem->entry != PMK_WC_NO_ENTRY)
		detail_of_entry(problem, buf, size);
	else if (problem->code == PMK_WC_PROBLEM_BAD_MAGIC)
		snprintf(buf, size, "0x%08" PRIx64 " %s", problem->value,
			 value);
	else if (*limit)
		snprintf(buf, size, "%" PRIu64 " %s, %" PRIu64 " %s",
			 problem->value, value, problem->limit, limit);
	else if (*value)
		snprintf(buf, size, "%" PRIu64 " %s", problem->value, value);
}
