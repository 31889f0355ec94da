/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The on-media format of dm-writecache, version 1, and what the kernel says to
 * it.  docs/writecache-format.md is its specification.
 *
 * Nothing here reads a device.  Numbers on media are little endian; offsets are
 * in bytes from the superblock, which is 512 * start_sector bytes behind the
 * start of the cache device.
 */
#ifndef PMK_WC_FORMAT_H
#define PMK_WC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_WC_MAGIC            0x23489321U
#define PMK_WC_VERSION          1U
#define PMK_WC_SUPERBLOCK_BYTES 64U
#define PMK_WC_ENTRY_BYTES      16U
#define PMK_WC_SECTOR           512U
/* The sequence of an entry that is free; its sector may be a stale one. */
#define PMK_WC_FREE UINT64_MAX

struct pmk_wc_superblock {
	uint32_t magic;
	uint32_t version;
	uint32_t block_size; /* bytes */
	uint32_t pad;        /* never read by the kernel */
	uint64_t n_blocks;
	/* entries with a lower sequence are committed */
	uint64_t seq_count;
	uint8_t reserved[32]; /* never read by the kernel */
};

struct pmk_wc_entry {
	uint64_t original_sector; /* of 512 bytes, on the origin */
	uint64_t seq_count;
};

enum pmk_wc_entry_state {
	PMK_WC_ENTRY_FREE = 0,
	PMK_WC_ENTRY_COMMITTED = 1, /* dirty: there is no clean cached state */
	PMK_WC_ENTRY_UNCOMMITTED = 2, /* erased when the kernel resumes */
};

/**
 * pmk_wc_superblock_decode() - read a superblock
 * @raw: PMK_WC_SUPERBLOCK_BYTES; no alignment needed
 * @sb: filled in, whatever is there
 *
 * Thread and signal safe.
 */
void pmk_wc_superblock_decode(const void *raw, struct pmk_wc_superblock *sb);

/**
 * pmk_wc_superblock_encode() - write a superblock
 * @sb: the superblock
 * @raw: PMK_WC_SUPERBLOCK_BYTES; no alignment needed
 *
 * Thread and signal safe.
 */
void pmk_wc_superblock_encode(const struct pmk_wc_superblock *sb, void *raw);

/**
 * pmk_wc_entry_decode() - read an entry
 * @raw: PMK_WC_ENTRY_BYTES; no alignment needed
 *
 * Thread and signal safe.
 *
 * Return: the entry.
 */
struct pmk_wc_entry pmk_wc_entry_decode(const void *raw);

/**
 * pmk_wc_entry_encode() - write an entry
 * @e: the entry
 * @raw: PMK_WC_ENTRY_BYTES; no alignment needed
 *
 * Thread and signal safe.
 */
void pmk_wc_entry_encode(struct pmk_wc_entry e, void *raw);

/**
 * pmk_wc_entry_state() - what an entry is
 * @e: the entry
 * @seq_count: of the superblock
 *
 * Thread and signal safe.
 *
 * Return: enum pmk_wc_entry_state.
 */
enum pmk_wc_entry_state pmk_wc_entry_state(struct pmk_wc_entry e,
					   uint64_t seq_count);

/* Where things are. */
struct pmk_wc_geometry {
	uint32_t block_size;
	uint64_t n_blocks;
	uint64_t data_off;         /* bytes; a multiple of block_size */
	uint64_t metadata_sectors; /* data_off / 512 */
	uint64_t end;              /* bytes: behind the last block */
};

/**
 * pmk_wc_geometry_of() - the layout of so many blocks
 * @n_blocks: blocks
 * @block_size: bytes, a power of two from 512 to 65536
 * @geo_ret: filled in on success
 *
 * Thread and signal safe, but for the log.
 *
 * Return: 0.  -EINVAL: @block_size.  -EOVERFLOW: a size wraps, as the kernel
 * checks it.
 */
int pmk_wc_geometry_of(uint64_t n_blocks, uint32_t block_size,
		       struct pmk_wc_geometry *geo_ret) PMK_MUST_CHECK;

/**
 * pmk_wc_geometry_for() - the layout that a new cache gets
 * @bytes: of the device, from the superblock on
 * @block_size: bytes, a power of two from 512 to 65536
 * @geo_ret: filled in on success
 *
 * As many blocks as there is room for.  Thread and signal safe, but for the
 * log.
 *
 * Return: 0.  -EINVAL: @block_size.  -ENOSPC: no room for one.  -EFBIG: more
 * than the kernel can count.
 */
int pmk_wc_geometry_for(uint64_t bytes, uint32_t block_size,
			struct pmk_wc_geometry *geo_ret) PMK_MUST_CHECK;

/**
 * pmk_wc_entry_off() - where an entry is
 * @i: number of the entry
 *
 * Return: bytes from the superblock.
 */
static inline uint64_t pmk_wc_entry_off(uint64_t i)
{
	return PMK_WC_SUPERBLOCK_BYTES + i * PMK_WC_ENTRY_BYTES;
}

/* Bytes from the superblock to block @i. */
static inline uint64_t pmk_wc_block_off(const struct pmk_wc_geometry *geo,
					uint64_t i)
{
	return geo->data_off + i * geo->block_size;
}

/* What the first bytes of a device are, at a look. */
enum pmk_wc_layout {
	PMK_WC_LAYOUT_UNKNOWN = 0,
	PMK_WC_LAYOUT_V1 = 1,
	PMK_WC_LAYOUT_BLANK = 2,       /* magic and version 0: gets formatted */
	PMK_WC_LAYOUT_INTERRUPTED = 3, /* version 1 without the magic */
	PMK_WC_LAYOUT_2016 = 4,        /* before the merge: no version */
	PMK_WC_LAYOUT_PETASAN = 5,     /* proposal of 2019: version 2 */
	PMK_WC_LAYOUT_BIG_ENDIAN = 6,  /* the magic the other way round */
	PMK_WC_LAYOUT_VERSION = 7,     /* the magic, and a version unheard of */
};

/**
 * pmk_wc_layout() - recognise a layout
 * @raw: PMK_WC_SUPERBLOCK_BYTES from the start of the superblock
 *
 * Thread and signal safe.
 *
 * Return: enum pmk_wc_layout.
 */
enum pmk_wc_layout pmk_wc_layout(const void *raw);

/**
 * pmk_wc_layout_name() - a layout in words
 * @layout: enum pmk_wc_layout
 *
 * Thread and signal safe.
 *
 * Return: a static string such as "dm-writecache, version 1".
 */
const char *pmk_wc_layout_name(enum pmk_wc_layout layout);

/* What the kernel does with a device. */
enum pmk_wc_verdict {
	PMK_WC_LOADS = 0,
	PMK_WC_LOADS_WITH_ERROR = 1, /* by its entries: see <pmk/wc_image.h> */
	PMK_WC_REFUSED = 2,
	PMK_WC_FORMATS = 3, /* all that is there is lost */
};

/* How it is asked: a table line, and the device. */
struct pmk_wc_table {
	uint64_t device_bytes; /* of the cache device, all of it */
	uint64_t start_sector;
	uint32_t block_size;    /* the argument; 0: that of the superblock */
	uint32_t logical_block; /* of the devices, bytes; 0: 512 */
	uint32_t page_size;     /* of the kernel; 0: 4096 */
	char mode;              /* 'p', 's'; 0: what either does, 's' if they
				 * differ */
};

struct pmk_wc_load {
	enum pmk_wc_verdict verdict;
	int error;           /* 0, or the negative errno of the constructor */
	const char *message; /* of the kernel, a static string; NULL if none */
};

/**
 * pmk_wc_judge() - what the kernel does with a superblock
 * @raw: PMK_WC_SUPERBLOCK_BYTES; what is behind the device's end must be 0
 * @table: how it is asked
 * @load_ret: filled in
 *
 * The checks of the target's constructor, in its order (6.1 to 6.12).  What
 * the entries do, when the target is resumed, is not looked at.  Thread and
 * signal safe.
 */
void pmk_wc_judge(const void *raw, const struct pmk_wc_table *table,
		  struct pmk_wc_load *load_ret);

/**
 * pmk_wc_kernel_bytes() - the memory that the kernel takes for its entries
 * @n_blocks: blocks
 * @mode: 'p' or 's'
 *
 * Bytes of the entries that kernels up to 6.12 keep, 72 each, and with mode 's'
 * the copy of those on media, 16 each.  Thread and signal safe.
 *
 * Return: bytes; UINT64_MAX if there are more.
 */
uint64_t pmk_wc_kernel_bytes(uint64_t n_blocks, char mode);

#ifdef __cplusplus
}
#endif

#endif /* PMK_WC_FORMAT_H */
