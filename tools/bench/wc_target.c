/* SPDX-License-Identifier: BSD-3-Clause */
/* The table and the counters of a writecache target. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dm-ioctl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bench/wc_target.h"

/* The kernel's, in mode p, where the table does not say. */
#define AUTOCOMMIT_BLOCKS 64

/* A table of one writecache target is below 300 bytes. */
struct request {
	struct dm_ioctl head;
	struct dm_target_spec spec;
	char text[1024];
};

/* Ask for the line of the only target; with @flags for its table or status. */
static int ask(int fd, uint32_t flags, struct request *r)
{
	_cleanup_fd_ int control =
		open("/dev/" DM_DIR "/" DM_CONTROL_NODE, O_RDWR | O_CLOEXEC);
	struct stat st;

	if (control < 0 || fstat(fd, &st))
		return -errno;
	*r = (struct request){
		.head = { .version = { DM_VERSION_MAJOR },
			  .data_size = sizeof(*r),
			  .data_start = offsetof(struct request, spec),
			  .flags = flags,
			  .dev = st.st_rdev },
	};
	/* ENXIO: not of device mapper */
	if (ioctl(control, DM_TABLE_STATUS, r))
		return errno == ENXIO ? -ENODEV : -errno;
	if (r->head.flags & DM_BUFFER_FULL_FLAG || r->head.target_count != 1 ||
	    strncmp(r->spec.target_type, "writecache",
		    sizeof(r->spec.target_type)))
		return -ENODEV;
	r->text[sizeof(r->text) - 1] = '\0';
	return 0;
}

/* "p ORIGIN CACHE BLOCK_SIZE N OPTION..." */
int wc_target_read(int fd, struct wc_target *target_ret)
{
	struct wc_target t = { .autocommit_blocks = AUTOCOMMIT_BLOCKS };
	struct request r;
	const char *option;
	int rc = ask(fd, DM_STATUS_TABLE_FLAG, &r);

	if (rc)
		return rc;
	if (sscanf(r.text, "%c %*s %31s %" SCNu32, &t.mode, t.cache,
		   &t.block_size) != 3)
		return -ENODEV;
	option = strstr(r.text, " autocommit_blocks ");
	if (option)
		sscanf(option, " autocommit_blocks %" SCNu64,
		       &t.autocommit_blocks);
	*target_ret = t;
	return 0;
}

/* ERROR BLOCKS FREE WRITEBACK READS HITS WRITES UNCOMMITTED_HITS
 * COMMITTED_HITS AROUND ALLOCATED BLOCKED FLUSHES DISCARDS */
int wc_target_count(int fd, struct wc_counts *counts_ret)
{
	uint64_t uncommitted, committed;
	struct wc_counts c;
	struct request r;
	/* one with a flush would commit */
	int rc = ask(fd, DM_NOFLUSH_FLAG, &r);

	if (rc)
		return rc;
	if (*r.text != '0')
		return -EIO;
	if (sscanf(r.text,
		   "%*u %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %*u %*u %*u %" SCNu64,
		   &c.writes, &uncommitted, &committed, &c.flushes) != 4)
		return -ENODATA;
	c.write_hits = uncommitted + committed;
	*counts_ret = c;
	return 0;
}
