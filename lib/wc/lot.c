/* SPDX-License-Identifier: BSD-3-Clause */
/* Lots of dirty blocks that move together. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/media.h"
#include "base/util.h"
#include "wc/image.h"
#include "wc/lot.h"

static void fail(const struct wc_lot *lot, unsigned int i, enum pmk_wc_why why,
		 int error)
{
	uint64_t k = lot->blocks[i].k;

	lot->fates->fate[k] = (uint8_t)(WC_FATE_FAILED + why);
	lot->fates->error[k] = (uint8_t)-error;
}

static bool is_alive(const struct wc_lot *lot, unsigned int i)
{
	return lot->fates->fate[lot->blocks[i].k] < WC_FATE_FAILED;
}

void pmk_wc_lot_gather(struct wc_lot *lot, uint64_t first, uint64_t end,
		       enum wc_fate fate)
{
	const struct wc_fates *f = lot->fates;
	unsigned int max = pmk_wc_lot_max(f->block_size);

	lot->n = 0;
	for (uint64_t k = first; k < end && lot->n < max; k++) {
		struct wc_block *b = &lot->blocks[lot->n];
		uint64_t entry;

		if (f->fate[k] != fate)
			continue;
		entry = pmk_wc_image_nth(f->img, k);
		b->k = k;
		b->entry = entry;
		b->off = PMK_WC_SECTOR *
			 pmk_wc_image_entry(f->img, entry).original_sector;
		lot->n++;
	}
}

/* How a lot's blocks lie together, and how so many of them move. */
struct move {
	bool (*adjoins)(const struct wc_lot *lot, unsigned int i);
	/* 0 or -errno */
	int (*go)(const struct wc_lot *lot, unsigned int i, unsigned int n,
		  void *arg);
	enum pmk_wc_why why; /* ... it failed */
	void *arg;
};

static int move_again(struct wc_lot *lot, const struct move *m, unsigned int i)
{
	unsigned int tries = lot->fates->retries + 1;
	int rc;

	do {
		rc = m->go(lot, i, 1, m->arg);
	} while (rc && --tries);
	return rc;
}

/* All blocks that are alive, in runs; after a failure one by one. */
static void move(struct wc_lot *lot, const struct move *m)
{
	unsigned int n;

	for (unsigned int i = 0; i < lot->n; i += n) {
		n = 1;
		if (!is_alive(lot, i))
			continue;
		while (i + n < lot->n && is_alive(lot, i + n) &&
		       m->adjoins(lot, i + n))
			n++;
		if (n > 1 && !m->go(lot, i, n, m->arg))
			continue;
		for (unsigned int j = i; j < i + n; j++) {
			int rc = move_again(lot, m, j);

			if (rc)
				fail(lot, j, m->why, rc);
		}
	}
}

/*
 * Begin to read all of them: a thread waits for one at a time, and a disk likes
 * to have more to do.
 */
static void prefetch(const struct wc_lot *lot, int fd,
		     uint64_t (*place)(const struct wc_lot *lot,
				       unsigned int i),
		     bool (*adjoins)(const struct wc_lot *lot, unsigned int i))
{
	unsigned int n;

	for (unsigned int i = 0; i < lot->n; i += n) {
		n = 1;
		while (i + n < lot->n && adjoins(lot, i + n))
			n++;
		/* of a single run, the read itself is as good */
		if (n < lot->n)
			posix_fadvise(fd, (off_t)place(lot, i),
				      (off_t)n * lot->fates->block_size,
				      POSIX_FADV_WILLNEED);
	}
}

static bool adjoins_in_cache(const struct wc_lot *lot, unsigned int i)
{
	return lot->blocks[i].entry == lot->blocks[i - 1].entry + 1;
}

static bool adjoins_on_origin(const struct wc_lot *lot, unsigned int i)
{
	return lot->blocks[i].off ==
	       lot->blocks[i - 1].off + lot->fates->block_size;
}

static uint64_t place_in_cache(const struct wc_lot *lot, unsigned int i)
{
	const struct pmk_wc_image *img = lot->fates->img;

	return img->base + pmk_wc_block_off(&img->geo, lot->blocks[i].entry);
}

static uint64_t place_on_origin(const struct wc_lot *lot, unsigned int i)
{
	return lot->blocks[i].off;
}

static char *data_of(const struct wc_lot *lot, unsigned int i)
{
	return lot->data + (size_t)i * lot->fates->block_size;
}

static int read_run(const struct wc_lot *lot, unsigned int i, unsigned int n,
		    void *arg)
{
	const struct wc_fates *f = lot->fates;
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(f->img);
	size_t len = (size_t)n * f->block_size;
	ssize_t got = pmk_wc_image_pread(
		f->img, pmk_wc_block_off(geo, lot->blocks[i].entry),
		data_of(lot, i), len);

	(void)arg;
	if (got < 0)
		return (int)got;
	/* it has become shorter */
	return (size_t)got == len ? 0 : -EIO;
}

void pmk_wc_lot_read(struct wc_lot *lot)
{
	const struct move m = { adjoins_in_cache, read_run, PMK_WC_WHY_READ,
				NULL };

	prefetch(lot, lot->fates->img->fd, place_in_cache, adjoins_in_cache);
	move(lot, &m);
}

struct write_to {
	int fd;
	int flags;
};

static int write_run(const struct wc_lot *lot, unsigned int i, unsigned int n,
		     void *arg)
{
	const struct write_to *to = arg;
	size_t len = (size_t)n * lot->fates->block_size, done = 0;

	while (done < len) {
		struct iovec iov = { data_of(lot, i) + done, len - done };
		ssize_t got =
			pwritev2(to->fd, &iov, 1,
				 (off_t)(lot->blocks[i].off + done), to->flags);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		done += (size_t)got;
	}
	return 0;
}

void pmk_wc_lot_write(struct wc_lot *lot, int fd, int flags)
{
	struct write_to to = { fd, flags };
	const struct move m = { adjoins_on_origin, write_run, PMK_WC_WHY_WRITE,
				&to };

	move(lot, &m);
	for (unsigned int i = 0; i < lot->n; i++)
		if (is_alive(lot, i))
			lot->fates->fate[lot->blocks[i].k] = WC_FATE_WRITTEN;
}

struct read_back {
	int fd;
	char *back;
};

static int read_back_run(const struct wc_lot *lot, unsigned int i,
			 unsigned int n, void *arg)
{
	const struct read_back *from = arg;
	uint32_t bs = lot->fates->block_size;
	ssize_t got = pmk_pread_media(from->fd, from->back + (size_t)i * bs,
				      (size_t)n * bs, lot->blocks[i].off);

	if (got < 0)
		return (int)got;
	return (size_t)got == (size_t)n * bs ? 0 : -EIO;
}

void pmk_wc_lot_compare(struct wc_lot *lot, int fd, char *back)
{
	struct read_back from = { fd, back };
	const struct move m = { adjoins_on_origin, read_back_run,
				PMK_WC_WHY_VERIFY, &from };
	uint32_t bs = lot->fates->block_size;

	prefetch(lot, fd, place_on_origin, adjoins_on_origin);
	move(lot, &m);
	for (unsigned int i = 0; i < lot->n; i++) {
		if (!is_alive(lot, i))
			continue;
		if (memcmp(data_of(lot, i), back + (size_t)i * bs, bs))
			fail(lot, i, PMK_WC_WHY_VERIFY, 0);
		else
			lot->fates->fate[lot->blocks[i].k] = WC_FATE_DONE;
	}
}
