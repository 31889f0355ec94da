/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a file's data lie. */
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "map/extents.h"

/* Extents of one call, and calls of one walk. */
#define BATCH       64
#define MAX_BATCHES 1024

/* The next extents from @off on: how many, or -errno. */
static int fetch(int fd, uint64_t off, struct fiemap *req)
{
	memset(req, 0, sizeof(*req));
	req->fm_start = off;
	req->fm_length = FIEMAP_MAX_OFFSET - off;
	req->fm_extent_count = BATCH;
	return ioctl(fd, FS_IOC_FIEMAP, req) ? -errno
					     : (int)req->fm_mapped_extents;
}

int pmk_file_extents(int fd, pmk_file_extent_fn fn, void *arg)
{
	_cleanup_free_ struct fiemap *req =
		malloc(sizeof(*req) + BATCH * sizeof(struct fiemap_extent));
	uint64_t off = 0;

	if (!req)
		return -ENOMEM;
	for (int i = 0; i < MAX_BATCHES; i++) {
		int n = fetch(fd, off, req);

		if (n <= 0)
			return n;
		for (int k = 0; k < n; k++) {
			const struct fiemap_extent *fe = &req->fm_extents[k];
			struct pmk_file_extent e = { fe->fe_logical,
						     fe->fe_physical,
						     fe->fe_length,
						     fe->fe_flags };
			int rc = fn(&e, arg);

			if (rc)
				return rc;
			if (fe->fe_flags & FIEMAP_EXTENT_LAST)
				return 0;
			off = fe->fe_logical + fe->fe_length;
		}
	}
	return -E2BIG;
}
