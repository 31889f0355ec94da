/* SPDX-License-Identifier: BSD-3-Clause */
/* Make the image of a cache, line by line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/util.h"
#include "lines.h"
#include "out.h"
#include "pmk.h"
#include "wc/dump.h"
#include "wc/restore.h"
#include "wc/restore_line.h"

/* Entries that are written at once. */
#define PIECE_ENTRIES ((uint64_t)65536)

/* Also in the middle of the work: the bar is wiped off before a message. */
static int fail(const struct wc_restore *r, const char *path, int code)
{
	progress_end(&r->bar);
	return out_fail(path, code, NULL);
}

static int bad_line(const struct wc_restore *r, const char *what)
{
	progress_end(&r->bar);
	return out_error("%s: line %" PRIu64 ": %s", r->input, r->line, what);
}

/* Write all; the image is sparse where nothing is. */
static int put(const struct wc_restore *r, uint64_t off, const void *buf,
	       size_t len)
{
	int rc = pmk_pwrite_full(r->out, buf, len, r->base + off);

	return rc ? fail(r, r->output, rc) : EXIT_OK;
}

static int set_superblock(struct wc_restore *r, const struct wc_line *line)
{
	const char *out_of_range = "the entries do not fit into device_bytes";

	r->sb = line->sb;
	r->device_bytes = line->device_bytes;
	r->base = line->start_sector * PMK_WC_SECTOR;
	r->with_data = line->with_data;
	if (pmk_wc_geometry_of(r->sb.n_blocks, r->sb.block_size, &r->geo)) {
		/* the line says more than the library about it */
		(void)out_explanation(-EINVAL, NULL);
		return bad_line(r, "no block size, or too many blocks");
	}
	if (pmk_wc_entry_off(r->sb.n_blocks) > r->device_bytes)
		return bad_line(r, out_of_range);
	if (r->with_data && !r->data_path)
		return out_error("%s: it was made with --data: --data DIR "
				 "says where that is",
				 r->input);
	if (ftruncate(r->out, (off_t)(r->base + r->device_bytes)))
		return fail(r, r->output, -errno);
	progress_start(&r->bar, "restoring", r->device_bytes);
	return EXIT_OK;
}

/* Write the piece that is in the buffer, and begin the next. */
static int flush_piece(struct wc_restore *r)
{
	uint64_t n = pmk_min_size(PIECE_ENTRIES, r->sb.n_blocks - r->buf_first);
	int rc = put(r, pmk_wc_entry_off(r->buf_first), r->buf,
		     (size_t)n * PMK_WC_ENTRY_BYTES);

	memset(r->buf, 0xff, (size_t)PIECE_ENTRIES * PMK_WC_ENTRY_BYTES);
	r->buf_first += n;
	return rc;
}

/* @len bytes of the data file to @off of the image. */
static int copy_data(struct wc_restore *r, uint64_t from, uint64_t off,
		     size_t len)
{
	ssize_t got;

	if (!r->with_data)
		return bad_line(r, "data, which the first line does not have");
	got = pmk_pread_full(r->data, r->block, len, from);
	if (got < 0)
		return fail(r, r->data_path, (int)got);
	if ((size_t)got < len)
		return bad_line(r, "its data is behind the end of the file "
				   "with data");
	return put(r, off, r->block, len);
}

static bool fits(const struct wc_restore *r, uint64_t off, uint64_t len)
{
	return off <= r->device_bytes && len <= r->device_bytes - off;
}

/* Who writes such a block back overwrites the origin with zeros. */
static bool lacks_data(const struct wc_restore *r, const struct wc_line *line)
{
	if (line->data_error)
		return true;
	return pmk_wc_entry_state(line->entry, r->sb.seq_count) ==
		       PMK_WC_ENTRY_COMMITTED &&
	       !line->superseded && !line->has_data && !line->zero;
}

static int set_entry(struct wc_restore *r, const struct wc_line *line)
{
	uint64_t i = line->number, off = pmk_wc_block_off(&r->geo, i);
	int rc = EXIT_OK;

	if (i >= r->sb.n_blocks)
		return bad_line(r, "there is no such entry");
	if (i < r->next)
		return bad_line(r, "entries do not ascend");
	r->next = i + 1;
	progress_update(&r->bar, pmk_min_size(off, r->device_bytes));
	while (i >= r->buf_first + PIECE_ENTRIES && !rc)
		rc = flush_piece(r);
	if (rc)
		return rc;
	pmk_wc_entry_encode(line->entry,
			    r->buf + (i - r->buf_first) * PMK_WC_ENTRY_BYTES);
	r->in_use += line->entry.seq_count != PMK_WC_FREE;
	r->unreadable += line->unreadable;
	r->without_data += lacks_data(r, line);
	if (!line->has_data)
		return EXIT_OK;
	if (!fits(r, off, r->geo.block_size))
		return bad_line(r, "its block is behind device_bytes");
	return copy_data(r, line->data, off, r->geo.block_size);
}

static int set_tail(struct wc_restore *r, const struct wc_line *line)
{
	uint64_t off = pmk_wc_entry_off(r->sb.n_blocks);

	if (line->tail_len > r->geo.data_off - off ||
	    !fits(r, off, line->tail_len))
		return bad_line(r, "the tail does not fit before the data");
	return put(r, off, line->tail, line->tail_len);
}

static int set_bytes(struct wc_restore *r, const struct wc_line *line)
{
	/* nothing that an entry, or the data of one, is */
	if (line->at < r->geo.data_off || !fits(r, line->at, line->bytes))
		return bad_line(r, "bytes that are not behind the entries, or "
				   "behind device_bytes");
	progress_update(&r->bar, line->at);
	return copy_data(r, line->data, line->at, (size_t)line->bytes);
}

/* Entries whose lines are lost would be free: the origin's older data. */
static int incomplete(struct wc_restore *r, const char *what)
{
	r->incomplete = true;
	return r->force ? EXIT_OK : bad_line(r, what);
}

static int set_end(struct wc_restore *r, const struct wc_line *line)
{
	r->ended = true;
	if (line->number == r->line - 1)
		return EXIT_OK;
	return incomplete(r, "\"end\" is not the number of lines before it");
}

static int take_line(struct wc_restore *r, const struct wc_line *line)
{
	if ((r->line == 1) != (line->kind == WC_LINE_SUPERBLOCK))
		return bad_line(r, r->line == 1 ? "not the superblock of a dump"
						: "a second superblock");
	if (r->ended)
		return bad_line(r, "it is behind the line with \"end\"");
	switch (line->kind) {
	case WC_LINE_SUPERBLOCK:
		return set_superblock(r, line);
	case WC_LINE_TAIL:
		return set_tail(r, line);
	case WC_LINE_ENTRY:
		return set_entry(r, line);
	case WC_LINE_END:
		return set_end(r, line);
	default:
		return set_bytes(r, line);
	}
}

static int parse_and_take(struct wc_restore *r, const char *text, size_t len)
{
	struct wc_line line;
	const char *wrong;
	int rc;

	r->line++;
	wrong = wc_line_parse(text, len, &line);
	if (wrong)
		return bad_line(r, wrong);
	rc = take_line(r, &line);
	free(line.tail);
	return rc;
}

static int read_lines(struct wc_restore *r)
{
	struct lines l;
	const char *text;
	size_t len;
	int rc = EXIT_OK, more = 1;

	lines_init(&l, r->in, '\n', WC_LINE_MAX);
	while (!rc && more > 0) {
		while (!rc && lines_next(&l, &text, &len))
			rc = parse_and_take(r, text, len);
		if (!rc)
			more = lines_fill(&l);
	}
	lines_fini(&l);
	r->line++;
	if (!rc && more == -EMSGSIZE)
		return bad_line(r, "too long");
	if (!rc && more < 0)
		return fail(r, r->input, more);
	if (!rc && r->line == 1)
		return out_error("%s: it is empty", r->input);
	if (!rc && !r->ended)
		return incomplete(r, "there should be one with \"end\": lines "
				     "are missing");
	return rc;
}

static int finish(struct wc_restore *r)
{
	unsigned char raw[PMK_WC_SUPERBLOCK_BYTES];
	int rc = EXIT_OK;

	while (r->buf_first < r->sb.n_blocks && !rc)
		rc = flush_piece(r);
	pmk_wc_superblock_encode(&r->sb, raw);
	if (!rc)
		rc = put(r, 0, raw, sizeof(raw));
	if (!rc && fsync(r->out))
		rc = fail(r, r->output, -errno);
	return rc;
}

int wc_restore_read(struct wc_restore *r)
{
	size_t piece = (size_t)PIECE_ENTRIES * PMK_WC_ENTRY_BYTES;
	int rc;

	r->buf = malloc(piece);
	r->block = malloc(WC_DUMP_PIECE);
	if (!r->buf || !r->block)
		out_of_memory();
	memset(r->buf, 0xff, piece);
	rc = read_lines(r);
	progress_end(&r->bar);
	if (!rc)
		rc = finish(r);
	free(r->buf);
	free(r->block);
	return rc;
}
