/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dirty blocks of a dm-writecache device to where they belong: into the
 * origin, or into a file that becomes what the origin would be.
 *
 * Of the blocks, only those that are committed and not superseded are looked
 * at.  A block is written only where the kernel can have put it: at a multiple
 * of the block size, whole inside the origin.
 */
#ifndef PMK_WC_WRITEBACK_H
#define PMK_WC_WRITEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>
#include <pmk/wc_image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_wc_origin;

/**
 * pmk_wc_origin_open() - open the device that a cache belongs to
 * @path: a regular file or a block device, which is opened exclusively
 * (O_EXCL), and a file that is to be written is locked against others that lock
 * it, as virtual machines do
 * @img: the cache
 * @write: open it for pmk_wc_writeback()
 * @origin_ret: set on success; pmk_wc_origin_close() closes it
 *
 * Nothing on media says which origin a cache belongs to.
 *
 * Thread safe.
 *
 * Return: 0.  -errno of open(2); -EBUSY: mounted, mapped, or locked; -EROFS: a
 * block device that is read-only.
 * PMK_E_FILE_TYPE: no regular file or block device.  PMK_E_WC_SAME: it is the
 * cache itself, by whatever name, or a loop device on it, or the file below it.
 * -ENOMEM.
 */
int pmk_wc_origin_open(const char *path, const struct pmk_wc_image *img,
		       bool write, struct pmk_wc_origin **origin_ret)
	PMK_MUST_CHECK;

/**
 * pmk_wc_origin_close() - close an origin
 * @origin: NULL is none
 *
 * What was written to it has been synced where the function that wrote says so.
 */
void pmk_wc_origin_close(struct pmk_wc_origin *origin);

/**
 * pmk_wc_origin_size() - bytes of an origin
 * @origin: the origin
 *
 * Return: its size when it was opened.
 */
uint64_t pmk_wc_origin_size(const struct pmk_wc_origin *origin);

/* Why a block is not where it belongs. */
enum pmk_wc_why {
	PMK_WC_WHY_READ = 1,      /* it cannot be read from the cache */
	PMK_WC_WHY_WRITE = 2,     /* it cannot be written */
	PMK_WC_WHY_VERIFY = 3,    /* read back, it was another */
	PMK_WC_WHY_BEYOND = 4,    /* its end is past the end of the origin */
	PMK_WC_WHY_UNALIGNED = 5, /* its sector is no multiple of the block */
};

/**
 * pmk_wc_why_text() - a reason in words
 * @why: enum pmk_wc_why
 *
 * Thread and signal safe.
 *
 * Return: a static string such as "cannot be read from the cache".
 */
const char *pmk_wc_why_text(enum pmk_wc_why why);

/**
 * pmk_wc_why_name() - a reason as one word
 * @why: enum pmk_wc_why
 *
 * Thread and signal safe.
 *
 * Return: a static string of lower case, such as "read".
 */
const char *pmk_wc_why_name(enum pmk_wc_why why);

struct pmk_wc_failure {
	uint64_t entry;
	uint64_t sector; /* on the origin */
	enum pmk_wc_why why;
	int error; /* negative errno, or 0 */
};

/* Hears of a block that is not where it belongs. */
typedef void pmk_wc_failure_fn(const struct pmk_wc_failure *f, void *arg);

/**
 * pmk_wc_misfits() - blocks that are not written, by their sector alone
 * @img: the cache
 * @origin_bytes: size of the origin
 * @failed: called for each, ascending by sector, if not NULL
 * @arg: its last argument
 *
 * An origin that is too small for a block is likely to be the wrong one.
 *
 * Thread safe.
 *
 * Return: their number.
 */
uint64_t pmk_wc_misfits(const struct pmk_wc_image *img, uint64_t origin_bytes,
			pmk_wc_failure_fn *failed, void *arg);

/* Zero it, then fill in what is not to be the default. */
struct pmk_wc_copy_params {
	unsigned int threads; /* 0: 4, which keep a disk busy */
	unsigned int retries; /* reads and writes of a block are repeated */
	bool keep_metadata;   /* writeback: free no entry */
	/* writeback: write the others even if there are blocks that the origin
	 * has no place for (pmk_wc_misfits()) */
	bool skip_misfits;
	/* Both are called by the thread that called, @arg last.  After each
	 * megabyte or so; false: stop in order. */
	bool (*go_on)(uint64_t done_bytes, void *arg);
	/* Of each block that is not where it belongs, ascending by sector. */
	pmk_wc_failure_fn *failed;
	void *arg;
};

struct pmk_wc_copy_result {
	uint64_t dirty;   /* blocks to be copied, at the start */
	uint64_t copied;  /* writeback: durable and verified on the origin */
	uint64_t failed;  /* as reported by the function of that name */
	uint64_t left;    /* not got to: it was stopped, or an error ended it */
	uint64_t freed;   /* entries, the superseded ones as well */
	uint64_t unknown; /* unreadable entries: then none is freed */
	/* export: bytes of the origin that could not be read, and that no block
	 * covers; zeros in the file */
	uint64_t lost_bytes;
	bool stopped; /* by go_on */
};

/**
 * pmk_wc_writeback() - write the dirty blocks back
 * @img: opened with PMK_WC_WRITE, unless the metadata is kept
 * @origin: opened for writing
 * @params: may be NULL
 * @result_ret: filled in, also when it fails
 *
 * In batches of 64 MiB, ascending by sector, adjacent blocks in one write.  For
 * each batch, in this order:
 *
 * - its blocks are read and written to the origin, by several threads;
 * - the origin is synced (fdatasync(2));
 * - they are read back, after what the page cache has of them was dropped where
 *   that can be done, and compared with the cache, read again;
 * - of those that are equal, the entries that they supersede are freed; the
 *   cache is synced, so that no old block can come back; then their own entries
 *   are freed.  To free is to store all ones to the 8 bytes of the sequence.
 *
 * The cache is synced at the end.  So at any point each block is in the cache
 * or on the origin's medium, and whoever is killed can begin again.  The
 * superblock is never written, nor entries that are uncommitted.
 *
 * Before anything is written: pmk_wc_doubt() must have none, and each block a
 * place on the origin, or the params say that the others are to be written.  If
 * an entry cannot be read, no entry is freed: it may be an older one of a
 * sector, which would come back.
 *
 * A block that fails keeps its entry and those of what it supersedes.  If the
 * origin's sync fails, the blocks of the batch are written again one by one,
 * each synced, to find those that fail.
 *
 * For one thread; @img must not be used meanwhile.  Afterwards its entries,
 * index and counts are what the media hold; its load is what it was.
 *
 * Return: 0, if all was tried: see @result_ret for what became of it.
 * PMK_E_WC_NONE: there is no cache that could be read.  PMK_E_WC_DOUBT: it
 * cannot be believed.  PMK_E_WC_MISFIT: there are blocks that the origin has no
 * place for: it is likely to be the wrong one.  PMK_E_READ_ONLY: @img or
 * @origin.  Of all these, nothing was written.  -ENOMEM.  -EBUSY: the cache is
 * locked.  -errno: the origin could not be synced, or an entry not be freed:
 * nothing is lost, those entries stay.
 */
int pmk_wc_writeback(struct pmk_wc_image *img, struct pmk_wc_origin *origin,
		     const struct pmk_wc_copy_params *params,
		     struct pmk_wc_copy_result *result_ret) PMK_MUST_CHECK;

/**
 * pmk_wc_export() - the content that the origin would have
 * @img: the cache; only read
 * @origin: only read
 * @fd: an empty regular file, open for writing
 * @params: may be NULL
 * @result_ret: filled in, also when it fails
 *
 * The origin with the dirty blocks over it, as pmk_wc_writeback() would leave
 * it: where a block cannot be read, what the origin has.  Holes of the origin
 * stay holes, zeros become holes.  The file is not synced.
 *
 * For one thread; other threads may read @img.
 *
 * Return: 0, if all was tried.  PMK_E_WC_NONE: there is no cache that could be
 * read.  PMK_E_WC_DOUBT: it cannot be believed (pmk_wc_doubt()); nothing was
 * written.  -ENOMEM.  -errno of write(2), -ENOSPC and -EFBIG among them, and of
 * the origin where it is no medium error: the file is incomplete.
 */
int pmk_wc_export(const struct pmk_wc_image *img,
		  const struct pmk_wc_origin *origin, int fd,
		  const struct pmk_wc_copy_params *params,
		  struct pmk_wc_copy_result *result_ret) PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_WC_WRITEBACK_H */
