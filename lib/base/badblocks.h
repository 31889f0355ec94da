/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of bad blocks as sysfs has them, in the attribute "badblocks" of block
 * devices and of nvdimm regions: lines "SECTOR COUNT" in units of 512 bytes,
 * ascending, that do not overlap.
 */
#ifndef LIB_BASE_BADBLOCKS_H
#define LIB_BASE_BADBLOCKS_H

#include <stdint.h>

/* Told of each range, in bytes, in ascending order.  A negative code ends the
 * reading and becomes its result. */
typedef int (*pmk_badblocks_fn)(uint64_t off, uint64_t len, void *arg);

/*
 * Read the list behind @fd, from where it stands to its end; needs no memory.
 * Returns 0 if that was all of it; 1 if the list goes on, since sysfs gives no
 * more than one page of text; -errno of read(2); PMK_E_SYSFS if it is not such
 * a list (@fn has then been told of a part); the negative code of @fn.
 */
int pmk_badblocks_parse(int fd, pmk_badblocks_fn fn, void *arg);

/* The same of the attribute DIR/badblocks; also -errno of opening it. */
int pmk_badblocks_read(const char *dir, pmk_badblocks_fn fn, void *arg);

#endif /* LIB_BASE_BADBLOCKS_H */
