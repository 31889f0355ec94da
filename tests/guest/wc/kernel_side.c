/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions of the kernel.  A crash is what is on cache and origin while the
 * target is at work: copied, put back when the target is gone.  The cache is
 * copied first: an entry that is freed later has its data in the origin then.
 */
#include <stdio.h>
#include <string.h>

#include "dm.h"
#include "history.h"
#include "rig.h"

static char path[32];

static int k_open(struct history *h)
{
	static const char quiet[] =
		" autocommit_blocks 1000000 autocommit_time 3600000"
		" high_watermark 100 low_watermark 100";
	int minor;

	minor = dm_make_one("wc", "writecache", h->origin_bytes / SECTOR,
			    "%c %s %s %zu %d start_sector %llu%s", h->mode,
			    h->origin, h->cache, h->bs, h->strict ? 10 : 4,
			    (unsigned long long)h->start,
			    h->strict ? quiet : " autocommit_blocks 7");
	if (minor < 0)
		return minor;
	snprintf(path, sizeof(path), "/dev/dm-%d", minor);
	return 0;
}

static int k_read(struct history *h, size_t block, void *buf)
{
	return dev_read(path, block * h->bs, buf, h->bs);
}

/*
 * In mode s block by block: a request that begins with new blocks and goes on
 * over one that is not committed yet lets 6.1.192 and 6.12.117 run into
 * "list_del corruption" in writecache_writeback, when that comes to these.
 */
static int k_write(struct history *h, size_t block, size_t n, const void *p)
{
	size_t piece = h->mode == 's' ? 1 : n;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i += piece)
		rc = dev_write(path, (block + i) * h->bs,
			       (const char *)p + i * h->bs, piece * h->bs);
	return rc;
}

static int k_discard(struct history *h, size_t block, size_t n)
{
	return dev_discard(path, block * h->bs, n * h->bs);
}

static int k_commit(struct history *h)
{
	(void)h;
	return dev_sync(path);
}

static int k_clean(struct history *h)
{
	(void)h;
	return dm_message("wc", "flush");
}

static int k_close(struct history *h)
{
	(void)h;
	return dm_remove("wc");
}

static int k_crash(struct history *h)
{
	int rc = dev_read(h->cache, 0, h->a, h->cache_bytes);

	if (!rc)
		rc = dev_read(h->origin, 0, h->b, h->origin_bytes);
	if (!rc)
		rc = dm_remove("wc");
	if (!rc)
		rc = dev_write(h->cache, 0, h->a, h->cache_bytes);
	return rc ? rc : dev_write(h->origin, 0, h->b, h->origin_bytes);
}

const struct side kernel_side = {
	.name = "kernel",
	.open = k_open,
	.read = k_read,
	.write = k_write,
	.discard = k_discard,
	.commit = k_commit,
	.clean = k_clean,
	.close = k_close,
	.crash = k_crash,
};
