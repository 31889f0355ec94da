/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular files, and directories for the files that may come. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "map/explain_impl.h"

/*
 * Map one page: 0 or -errno.  What a file is like shows also beyond its end,
 * where mmap(2) goes well as long as nobody touches it.
 */
static int try_map(int fd, int flags)
{
	size_t len = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, len, PROT_READ, flags, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, len);
	return 0;
}

/* mmap(2) sets the time of access, unless the owner does not want it. */
static int open_to_look(const char *path, int flags)
{
	int fd;

	flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	fd = open(path, flags | O_NOATIME);
	return fd < 0 && errno == EPERM ? open(path, flags) : fd;
}

/* Where the path is, also if it cannot be opened. */
static void look_around(struct pmk_explain *e, int fd, const struct stat *st,
			struct pmk_file_facts *f)
{
	struct pmk_map_report *r = e->r;
	struct pmk_mount m;

	pmk_mount_of(fd, &m);
	memcpy(r->mount, m.point, sizeof(r->mount));
	memcpy(r->options, m.options, sizeof(r->options));
	memcpy(r->fs_options, m.fs_options, sizeof(r->fs_options));
	pmk_explain_facts(e->root, fd, st->st_dev, &m, f);
	if (m.fs_type[0])
		memcpy(r->fs_type, m.fs_type, sizeof(r->fs_type));
	else if (f->fs.name)
		snprintf(r->fs_type, sizeof(r->fs_type), "%s", f->fs.name);
	pmk_explain_say(r, "%s%s%s",
			r->fs_type[0] ? r->fs_type : "unknown file system",
			f->block.name[0] ? " on " : "", f->block.name);
	if (r->mount[0])
		pmk_explain_say(r, "mounted on %.100s", r->mount);
	if (f->block_known)
		pmk_explain_device(r, &f->block);
}

static void explain_fsdax(struct pmk_explain *e, const struct stat *st,
			  const struct pmk_file_facts *f)
{
	struct pmk_map_report *r = e->r;
	struct pmk_domain_fact d = { PMK_DOMAIN_UNKNOWN, PMK_WHY_REALTIME };

	if (!f->realtime)
		d = pmk_block_domain(e->root, st->st_dev, true);
	pmk_explain_domain(r, d);
	r->granularity = pmk_domain_granularity(d.domain);
	if (d.domain == PMK_DOMAIN_DEVICE) {
		r->kind = PMK_MAP_KIND_FILE;
		r->pmem = PMK_ANSWER_NO;
		r->reason = PMK_REASON_ASYNC_FLUSH;
		return;
	}
	r->kind = PMK_MAP_KIND_FSDAX;
	r->pmem = pmk_explain_is_pmem(d);
	r->reason = d.domain == PMK_DOMAIN_VOLATILE ? PMK_REASON_VOLATILE_REGION
						    : PMK_REASON_DAX;
}

static void explain_refused(struct pmk_explain *e, int fd,
			    const struct stat *st,
			    const struct pmk_file_facts *f)
{
	struct pmk_map_report *r = e->r;
	const char *what;

	r->kind = PMK_MAP_KIND_FILE;
	r->granularity = PMK_GRANULARITY_PAGE;
	r->pmem = PMK_ANSWER_NO;
	pmk_explain_domain(r, pmk_fs_domain(e->root, fd, st->st_dev));
	r->reason = pmk_explain_reason(f, &what);
	if (what)
		pmk_explain_say(r, "%s", what);
}

static void explain_mapping(struct pmk_explain *e, int fd,
			    const struct stat *st, struct pmk_file_facts *f)
{
	int rc;

	f->sync_error = try_map(fd, MAP_SHARED_VALIDATE | MAP_SYNC);
	if (!f->sync_error) {
		explain_fsdax(e, st, f);
		return;
	}
	/* as pmk_map_open() does */
	rc = f->sync_error == -EOPNOTSUPP || f->sync_error == -EINVAL
		     ? try_map(fd, MAP_SHARED)
		     : f->sync_error;
	if (rc) {
		/* ENODEV is how mmap(2) says that the file system has none */
		pmk_explain_error(e->r, rc,
				  rc == -ENODEV ? PMK_REASON_FS_WITHOUT_DAX
						: PMK_REASON_UNKNOWN);
		if (rc == -ENODEV)
			e->r->pmem = PMK_ANSWER_NO;
		return;
	}
	f->validate_works = !try_map(fd, MAP_SHARED_VALIDATE);
	explain_refused(e, fd, st, f);
}

void pmk_explain_file(struct pmk_explain *e, const char *path,
		      const struct stat *st)
{
	_cleanup_fd_ int fd = open_to_look(path, 0);
	struct pmk_file_facts f = { 0 };
	struct pmk_map_report *r = e->r;
	int error = fd < 0 ? -errno : 0;

	r->object = PMK_MAP_OBJECT_FILE;
	r->size_bytes = (uint64_t)st->st_size;
	r->align_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	if (error)
		fd = open(path, O_PATH | O_CLOEXEC);
	if (fd >= 0)
		look_around(e, fd, st, &f);
	if (error) {
		pmk_explain_error(r, error, PMK_REASON_NO_ACCESS);
		return;
	}
	explain_mapping(e, fd, st, &f);
	if (!st->st_size && !r->error)
		pmk_explain_say(r, "it is empty, and has to get a size before "
				   "it is mapped");
	if (e->quick || r->error)
		return;
	if (r->kind == PMK_MAP_KIND_FSDAX)
		pmk_explain_huge_file(r, fd, &f);
	pmk_explain_bad_file(r, fd, &f);
}

/*
 * What a new file would get.  To make one, even without a name (O_TMPFILE),
 * would write to the file system, which is not for this function to do: so it
 * says what the directory, the mount and the device allow.
 */
void pmk_explain_directory(struct pmk_explain *e, const char *path,
			   const struct stat *st)
{
	_cleanup_fd_ int fd = open_to_look(path, O_DIRECTORY);
	struct pmk_file_facts f = { .directory = true,
				    .sync_error = -EOPNOTSUPP,
				    .validate_works = true };
	struct pmk_map_report *r = e->r;
	const char *what;

	r->object = PMK_MAP_OBJECT_DIRECTORY;
	if (fd < 0)
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		pmk_explain_error(r, -errno, PMK_REASON_NO_ACCESS);
		return;
	}
	look_around(e, fd, st, &f);
	pmk_explain_error(r, PMK_E_FILE_TYPE, pmk_explain_reason(&f, &what));
	if (what)
		pmk_explain_say(r, "%s", what);
	pmk_explain_domain(r,
			   r->reason == PMK_REASON_NEW_FILE_DAX
				   ? pmk_block_domain(e->root, st->st_dev, true)
				   : pmk_fs_domain(e->root, fd, st->st_dev));
	if (!e->quick)
		pmk_explain_bad_file(r, -1, &f);
}
