/* SPDX-License-Identifier: BSD-3-Clause */
/* What a cache may be made or opened on, and where in it. */
#include <errno.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <pmk/flush.h>

#include "base/log.h"
#include "base/util.h"
#include "map/map_impl.h"
#include "wc/engine.h"
#include "wc/format.h"

static int bytes_of(int fd, uint64_t *bytes_ret)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode)) {
		*bytes_ret = (uint64_t)st.st_size;
		return 0;
	}
	if (!S_ISBLK(st.st_mode))
		return PMK_E_FILE_TYPE;
	return ioctl(fd, BLKGETSIZE64, bytes_ret) ? -errno : 0;
}

/* A value that is out of its range, or unknown. */
static bool is_odd(const struct pmk_wc_params *p)
{
	return (p->block_size && !pmk_wc_block_size_ok(p->block_size)) ||
	       p->flags & ~PMK_WC_FORCE || p->high_watermark > 100 ||
	       p->low_watermark > p->high_watermark ||
	       !pmk_wc_store_name(p->store, p->block_size) ||
	       !pmk_is_zero(p->reserved, sizeof(p->reserved));
}

int pmk_wc_target_size(const struct wc_target *t, const struct pmk_wc_params *p,
		       uint64_t *bytes_ret)
{
	uint64_t align = t->mode == 'p' ? PMK_LINE_SIZE : PMK_WC_SECTOR;

	if (is_odd(p) || !pmk_is_aligned(p->offset, align))
		return pmk_fail(-EINVAL, "writecache: bad parameters");
	if (p->offset >= t->bytes || p->size > t->bytes - p->offset)
		return pmk_fail(PMK_E_RANGE,
				"writecache: %" PRIu64 " bytes at %" PRIu64
				" are not inside %" PRIu64,
				p->size, p->offset, t->bytes);
	*bytes_ret = p->size ? p->size : t->bytes - p->offset;
	return 0;
}

static int take_origin(struct wc_target *t, int origin_fd,
		       const struct pmk_wc_params *p)
{
	int rc;

	t->files.fd[WC_ORIGIN] = origin_fd;
	t->has_origin = origin_fd >= 0;
	if (!t->has_origin)
		return 0;
	rc = bytes_of(origin_fd, &t->origin_bytes);
	if (rc)
		return pmk_fail(rc, "writecache: the origin's size is unknown");
	if (p->origin_size > t->origin_bytes)
		return pmk_fail(-EINVAL, "writecache: the origin is shorter");
	if (p->origin_size)
		t->origin_bytes = p->origin_size;
	return 0;
}

int pmk_wc_target_map(struct wc_target *t, struct pmk_map *map, int origin_fd,
		      const struct pmk_wc_params *p)
{
	*t = (struct wc_target){
		.mode = 'p',
		.base = map->addr,
		.bytes = map->len,
		.files = { .fd = { -1, -1 } },
	};
	if (map->read_only)
		return PMK_E_READ_ONLY;
	/* asynchronous DAX is of this granularity, or cannot be mapped */
	if (map->granularity == PMK_GRANULARITY_PAGE)
		return pmk_fail(PMK_E_GRANULARITY,
				"writecache: a fence makes nothing durable "
				"here, only msync(2) does");
	return take_origin(t, origin_fd, p);
}

int pmk_wc_target_fd(struct wc_target *t, int fd, int origin_fd,
		     const struct pmk_wc_params *p)
{
	int rc;

	*t = (struct wc_target){ .mode = 's', .files = { .fd = { fd, -1 } } };
	rc = bytes_of(fd, &t->bytes);
	if (rc)
		return pmk_fail(rc, "writecache: the cache's size is unknown");
	return take_origin(t, origin_fd, p);
}

void pmk_wc_target_ready(struct wc_target *t, const struct wc_target *from,
			 enum pmk_wc_store store, uint32_t block_size)
{
	*t = *from;
	if (!t->ops)
		t->ops = pmk_wc_ops_for(store, block_size);
	if (!t->ctx)
		t->ctx = &t->files;
}
