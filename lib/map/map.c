/* SPDX-License-Identifier: BSD-3-Clause */
/* Open and close a mapping, and its getters. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/map.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "map/explain_impl.h"
#include "map/map_impl.h"
#include "persist/ops.h"

#define ALL_FLAGS                                              \
	(PMK_MAP_CREATE | PMK_MAP_EXCLUSIVE | PMK_MAP_SPARSE | \
	 PMK_MAP_READ_ONLY | PMK_MAP_EMULATED)

int pmk_map_prot(const struct pmk_map_params *p)
{
	return p->flags & PMK_MAP_READ_ONLY ? PROT_READ
					    : PROT_READ | PROT_WRITE;
}

static int check_flags(const struct pmk_map_params *p)
{
	uint32_t f = p->flags;

	if (f & ~ALL_FLAGS)
		return pmk_fail(-EINVAL, "unknown flags 0x%x", f & ~ALL_FLAGS);
	if ((f & (PMK_MAP_EXCLUSIVE | PMK_MAP_SPARSE)) && !(f & PMK_MAP_CREATE))
		return pmk_fail(-EINVAL, "EXCLUSIVE and SPARSE need CREATE");
	if ((f & PMK_MAP_CREATE) && (f & PMK_MAP_READ_ONLY))
		return pmk_fail(-EINVAL, "CREATE and READ_ONLY contradict");
	return 0;
}

static int check_params(const struct pmk_map_params *p)
{
	static const uint64_t zeros[ARRAY_SIZE(p->reserved)];
	int rc = check_flags(p);

	if (rc)
		return rc;
	if (memcmp(p->reserved, zeros, sizeof(zeros)))
		return pmk_fail(-EINVAL, "a reserved field is not zero");
	if ((unsigned int)p->granularity > PMK_GRANULARITY_PAGE)
		return pmk_fail(-EINVAL, "granularity %d", p->granularity);
	if ((unsigned int)p->emulated_domain > PMK_DOMAIN_MEMORY_CONTROLLER ||
	    (p->emulated_domain && !(p->flags & PMK_MAP_EMULATED)))
		return pmk_fail(-EINVAL, "emulated_domain %d",
				p->emulated_domain);
	if (p->mode & ~07777U)
		return pmk_fail(-EINVAL, "mode 0%o", p->mode);
	if (p->off & ((uint64_t)sysconf(_SC_PAGESIZE) - 1))
		return pmk_fail(-EINVAL, "offset is not page aligned");
	return 0;
}

/* Look before opening: opening some devices and fifos does things. */
static int check_type(const char *path, const struct stat *st)
{
	if (S_ISREG(st->st_mode) || S_ISCHR(st->st_mode))
		return 0;
	return pmk_fail(PMK_E_FILE_TYPE, "%s: %s", path,
			S_ISDIR(st->st_mode)    ? "is a directory"
			: S_ISFIFO(st->st_mode) ? "is a fifo"
			: S_ISSOCK(st->st_mode) ? "is a socket"
						: "is a block device");
}

static int open_existing(const char *path, const struct pmk_map_params *p,
			 int *fd_ret)
{
	int flags = p->flags & PMK_MAP_READ_ONLY ? O_RDONLY : O_RDWR;
	struct stat st;
	int rc;

	if (stat(path, &st))
		return -errno;
	rc = check_type(path, &st);
	if (rc)
		return rc;
	*fd_ret = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd_ret >= 0)
		return 0;
	rc = -errno;
	/* a dax device whose driver is another one, or none */
	if (rc == -ENXIO && S_ISCHR(st.st_mode) &&
	    pmk_map_check_devdax(p, st.st_rdev, path))
		rc = PMK_E_DEVDAX_MODE;
	return rc;
}

static int open_path(const char *path, const struct pmk_map_params *p,
		     int *fd_ret, bool *created_ret)
{
	mode_t mode = p->mode ? p->mode : 0600;

	if (!(p->flags & PMK_MAP_CREATE))
		return open_existing(path, p, fd_ret);
	*fd_ret = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	*created_ret = *fd_ret >= 0;
	if (*created_ret)
		return 0;
	if (errno != EEXIST || p->flags & PMK_MAP_EXCLUSIVE)
		return -errno;
	/* a link to nothing stays one: ENOENT, as from cp(1) */
	return open_existing(path, p, fd_ret);
}

static void apply_emulation(struct pmk_map *map, const struct pmk_map_params *p)
{
	map->kind = PMK_MAP_KIND_EMULATED;
	map->domain = p->emulated_domain ? p->emulated_domain
					 : PMK_DOMAIN_MEMORY_CONTROLLER;
	map->granularity = map->domain == PMK_DOMAIN_CPU_CACHE
				   ? PMK_GRANULARITY_BYTE
				   : PMK_GRANULARITY_CACHE_LINE;
}

static int check_granularity(const struct pmk_map *map,
			     const struct pmk_map_params *p, const char *path)
{
	struct pmk_map_report why;

	if (!p->granularity || map->granularity <= p->granularity)
		return 0;
	if (!path || pmk_map_explain_at(p->sysfs_root, path, true, &why))
		return pmk_fail(PMK_E_GRANULARITY, "%s granularity only",
				pmk_granularity_name(map->granularity));
	return pmk_fail(PMK_E_GRANULARITY, "%s: %s granularity only: %s", path,
			pmk_granularity_name(map->granularity),
			pmk_map_reason_text(why.reason));
}

static int init_path(struct pmk_map *map, const char *path,
		     const struct pmk_map_params *p, bool *created_ret,
		     struct stat *st)
{
	int rc = open_path(path, p, &map->fd, created_ret);

	/* open_existing() has explained what is not an errno */
	if (rc)
		return rc > -4096 ? pmk_fail(rc, "%s: cannot open: %s", path,
					     pmk_strerror(rc))
				  : rc;
	if (fstat(map->fd, st))
		return -errno;
	if (S_ISREG(st->st_mode))
		return pmk_map_init_file(map, p, st, path);
	rc = check_type(path, st);
	return rc ? rc : pmk_map_init_devdax(map, p, st, path);
}

/* Take back a file that this call made, unless another process has put
 * something there meanwhile. */
static void undo_create(struct pmk_map *map, const struct pmk_file_undo *undo)
{
	struct stat st;

	if (undo->created && !fstat(map->fd, &st) && !st.st_size)
		pmk_file_undo(undo, map->fd);
}

static int init(struct pmk_map *map, const char *path,
		const struct pmk_map_params *p)
{
	struct pmk_file_undo undo = { .path = path };
	struct stat st = { 0 };
	int rc;

	rc = path ? init_path(map, path, p, &undo.created, &st)
		  : pmk_map_init_anon(map, p);
	if (!rc && p->flags & PMK_MAP_EMULATED)
		apply_emulation(map, p);
	if (!rc)
		rc = check_granularity(map, p, path);
	if (!rc && path && p->flags & PMK_MAP_CREATE && p->len &&
	    S_ISREG(st.st_mode))
		rc = pmk_map_make_room(map, p, &st, &undo);
	if (rc && map->fd >= 0)
		undo_create(map, &undo);
	return rc;
}

PMK_EXPORT int pmk_map_open(const char *path,
			    const struct pmk_map_params *params,
			    struct pmk_map **map_ret)
{
	static const struct pmk_map_params defaults;
	const struct pmk_map_params *p = params ? params : &defaults;
	struct pmk_map *map;
	int rc = check_params(p);

	if (rc)
		return rc;
	map = calloc(1, sizeof(*map));
	if (!map)
		return -ENOMEM;
	map->fd = -1;
	map->align = (size_t)sysconf(_SC_PAGESIZE);
	map->read_only = p->flags & PMK_MAP_READ_ONLY;
	rc = init(map, path, p);
	if (rc) {
		pmk_map_close(map);
		return rc;
	}
	map->ops = pmk_map_ops_for(map->granularity);
	pmk_kernels(); /* chosen now, so that a signal handler may use them */
	*map_ret = map;
	return 0;
}

PMK_EXPORT void pmk_map_close(struct pmk_map *map)
{
	if (!map)
		return;
	if (map->addr)
		pmk_vma_unmap(map->addr, map->len);
	if (map->fd >= 0)
		close(map->fd);
	free(map->region);
	free(map);
}

PMK_EXPORT void *pmk_map_addr(const struct pmk_map *map)
{
	return map->addr;
}

PMK_EXPORT size_t pmk_map_size(const struct pmk_map *map)
{
	return map->len;
}

PMK_EXPORT enum pmk_map_kind pmk_map_kind(const struct pmk_map *map)
{
	return map->kind;
}

PMK_EXPORT enum pmk_granularity pmk_map_granularity(const struct pmk_map *map)
{
	return map->granularity;
}

PMK_EXPORT enum pmk_domain pmk_map_domain(const struct pmk_map *map)
{
	return map->domain;
}

PMK_EXPORT size_t pmk_map_align(const struct pmk_map *map)
{
	return map->align;
}

PMK_EXPORT int pmk_map_fd(const struct pmk_map *map)
{
	return map->fd;
}
