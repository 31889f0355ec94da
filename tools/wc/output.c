/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a file may be made, or replaced, where the user said. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "out.h"
#include "pmk.h"
#include "wc/output.h"

/* Is @path the file @st, or a loop device on it? */
static bool is_file(const char *path, const struct stat *st)
{
	struct loop_info64 loop;
	struct stat other;
	bool same = false;
	int fd;

	if (stat(path, &other))
		return false;
	if (other.st_dev == st->st_dev && other.st_ino == st->st_ino)
		return true;
	if (!S_ISBLK(other.st_mode))
		return false;
	if (S_ISBLK(st->st_mode) && other.st_rdev == st->st_rdev)
		return true;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!ioctl(fd, LOOP_GET_STATUS64, &loop))
		same = loop.lo_device == st->st_dev &&
		       loop.lo_inode == st->st_ino;
	close(fd);
	return same;
}

int output_check(const char *path, bool force, const char *const *inputs,
		 size_t n)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT ? EXIT_OK : out_fail(path, -errno, NULL);
	for (size_t i = 0; i < n; i++)
		if (inputs[i] && is_file(inputs[i], &st))
			return out_error("%s: is the same file as %s", path,
					 inputs[i]);
	if (!S_ISREG(st.st_mode))
		return out_error("%s: not a regular file; copy an image to a "
				 "device with pmk copy or dd",
				 path);
	return force ? EXIT_OK : out_fail(path, -EEXIST, "--force replaces it");
}

int output_not_inside(const char *path, const char *dir)
{
	_cleanup_free_ char *copy = strdup(path);
	_cleanup_free_ char *in = copy ? realpath(dirname(copy), NULL) : NULL;
	_cleanup_free_ char *real = realpath(dir, NULL);
	size_t len = real ? strlen(real) : 0;

	if (!in || !real || strncmp(in, real, len) != 0 ||
	    (in[len] && in[len] != '/'))
		return EXIT_OK;
	return out_error("%s: is in %s, which is for data", path, dir);
}

int output_check_origin(const char *path, const char *cache)
{
	struct stat st;
	int rc = output_check_input(path);

	if (rc)
		return rc;
	if (stat(path, &st))
		return out_fail(path, -errno, NULL);
	return is_file(cache, &st)
		       ? out_error("%s is the cache itself", out_path(path))
		       : EXIT_OK;
}

int output_check_input(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return out_fail(path, -errno, NULL);
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return out_error(
			"%s: neither a regular file nor a block device", path);
	return EXIT_OK;
}
