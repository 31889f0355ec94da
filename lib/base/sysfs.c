/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of one device in sysfs. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <pmk/error.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/sysfs.h"

int pmk_sysfs_dev_path(const char *root, const char *type, dev_t dev, char *buf,
		       size_t len)
{
	_cleanup_free_ char *link = NULL;
	_cleanup_free_ char *real = NULL;

	if (asprintf(&link, "%s/dev/%s/%u:%u", root, type, major(dev),
		     minor(dev)) < 0) {
		link = NULL;
		return -ENOMEM;
	}
	real = realpath(link, NULL);
	if (!real)
		return -errno;
	if (strlen(real) >= len)
		return -ENAMETOOLONG;
	strcpy(buf, real);
	return 0;
}

ssize_t pmk_sysfs_text(const char *dir, const char *name, char *buf, size_t len)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return pmk_read_text(path, buf, len);
}

int pmk_sysfs_u64(const char *dir, const char *name, uint64_t *value_ret)
{
	char text[32], *end;
	unsigned long long v;
	ssize_t n = pmk_sysfs_text(dir, name, text, sizeof(text));

	if (n == -E2BIG)
		return PMK_E_SYSFS;
	if (n < 0)
		return (int)n;
	/* base 16 for 0x, else 10: a leading 0 is not octal in sysfs */
	errno = 0;
	v = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	/* the length too: there may be a NUL in the middle */
	if (errno || end != text + n || !isdigit((unsigned char)text[0]))
		return PMK_E_SYSFS;
	*value_ret = v;
	return 0;
}
