/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A directory tree as text, to be made again: sysfs of a machine as
 * tests/guest/scripts/capture.sh prints it, or as a person writes it.
 *
 * One entry a line, of fields that a single blank parts; lines that are empty
 * or begin with # say nothing:
 *
 *	d PATH		a directory
 *	f PATH CONTENT	a file; CONTENT is the rest of the line, or nothing
 *	e PATH		a file that cannot be read (here: a directory, as
 *			root can read all files)
 *	l PATH TARGET	a symbolic link; a TARGET that begins with / is below
 *			the root of the tree
 *	p PATH		a fifo, which no test should open
 *
 * PATH is relative to the root of the tree.  Directories above it are made as
 * needed; the last of several entries of a path counts, except that directories
 * stay.  In PATH, CONTENT and TARGET "\n" is a newline, "\\" a backslash, and
 * "\ooo" the byte with that octal number; a blank in PATH is "\040".
 */
#ifndef TESTS_SUPPORT_MANIFEST_H
#define TESTS_SUPPORT_MANIFEST_H

#include <stddef.h>

/* Make the tree of the @len bytes at @text in the directory @root, which must
 * exist.  0, or -1 after a message on stderr that names the line. */
int manifest_load(const char *root, const char *text, size_t len);

/* Remove a directory and all below it.  0 or -1. */
int manifest_remove(const char *root);

#endif /* TESTS_SUPPORT_MANIFEST_H */
