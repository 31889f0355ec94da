/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes of one device in sysfs.  The root is a parameter, never cached, so
 * that tests point it at trees of their own.
 */
#ifndef LIB_BASE_SYSFS_H
#define LIB_BASE_SYSFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Resolve ROOT/dev/{block,char}/MAJOR:MINOR to the device's own directory.
 * Returns 0 or -errno; -ENAMETOOLONG if @len is too small. */
int pmk_sysfs_dev_path(const char *root, const char *type, dev_t dev, char *buf,
		       size_t len);

/* Read the attribute DIR/NAME; as pmk_read_attribute(). */
ssize_t pmk_sysfs_text(const char *dir, const char *name, char *buf,
		       size_t len);

/* Read the attribute DIR/NAME as an unsigned number, decimal or 0x.  Returns 0,
 * -errno of reading it, or PMK_E_SYSFS if it is not one number. */
int pmk_sysfs_u64(const char *dir, const char *name, uint64_t *value_ret);

#endif /* LIB_BASE_SYSFS_H */
