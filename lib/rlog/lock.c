/* SPDX-License-Identifier: BSD-3-Clause */
/* One writer at a time: flock(2), which the kernel drops when a process dies.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "rlog/rlog_impl.h"

/*
 * A lock belongs to an open file description.  The mapping's own is shared by
 * all logs that are attached to it, so the lock gets one of its own; without
 * /proc, a duplicate has to do.
 */
static int own_description(int fd)
{
	char path[32];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int pmk_rlog_lock(struct pmk_map *map)
{
	int fd = own_description(pmk_map_fd(map));
	int rc;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	rc = errno == EWOULDBLOCK ? pmk_fail(PMK_E_LOG_LOCKED,
					     "another writer has the log open")
				  : -errno;
	close(fd);
	return rc;
}
