/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pmk copy reads from.  A regular file is read, not mapped: it may become
 * shorter meanwhile.  A devdax node has no read(2), and its size is fixed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <pmk/map.h>

#include "base/io.h"
#include "out.h"
#include "pmk.h"
#include "source.h"

static int open_file(struct source *s)
{
	s->buf = malloc(SOURCE_CHUNK);
	if (!s->buf)
		out_of_memory();
	s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* the path may have changed its meaning since stat(2) */
	if (s->fd < 0 || fstat(s->fd, &s->st))
		return out_fail(s->path, -errno, NULL);
	if (!S_ISREG(s->st.st_mode))
		return out_fail(s->path, PMK_E_FILE_TYPE, NULL);
	s->size = (uint64_t)s->st.st_size;
	/* files of proc have no size, and are not empty */
	if (!s->size && read(s->fd, s->buf, 1) == 1)
		return out_error("%s: has data, but says it has 0 bytes",
				 s->path);
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return EXIT_OK;
}

static int open_devdax(struct source *s)
{
	const struct pmk_map_params params = { .flags = PMK_MAP_READ_ONLY };
	int rc = pmk_map_open(s->path, &params, &s->map);

	if (rc)
		return out_fail(s->path, rc, NULL);
	s->size = pmk_map_size(s->map);
	return EXIT_OK;
}

int source_open(struct source *s, const char *path)
{
	*s = (struct source){ .path = path, .fd = -1 };
	if (stat(path, &s->st))
		return out_fail(path, -errno, NULL);
	if (S_ISREG(s->st.st_mode))
		return open_file(s);
	if (S_ISCHR(s->st.st_mode))
		return open_devdax(s);
	if (S_ISDIR(s->st.st_mode))
		return out_fail(path, -EISDIR, NULL);
	return out_fail(path, PMK_E_FILE_TYPE, NULL);
}

int source_read(struct source *s, uint64_t off, size_t len,
		const char **data_ret)
{
	ssize_t n;

	if (s->map) {
		*data_ret = (const char *)pmk_map_addr(s->map) + off;
		return EXIT_OK;
	}
	n = pmk_pread_full(s->fd, s->buf, len, off);
	if (n < 0)
		return out_fail(s->path, (int)n, NULL);
	if ((size_t)n < len)
		return out_error("%s: ends at byte %" PRIu64 " of %" PRIu64
				 ": it was cut off during the copy",
				 s->path, off + (uint64_t)n, s->size);
	*data_ret = s->buf;
	return EXIT_OK;
}

void source_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	pmk_map_close(s->map);
	free(s->buf);
}
