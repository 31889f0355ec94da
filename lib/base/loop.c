/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files are loop devices. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/loop.h"

/* Is it the file behind the block device @name? */
static bool is_behind(const char *sysfs, const char *name,
		      const struct stat *st)
{
	char path[PATH_MAX], file[PATH_MAX];
	struct stat other;
	int n = snprintf(path, sizeof(path), "%s/block/%s/loop/backing_file",
			 sysfs, name);

	if (n < 0 || (size_t)n >= sizeof(path) ||
	    pmk_read_attribute(path, file, sizeof(file)) < 0)
		return false;
	return !stat(file, &other) && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

bool pmk_backs_loop(const char *sysfs, const struct stat *st)
{
	char path[PATH_MAX];
	const struct dirent *d;
	bool found = false;
	DIR *dir;

	if (!S_ISREG(st->st_mode))
		return false;
	snprintf(path, sizeof(path), "%s/block", sysfs);
	dir = opendir(path);
	while (dir && !found && (d = readdir(dir)))
		if (!strncmp(d->d_name, "loop", 4))
			found = is_behind(sysfs, d->d_name, st);
	if (dir)
		closedir(dir);
	return found;
}
