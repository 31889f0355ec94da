/* SPDX-License-Identifier: BSD-3-Clause */
/* The origin with the dirty blocks over it, into a file. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/wc_check.h>

#include "base/export.h"
#include "base/io.h"
#include "base/log.h"
#include "base/media.h"
#include "base/util.h"
#include "wc/crew.h"
#include "wc/image.h"
#include "wc/lot.h"
#include "wc/origin.h"

/* A hole is worth it from here on. */
#define PAGE 4096U

struct export
{
	const struct pmk_wc_image *img;
	const struct pmk_wc_origin *origin;
	int fd;
	struct pmk_wc_copy_params params;
	struct pmk_wc_copy_result *result;
	struct wc_fates fates;
	_Atomic uint64_t chunks, lost;
	atomic_int error; /* the first that ends it */
};

/* A part of the file that one thread makes; any block lies in one chunk. */
struct chunk {
	struct export *x;
	uint64_t off;
	size_t len;
	char *data;
	char *blocks; /* data of blocks */
	struct wc_lot lot;
};

struct lane {
	char data[WC_LOT_BYTES];
	char blocks[WC_LOT_BYTES];
	struct wc_block list[WC_LOT_BYTES / PMK_WC_SECTOR];
};

static void lose(struct chunk *c, size_t at, size_t len)
{
	memset(c->data + at, 0, len);
	atomic_fetch_add(&c->x->lost, len);
}

/* Sector by sector: what storage cannot give is zeros. */
static int read_sectors(struct chunk *c, size_t at, size_t end)
{
	size_t n;

	for (; at < end; at += n) {
		ssize_t got;

		n = pmk_min_size(PMK_WC_SECTOR, end - at);
		got = pmk_pread_media(c->x->origin->fd, c->data + at, n,
				      c->off + at);
		if (got < 0 && !pmk_is_medium_error((int)got))
			return (int)got;
		if (got < (ssize_t)n)
			lose(c, at, n);
	}
	return 0;
}

/* What the blocks do not cover, as the whole could not be read. */
static int read_between(struct chunk *c)
{
	uint32_t bs = c->x->fates.block_size;
	size_t at = 0;
	int rc = 0;

	for (unsigned int i = 0; i < c->lot.n && !rc; i++) {
		const struct wc_block *b = &c->lot.blocks[i];

		if (c->x->fates.fate[b->k] >= WC_FATE_FAILED)
			continue;
		rc = read_sectors(c, at, b->off - c->off);
		at = b->off - c->off + bs;
	}
	return rc ? rc : read_sectors(c, at, c->len);
}

/* Where data begins, or ends, from @at on in the chunk. */
static size_t seek(const struct chunk *c, size_t at, int whence)
{
	off_t found = lseek(c->x->origin->fd, (off_t)(c->off + at), whence);

	if (found < 0 && whence == SEEK_DATA && errno == ENXIO)
		return c->len; /* a hole up to the end */
	if (found < 0)         /* a device has no holes */
		return whence == SEEK_DATA ? at : c->len;
	return pmk_min_size((size_t)((uint64_t)found - c->off), c->len);
}

static int read_data(struct chunk *c)
{
	size_t at = 0;

	while (at < c->len) {
		size_t data = seek(c, at, SEEK_DATA);
		size_t end = data < c->len ? seek(c, data, SEEK_HOLE) : c->len;
		ssize_t got;

		memset(c->data + at, 0, data - at);
		got = pmk_pread_full(c->x->origin->fd, c->data + data,
				     end - data, c->off + data);
		if (got < 0)
			return (int)got;
		/* cut off meanwhile */
		if ((size_t)got < end - data)
			lose(c, data + (size_t)got, end - data - (size_t)got);
		at = end;
	}
	return 0;
}

static int read_origin(struct chunk *c)
{
	int rc = read_data(c);

	return rc && pmk_is_medium_error(rc) ? read_between(c) : rc;
}

static void read_blocks(struct chunk *c)
{
	const struct wc_fates *f = &c->x->fates;
	uint64_t first = pmk_wc_fates_find(f, c->off / PMK_WC_SECTOR);
	uint64_t end = pmk_wc_fates_find(f, (c->off + c->len) / PMK_WC_SECTOR);

	pmk_wc_lot_gather(&c->lot, first, end, WC_FATE_WANTED);
	pmk_wc_lot_read(&c->lot);
}

static void overlay(struct chunk *c)
{
	struct wc_fates *f = &c->x->fates;
	uint32_t bs = f->block_size;

	for (unsigned int i = 0; i < c->lot.n; i++) {
		const struct wc_block *b = &c->lot.blocks[i];

		if (f->fate[b->k] >= WC_FATE_FAILED)
			continue;
		memcpy(c->data + (b->off - c->off), c->blocks + (size_t)i * bs,
		       bs);
		f->fate[b->k] = WC_FATE_DONE;
	}
}

static bool is_hole(const struct chunk *c, size_t at)
{
	return pmk_is_zero(c->data + at, pmk_min_size(PAGE, c->len - at));
}

/* What is not zero; the file has its size, and is one hole. */
static int write_data(const struct chunk *c)
{
	size_t at = 0;
	int rc = 0;

	while (at < c->len && !rc) {
		size_t end;

		while (at < c->len && is_hole(c, at))
			at += PAGE;
		if (at >= c->len)
			break;
		end = at;
		while (end < c->len && !is_hole(c, end))
			end = pmk_min_size(end + PAGE, c->len);
		rc = pmk_pwrite_full(c->x->fd, c->data + at, end - at,
				     c->off + at);
		at = end;
	}
	return rc;
}

static void make_chunk(uint64_t job, void *arg_lane, void *arg)
{
	struct export *x = arg;
	struct lane *lane = arg_lane;
	struct chunk c = {
		.x = x,
		.off = job * WC_LOT_BYTES,
		.data = lane->data,
		.blocks = lane->blocks,
		.lot = { .fates = &x->fates,
			 .data = lane->blocks,
			 .blocks = lane->list },
	};
	int rc, none = 0;

	c.len = pmk_min_size(WC_LOT_BYTES, x->origin->size - c.off);
	read_blocks(&c);
	rc = read_origin(&c);
	overlay(&c);
	if (!rc)
		rc = write_data(&c);
	if (rc)
		atomic_compare_exchange_strong(&x->error, &none, rc);
	atomic_fetch_add(&x->chunks, 1);
}

static bool tick(void *arg)
{
	struct export *x = arg;

	if (x->params.go_on &&
	    !x->params.go_on(atomic_load(&x->chunks) * WC_LOT_BYTES,
			     x->params.arg))
		x->result->stopped = true;
	return !x->result->stopped && !atomic_load(&x->error);
}

static void account(struct export *x)
{
	struct pmk_wc_copy_result *r = x->result;

	for (uint64_t k = 0; k < x->fates.n; k++)
		r->copied += x->fates.fate[k] == WC_FATE_DONE;
	r->failed = pmk_wc_fates_report(&x->fates, 0, x->fates.n,
					x->params.failed, x->params.arg);
	r->left = r->dirty - r->copied - r->failed;
	r->lost_bytes = atomic_load(&x->lost);
}

static int make_file(struct export *x)
{
	const struct wc_crew crew = {
		.threads = x->params.threads,
		.lane_bytes = pmk_align_up(sizeof(struct lane), PAGE),
		.jobs = (x->origin->size + WC_LOT_BYTES - 1) / WC_LOT_BYTES,
		.work = make_chunk,
		.tick = tick,
		.arg = x,
	};
	uint64_t done;
	int rc;

	if (ftruncate(x->fd, (off_t)x->origin->size))
		return -errno;
	rc = pmk_wc_crew_run(&crew, &done);
	account(x);
	return rc ? rc : atomic_load(&x->error);
}

PMK_EXPORT int pmk_wc_export(const struct pmk_wc_image *img,
			     const struct pmk_wc_origin *origin, int fd,
			     const struct pmk_wc_copy_params *params,
			     struct pmk_wc_copy_result *result_ret)
{
	struct export x = {
		.img = img,
		.origin = origin,
		.fd = fd,
		.params = pmk_wc_copy_defaults(params),
		.result = result_ret,
	};
	int rc;

	*result_ret = (struct pmk_wc_copy_result){ .dirty = 0 };
	rc = pmk_wc_doubt(img, NULL);
	if (rc)
		return rc;
	rc = pmk_wc_fates_init(&x.fates, img, origin->size, &x.params,
			       result_ret);
	if (!rc)
		rc = make_file(&x);
	pmk_wc_fates_fini(&x.fates);
	return rc;
}
