/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A dm-writecache device at work in user space: the same bytes on the medium,
 * stored in the same order between the same fences, as the kernel's target
 * writes them.
 *
 * A cache is in front of an origin.  Writes go to the cache; a commit makes
 * them durable; working, or cleaning, copies them to the origin and frees their
 * blocks.  Mode p has the cache in persistent memory, by a mapping; mode s has
 * it in a file or a block device.  A cache that one mode left may be opened in
 * the other, and by the kernel.
 *
 * No function of a cache may be called while another call with the same cache
 * runs; different caches are independent.  Nothing here is signal safe.
 */
#ifndef PMK_WC_H
#define PMK_WC_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>
#include <pmk/map.h>
#include <pmk/wc_format.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_wc;

/* How mode p stores; it makes no difference to what is on the medium. */
enum pmk_wc_store {
	/* metadata as INLINE; data as CLFLUSHOPT where the kernel would (768
	 * bytes or more, and the CPU can), else as INLINE */
	PMK_WC_STORE_AUTO = 0,
	/* metadata: pmk_memcpy_flushcache() of a constant size; data:
	 * pmk_memcpy_flushcache_any() */
	PMK_WC_STORE_INLINE = 1,
	/* metadata and data: pmk_memcpy_flushcache_any() */
	PMK_WC_STORE_CALL = 2,
	/* metadata: MOVNTI of values in registers; data as INLINE */
	PMK_WC_STORE_EXPLICIT = 3,
	/* metadata as INLINE; data: copied, and each line CLFLUSHOPT */
	PMK_WC_STORE_CLFLUSHOPT = 4,
};

/* Flags of struct pmk_wc_params. */
#define PMK_WC_FORCE (1U << 0) /* create: whatever is there is lost */

/* How a cache is made or opened; all zero is the usual. */
struct pmk_wc_params {
	/* Bytes from the start of the mapping or file to the superblock: a
	 * multiple of 512, of 64 in a mapping. */
	uint64_t offset;
	/* Bytes of the cache from there on; 0: all. */
	uint64_t size;
	/* 512 to 65536, a power of two.  0: 4096 to create, that of the
	 * superblock to open. */
	uint32_t block_size;
	uint32_t flags; /* PMK_WC_* */
	/* Commit when so many blocks are not; 0: 64 in mode p, 65536 in s. */
	uint32_t autocommit_blocks;
	/* Percent of the blocks that are in use: above the high one
	 * pmk_wc_work() begins to write back, at the low one it ends.  Both 0:
	 * 50 and 45. */
	uint32_t high_watermark;
	uint32_t low_watermark;
	enum pmk_wc_store store;
	uint64_t origin_size; /* bytes; 0: of the origin's file */
	/* Must be zero. */
	uint64_t reserved[4];
};

/**
 * pmk_wc_create_map() - make an empty cache in persistent memory
 * @map: for writing, of a granularity finer than a page
 * @params: where and how; NULL is all zero
 *
 * Durable on return.  A crash before leaves what was there, whole, or a
 * superblock without the magic: no cache, never a wrong one.
 *
 * Return: 0; -EINVAL: @params; -EEXIST: the first 4096 bytes are not all zero,
 * and PMK_WC_FORCE is not given; -ENOSPC: no room for one block; -EFBIG;
 * PMK_E_RANGE: not inside the mapping; PMK_E_GRANULARITY, PMK_E_READ_ONLY: the
 * mapping; -ENOMEM.
 */
int pmk_wc_create_map(struct pmk_map *map, const struct pmk_wc_params *params)
	PMK_MUST_CHECK;

/**
 * pmk_wc_create_fd() - make an empty cache in a file or block device
 * @fd: for reading and writing
 * @params: where and how; NULL is all zero
 *
 * As pmk_wc_create_map().  Takes as much memory as the metadata.
 *
 * Return: as pmk_wc_create_map(), or -errno of the file.
 */
int pmk_wc_create_fd(int fd, const struct pmk_wc_params *params) PMK_MUST_CHECK;

/**
 * pmk_wc_open_map() - open a cache in persistent memory, mode p
 * @map: for writing, of a granularity finer than a page; must outlive the cache
 * @origin_fd: for reading and writing; -1: none, and what is not in the cache
 *	can be neither read nor written back (-ENXIO).  The caller goes on
 *	owning it.
 * @params: where and how; NULL is all zero
 * @wc_ret: set on success; pmk_wc_close() closes it
 *
 * Writes to the cache, as the kernel does when it resumes one: entries that
 * were not committed are erased, and of two for one sector the one with the
 * lower sequence.  Two with the same sequence leave the cache open in the error
 * state, see pmk_wc_write(), and the later one wins.  What is to be looked at
 * must be looked at before, with <pmk/wc_image.h>.  Takes 32 to 40 bytes of
 * memory for a block.
 *
 * Installs handlers for SIGBUS and SIGSEGV, as pmk_copy_mc() does, so that
 * memory which cannot be read is an error; stores are not guarded.
 *
 * A page-granular mapping is refused: stores become durable there by msync(2),
 * in any order before it, and asynchronous DAX never is anything else.
 *
 * Return: 0; -EINVAL: @params, or a superblock that the kernel would refuse;
 * -ENODATA: the kernel would format it; other codes of pmk_wc_judge();
 * PMK_E_RANGE, PMK_E_GRANULARITY, PMK_E_READ_ONLY: the mapping; -EFBIG: 2^32
 * blocks or more; -EIO: metadata cannot be read, and nothing was changed;
 * -errno of the origin; -ENOMEM.
 */
int pmk_wc_open_map(struct pmk_map *map, int origin_fd,
		    const struct pmk_wc_params *params, struct pmk_wc **wc_ret)
	PMK_MUST_CHECK;

/**
 * pmk_wc_open_fd() - open a cache in a file or block device, mode s
 * @fd: for reading and writing; the caller goes on owning it
 * @origin_fd: see pmk_wc_open_map()
 * @params: where and how; NULL is all zero
 * @wc_ret: set on success; pmk_wc_close() closes it
 *
 * As pmk_wc_open_map().  The metadata are in memory as well, 16 bytes a block.
 * Nothing keeps others, or the same file twice, from being used at once: lock
 * it, or open a block device with O_EXCL.
 *
 * Return: as pmk_wc_open_map(), or -errno of the file.
 */
int pmk_wc_open_fd(int fd, int origin_fd, const struct pmk_wc_params *params,
		   struct pmk_wc **wc_ret) PMK_MUST_CHECK;

/**
 * pmk_wc_close() - commit and close
 * @wc: the cache, gone whatever is returned; NULL is none
 *
 * Nothing is written back: what is dirty stays in the cache.
 *
 * Return: as pmk_wc_commit().
 */
int pmk_wc_close(struct pmk_wc *wc);

/**
 * pmk_wc_read() - read
 * @wc: the cache
 * @off: bytes from the start of the origin, a multiple of the block size
 * @buf: where to; no alignment needed
 * @len: bytes, a multiple of the block size
 *
 * What was written last, committed or not, or else the origin's.  Works in the
 * error state.
 *
 * Return: 0; -EINVAL: @off or @len, or past the end of the origin; -ENXIO: not
 * in the cache, and there is no origin; -EIO: cannot be read (a bad block in
 * the cache is an error of the cache, see pmk_wc_write()); -errno of the files.
 */
int pmk_wc_read(struct pmk_wc *wc, uint64_t off, void *buf, size_t len)
	PMK_MUST_CHECK;

/* Flags of pmk_wc_write(). */
#define PMK_WC_FUA (1U << 0) /* committed on return, with all before it */

/**
 * pmk_wc_write() - write
 * @wc: the cache
 * @off: bytes from the start of the origin, a multiple of the block size
 * @buf: the data; no alignment needed
 * @len: bytes, a multiple of the block size
 * @flags: PMK_WC_FUA
 *
 * Durable after the next commit; that may be at the end of this call, when
 * autocommit_blocks are not committed.  There is no timer: who wants a commit
 * every second calls pmk_wc_commit() then.
 *
 * Until then a crash leaves the state of the last commit.  In mode s that holds
 * of blocks that were not in the cache only: others are written in place, and
 * a crash may leave old, new, or some sectors of each, as on a disk.
 *
 * When no block is free mode p writes some back, here and now; mode s writes to
 * the origin, and a commit syncs that.
 *
 * The first failure of a file or of the medium puts the cache into the error
 * state, for good: writes, commits and discards fail with -EIO, reads go on,
 * and no entry is freed or changed any more.  Nothing waits for anything then.
 * What is committed can be written back by pmk-wc(1).
 *
 * Return: 0; -EINVAL: @off or @len, or past the end of the origin; -EIO: the
 * error state; -ENOSPC: no block is free, and there is no origin; -EOVERFLOW:
 * the last sequence number is used up, nothing can be written any more (the
 * kernel would go on, and lose all); -errno of the files.  On failure some of
 * the blocks may have been written.
 */
int pmk_wc_write(struct pmk_wc *wc, uint64_t off, const void *buf, size_t len,
		 unsigned int flags) PMK_MUST_CHECK;

/**
 * pmk_wc_discard() - forget a range
 * @wc: the cache
 * @off: bytes from the start of the origin, a multiple of the block size
 * @len: bytes, a multiple of the block size
 *
 * Its entries are free, durably, on return.  Then the origin is told, if it can
 * discard; what it holds afterwards is its affair, and a read may return
 * something older.
 *
 * Return: 0; -EINVAL, -EIO: see pmk_wc_write(); -errno of the files.
 */
int pmk_wc_discard(struct pmk_wc *wc, uint64_t off, uint64_t len)
	PMK_MUST_CHECK;

/**
 * pmk_wc_commit() - make all writes durable
 * @wc: the cache
 *
 * On return 0 all that was written is durable: in the cache, or, where mode s
 * wrote around it, in the origin.  In mode p without anything new this is no
 * store and no fence.
 *
 * Return: 0; -EIO: the error state; -errno of the files.
 */
int pmk_wc_commit(struct pmk_wc *wc) PMK_MUST_CHECK;

/**
 * pmk_wc_work() - write back as the watermarks ask
 * @wc: the cache
 *
 * If more is in use than the high watermark: the oldest blocks, up to the low
 * one.  To be called now and then; how often is the caller's affair.  An entry
 * is freed when the origin was synced.
 *
 * Return: blocks written back; -EIO, -ENXIO: see pmk_wc_write() and
 * pmk_wc_open_map(); -errno of the files.
 */
int64_t pmk_wc_work(struct pmk_wc *wc) PMK_MUST_CHECK;

/**
 * pmk_wc_clean() - commit, and write all back
 * @wc: the cache
 *
 * In the order of the origin.  Blocks behind the end of the origin are dropped,
 * of one that is partly behind it the first part is written.
 *
 * Return: as pmk_wc_work().
 */
int64_t pmk_wc_clean(struct pmk_wc *wc) PMK_MUST_CHECK;

/* What was done since the cache was opened.  Blocks, unless it says else. */
struct pmk_wc_stats {
	/* metadata, mode p: copies of 4, 8 and 16 bytes, which are 1, 1 and 2
	 * instructions, and what they make together */
	uint64_t assigns4;
	uint64_t assigns8;
	uint64_t assigns16;
	uint64_t metadata_stores;
	uint64_t metadata_bytes;
	uint64_t fences;
	/* metadata, mode s: writes, their bytes, and syncs of the cache */
	uint64_t metadata_writes;
	uint64_t metadata_write_bytes;
	uint64_t cache_syncs;
	uint64_t data_bytes; /* written to the cache */
	uint64_t reads;
	uint64_t read_hits;
	uint64_t writes;
	uint64_t write_hits_uncommitted;
	uint64_t write_hits_committed;
	uint64_t writes_allocate;
	uint64_t writes_around;
	uint64_t writes_blocked; /* times that no block was free */
	uint64_t commits;        /* that raised the sequence */
	uint64_t superseded;     /* freed by a commit */
	uint64_t discards;       /* freed by a discard */
	uint64_t erased;         /* when it was opened */
	uint64_t written_back;
	uint64_t dropped; /* of those, behind the end of the origin */
	uint64_t origin_syncs;
};

/**
 * pmk_wc_get_stats() - the counters
 * @wc: the cache
 * @stats_ret: filled in
 */
void pmk_wc_get_stats(const struct pmk_wc *wc, struct pmk_wc_stats *stats_ret);

/* What a cache is, and what is in it now. */
struct pmk_wc_info {
	struct pmk_wc_geometry geometry;
	char mode; /* 'p' or 's' */
	/* 0, or the code of the first failure: the error state */
	int error;
	uint64_t seq_count;
	uint64_t free; /* blocks, as the following */
	uint64_t committed;
	uint64_t uncommitted;
	uint64_t high_threshold; /* free blocks at the watermarks */
	uint64_t low_threshold;
};

/**
 * pmk_wc_get_info() - the facts
 * @wc: the cache
 * @info_ret: filled in
 */
void pmk_wc_get_info(const struct pmk_wc *wc, struct pmk_wc_info *info_ret);

/**
 * pmk_wc_store_name() - what AUTO is, and the other names
 * @store: enum pmk_wc_store
 * @block_size: bytes
 *
 * Return: a static string such as "inline"; of AUTO that of what is done with
 * such blocks on this CPU; NULL if there is no such way or the CPU has it not.
 */
const char *pmk_wc_store_name(enum pmk_wc_store store, uint32_t block_size);

#ifdef __cplusplus
}
#endif

#endif /* PMK_WC_H */
