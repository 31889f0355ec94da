/* SPDX-License-Identifier: BSD-3-Clause */
/* The changes of a repair: noted, looked at, written down, and stored. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/cleanup.h"
#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/image.h"
#include "wc/media.h"
#include "wc/repair.h"
#include "wc/undo.h"

/* What one change has at most, so that a line of an undo file stays short. */
#define NOTE_BYTES 4096U

int pmk_wc_repair_grow(struct pmk_wc_repair *r, size_t len)
{
	void *p;

	/* doubles at powers of two */
	if (!(r->n & (r->n - 1))) {
		p = reallocarray(r->changes, r->n ? 2 * r->n : 1,
				 sizeof(*r->changes));
		if (!p)
			return -ENOMEM;
		r->changes = p;
	}
	if (r->max_bytes - r->n_bytes >= 2 * len)
		return 0;
	p = realloc(r->bytes, 2 * (r->n_bytes + 2 * len));
	if (!p)
		return -ENOMEM;
	r->bytes = p;
	r->max_bytes = 2 * (r->n_bytes + 2 * len);
	return 0;
}

/* To entries in memory. */
static void replay_one(struct pmk_wc_repair *r, const struct wc_change *c)
{
	const unsigned char *bytes = r->bytes + c->bytes + c->len;
	uint64_t first = PMK_WC_SUPERBLOCK_BYTES, end;

	if (!r->img->has_geo || c->off < first)
		return;
	end = pmk_wc_entry_off(r->img->geo.n_blocks);
	if (c->off < end)
		memcpy(r->img->entries + (c->off - first), bytes,
		       pmk_min_size(c->len, end - c->off));
}

void pmk_wc_repair_replay(struct pmk_wc_repair *r)
{
	for (size_t i = 0; i < r->n; i++)
		replay_one(r, &r->changes[i]);
}

/* What is there now, on media. */
static int read_now(struct pmk_wc_repair *r, uint64_t off, unsigned char *buf,
		    size_t len)
{
	ssize_t got = pmk_wc_image_pread(r->img, off, buf, len);

	if (got < 0)
		return (int)got;
	return (size_t)got < len ? PMK_E_RANGE : 0;
}

static int note(struct pmk_wc_repair *r, struct wc_cause cause, uint64_t off,
		const void *bytes, size_t len)
{
	struct wc_change *c;
	int rc = pmk_wc_repair_grow(r, len);

	if (!rc)
		rc = read_now(r, off, r->bytes + r->n_bytes, len);
	if (rc || !memcmp(r->bytes + r->n_bytes, bytes, len))
		return rc;
	memcpy(r->bytes + r->n_bytes + len, bytes, len);
	c = &r->changes[r->n++];
	*c = (struct wc_change){
		.entry = cause.entry,
		.off = off,
		.bytes = r->n_bytes,
		.len = (uint32_t)len,
		.code = (uint16_t)cause.code,
		.stage = (uint16_t)r->stage,
	};
	r->n_bytes += 2 * len;
	replay_one(r, c);
	return 0;
}

int pmk_wc_repair_note(struct pmk_wc_repair *r, struct wc_cause cause,
		       uint64_t off, const void *bytes, size_t len)
{
	return note(r, cause, off, bytes, len);
}

int pmk_wc_repair_note_ones(struct pmk_wc_repair *r, struct wc_cause cause,
			    uint64_t off, uint64_t len)
{
	unsigned char ones[NOTE_BYTES];
	int rc = 0;
	size_t n;

	memset(ones, 0xff, sizeof(ones));
	for (uint64_t at = off; at < off + len && !rc; at += n) {
		/* up to a multiple, so that no two changes share a page */
		n = pmk_min_size(NOTE_BYTES - at % NOTE_BYTES,
				 (size_t)(off + len - at));
		rc = note(r, cause, at, ones, n);
	}
	return rc;
}

PMK_EXPORT uint64_t pmk_wc_repair_changes(const struct pmk_wc_repair *repair)
{
	return repair->n;
}

PMK_EXPORT struct pmk_wc_change pmk_wc_repair_change(
	const struct pmk_wc_repair *repair, uint64_t k)
{
	const struct wc_change *c = &repair->changes[k];

	return (struct pmk_wc_change){
		.code = (enum pmk_wc_problem_code)c->code,
		.entry = c->entry,
		.off = c->off,
		.len = c->len,
		.old_bytes = repair->bytes + c->bytes,
		.new_bytes = repair->bytes + c->bytes + c->len,
		.stage = c->stage,
	};
}

static void print_hex(FILE *f, const unsigned char *bytes, size_t len)
{
	fputc(' ', f);
	for (size_t i = 0; i < len; i++)
		fprintf(f, "%02x", bytes[i]);
}

/* All metadata, or, where it is not known how long they are, a page. */
static void note_kept(const struct pmk_wc_repair *r, struct pmk_wc_repair *list)
{
	const struct pmk_wc_image *img = r->img;

	list->kept_len =
		img->has_geo ? pmk_wc_entry_off(img->geo.n_blocks) : 4096;
	if (list->kept_len > img->room)
		list->kept_len = img->room;
	list->kept_sum = pmk_wc_undo_kept(img, r, 0, list->kept_len);
}

PMK_EXPORT int pmk_wc_repair_undo_write(const struct pmk_wc_repair *repair,
					int fd)
{
	struct pmk_wc_repair list = *repair;
	int copy = dup(fd);
	_cleanup_file_ FILE *f = copy < 0 ? NULL : fdopen(copy, "w");

	if (!f)
		return -errno;
	note_kept(repair, &list);
	fprintf(f, "%s\n", WC_UNDO_HEAD);
	fprintf(f, "kept %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n",
		repair->img->base + list.kept_off, list.kept_len,
		list.kept_sum);
	for (size_t i = 0; i < repair->n; i++) {
		const struct wc_change *c = &repair->changes[i];

		if (i && c->stage != repair->changes[i - 1].stage)
			fprintf(f, "sync\n");
		fprintf(f, "at %" PRIu64, repair->img->base + c->off);
		print_hex(f, repair->bytes + c->bytes, c->len);
		print_hex(f, repair->bytes + c->bytes + c->len, c->len);
		fputc('\n', f);
	}
	fprintf(f, "end %zu %016" PRIx64 "\n", repair->n,
		pmk_wc_undo_sum(&list, repair->img->base));
	if (fflush(f))
		return -errno;
	if (ferror(f))
		return -EIO;
	return fsync(fd) ? -errno : 0;
}

/* Is there what was there when it was planned?  Nobody that keeps to locks can
 * have changed it. */
static int compare(const struct pmk_wc_repair *r, const struct wc_change *c,
		   unsigned char *buf)
{
	ssize_t got = pmk_wc_image_pread(r->img, c->off, buf, c->len);

	if (got < 0)
		return (int)got;
	if ((size_t)got == c->len && !memcmp(buf, r->bytes + c->bytes, c->len))
		return 0;
	return pmk_fail(PMK_E_WC_CHANGED,
			"%" PRIu32 " bytes at %" PRIu64 " are others than when "
			"the repair was planned",
			c->len, c->off);
}

static int compare_all(const struct pmk_wc_repair *r)
{
	unsigned char raw[PMK_WC_SUPERBLOCK_BYTES], buf[NOTE_BYTES];
	ssize_t got = pmk_wc_image_pread(r->img, 0, raw, sizeof(raw));
	int rc = got < 0 ? (int)got : 0;

	if (!r->n)
		return 0;
	if (!rc && ((size_t)got < sizeof(raw) ||
		    memcmp(raw, r->raw_before, sizeof(raw)) != 0))
		return pmk_fail(PMK_E_WC_CHANGED, "the superblock");
	for (size_t i = 0; i < r->n && !rc; i++)
		rc = compare(r, &r->changes[i], buf);
	return rc;
}

PMK_EXPORT int pmk_wc_repair_apply(struct pmk_wc_repair *repair)
{
	struct pmk_wc_image *img = repair->img;
	int rc = img->writable ? pmk_claim(img->fd)
			       : pmk_fail(PMK_E_READ_ONLY, "the cache");

	if (!rc)
		rc = compare_all(repair);
	for (size_t i = 0; i < repair->n && !rc; i++) {
		const struct wc_change *c = &repair->changes[i];

		/* fence: what the earlier stage stored is what this one stands
		 * on */
		if (i && c->stage != repair->changes[i - 1].stage)
			rc = pmk_wc_image_sync(img);
		if (!rc)
			rc = pmk_wc_image_store(
				img, c->off, repair->bytes + c->bytes + c->len,
				c->len);
	}
	return rc ? rc : pmk_wc_image_sync(img);
}
