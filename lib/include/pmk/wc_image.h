/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A dm-writecache device that no kernel has mapped: what is in it, what is
 * wrong with it, and what can be done.
 *
 * An image is a file or a block device; the cache may begin anywhere in it.
 * Nothing is written unless it was opened with PMK_WC_WRITE and a function that
 * says so is called.
 */
#ifndef PMK_WC_IMAGE_H
#define PMK_WC_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/error.h>
#include <pmk/wc_format.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_wc_image;

enum pmk_wc_open_flag {
	PMK_WC_WRITE = 1 << 0, /* for reading and writing */
};

struct pmk_wc_open_params {
	uint64_t offset; /* bytes: where the cache device begins in the file */
	uint64_t size;   /* bytes of it; 0: all up to the end of the file */
	/* the table line that the kernel would get; its device_bytes are filled
	 * in */
	struct pmk_wc_table table;
	/* instead of the superblock's, for one that was lost; 0: that one */
	uint64_t seq_count;
	unsigned int flags; /* enum pmk_wc_open_flag */
	/* NULL, or told how much of the work of opening is done: bytes, of
	 * which each of an entry counts when it is read and when it is put in
	 * order */
	void (*progress)(uint64_t done, uint64_t total, void *arg);
	void *arg; /* for it */
};

/**
 * pmk_wc_image_open() - open a cache
 * @path: a regular file or a block device
 * @params: where in it, and how; NULL: all zero
 * @img_ret: set on success; pmk_wc_image_close() closes it
 *
 * A block device is opened exclusively (O_EXCL): one that is mounted or mapped
 * is busy.  So is, for writing, a file that a loop device is attached to, or
 * that another program has locked, as virtual machines do; it is locked from
 * before anything is read until it is closed.
 *
 * Reads the superblock and, if there is a layout to be made of it, all entries:
 * of version 1 they must lie in the device, though the blocks may not; without
 * a good magic and version, the rest must fit the device.  Also what the kernel
 * refuses is opened: pmk_wc_image_load() says so.  Takes 16 bytes of memory for
 * an entry, 4 for one in the index, and 4 more while that is sorted.
 *
 * What cannot be read is noted (pmk_wc_image_entry_ok()); a superblock that
 * cannot is refused with -EIO and has no layout.
 *
 * Thread safe; an image is for one thread at a time.
 *
 * Return: 0.  -errno of open(2) or read(2), but for an unreadable medium;
 * -EBUSY: in use.  -EROFS: a device that is read-only.  PMK_E_FILE_TYPE: no
 * regular file or block device.  PMK_E_RANGE: the offset is not inside it, or
 * the size.  -EFBIG: 2^32 blocks or more.  -ENOMEM.
 */
int pmk_wc_image_open(const char *path, const struct pmk_wc_open_params *params,
		      struct pmk_wc_image **img_ret) PMK_MUST_CHECK;

/**
 * pmk_wc_image_close() - close a cache
 * @img: an image, or NULL
 *
 * What was written is durable where the function that wrote it says so.
 */
void pmk_wc_image_close(struct pmk_wc_image *img);

/**
 * pmk_wc_image_superblock() - the superblock as it is
 * @img: the image
 *
 * But for a seq_count that was given.  Thread safe.
 *
 * Return: the superblock, never NULL; all zero if it could not be read.
 */
const struct pmk_wc_superblock *pmk_wc_image_superblock(
	const struct pmk_wc_image *img);

/**
 * pmk_wc_image_geometry() - where things are
 * @img: the image
 *
 * Thread safe.
 *
 * Return: the layout, or NULL if nothing is to be made of the superblock: then
 * there are no entries.
 */
const struct pmk_wc_geometry *pmk_wc_image_geometry(
	const struct pmk_wc_image *img);

/**
 * pmk_wc_image_layout() - what it looks like
 * @img: the image
 *
 * Thread safe.
 *
 * Return: enum pmk_wc_layout.
 */
enum pmk_wc_layout pmk_wc_image_layout(const struct pmk_wc_image *img);

/**
 * pmk_wc_image_load() - what the kernel does with it
 * @img: the image
 *
 * Its entries looked at as well.  Thread safe.
 *
 * Return: the verdict, never NULL.
 */
const struct pmk_wc_load *pmk_wc_image_load(const struct pmk_wc_image *img);

/**
 * pmk_wc_image_entry() - an entry
 * @img: an image that has a geometry
 * @i: its number, below n_blocks
 *
 * Thread safe.
 *
 * Return: the entry; all ones if it could not be read.
 */
struct pmk_wc_entry pmk_wc_image_entry(const struct pmk_wc_image *img,
				       uint64_t i);

/**
 * pmk_wc_image_entry_ok() - could an entry be read?
 * @img: an image that has a geometry
 * @i: its number, below n_blocks
 *
 * Thread safe.
 *
 * Return: false if it is in a sector that could not be read.
 */
bool pmk_wc_image_entry_ok(const struct pmk_wc_image *img, uint64_t i);

/* How many entries are what.  Blocks of committed ones that a newer one
 * supersedes are not dirty. */
struct pmk_wc_counts {
	uint64_t free;
	uint64_t committed;
	uint64_t superseded; /* of the committed */
	uint64_t uncommitted;
	uint64_t unreadable; /* entries */
	uint64_t dirty_bytes;
};

/**
 * pmk_wc_image_counts() - how many entries are what
 * @img: the image
 * @counts_ret: filled in
 *
 * Thread safe.
 */
void pmk_wc_image_counts(const struct pmk_wc_image *img,
			 struct pmk_wc_counts *counts_ret);

/*
 * The index: committed entries, ascending by sector; of one sector the losers
 * first, in the order in which they are to be freed, and the winner last.  Of
 * two with the same sequence the later index wins, as in the kernel.
 */

/**
 * pmk_wc_image_committed() - entries in the index
 * @img: the image
 *
 * Thread safe.
 *
 * Return: their number.
 */
uint64_t pmk_wc_image_committed(const struct pmk_wc_image *img);

/**
 * pmk_wc_image_nth() - an entry of the index
 * @img: the image
 * @k: which of them, from 0 on
 *
 * Thread safe.
 *
 * Return: the number of the entry.
 */
uint64_t pmk_wc_image_nth(const struct pmk_wc_image *img, uint64_t k);

/**
 * pmk_wc_image_wins() - is it the newest of its sector?
 * @img: the image
 * @k: which of the index, from 0 on
 *
 * Thread safe.
 *
 * Return: true for the winner, one of each sector.
 */
bool pmk_wc_image_wins(const struct pmk_wc_image *img, uint64_t k);

/**
 * pmk_wc_image_read() - read a block of data
 * @img: the image
 * @i: number of the block
 * @buf: block_size bytes
 *
 * Thread safe.
 *
 * Return: 0.  -errno of read(2): -EIO if the medium fails.  PMK_E_RANGE: the
 * device was cut off before the block.
 */
int pmk_wc_image_read(const struct pmk_wc_image *img, uint64_t i, void *buf)
	PMK_MUST_CHECK;

/**
 * pmk_wc_image_table() - the table line that it is judged by
 * @img: the image
 *
 * Thread safe.
 *
 * Return: that of the params, with device_bytes filled in; never NULL.
 */
const struct pmk_wc_table *pmk_wc_image_table(const struct pmk_wc_image *img);

/**
 * pmk_wc_image_pread() - read any bytes of the cache
 * @img: the image
 * @off: bytes from the superblock
 * @buf: @len bytes
 * @len: bytes
 *
 * Whatever the superblock says.  Thread safe.
 *
 * Return: bytes read, fewer only at the end of the device; or -errno: -EIO if
 * the medium fails.
 */
ssize_t pmk_wc_image_pread(const struct pmk_wc_image *img, uint64_t off,
			   void *buf, size_t len) PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_WC_IMAGE_H */
