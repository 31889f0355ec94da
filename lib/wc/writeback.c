/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dirty blocks to the origin, and their entries freed: in that order, and with
 * a sync between, whatever happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <pmk/wc_check.h>

#include "base/claim.h"
#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/crew.h"
#include "wc/image.h"
#include "wc/lot.h"
#include "wc/media.h"
#include "wc/origin.h"

/* Lots between two syncs: so much is done again by whoever was killed. */
#define BATCH_LOTS 64U

struct writeback {
	struct pmk_wc_image *img;
	struct pmk_wc_origin *origin;
	struct pmk_wc_copy_params params;
	struct pmk_wc_copy_result *result;
	struct wc_fates fates;
	uint64_t first, end; /* positions of the batch */
	int write_flags;
	unsigned int threads;
	bool keep_going;        /* what was begun is ended in order */
	_Atomic uint64_t moved; /* bytes written, and bytes compared */
};

/* What a thread has for a lot. */
struct lane {
	char data[WC_LOT_BYTES];
	char back[WC_LOT_BYTES];
	struct wc_block blocks[WC_LOT_BYTES / PMK_WC_SECTOR];
};

static uint64_t per_lot(const struct writeback *w)
{
	return pmk_wc_lot_max(w->fates.block_size);
}

static void gather(struct writeback *w, uint64_t job, struct lane *lane,
		   enum wc_fate fate, struct wc_lot *lot)
{
	uint64_t first = w->first + job * per_lot(w), end = first + per_lot(w);

	*lot = (struct wc_lot){
		.fates = &w->fates,
		.data = lane->data,
		.blocks = lane->blocks,
	};
	pmk_wc_lot_gather(lot, first, end < w->end ? end : w->end, fate);
}

static void count_moved(struct writeback *w, const struct wc_lot *lot)
{
	atomic_fetch_add(&w->moved, (uint64_t)lot->n * w->fates.block_size);
}

static void write_lot(uint64_t job, void *lane, void *arg)
{
	struct writeback *w = arg;
	struct wc_lot lot;

	gather(w, job, lane, WC_FATE_WANTED, &lot);
	pmk_wc_lot_read(&lot);
	pmk_wc_lot_write(&lot, w->origin->fd, w->write_flags);
	count_moved(w, &lot);
}

/* One by one, as the sync of all of them failed. */
static void write_again(uint64_t job, void *lane, void *arg)
{
	struct writeback *w = arg;
	struct wc_lot lot;

	gather(w, job, lane, WC_FATE_WRITTEN, &lot);
	pmk_wc_lot_read(&lot);
	pmk_wc_lot_write(&lot, w->origin->fd, w->write_flags);
}

static void compare_lot(uint64_t job, void *arg_lane, void *arg)
{
	struct writeback *w = arg;
	struct lane *lane = arg_lane;
	struct wc_lot lot;

	gather(w, job, lane, WC_FATE_WRITTEN, &lot);
	pmk_wc_lot_read(&lot);
	pmk_wc_lot_compare(&lot, w->origin->fd, lane->back);
	count_moved(w, &lot);
}

/* Half of what was moved is done, as all is moved twice. */
static bool tick(void *arg)
{
	struct writeback *w = arg;

	if (w->params.go_on &&
	    !w->params.go_on(atomic_load(&w->moved) / 2, w->params.arg))
		w->result->stopped = true;
	return w->keep_going || !w->result->stopped;
}

static int run(struct writeback *w,
	       void (*work)(uint64_t job, void *lane, void *arg))
{
	const struct wc_crew crew = {
		.threads = w->params.threads,
		.lane_bytes = pmk_align_up(sizeof(struct lane), 4096),
		.jobs = (w->end - w->first + per_lot(w) - 1) / per_lot(w),
		.work = work,
		.tick = tick,
		.arg = w,
	};
	uint64_t done;

	return pmk_wc_crew_run(&crew, &done);
}

/* The lots of the batch, written and synced; those that fail are known then. */
static int write_batch(struct writeback *w)
{
	int rc, again;

	w->write_flags = 0;
	w->params.threads = w->threads;
	w->keep_going = false;
	rc = run(w, write_lot);
	w->keep_going = true;
	/* before any entry is freed, or compared: the origin's medium has it */
	if (rc || !fdatasync(w->origin->fd))
		return rc;
	rc = -errno;
	/* the kernel says once that something was lost, not what, and keeps the
	 * pages as if they were clean: all is written again, by one thread, or
	 * another one's write would hear of it */
	w->write_flags = RWF_DSYNC;
	w->params.threads = 1;
	again = run(w, write_again);
	if (again)
		return again;
	return fdatasync(w->origin->fd) ? pmk_fail(rc, "sync of the origin")
					: 0;
}

/* What the page cache has says nothing about the medium. */
static void drop_cached(const struct writeback *w)
{
	uint64_t first =
		pmk_wc_image_entry(w->img, pmk_wc_image_nth(w->img, w->first))
			.original_sector;
	uint64_t last =
		pmk_wc_image_entry(w->img, pmk_wc_image_nth(w->img, w->end - 1))
			.original_sector;

	/* of sectors that no origin has, the rest of it */
	if (first > INT64_MAX / PMK_WC_SECTOR)
		return;
	if (last > INT64_MAX / PMK_WC_SECTOR - 128)
		last = INT64_MAX / PMK_WC_SECTOR - 128;
	posix_fadvise(w->origin->fd, (off_t)(first * PMK_WC_SECTOR),
		      (off_t)((last - first + 128) * PMK_WC_SECTOR),
		      POSIX_FADV_DONTNEED);
}

static int free_at(struct writeback *w, uint64_t k)
{
	int rc = pmk_wc_image_free_entry(w->img, pmk_wc_image_nth(w->img, k));

	if (rc)
		return pmk_fail(
			rc, "entry %llu cannot be freed",
			(unsigned long long)pmk_wc_image_nth(w->img, k));
	w->result->freed++;
	return 0;
}

/* Entries that a block on the origin supersedes. */
static int free_losers(struct writeback *w, bool *any_ret)
{
	uint64_t losers = w->first;
	int rc = 0;

	*any_ret = false;
	for (uint64_t k = w->first; k < w->end && !rc; k++) {
		if (!pmk_wc_image_wins(w->img, k))
			continue;
		for (; losers < k && !rc && w->fates.fate[k] == WC_FATE_DONE;
		     losers++) {
			rc = free_at(w, losers);
			*any_ret = true;
		}
		losers = k + 1;
	}
	return rc;
}

static int free_winners(struct writeback *w)
{
	int rc = 0;

	for (uint64_t k = w->first; k < w->end && !rc; k++)
		if (w->fates.fate[k] == WC_FATE_DONE)
			rc = free_at(w, k);
	return rc;
}

static int free_batch(struct writeback *w)
{
	bool any;
	int rc = free_losers(w, &any);

	/* losers before winners: else an old block is the newest one there is,
	 * if the power fails in between */
	if (!rc && any)
		rc = pmk_wc_image_sync(w->img);
	return rc ? rc : free_winners(w);
}

static uint64_t count_done(const struct writeback *w)
{
	uint64_t n = 0;

	for (uint64_t k = w->first; k < w->end; k++)
		n += w->fates.fate[k] == WC_FATE_DONE;
	return n;
}

static void account(struct writeback *w)
{
	struct pmk_wc_copy_result *r = w->result;
	uint64_t done = count_done(w);
	uint64_t failed = pmk_wc_fates_report(&w->fates, w->first, w->end,
					      w->params.failed, w->params.arg);

	r->copied += done;
	r->failed += failed;
	r->left -= done + failed;
}

static int do_batch(struct writeback *w)
{
	int rc = write_batch(w);

	if (!rc) {
		drop_cached(w);
		rc = run(w, compare_lot);
	}
	account(w);
	if (rc || w->params.keep_metadata)
		return rc;
	return free_batch(w);
}

/* A batch ends with a winner: its losers are freed with it. */
static uint64_t batch_end(const struct writeback *w, uint64_t first)
{
	uint64_t end = first + BATCH_LOTS * per_lot(w);

	if (end > w->fates.n)
		end = w->fates.n;
	while (end < w->fates.n && !pmk_wc_image_wins(w->img, end - 1))
		end++;
	return end;
}

static int do_all(struct writeback *w)
{
	int rc = 0, end;

	for (uint64_t k = 0; k < w->fates.n && !rc && !w->result->stopped;
	     k = w->end) {
		w->first = k;
		w->end = batch_end(w, k);
		rc = do_batch(w);
	}
	if (!w->result->freed)
		return rc;
	/* what was freed stays freed: nobody has to do it again */
	end = pmk_wc_image_sync(w->img);
	rc = rc ? rc : end;
	end = pmk_wc_image_reindex(w->img);
	return rc ? rc : end;
}

static int check_handles(const struct pmk_wc_image *img,
			 const struct pmk_wc_origin *origin,
			 const struct pmk_wc_copy_params *params)
{
	if (!origin->writable)
		return pmk_fail(PMK_E_READ_ONLY, "the origin");
	if (params->keep_metadata)
		return 0;
	return img->writable ? pmk_claim(img->fd)
			     : pmk_fail(PMK_E_READ_ONLY, "the cache");
}

/* Nothing on media says which origin it is: such blocks do. */
static int check_fit(const struct pmk_wc_image *img,
		     const struct pmk_wc_origin *origin,
		     const struct pmk_wc_copy_params *params)
{
	uint64_t n;

	if (params->skip_misfits)
		return 0;
	n = pmk_wc_misfits(img, origin->size, NULL, NULL);
	return n ? pmk_fail(PMK_E_WC_MISFIT, "%llu blocks",
			    (unsigned long long)n)
		 : 0;
}

PMK_EXPORT int pmk_wc_writeback(struct pmk_wc_image *img,
				struct pmk_wc_origin *origin,
				const struct pmk_wc_copy_params *params,
				struct pmk_wc_copy_result *result_ret)
{
	struct writeback w = {
		.img = img,
		.origin = origin,
		.params = pmk_wc_copy_defaults(params),
		.result = result_ret,
	};
	int rc;

	*result_ret = (struct pmk_wc_copy_result){ .dirty = 0 };
	rc = pmk_wc_doubt(img, NULL);
	if (!rc)
		rc = check_handles(img, origin, &w.params);
	if (!rc)
		rc = check_fit(img, origin, &w.params);
	if (rc)
		return rc;
	w.threads = w.params.threads;
	/* an entry that cannot be read may be an older one of the same sector,
	 * which would come back if the newer one was freed */
	if (img->counts.unreadable)
		w.params.keep_metadata = true;
	rc = pmk_wc_fates_init(&w.fates, img, origin->size, &w.params,
			       result_ret);
	if (!rc)
		rc = do_all(&w);
	pmk_wc_fates_fini(&w.fates);
	return rc;
}
