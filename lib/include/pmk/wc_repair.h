/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repairing a dm-writecache device: what is to be changed is found first, in
 * memory, and can be looked at; then it is stored, and can be undone.
 *
 * What is done about each problem is in one table: lib/wc/repair.c.  Blocks are
 * never written, and what the superblock says of the sequence is changed only
 * where it is proven to be wrong.
 */
#ifndef PMK_WC_REPAIR_H
#define PMK_WC_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>
#include <pmk/wc_check.h>
#include <pmk/wc_image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_wc_repair;

struct pmk_wc_repair_params {
	uint64_t origin_bytes; /* size of the origin; 0: not known */
	/* for a superblock whose sequence is proven to be wrong: entries with a
	 * lower one are committed; 0: do not touch it */
	uint64_t seq_count;
	/* as the kernel does when it loads the device */
	bool free_uncommitted;
};

/* One store. */
struct pmk_wc_change {
	enum pmk_wc_problem_code code; /* that it is for */
	uint64_t entry;                /* PMK_WC_NO_ENTRY: the superblock, or
					* many entries */
	uint64_t off;                  /* bytes from the superblock */
	size_t len;
	const unsigned char *old_bytes, *new_bytes;
	/* what has a lower one is durable before this is stored */
	unsigned int stage;
};

/**
 * pmk_wc_repair_plan() - find what is to be changed
 * @img: the cache; in memory it becomes what it would be
 * @params: may be NULL
 * @repair_ret: set on success; pmk_wc_repair_free() frees it, before @img is
 * closed
 *
 * Nothing is stored.  First the superblock is made good, as far as it is
 * certain what it was; then entries are freed: those that are superseded, and
 * those whose sector cannot be right.
 *
 * For one thread.
 *
 * Return: 0, whatever is found.  -ENOMEM.  -errno of read(2).
 */
int pmk_wc_repair_plan(struct pmk_wc_image *img,
		       const struct pmk_wc_repair_params *params,
		       struct pmk_wc_repair **repair_ret) PMK_MUST_CHECK;

/**
 * pmk_wc_repair_free() - free a repair
 * @repair: NULL is none
 */
void pmk_wc_repair_free(struct pmk_wc_repair *repair);

/**
 * pmk_wc_repair_changes() - how many stores there are
 * @repair: the repair
 *
 * Return: their number.
 */
uint64_t pmk_wc_repair_changes(const struct pmk_wc_repair *repair);

/**
 * pmk_wc_repair_change() - one of the stores, in their order
 * @repair: the repair
 * @k: below their number
 *
 * Return: the store; its bytes are valid until the repair is freed.
 */
struct pmk_wc_change pmk_wc_repair_change(const struct pmk_wc_repair *repair,
					  uint64_t k);

/**
 * pmk_wc_repair_before() - the check before
 * @repair: the repair
 *
 * Return: its report, valid until the repair is freed.
 */
const struct pmk_wc_check_report *pmk_wc_repair_before(
	const struct pmk_wc_repair *repair);

/**
 * pmk_wc_repair_after() - the check after all changes
 * @repair: the repair
 *
 * Return: its report, valid until the repair is freed; severities above
 * PMK_WC_INFO are what remains.
 */
const struct pmk_wc_check_report *pmk_wc_repair_after(
	const struct pmk_wc_repair *repair);

/**
 * pmk_wc_repair_undo_write() - write down what was there before
 * @repair: the changes
 * @fd: an empty file, open for writing; it is synced
 *
 * Lines of text: "at OFFSET OLD NEW" for each store, its offset in the file or
 * device that the image was opened from, its bytes as hexadecimal digits;
 * "sync" between stages; "end", the number of stores and a checksum of them.
 * To be durable, with its name, before pmk_wc_repair_apply().
 *
 * Return: 0.  -errno of write(2) or fsync(2).  -ENOMEM.
 */
int pmk_wc_repair_undo_write(const struct pmk_wc_repair *repair, int fd)
	PMK_MUST_CHECK;

/**
 * pmk_wc_repair_apply() - store the changes
 * @repair: of an image that was opened with PMK_WC_WRITE
 *
 * The superblock, and each place that is changed, must be what it was when the
 * repair was planned: a file is locked since it was opened, but not everybody
 * asks for locks.
 *
 * Stage by stage, with a sync behind each.  Whoever is killed can plan and
 * apply again; an undo file that was written before is right all the while.
 *
 * Return: 0: all is durable.  PMK_E_READ_ONLY.  PMK_E_WC_CHANGED: nothing was
 * stored.  -EBUSY: a loop device has been set up on the file.  -errno of
 * read(2), write(2) or fdatasync(2).
 */
int pmk_wc_repair_apply(struct pmk_wc_repair *repair) PMK_MUST_CHECK;

/**
 * pmk_wc_undo() - bring back what was there before a repair
 * @img: opened with PMK_WC_WRITE and without an offset or start sector: those
 * of the file count from its start
 * @fd: an undo file, open for reading
 * @force: do not ask what is there now
 *
 * Stage by stage, the last one first.  Each place must hold the old or the new
 * bytes, and all other metadata be what they were: a cache that was used since,
 * by a writeback or the kernel, is not touched, as what the repair freed may be
 * out of date.  @img must be opened again afterwards.
 *
 * Return: 0: all is durable.  PMK_E_WC_UNDO: no undo file, or an incomplete
 * one, or of something else; nothing was stored.  PMK_E_RANGE: of a larger
 * device, or @img was opened at an offset.  PMK_E_READ_ONLY, -EBUSY, -ENOMEM,
 * -errno.
 */
int pmk_wc_undo(struct pmk_wc_image *img, int fd, bool force) PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_WC_REPAIR_H */
