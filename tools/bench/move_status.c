/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What move_pages(2) says, as text.  The meanings are those of the manual page
 * and of Linux 6.1 to 6.18 as tried out; tests/guest/migrate.c provokes them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "bench/move_status.h"

struct meaning {
	int error;
	const char *text;
};

static const struct meaning statuses[] = {
	{ EFAULT, "not mapped, the page of zeros, or never to be moved" },
	{ ENOENT, "no page there (yet), or one of a device" },
	{ EACCES, "shared with other processes: needs MPOL_MF_MOVE_ALL" },
	{ EBUSY, "in use, cannot be taken out of it now" },
	{ EIO, "cannot be written back" },
	{ EINVAL, "dirty, and its file system cannot move it" },
	{ ENOMEM, "no memory on the node" },
	{ EAGAIN, "in use, did not come free in ten passes" },
	{ ENOSYS, "pages of this kind cannot be moved" },
	{ EHWPOISON, "the page has a memory error" },
};

static const struct meaning results[] = {
	{ E2BIG, "too many pages in one call" },
	{ EACCES, "the process may not use that node" },
	{ EFAULT, "a list is not readable, or the statuses not writable" },
	{ EINVAL, "unknown flags, or a process of the kernel" },
	{ ENODEV, "no such node, or it has no memory" },
	{ ENOENT, "no page needs to be moved" },
	{ ENOMEM, "no memory" },
	{ ENOSYS, "this kernel cannot migrate pages" },
	{ EPERM, "MPOL_MF_MOVE_ALL, or another user's process: needs "
		 "CAP_SYS_NICE" },
	{ ESRCH, "no such process" },
};

static const char *describe(const struct meaning *m, size_t n, int error,
			    char *text, size_t size)
{
	const char *name = strerrorname_np(error);

	while (n && m->error != error) {
		m++;
		n--;
	}
	snprintf(text, size, "%s: %s", name ? name : "?",
		 n ? m->text : strerror(error));
	return text;
}

const char *move_status_text(int status, char *text, size_t size)
{
	if (status == MOVE_STATUS_UNSET) {
		snprintf(text, size, "no status: not moved, or not tried");
		return text;
	}
	if (status < 0)
		return describe(statuses, ARRAY_SIZE(statuses), -status, text,
				size);
	snprintf(text, size, "node %d", status);
	return text;
}

const char *move_result_text(long result, char *text, size_t size)
{
	if (result < 0)
		return describe(results, ARRAY_SIZE(results), (int)-result,
				text, size);
	if (result)
		snprintf(text, size, "%ld pages were not moved", result);
	else
		snprintf(text, size, "done");
	return text;
}
