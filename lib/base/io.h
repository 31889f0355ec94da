/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole reads and writes of files, and small files in one call. */
#ifndef LIB_BASE_IO_H
#define LIB_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read up to @len bytes at @off; returns bytes read (less only at the end of
 * the file) or -errno. */
ssize_t pmk_pread_full(int fd, void *buf, size_t len, uint64_t off);

/* Write all of @buf; returns 0 or -errno, and never a short count. */
int pmk_write_full(int fd, const void *buf, size_t len);
/* The same at @off. */
int pmk_pwrite_full(int fd, const void *buf, size_t len, uint64_t off);

/* Read a small text file, such as a sysfs attribute, whole: at most @len - 1
 * bytes, always terminated, without its last newline.  Returns its length,
 * -errno, or -E2BIG if it is longer. */
ssize_t pmk_read_text(const char *path, char *buf, size_t len);
/* The same with one read(2), which is all that an attribute of sysfs takes. */
ssize_t pmk_read_attribute(const char *path, char *buf, size_t len);

#endif /* LIB_BASE_IO_H */
