/* SPDX-License-Identifier: BSD-3-Clause */
/* What the log commands say of a FILE that they cannot open. */
#ifndef TOOLS_LOG_FILE_H
#define TOOLS_LOG_FILE_H

/* The failure @code of a call on the log @path, in one line, with @remedy (or
 * NULL) behind it; returns EXIT_FAIL. */
int log_file_fail(const char *path, int code, const char *remedy);

/* The same for a log that cannot be opened for reading.  EXIT_BAD if there is
 * one, of which nothing can be read: that is an answer. */
int log_file_unreadable(const char *path, int code);

#endif /* TOOLS_LOG_FILE_H */
