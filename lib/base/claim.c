/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written to: nobody else has them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/claim.h"
#include "base/log.h"
#include "base/loop.h"

/* It can be opened for writing, and refuses each write. */
static bool is_read_only_device(int fd)
{
	int read_only = 0;

	return !ioctl(fd, BLKROGET, &read_only) && read_only;
}

int pmk_claim(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (pmk_backs_loop("/sys", &st))
		return pmk_fail(-EBUSY, "a loop device is set up on it");
	if (S_ISBLK(st.st_mode) && is_read_only_device(fd))
		return pmk_fail(-EROFS, "the device is read-only");
	if (!S_ISREG(st.st_mode))
		return 0;
	/* a file system without such locks has nobody that holds one */
	if (fcntl(fd, F_OFD_SETLK, &lock) &&
	    (errno == EAGAIN || errno == EACCES))
		return pmk_fail(-EBUSY, "another program has the file locked");
	return 0;
}
