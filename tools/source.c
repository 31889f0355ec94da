/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pmk copy reads from.  A regular file is read, not mapped: it may become
 * shorter meanwhile.  A devdax node has no read(2), and its size is fixed.
 *
 * Reads are large until one fails.  Then they are small enough to find out
 * exactly what is unreadable, and grow again behind it: the number of reads
 * grows with that of unreadable sectors, whatever their order.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/copy.h>
#include <pmk/map.h>

#include "base/util.h"
#include "out.h"
#include "pmk.h"
#include "source.h"

/* What storage loses at least: of a file, and of a mapping. */
#define SECTOR 512U
#define PAGE   4096U

static int open_file(struct source *s)
{
	char byte;

	s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* the path may have changed its meaning since stat(2) */
	if (s->fd < 0 || fstat(s->fd, &s->st))
		return out_fail(s->path, -errno, NULL);
	if (!S_ISREG(s->st.st_mode))
		return out_fail(s->path, PMK_E_FILE_TYPE, NULL);
	s->size = (uint64_t)s->st.st_size;
	/* files of proc have no size, and are not empty */
	if (!s->size && read(s->fd, &byte, 1) == 1)
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
	s->buf = malloc(SOURCE_CHUNK);
	if (!s->buf)
		out_of_memory();
	if (S_ISREG(s->st.st_mode))
		return open_file(s);
	if (S_ISCHR(s->st.st_mode))
		return open_devdax(s);
	if (S_ISDIR(s->st.st_mode))
		return out_fail(path, -EISDIR, NULL);
	return out_fail(path, PMK_E_FILE_TYPE, NULL);
}

/* A read of @len bytes at @off, of which @done are in @buf. */
struct part {
	char *buf;
	uint64_t off;
	size_t len;
	size_t done;
};

static void lose(struct source *s, struct part *p, size_t n)
{
	memset(p->buf + p->done, 0, n);
	damage_add(&s->damage, p->off + p->done, n);
	p->done += n;
}

/* The errors of data that is lost, from the device or by a checksum of the
 * file system; others say nothing about a range. */
static bool is_lost(int error)
{
	return error == EIO || error == ENODATA || error == EBADMSG ||
	       error == EUCLEAN || error == EILSEQ || error == EHWPOISON;
}

static int read_file(struct source *s, struct part *p)
{
	size_t step = SOURCE_CHUNK; /* a power of two */

	while (p->done < p->len) {
		uint64_t pos = p->off + p->done;
		/* reads of a step begin at a multiple of it */
		size_t n = pmk_min_size(step - (pos & (step - 1)),
					p->len - p->done);
		ssize_t got = pread(s->fd, p->buf + p->done, n, (off_t)pos);

		if (got > 0) {
			p->done += (size_t)got;
			step = pmk_min_size(2 * step, SOURCE_CHUNK);
		} else if (!got) {
			return out_error("%s: ends at byte %" PRIu64
					 " of %" PRIu64
					 ": it was cut off during the copy",
					 s->path, pos, s->size);
		} else if (errno != EINTR && !is_lost(errno)) {
			return out_fail(s->path, -errno, NULL);
		} else if (errno != EINTR && step > SECTOR) {
			step = step > 8 * SECTOR ? step / 8 : SECTOR;
		} else if (errno != EINTR) {
			lose(s, p, n);
		}
	}
	return EXIT_OK;
}

static int read_map(struct source *s, struct part *p)
{
	const char *src = (const char *)pmk_map_addr(s->map) + p->off;

	while (p->done < p->len) {
		size_t left = pmk_copy_mc(p->buf + p->done, src + p->done,
					  p->len - p->done);
		size_t in_page;

		p->done = p->len - left;
		in_page = (p->off + p->done) & (PAGE - 1);
		if (left)
			lose(s, p, pmk_min_size(PAGE - in_page, left));
	}
	return EXIT_OK;
}

/* What is known to be unreadable is passed over: a disk takes seconds for each
 * such sector. */
int source_read(struct source *s, uint64_t off, size_t len)
{
	struct part p = { .buf = s->buf, .off = off };
	size_t i = damage_find(&s->known, off);
	uint64_t end = off + len;
	int rc = EXIT_OK;

	while (p.done < len && !rc) {
		struct damage_range lost = { end, 0 };

		if (i < s->known.n && s->known.ranges[i].off < end)
			lost = s->known.ranges[i++];
		p.len = lost.off > off ? lost.off - off : 0;
		rc = s->map ? read_map(s, &p) : read_file(s, &p);
		p.len = pmk_min_size(lost.off + lost.len, end) - off;
		memset(p.buf + p.done, 0, p.len - p.done);
		p.done = p.len;
	}
	return rc;
}

void source_rewind(struct source *s)
{
	damage_free(&s->known);
	s->known = s->damage;
	s->damage = (struct damage){ NULL, 0, 0 };
}

void source_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	pmk_map_close(s->map);
	damage_free(&s->damage);
	damage_free(&s->known);
	free(s->buf);
}
