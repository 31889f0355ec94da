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

/* The files of a report. */
static bool is_ours(const char *name)
{
	static const char *const patterns[] = { "index.html", "plots.gp",
						"results.json",
						"*-[0-9]*.svg" };

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

/* The directory that holds @path, without what is behind the last '/'. */
static void parent_of(const char *path, char parent[PATH_MAX])
{
	char *slash;

	snprintf(parent, PATH_MAX, "%s", path);
	for (size_t n = strlen(parent); n > 1 && parent[n - 1] == '/'; n--)
		parent[n - 1] = '\0';
	slash = strrchr(parent, '/');
	if (!slash)
		snprintf(parent, PATH_MAX, ".");
	else if (slash == parent)
		parent[1] = '\0';
	else
		*slash = '\0';
}

int report_dir_check(const char *path)
{
	char parent[PATH_MAX];
	struct stat st;

	if (!*path || strlen(path) > PATH_MAX - 16)
		return out_error("%s: not a name for a report", out_path(path));
	if (!has_gnuplot())
		return out_error("--report needs gnuplot: apt install "
				 "gnuplot-nox");
	parent_of(path, parent);
	if (access(parent, W_OK | X_OK))
		return out_error("%s: %s", parent, pmk_strerror(-errno));
	if (lstat(path, &st))
		return errno == ENOENT ? EXIT_OK
				       : out_error("%s: %s", path,
						   pmk_strerror(-errno));
	if (!S_ISDIR(st.st_mode))
		return out_error("%s: is there already and is not a directory",
				 path);
	return check_content(path);
}

int report_dir_begin(struct report_dir *d, const char *path)
{
	mode_t mask = umask(0);
	char parent[PATH_MAX];

	umask(mask);
	d->target = path;
	parent_of(path, parent);
	snprintf(d->temp, sizeof(d->temp), "%.*s/.pmk-bench.XXXXXX",
		 PATH_MAX - 32, parent);
	if (!mkdtemp(d->temp)) {
		d->temp[0] = '\0';
		return out_error("%s: %s", parent, pmk_strerror(-errno));
	}
	/* others may read a report as they may read any new file */
	chmod(d->temp, 0777 & ~mask);
	return EXIT_OK;
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
	rmdir(path);
}

int report_dir_commit(struct report_dir *d)
{
	/* in one step, if something is there: no moment without a report */
	if (!renameat2(AT_FDCWD, d->temp, AT_FDCWD, d->target, RENAME_EXCHANGE))
		return EXIT_OK;
	if (errno != ENOENT)
		remove_dir(d->target);
	if (rename(d->temp, d->target))
		return out_error("%s: %s", d->target, pmk_strerror(-errno));
	d->temp[0] = '\0';
	return EXIT_OK;
}

void report_dir_end(struct report_dir *d)
{
	if (*d->temp)
		remove_dir(d->temp);
	d->temp[0] = '\0';
}
