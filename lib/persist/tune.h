/* SPDX-License-Identifier: BSD-3-Clause */
/* The thresholds of each medium, as the library itself uses them. */
#ifndef LIB_PERSIST_TUNE_H
#define LIB_PERSIST_TUNE_H

#include <pmk/tune.h>

#define PMK_MEDIA (PMK_MEDIUM_PMEM + 1)

/* The measured values.  Pure. */
void pmk_tuning_defaults(struct pmk_tuning tuning[PMK_MEDIA]);
/* Change all media by PMK_TUNING, if it is set. */
void pmk_tuning_from_environment(struct pmk_tuning tuning[PMK_MEDIA]);

#endif /* LIB_PERSIST_TUNE_H */
