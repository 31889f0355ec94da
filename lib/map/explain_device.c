/* SPDX-License-Identifier: BSD-3-Clause */
/* Character and block devices. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "map/explain_impl.h"

/* Without sysfs: is this the number that the kernel has given to devdax? */
static enum pmk_answer is_dax_major(unsigned int number)
{
	_cleanup_file_ FILE *f = fopen("/proc/devices", "re");
	enum pmk_answer found = PMK_ANSWER_UNKNOWN;
	char line[128], name[64];
	unsigned int n;

	/* "Character devices:", "253 dax", ..., "Block devices:", ... */
	while (f && fgets(line, sizeof(line), f) && strncmp(line, "Block", 5))
		if (sscanf(line, "%u %63s", &n, name) == 2 && n == number)
			found = strcmp(name, "dax") ? PMK_ANSWER_NO
						    : PMK_ANSWER_YES;
	return found;
}

static void not_devdax(struct pmk_map_report *r)
{
	r->object = PMK_MAP_OBJECT_CHAR;
	pmk_explain_error(r, PMK_E_FILE_TYPE, PMK_REASON_FILE_TYPE);
	pmk_explain_say(r, "the path is a character device, but not devdax");
}

static void without_sysfs(struct pmk_map_report *r, const struct stat *st,
			  const struct pmk_devdax_facts *f)
{
	enum pmk_answer dax =
		f->name[0] ? PMK_ANSWER_YES : is_dax_major(major(st->st_rdev));

	if (dax == PMK_ANSWER_NO) {
		not_devdax(r);
		return;
	}
	r->object = dax == PMK_ANSWER_YES ? PMK_MAP_OBJECT_DEVDAX
					  : PMK_MAP_OBJECT_CHAR;
	snprintf(r->device, sizeof(r->device), "%s", f->name);
	r->error = PMK_E_SYSFS;
	r->reason = PMK_REASON_NO_SYSFS;
	pmk_explain_say(r, "%s",
			dax == PMK_ANSWER_YES
				? "the path is a dax device, but its size and "
				  "alignment, and what memory it is, are known "
				  "to sysfs only"
				: "the path is a character device of which "
				  "nothing is known");
	if (f->attr[0])
		pmk_explain_say(r, "attribute \"%s\" is missing or malformed",
				f->attr);
}

static void devdax_off(struct pmk_map_report *r, bool kmem)
{
	pmk_explain_error(r, PMK_E_DEVDAX_MODE,
			  kmem ? PMK_REASON_SYSTEM_RAM : PMK_REASON_DEVICE_OFF);
}

static void devdax_verdict(struct pmk_map_report *r, const char *region,
			   const struct pmk_devdax_facts *f)
{
	struct pmk_domain_fact d = pmk_devdax_domain(f->dir, region);

	pmk_explain_domain(r, d);
	if (d.domain == PMK_DOMAIN_DEVICE) {
		pmk_explain_error(r, PMK_E_GRANULARITY, PMK_REASON_ASYNC_FLUSH);
		r->pmem = PMK_ANSWER_NO;
		return;
	}
	r->kind = PMK_MAP_KIND_DEVDAX;
	r->granularity = pmk_domain_granularity(d.domain);
	if (!region) {
		r->reason = PMK_REASON_DEVDAX_NOT_PMEM;
		r->pmem = d.domain == PMK_DOMAIN_VOLATILE ? PMK_ANSWER_NO
							  : PMK_ANSWER_UNKNOWN;
	} else if (d.domain == PMK_DOMAIN_VOLATILE) {
		r->reason = PMK_REASON_VOLATILE_REGION;
		r->pmem = PMK_ANSWER_NO;
	} else {
		r->reason = PMK_REASON_DEVDAX;
		r->pmem = pmk_explain_is_pmem(d);
	}
}

static void explain_devdax(struct pmk_explain *e, const char *path,
			   const struct pmk_devdax_facts *f)
{
	_cleanup_free_ char *region = pmk_probe_region(f->dir);
	struct pmk_map_report *r = e->r;
	_cleanup_fd_ int fd = -1;

	if (region)
		pmk_base_name(region, r->region, sizeof(r->region));
	pmk_explain_say(r, "%s %s %s", f->name, region ? "on" : "outside of",
			region ? r->region : "any nvdimm region");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		pmk_explain_error(r, -errno, PMK_REASON_NO_ACCESS);
		return;
	}
	devdax_verdict(r, region, f);
	if (region)
		pmk_explain_legacy(r, region);
	if (e->quick || r->error)
		return;
	pmk_explain_huge_devdax(r, fd, f);
	pmk_explain_bad_devdax(r, region, f);
}

void pmk_explain_char(struct pmk_explain *e, const char *path,
		      const struct stat *st)
{
	struct pmk_map_report *r = e->r;
	struct pmk_devdax_facts f;
	int rc = pmk_probe_devdax(e->root, st->st_rdev, &f);

	if (rc == PMK_E_FILE_TYPE) {
		not_devdax(r);
		return;
	}
	if (rc) {
		without_sysfs(r, st, &f);
		return;
	}
	r->object = PMK_MAP_OBJECT_DEVDAX;
	r->size_bytes = f.size;
	r->align_bytes = f.align;
	snprintf(r->device, sizeof(r->device), "%s", f.name);
	if (!strcmp(f.driver, "kmem") || !f.driver[0] || !f.size)
		devdax_off(r, !strcmp(f.driver, "kmem"));
	else
		explain_devdax(e, path, &f);
}

/* What there is to be said of how the device is used. */
static void say_block(struct pmk_map_report *r, const struct pmk_file_facts *f)
{
	static const char *const modes[] = {
		[PMK_BLOCK_OTHER] = "a block device",
		[PMK_BLOCK_FSDAX] = "a namespace in fsdax mode",
		[PMK_BLOCK_SECTOR] = "a namespace in sector (btt) mode",
		[PMK_BLOCK_RAW] = "a namespace in raw mode",
		[PMK_BLOCK_STACKED] = "a block device made of others",
		[PMK_BLOCK_LOOP] = "a loop device",
		[PMK_BLOCK_RAM] = "a block device in ordinary memory",
	};

	pmk_explain_say(r, "the path is %s%s",
			f->block.partition ? "a partition of " : "",
			modes[f->block.kind]);
	if (r->mount[0])
		pmk_explain_say(r, "%s is mounted from it on %.100s",
				r->fs_type, r->mount);
}

/* Of the file system of a device, which is mounted there; 0: unknown, another
 * may be mounted over it. */
static uint64_t fs_block_bytes(const char *mount, dev_t device)
{
	struct statfs fs;
	struct stat st;

	if (stat(mount, &st) || st.st_dev != device || statfs(mount, &fs))
		return 0;
	return (uint64_t)fs.f_bsize;
}

void pmk_explain_block(struct pmk_explain *e, const struct stat *st)
{
	struct pmk_file_facts f = { 0 };
	struct pmk_map_report *r = e->r;
	const char *what;
	struct pmk_mount m;

	r->object = PMK_MAP_OBJECT_BLOCK;
	f.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	f.block_known = !pmk_probe_block(e->root, st->st_rdev, &f.block);
	pmk_explain_stack(&f);
	if (pmk_mount_of_device(st->st_rdev, &m)) {
		memcpy(r->fs_type, m.fs_type, sizeof(r->fs_type));
		memcpy(r->mount, m.point, sizeof(r->mount));
		memcpy(r->options, m.options, sizeof(r->options));
		memcpy(r->fs_options, m.fs_options, sizeof(r->fs_options));
		f.fs_block_bytes = fs_block_bytes(m.point, st->st_rdev);
	}
	pmk_explain_error(r, PMK_E_FILE_TYPE,
			  pmk_explain_block_reason(&f, &what));
	say_block(r, &f);
	if (what)
		pmk_explain_say(r, "%s", what);
	if (!f.block_known)
		return;
	pmk_explain_device(r, &f.block);
	r->size_bytes = f.block.size_bytes;
	pmk_explain_domain(
		r, pmk_block_domain(e->root, st->st_rdev,
				    r->reason == PMK_REASON_PMEM_BLOCK_DEVICE));
	if (!e->quick)
		pmk_explain_bad_file(r, -1, &f);
}
