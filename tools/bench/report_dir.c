/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory that appears whole or not at all, in place of one like it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/cleanup.h"
#include "bench/report_dir.h"
#include "out.h"
#include "pmk.h"

/* The files of a report, as html_plot.c names the plots. */
static bool is_ours(const char *name)
{
	static const char *const patterns[] = {
		"index.html",          "plots.gp",
		"results.json",        "rate-[0-9][0-9].svg",
		"time-[0-9][0-9].svg", "latency-[0-9][0-9].svg",
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* A report says so in its first lines; an empty directory will do, too. */
static bool is_report(const char *path)
{
	_cleanup_free_ char *index = NULL;
	_cleanup_file_ FILE *f = NULL;
	char head[512] = "";

	if (asprintf(&index, "%s/index.html", path) < 0)
		out_of_memory();
	f = fopen(index, "re");
	if (!f || !fread(head, 1, sizeof(head) - 1, f))
		return false;
	return strstr(head, "content=\"pmk bench\"");
}

static int check_content(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t n = 0;
	int rc = EXIT_OK;

	if (!dir)
		return out_error("%s: %s", path, pmk_strerror(-errno));
	while (!rc && (e = readdir(dir))) {
		if (is_dot(e->d_name))
			continue;
		n++;
		if (!is_ours(e->d_name))
			rc = out_error("%s: is there already and is not a "
				       "report: it has '%s'",
				       path, e->d_name);
	}
	closedir(dir);
	if (!rc && n && !is_report(path))
		rc = out_error("%s: is there already and is not a report",
			       path);
	return rc;
}

static bool has_gnuplot(void)
{
	const char *path = getenv("PATH");
	_cleanup_free_ char *list = strdup(path ? path : "/usr/bin:/bin");
	char *rest = list, *dir, file[PATH_MAX];

	if (!list)
		out_of_memory();
	while ((dir = strsep(&rest, ":"))) {
		snprintf(file, sizeof(file), "%s/gnuplot", *dir ? dir : ".");
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

/* @path without "/" and "/." at its end: a slash behind a symbolic link would
 * be what it points to, and rename(2) takes neither. */
static void strip(const char *path, char plain[PATH_MAX])
{
	size_t n = strlen(path);

	while (n > 1) {
		if (path[n - 1] == '/')
			n--;
		else if (n > 2 && path[n - 1] == '.' && path[n - 2] == '/')
			n -= 2;
		else
			break;
	}
	snprintf(plain, PATH_MAX, "%.*s", (int)n, path);
}

static const char *last_component(const char *plain)
{
	const char *slash = strrchr(plain, '/');

	return slash ? slash + 1 : plain;
}

/* The directory that holds @plain. */
static void parent_of(const char *plain, char parent[PATH_MAX])
{
	size_t n = (size_t)(last_component(plain) - plain);

	if (n)
		snprintf(parent, PATH_MAX, "%.*s", (int)(n > 1 ? n - 1 : n),
			 plain);
	else
		snprintf(parent, PATH_MAX, ".");
}

static bool is_mount_point(const char *path, const char *parent)
{
	struct stat st, above;
	struct statx stx;

	/* of a bind mount the device is the same: Linux 5.8 says it */
	if (!statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS,
		   &stx) &&
	    stx.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)
		return stx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
	return !lstat(path, &st) && !stat(parent, &above) &&
	       st.st_dev != above.st_dev;
}

/* What has the name can make way. */
static int check_target(const char *plain, const char *parent)
{
	struct stat st;

	if (lstat(plain, &st))
		return errno == ENOENT ? EXIT_OK
				       : out_error("%s: %s", plain,
						   pmk_strerror(-errno));
	if (S_ISLNK(st.st_mode))
		return out_error("%s: is a symbolic link; name the directory "
				 "itself",
				 plain);
	if (!S_ISDIR(st.st_mode))
		return out_error("%s: is there already and is not a directory",
				 plain);
	if (is_mount_point(plain, parent))
		return out_error("%s: is a mount point, which cannot be "
				 "replaced; name a directory in it",
				 plain);
	return check_content(plain);
}

int report_dir_check(const char *path)
{
	char plain[PATH_MAX], parent[PATH_MAX];
	const char *last;

	if (strlen(path) > PATH_MAX - 32)
		return out_error("%s: %s", path, pmk_strerror(-ENAMETOOLONG));
	strip(path, plain);
	last = last_component(plain);
	if (!*last || is_dot(last))
		return out_error("%s: not a name for a report", path);
	if (!has_gnuplot())
		return out_error("--report needs gnuplot: apt install "
				 "gnuplot-nox");
	parent_of(plain, parent);
	if (access(parent, W_OK | X_OK))
		return out_error("%s: %s", parent, pmk_strerror(-errno));
	return check_target(plain, parent);
}

/* An empty directory beside the target; others may read a report as they may
 * read any new file. */
static int make_beside(const char *target, char dir[PATH_MAX])
{
	mode_t mask = umask(0);
	char parent[PATH_MAX];

	umask(mask);
	parent_of(target, parent);
	snprintf(dir, PATH_MAX, "%.*s/.pmk-bench.XXXXXX", PATH_MAX - 32,
		 parent);
	if (!mkdtemp(dir)) {
		dir[0] = '\0';
		return out_error("%s: %s", parent, pmk_strerror(-errno));
	}
	chmod(dir, 0777 & ~mask);
	return EXIT_OK;
}

int report_dir_begin(struct report_dir *d, const char *path)
{
	strip(path, d->target);
	return make_beside(d->target, d->temp);
}

/* With the files of a report in it, and no other. */
static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (is_ours(e->d_name))
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	if (rmdir(path) && errno == ENOTEMPTY)
		out_error("%s: stays: files were added to the earlier report "
			  "that are not its own",
			  path);
}

/* Where a file system exchanges no names: there is a moment without a report,
 * but none without one of the two on the disk. */
static int replace_in_steps(struct report_dir *d)
{
	char aside[PATH_MAX];
	int error;

	if (make_beside(d->target, aside))
		return EXIT_FAIL;
	if (rename(d->target, aside)) {
		error = errno;
		rmdir(aside);
		return out_error("%s: %s", d->target, pmk_strerror(-error));
	}
	if (rename(d->temp, d->target)) {
		error = errno;
		if (rename(aside, d->target))
			return out_error("%s: %s; the earlier report is in %s",
					 d->target, pmk_strerror(-error),
					 aside);
		return out_error("%s: %s", d->target, pmk_strerror(-error));
	}
	memcpy(d->temp, aside, sizeof(aside));
	return EXIT_OK;
}

int report_dir_commit(struct report_dir *d)
{
	/* in one step, if something is there: no moment without a report */
	if (!renameat2(AT_FDCWD, d->temp, AT_FDCWD, d->target, RENAME_EXCHANGE))
		return EXIT_OK;
	if (errno == ENOENT && !rename(d->temp, d->target)) {
		d->temp[0] = '\0';
		return EXIT_OK;
	}
	if (errno != EINVAL && errno != ENOSYS)
		return out_error("%s: %s", d->target, pmk_strerror(-errno));
	return replace_in_steps(d);
}

void report_dir_end(struct report_dir *d)
{
	if (*d->temp)
		remove_dir(d->temp);
	d->temp[0] = '\0';
}
