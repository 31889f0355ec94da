/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions of the engine.  Mode s has the cache device itself.  A block device
 * cannot be mapped with MAP_SYNC: mode p has a copy in a file that is treated
 * as persistent memory, put back at the end.  A crash is the end of a process:
 * the cache is never closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <pmk/wc.h>

#include "history.h"
#include "rig.h"

#define COPY "/tmp/emulated"

static struct pmk_wc *wc;
static struct pmk_map *mapping;
static int cache_fd = -1, origin_fd = -1;

static int open_map(struct history *h, const struct pmk_wc_params *params)
{
	struct pmk_map_params map = { .flags = PMK_MAP_EMULATED };
	int rc = dev_read(h->cache, 0, h->a, h->cache_bytes);

	if (rc)
		return rc;
	file_put(COPY, h->a, h->cache_bytes);
	rc = pmk_map_open(COPY, &map, &mapping);
	if (rc)
		return rc;
	rc = pmk_wc_open_map(mapping, origin_fd, params, &wc);
	if (rc != -ENODATA)
		return rc;
	rc = pmk_wc_create_map(mapping, params);
	return rc ? rc : pmk_wc_open_map(mapping, origin_fd, params, &wc);
}

static int open_fd(struct history *h, const struct pmk_wc_params *params)
{
	int rc;

	cache_fd = open(h->cache, O_RDWR | O_EXCL | O_CLOEXEC);
	if (cache_fd < 0)
		return -errno;
	rc = pmk_wc_open_fd(cache_fd, origin_fd, params, &wc);
	if (rc != -ENODATA)
		return rc;
	rc = pmk_wc_create_fd(cache_fd, params);
	return rc ? rc : pmk_wc_open_fd(cache_fd, origin_fd, params, &wc);
}

static int e_open(struct history *h)
{
	struct pmk_wc_params params = {
		.offset = h->start * SECTOR,
		.block_size = (uint32_t)h->bs,
		.autocommit_blocks = h->strict ? 1000000 : 7,
		.origin_size = h->origin_bytes,
	};

	mapping = NULL;
	cache_fd = -1;
	origin_fd = open(h->origin, O_RDWR | O_CLOEXEC);
	if (origin_fd < 0)
		return -errno;
	return h->mode == 'p' ? open_map(h, &params) : open_fd(h, &params);
}

static int e_read(struct history *h, size_t block, void *buf)
{
	return pmk_wc_read(wc, block * h->bs, buf, h->bs);
}

static int e_write(struct history *h, size_t block, size_t n, const void *p)
{
	int rc = pmk_wc_write(wc, block * h->bs, p, n * h->bs, 0);
	int64_t worked;

	if (rc || h->strict)
		return rc;
	worked = pmk_wc_work(wc);
	return worked < 0 ? (int)worked : 0;
}

static int e_discard(struct history *h, size_t block, size_t n)
{
	return pmk_wc_discard(wc, block * h->bs, n * h->bs);
}

static int e_commit(struct history *h)
{
	(void)h;
	return pmk_wc_commit(wc);
}

static int e_clean(struct history *h)
{
	int64_t n = pmk_wc_clean(wc);

	(void)h;
	return n < 0 ? (int)n : 0;
}

/* What was written is on the devices when their last descriptor is closed. */
static int put_back(struct history *h)
{
	int rc = 0;

	close(origin_fd);
	if (cache_fd >= 0)
		close(cache_fd);
	if (!mapping)
		return 0;
	pmk_map_close(mapping);
	rc = dev_read(COPY, 0, h->a, h->cache_bytes);
	return rc ? rc : dev_write(h->cache, 0, h->a, h->cache_bytes);
}

static int e_close(struct history *h)
{
	int rc = pmk_wc_close(wc), put = put_back(h);

	return rc ? rc : put;
}

static int e_crash(struct history *h)
{
	return put_back(h);
}

const struct side engine_side = {
	.name = "engine",
	.open = e_open,
	.read = e_read,
	.write = e_write,
	.discard = e_discard,
	.commit = e_commit,
	.clean = e_clean,
	.close = e_close,
	.crash = e_crash,
};
