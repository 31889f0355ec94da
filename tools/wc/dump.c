/* SPDX-License-Identifier: BSD-3-Clause */
/* Write the text form of a cache. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/util.h"
#include "out.h"
#include "pmk.h"
#include "wc/dump.h"

static bool is_loser(const struct wc_dump *d, uint64_t i)
{
	return d->losers[i / 8] >> i % 8 & 1;
}

/* Also in the middle of the work: the bar is wiped off before a message. */
static int fail(const struct wc_dump *d, const char *path, int code,
		const char *remedy)
{
	progress_end(&d->bar);
	return out_fail(path, code, remedy);
}

static void end_line(struct wc_dump *d, const char *end)
{
	fprintf(d->f, "%s\n", end);
	d->lines++;
}

static void find_losers(struct wc_dump *d, uint64_t n)
{
	d->losers = calloc(n / 8 + 1, 1);
	if (!d->losers)
		out_of_memory();
	for (uint64_t k = 0; k < pmk_wc_image_committed(d->img); k++) {
		uint64_t i = pmk_wc_image_nth(d->img, k);

		if (!pmk_wc_image_wins(d->img, k))
			d->losers[i / 8] |= (unsigned char)(1U << i % 8);
	}
}

static void put_superblock(struct wc_dump *d)
{
	const struct pmk_wc_superblock *sb = pmk_wc_image_superblock(d->img);
	uint64_t start = pmk_wc_image_table(d->img)->start_sector;

	fprintf(d->f,
		"{\"pmk_wc_dump\":%u,\"device_bytes\":%" PRIu64
		",\"start_sector\":%" PRIu64 ",\"magic\":%" PRIu32
		",\"version\":%" PRIu32 ",\"block_size_bytes\":%" PRIu32
		",\"n_blocks\":%" PRIu64 ",\"seq_count\":%" PRIu64,
		WC_DUMP_VERSION, d->room, start, sb->magic, sb->version,
		sb->block_size, sb->n_blocks, sb->seq_count);
	if (d->all && sb->pad)
		fprintf(d->f, ",\"pad\":%" PRIu32, sb->pad);
	if (d->all && !pmk_is_zero(sb->reserved, sizeof(sb->reserved))) {
		fputs(",\"reserved\":", d->f);
		out_json_hex(d->f, sb->reserved, sizeof(sb->reserved));
	}
	if (d->data_fd >= 0)
		fprintf(d->f, ",\"data\":\"%s\"", d->all ? "all" : "dirty");
	end_line(d, "}");
}

/* Bytes that belong to no entry and no block, into the buffer: those that
 * cannot be read are zeros.  Returns how many, fewer at the end of the device.
 */
static size_t read_spare(struct wc_dump *d, uint64_t off, size_t len)
{
	ssize_t got = pmk_wc_image_pread(d->img, off, d->buf, len);
	size_t done = 0;

	if (got >= 0)
		return (size_t)got;
	while (done < len && off + done < d->room) {
		size_t n = PMK_WC_SECTOR - (off + done) % PMK_WC_SECTOR;

		n = pmk_min_size(
			n, pmk_min_size(len - done, d->room - off - done));
		if (pmk_wc_image_pread(d->img, off + done, d->buf + done, n) <
		    0) {
			memset(d->buf + done, 0, n);
			if (!d->bad_spare)
				d->bad_spare_at = off + done;
			d->bad_spare += n;
		}
		done += n;
	}
	return done;
}

/* Bytes from the last entry to the data: less than a block. */
static void put_tail(struct wc_dump *d, const struct pmk_wc_geometry *geo)
{
	uint64_t off = pmk_wc_entry_off(geo->n_blocks);
	size_t got = read_spare(d, off, (size_t)(geo->data_off - off));

	if (pmk_is_zero(d->buf, got))
		return;
	fputs("{\"tail\":", d->f);
	out_json_hex(d->f, d->buf, got);
	end_line(d, "}");
}

/* @len bytes of the buffer behind what the data file has. */
static int keep(struct wc_dump *d, size_t len)
{
	int rc = pmk_write_full(d->data_fd, d->buf, len);

	if (rc)
		return fail(d, d->data_path, rc, NULL);
	d->data_end += len;
	return EXIT_OK;
}

enum data {
	DATA_NONE, /* not asked for, or nowhere */
	DATA_BAD,  /* cannot be read */
	DATA_ZERO,
	DATA_KEEP, /* in the buffer */
};

/*
 * A device that was cut off has no block there, which matters if it is dirty;
 * what is left of the last one is kept with other bytes of no block.
 */
static enum data read_block(struct wc_dump *d, uint64_t i, uint32_t bs,
			    bool dirty)
{
	int rc = pmk_wc_image_read(d->img, i, d->buf);

	if (!rc)
		return pmk_is_zero(d->buf, bs) ? DATA_ZERO : DATA_KEEP;
	if (rc == PMK_E_RANGE && !dirty)
		return DATA_NONE;
	if (!d->bad_blocks++)
		fail(d, d->path, rc,
		     "see the lines with data_error for what is lost");
	return DATA_BAD;
}

static const char *state_name(const struct wc_dump *d, uint64_t i,
			      enum pmk_wc_entry_state state)
{
	if (!pmk_wc_image_entry_ok(d->img, i))
		return "unreadable";
	switch (state) {
	case PMK_WC_ENTRY_COMMITTED:
		return is_loser(d, i) ? "superseded" : "committed";
	case PMK_WC_ENTRY_UNCOMMITTED:
		return "uncommitted";
	default:
		return "free";
	}
}

/* Whether an entry is other than one without a line. */
static bool has_line(const struct wc_dump *d, uint64_t i, struct pmk_wc_entry e,
		     enum data data)
{
	if (e.seq_count != PMK_WC_FREE || !pmk_wc_image_entry_ok(d->img, i))
		return true;
	return d->all && (e.original_sector != UINT64_MAX ||
			  data == DATA_KEEP || data == DATA_BAD);
}

static int put_entry(struct wc_dump *d, uint64_t i, uint32_t bs, uint64_t seq)
{
	struct pmk_wc_entry e = pmk_wc_image_entry(d->img, i);
	enum pmk_wc_entry_state state = pmk_wc_entry_state(e, seq);
	bool dirty = state == PMK_WC_ENTRY_COMMITTED && !is_loser(d, i);
	enum data data = DATA_NONE;

	if (!pmk_wc_image_entry_ok(d->img, i))
		d->bad_entries++;
	if (d->data_fd >= 0 && (d->all || dirty))
		data = read_block(d, i, bs, dirty);
	if (!has_line(d, i, e, data))
		return EXIT_OK;
	fprintf(d->f,
		"{\"entry\":%" PRIu64 ",\"sector\":%" PRIu64 ",\"seq\":%" PRIu64
		",\"state\":\"%s\"",
		i, e.original_sector, e.seq_count, state_name(d, i, state));
	if (data == DATA_KEEP)
		fprintf(d->f, ",\"data\":%" PRIu64, d->data_end);
	end_line(d, data == DATA_ZERO  ? ",\"zero\":true}"
		    : data == DATA_BAD ? ",\"data_error\":true}"
				       : "}");
	return data == DATA_KEEP ? keep(d, bs) : EXIT_OK;
}

static int put_entries(struct wc_dump *d, const struct pmk_wc_geometry *geo)
{
	uint64_t seq = pmk_wc_image_superblock(d->img)->seq_count;
	int rc = EXIT_OK;

	progress_start(&d->bar, "dumping", geo->n_blocks * geo->block_size);
	for (uint64_t i = 0; i < geo->n_blocks && !rc && !ferror(d->f); i++) {
		rc = put_entry(d, i, geo->block_size, seq);
		progress_update(&d->bar, i * geo->block_size);
	}
	progress_end(&d->bar);
	return rc;
}

/* Behind the last whole block, up to the end of the device. */
static int put_rest(struct wc_dump *d, const struct pmk_wc_geometry *geo)
{
	uint64_t off = geo->end;
	int rc = EXIT_OK;

	if (geo->data_off < d->room && geo->end > d->room)
		off = d->room - (d->room - geo->data_off) % geo->block_size;
	for (; off < d->room && !rc; off += WC_DUMP_PIECE) {
		size_t got = read_spare(d, off, WC_DUMP_PIECE);

		if (pmk_is_zero(d->buf, got))
			continue;
		fprintf(d->f,
			"{\"at\":%" PRIu64 ",\"bytes\":%zu,\"data\":%" PRIu64,
			off, got, d->data_end);
		end_line(d, "}");
		rc = keep(d, got);
	}
	return rc;
}

int wc_dump_write(struct wc_dump *d)
{
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(d->img);
	const struct pmk_wc_table *table = pmk_wc_image_table(d->img);
	int rc = EXIT_OK;

	d->room = table->device_bytes - table->start_sector * PMK_WC_SECTOR;
	d->buf = malloc(WC_DUMP_PIECE);
	if (!d->buf)
		out_of_memory();
	find_losers(d, geo->n_blocks);
	put_superblock(d);
	if (d->all)
		put_tail(d, geo);
	if (!rc)
		rc = put_entries(d, geo);
	if (!rc && d->all && d->data_fd >= 0)
		rc = put_rest(d, geo);
	if (!rc)
		fprintf(d->f, "{\"end\":%" PRIu64 "}\n", d->lines);
	free(d->buf);
	free(d->losers);
	if (!rc && d->bad_entries)
		out_error("%s: %" PRIu64 " entries cannot be read: see the "
			  "lines with state unreadable",
			  d->path, d->bad_entries);
	if (!rc && d->bad_spare)
		out_error("%s: %" PRIu64 " bytes of no entry and no block "
			  "cannot be read, the first at %" PRIu64
			  "; they are zeros in the dump",
			  d->path, d->bad_spare, d->bad_spare_at);
	if (!rc && (d->bad_blocks || d->bad_entries || d->bad_spare))
		return EXIT_BAD;
	return rc;
}
