/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop devices: O_EXCL does not see that a regular file is one. */
#ifndef LIB_BASE_LOOP_H
#define LIB_BASE_LOOP_H

#include <stdbool.h>
#include <sys/stat.h>

/* Is the file of @st attached to a loop device, as far as @sysfs ("/sys")
 * tells? A file that has another name in the kernel's mount namespace is not
 * found. */
bool pmk_backs_loop(const char *sysfs, const struct stat *st);

#endif /* LIB_BASE_LOOP_H */
