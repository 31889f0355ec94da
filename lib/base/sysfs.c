/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of one device in sysfs. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/sysfs.h"

/*
 * What the link ROOT/dev/TYPE/MAJOR:MINOR names: the kernel makes them all as
 * "../../devices/...", which needs no walk along the path, as realpath(3) does
 * it.  A new string, or NULL and errno.
 */
static char *resolve(const char *root, const char *link)
{
	static const char up[] = "../../";
	char target[1024], *path;
	ssize_t n = readlink(link, target, sizeof(target));

	if (n < 0)
		return NULL;
	if ((size_t)n == sizeof(target))
		return realpath(link, NULL);
	target[n] = '\0';
	if (strncmp(target, up, strlen(up)) ||
	    strstr(target + strlen(up), "../"))
		return realpath(link, NULL);
	return asprintf(&path, "%s/%s", root, target + strlen(up)) < 0 ? NULL
								       : path;
}

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
	real = resolve(root, link);
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
	return pmk_read_attribute(path, buf, len);
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
