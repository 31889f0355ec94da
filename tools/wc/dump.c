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
#include "progress.h"
#include "wc/dump.h"

static bool is_loser(const struct wc_dump *d, uint64_t i)
{
	return d->losers[i / 8] >> i % 8 & 1;
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

static void put_superblock(const struct wc_dump *d)
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
	fputs("}\n", d->f);
}

/* Bytes from the last entry to the data: less than a block. */
static int put_tail(struct wc_dump *d, const struct pmk_wc_geometry *geo)
{
	uint64_t off = pmk_wc_entry_off(geo->n_blocks);
	ssize_t got = pmk_wc_image_pread(d->img, off, d->buf,
					 (size_t)(geo->data_off - off));

	if (got < 0)
		return out_fail(d->path, (int)got, NULL);
	if (pmk_is_zero(d->buf, (size_t)got))
		return EXIT_OK;
	fputs("{\"tail\":", d->f);
	out_json_hex(d->f, d->buf, (size_t)got);
	fputs("}\n", d->f);
	return EXIT_OK;
}

/* @len bytes of the buffer behind what the data file has. */
static int keep(struct wc_dump *d, size_t len)
{
	int rc = pmk_write_full(d->data_fd, d->buf, len);

	if (rc)
		return out_fail(d->data_path, rc, NULL);
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
		out_fail(d->path, rc,
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
	if (data == DATA_ZERO)
		fputs(",\"zero\":true}\n", d->f);
	else if (data == DATA_BAD)
		fputs(",\"data_error\":true}\n", d->f);
	else if (data == DATA_NONE)
		fputs("}\n", d->f);
	else
		fprintf(d->f, ",\"data\":%" PRIu64 "}\n", d->data_end);
	return data == DATA_KEEP ? keep(d, bs) : EXIT_OK;
}

static int put_entries(struct wc_dump *d, const struct pmk_wc_geometry *geo)
{
	uint64_t seq = pmk_wc_image_superblock(d->img)->seq_count;
	struct progress bar;
	int rc = EXIT_OK;

	progress_start(&bar, "dumping", geo->n_blocks);
	for (uint64_t i = 0; i < geo->n_blocks && !rc && !ferror(d->f); i++) {
		rc = put_entry(d, i, geo->block_size, seq);
		progress_update(&bar, i);
	}
	progress_end(&bar);
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
		ssize_t got =
			pmk_wc_image_pread(d->img, off, d->buf, WC_DUMP_PIECE);

		if (got < 0)
			return out_fail(d->path, (int)got, NULL);
		if (pmk_is_zero(d->buf, (size_t)got))
			continue;
		fprintf(d->f,
			"{\"at\":%" PRIu64 ",\"bytes\":%zd,\"data\":%" PRIu64
			"}\n",
			off, got, d->data_end);
		rc = keep(d, (size_t)got);
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
		rc = put_tail(d, geo);
	if (!rc)
		rc = put_entries(d, geo);
	if (!rc && d->all && d->data_fd >= 0)
		rc = put_rest(d, geo);
	free(d->buf);
	free(d->losers);
	if (!rc && d->bad_entries)
		out_error("%s: %" PRIu64 " entries cannot be read: see the "
			  "lines with state unreadable",
			  d->path, d->bad_entries);
	if (!rc && (d->bad_blocks || d->bad_entries))
		return EXIT_BAD;
	return rc;
}
