/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written to: nobody else has them. */
#ifndef LIB_BASE_CLAIM_H
#define LIB_BASE_CLAIM_H

/*
 * Keep others from a regular file that is open for writing, until it is closed:
 * a lock as virtual machines take it on the images of their disks.  -EBUSY:
 * somebody has it, or a loop device is set up on it.  Block devices are opened
 * with O_EXCL instead; -EROFS: it would be opened, and refuse each write.
 */
int pmk_claim(int fd);

#endif /* LIB_BASE_CLAIM_H */
