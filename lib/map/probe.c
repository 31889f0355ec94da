/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about one file or device from its own sysfs nodes. */
#include <ctype.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/sysfs.h"
#include "base/util.h"
#include "map/probe.h"

const char *pmk_sysfs_root(const char *root)
{
	return root ? root : "/sys";
}

/* Last component of the link DIR/NAME; empty if there is no such link. */
static void link_name(const char *dir, const char *name, char *buf, size_t len)
{
	_cleanup_free_ char *path = NULL;
	char target[512];
	const char *base;
	ssize_t n;

	buf[0] = '\0';
	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return;
	}
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) < len)
		strcpy(buf, base);
}

/* Last component of a path, cut to fit. */
static void copy_base_name(const char *path, char *buf, size_t len)
{
	const char *base = strrchr(path, '/');
	size_t n;

	base = base ? base + 1 : path;
	n = pmk_min_size(strlen(base), len - 1);
	memcpy(buf, base, n);
	buf[n] = '\0';
}

static int devdax_numbers(struct pmk_devdax_facts *f)
{
	int rc = pmk_sysfs_u64(f->dir, "size", &f->size);

	if (rc)
		return pmk_fail(PMK_E_SYSFS, "%s/size: %s", f->dir,
				pmk_strerror(rc));
	rc = pmk_sysfs_u64(f->dir, "align", &f->align);
	if (rc) /* before 5.10 only the region says it */
		rc = pmk_sysfs_u64(f->dir, "../dax_region/align", &f->align);
	if (rc)
		return pmk_fail(PMK_E_SYSFS, "%s/align: %s", f->dir,
				pmk_strerror(rc));
	if (!f->align || (f->align & (f->align - 1)))
		return pmk_fail(PMK_E_SYSFS, "%s/align: not a power of two",
				f->dir);
	return 0;
}

int pmk_probe_devdax(const char *root, dev_t rdev,
		     struct pmk_devdax_facts *facts_ret)
{
	struct pmk_devdax_facts f = { 0 };
	char subsystem[32];
	int rc = pmk_sysfs_dev_path(pmk_sysfs_root(root), "char", rdev, f.dir,
				    sizeof(f.dir));

	if (rc)
		return pmk_fail(PMK_E_SYSFS,
				"character device has no entry in %s: %s",
				pmk_sysfs_root(root), pmk_strerror(rc));
	link_name(f.dir, "subsystem", subsystem, sizeof(subsystem));
	/* "dax" is the class of kernels before 5.1 and the bus since */
	if (strcmp(subsystem, "dax"))
		return PMK_E_FILE_TYPE;
	copy_base_name(f.dir, f.name, sizeof(f.name));
	link_name(f.dir, "driver", f.driver, sizeof(f.driver));
	rc = devdax_numbers(&f);
	if (rc)
		return rc;
	*facts_ret = f;
	return 0;
}

static bool is_region_name(const char *name)
{
	return !strncmp(name, "region", 6) && isdigit((unsigned char)name[6]);
}

char *pmk_probe_region(const char *dir)
{
	char *path = strdup(dir);

	while (path) {
		char *base = strrchr(path, '/');

		if (!base)
			break;
		if (is_region_name(base + 1))
			return path;
		*base = '\0';
	}
	free(path);
	return NULL;
}

enum pmk_domain pmk_probe_domain(const char *region)
{
	char text[32];

	if (!region || pmk_sysfs_text(region, "persistence_domain", text,
				      sizeof(text)) < 0)
		return PMK_DOMAIN_UNKNOWN;
	if (!strcmp(text, "cpu_cache"))
		return PMK_DOMAIN_CPU_CACHE;
	if (!strcmp(text, "memory_controller"))
		return PMK_DOMAIN_MEMORY_CONTROLLER;
	return PMK_DOMAIN_UNKNOWN;
}

enum pmk_domain pmk_probe_fs_domain(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return PMK_DOMAIN_UNKNOWN;
	switch (fs.f_type) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case HUGETLBFS_MAGIC:
		return PMK_DOMAIN_VOLATILE;
	case OVERLAYFS_SUPER_MAGIC: /* as the file system below, unseen */
		return PMK_DOMAIN_UNKNOWN;
	default:
		return PMK_DOMAIN_DEVICE;
	}
}

void pmk_probe_block(const char *root, dev_t dev,
		     struct pmk_block_facts *facts_ret)
{
	struct pmk_block_facts f = { 0 };
	_cleanup_free_ char *region = NULL;
	uint64_t dax = 0;

	*facts_ret = f;
	if (pmk_sysfs_dev_path(pmk_sysfs_root(root), "block", dev, f.dir,
			       sizeof(f.dir)))
		return;
	copy_base_name(f.dir, f.name, sizeof(f.name));
	/* a partition shares the queue of its disk */
	if (pmk_sysfs_u64(f.dir, "queue/dax", &dax) &&
	    pmk_sysfs_u64(f.dir, "../queue/dax", &dax))
		dax = 0;
	f.dax = dax == 1;
	region = pmk_probe_region(f.dir);
	f.nvdimm = region != NULL;
	*facts_ret = f;
}
