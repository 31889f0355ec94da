/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that appears whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "replace.h"
#include "signals.h"

/* The path itself if there is nothing yet; a link to nothing is refused, as
 * cp(1) does. */
static int resolve(const char *path, char **target_ret)
{
	struct stat st;

	*target_ret = realpath(path, NULL);
	if (*target_ret)
		return 0;
	if (errno != ENOENT || !*path || !lstat(path, &st))
		return -errno;
	*target_ret = strdup(path);
	return *target_ret ? 0 : -ENOMEM;
}

/* Bytes of @path up to and with its last slash. */
static int dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

int replace_begin(struct replace *r, const char *path)
{
	uint64_t id;
	int rc;

	*r = (struct replace){ NULL, NULL, false };
	rc = resolve(path, &r->target);
	if (rc)
		return rc;
	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return -errno;
	/* not made from the target's name, which may be as long as can be */
	if (asprintf(&r->temp, "%.*s.pmk-copy-%016" PRIx64, dir_len(r->target),
		     r->target, id) < 0) {
		r->temp = NULL;
		return -ENOMEM;
	}
	signals_remove(r->temp);
	return 0;
}

static int sync_dir(const char *path)
{
	_cleanup_free_ char *dir = strndup(path, (size_t)dir_len(path));
	_cleanup_fd_ int fd = -1;

	if (!dir)
		return -ENOMEM;
	fd = open(*dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* a directory that may be written to but not read */
	if (fd < 0 && errno == EACCES)
		return 0;
	return fd < 0 || fsync(fd) ? -errno : 0;
}

/* Put @temp at @target, which must not be there, however late it came. */
static int rename_new(const char *temp, const char *target)
{
	if (!renameat2(AT_FDCWD, temp, AT_FDCWD, target, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* the file system cannot; link(2) never replaces anything either */
	if (link(temp, target))
		return -errno;
	unlink(temp);
	return 0;
}

int replace_commit(struct replace *r, bool may_replace)
{
	int rc = may_replace ? (rename(r->temp, r->target) ? -errno : 0)
			     : rename_new(r->temp, r->target);

	if (rc)
		return rc;
	r->done = true;
	signals_keep(r->temp);
	return sync_dir(r->target);
}

void replace_end(struct replace *r)
{
	if (r->temp && !r->done)
		unlink(r->temp);
	signals_keep(r->temp);
	free(r->temp);
	free(r->target);
}
