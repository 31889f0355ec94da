/* SPDX-License-Identifier: BSD-3-Clause */
/* How the library's own code explains itself; see <pmk/log.h>. */
#ifndef LIB_BASE_LOG_H
#define LIB_BASE_LOG_H

#include <pmk/log.h>

/*
 * Format one line and hand it to the application's function, if it set one.
 * Keeps errno, so that it can stand between a failing call and its report.
 */
__attribute__((format(printf, 2, 3))) void pmk_log(enum pmk_log_level level,
						   const char *fmt, ...);

/* Explain an error and return its code: return pmk_fail(-EINVAL, "..."); */
__attribute__((format(printf, 2, 3))) int pmk_fail(int code, const char *fmt,
						   ...);

#endif /* LIB_BASE_LOG_H */
