/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a file may be made, or replaced, where the user said. */
#ifndef TOOLS_WC_OUTPUT_H
#define TOOLS_WC_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Nothing but a regular file is replaced, none of the @n @inputs (NULL: none),
 * by whatever name or below a loop device, and nothing without @force. EXIT_OK,
 * or EXIT_FAIL after a message. */
int output_check(const char *path, bool force, const char *const *inputs,
		 size_t n);

/* Is @path in the directory @dir, or below?  EXIT_FAIL after a message if so.
 */
int output_not_inside(const char *path, const char *dir);

/* A regular file or a block device, found out without opening it: a FIFO would
 * wait for its other end.  EXIT_OK, or EXIT_FAIL after a message. */
int output_check_input(const char *path);

/* The same for an origin that is only asked for its size, which must not be the
 * cache by another name. */
int output_check_origin(const char *path, const char *cache);

#endif /* TOOLS_WC_OUTPUT_H */
