/* SPDX-License-Identifier: BSD-3-Clause */
/* One writer at a time: flock(2), which the kernel drops when a process dies.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "map/map_impl.h"
#include "rlog/rlog_impl.h"

int pmk_rlog_lock_fd(int fd)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return pmk_fail(PMK_E_LOG_LOCKED,
				"another writer has the log open");
	return -errno;
}

/*
 * A lock belongs to an open file description.  That of a caller's mapping is
 * shared by all logs that are attached to it, here and in forked processes, so
 * the lock gets one of its own.  Opened for reading: enough for flock(2).
 */
static int reopen(int fd)
{
	char path[32];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (own < 0) /* rather none than two writers */
		return pmk_fail(-errno, "cannot reopen %s to lock the log: %s",
				path, pmk_strerror(-errno));
	return own;
}

int pmk_rlog_lock(struct pmk_map *map, bool own_map)
{
	int rc, fd = own_map ? fcntl(map->fd, F_DUPFD_CLOEXEC, 0)
			     : reopen(map->fd);

	if (fd < 0)
		return own_map ? -errno : fd;
	rc = pmk_rlog_lock_fd(fd);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

/* Not by closing alone: a forked child may hold the description, too. */
void pmk_rlog_unlock(int fd)
{
	flock(fd, LOCK_UN);
	close(fd);
}
