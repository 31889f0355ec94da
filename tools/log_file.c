/* SPDX-License-Identifier: BSD-3-Clause */
/* What the log commands say of a FILE that they cannot open. */
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <pmk/error.h>

#include "base/util.h"
#include "log_file.h"
#include "out.h"
#include "pmk.h"

static const struct {
	long magic;
	const char *name;
} kernel_fs[] = {
	{ PROC_SUPER_MAGIC, "proc" },       { SYSFS_MAGIC, "sysfs" },
	{ DEBUGFS_MAGIC, "debugfs" },       { TRACEFS_MAGIC, "tracefs" },
	{ SECURITYFS_MAGIC, "securityfs" }, { CGROUP_SUPER_MAGIC, "cgroup" },
	{ CGROUP2_SUPER_MAGIC, "cgroup2" },
};

/* The file system of a file that the kernel makes up as it is read, or NULL.
 * Its size, its holes and its errors are no help to anyone. */
static const char *made_up_by(const char *path)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || statfs(path, &fs))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kernel_fs); i++)
		if ((long)fs.f_type == kernel_fs[i].magic)
			return kernel_fs[i].name;
	return NULL;
}

int log_file_fail(const char *path, int code, const char *remedy)
{
	const char *fs = made_up_by(path);

	if (!fs)
		return out_fail(path, code, remedy);
	return out_error("%s: a file of %s cannot hold a record log", path, fs);
}

int log_file_unreadable(const char *path, int code)
{
	log_file_fail(path, code, NULL);
	return code == PMK_E_LOG_DAMAGED || code == PMK_E_LOG_TRUNCATED
		       ? EXIT_BAD
		       : EXIT_FAIL;
}
