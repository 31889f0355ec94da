/* SPDX-License-Identifier: BSD-3-Clause */
/* The one log callback. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/export.h"
#include "base/log.h"

/* Longer explanations are cut: a path may take most of it. */
#define LINE_MAX_BYTES 1024

static pmk_log_fn log_fn;
static void *log_arg;

PMK_EXPORT void pmk_log_set(pmk_log_fn fn, void *arg)
{
	log_fn = fn;
	log_arg = arg;
}

__attribute__((format(printf, 2, 0))) static void emit(enum pmk_log_level level,
						       const char *fmt,
						       va_list ap)
{
	char line[LINE_MAX_BYTES];
	int saved = errno;

	if (!log_fn)
		return;
	vsnprintf(line, sizeof(line), fmt, ap);
	log_fn(level, line, log_arg);
	errno = saved;
}

void pmk_log(enum pmk_log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit(level, fmt, ap);
	va_end(ap);
}

int pmk_fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit(PMK_LOG_ERROR, fmt, ap);
	va_end(ap);
	return code;
}
