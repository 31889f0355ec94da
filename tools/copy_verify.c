/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk copy --verify: read back what was written, and compare it. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "copy.h"
#include "out.h"
#include "pmk.h"
#include "progress.h"

static uint64_t first_difference(const char *a, const char *b, size_t len)
{
	size_t i = 0;

	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* What one side could not be read of is no difference: of the @len bytes at
 * @off, those ranges are copied from the other side. */
static void ignore(const struct damage *d, uint64_t off, size_t len, char *to,
		   const char *from)
{
	uint64_t end = off + len;

	for (size_t i = damage_find(d, off); i < d->n && d->ranges[i].off < end;
	     i++) {
		const struct damage_range *r = &d->ranges[i];
		size_t first = r->off > off ? r->off - off : 0;
		size_t behind = pmk_min_size(r->off + r->len - off, len);

		memcpy(to + first, from + first, behind - first);
	}
}

/* EXIT_BAD if they differ. */
static int compare(struct copy *c, struct source *back, uint64_t off,
		   size_t len)
{
	int rc = source_read(&c->src, off, len);

	if (!rc)
		rc = source_read(back, off, len);
	if (rc)
		return rc;
	ignore(&c->src.damage, off, len, c->src.buf, back->buf);
	ignore(&back->damage, off, len, back->buf, c->src.buf);
	if (!memcmp(c->src.buf, back->buf, len))
		return EXIT_OK;
	c->mismatch = off + first_difference(c->src.buf, back->buf, len);
	return EXIT_BAD;
}

static int compare_chunks(struct copy *c, struct source *back)
{
	uint64_t size = c->src.size, off;
	struct progress p;
	int rc = EXIT_OK;

	progress_start(&p, "verifying", size);
	for (off = 0; off < size && !rc; off += SOURCE_CHUNK) {
		size_t n = pmk_min_size(size - off, SOURCE_CHUNK);

		rc = compare(c, back, off, n);
		progress_update(&p, off + n);
	}
	progress_end(&p);
	return rc;
}

static int verdict(struct copy *c, const struct source *back)
{
	c->compared = true;
	c->verified = c->mismatch == UINT64_MAX && !back->damage.n;
	damage_report(&back->damage, c->dst, "cannot be read back",
		      c->devdax ? "" : "; it was not put in place");
	if (c->mismatch != UINT64_MAX)
		out_error("%s: differs from %s at byte %" PRIu64 "%s", c->dst,
			  c->src.path, c->mismatch,
			  c->devdax ? "" : "; it was not put in place");
	return c->verified ? EXIT_OK : EXIT_BAD;
}

int copy_verify(struct copy *c)
{
	struct source back = {
		.path = c->dst,
		.size = c->src.size,
		.fd = c->fd,
		/* a devdax node has no read(2), and the CPU cache may answer
		 * for the medium */
		.map = c->devdax ? c->map : NULL,
		.buf = malloc(SOURCE_CHUNK),
	};
	int rc;

	if (!back.buf)
		out_of_memory();
	if (!c->devdax) {
		/* what is durable may leave the page cache, so that the reads
		 * ask the medium; mapped pages would stay */
		pmk_map_close(c->map);
		c->map = NULL;
		posix_fadvise(c->fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	rc = compare_chunks(c, &back);
	if (!rc || rc == EXIT_BAD)
		rc = verdict(c, &back);
	free(back.buf);
	damage_free(&back.damage);
	return rc;
}
