/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The on-media format in numbers: superblock, entries, and where things are.
 * What the kernel says to them is in judge.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <pmk/wc_format.h>

#include "base/endian.h"
#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "wc/format.h"

/* Where the fields of a superblock are, in bytes. */
enum {
	SB_MAGIC = 0,
	SB_VERSION = 4,
	SB_BLOCK_SIZE = 8,
	SB_PAD = 12,
	SB_N_BLOCKS = 16,
	SB_SEQ_COUNT = 24,
	SB_RESERVED = 32,
};

_Static_assert(
	SB_RESERVED + sizeof(((struct pmk_wc_superblock *)0)->reserved) ==
		PMK_WC_SUPERBLOCK_BYTES,
	"a superblock is a line");

/* The index of a block has 47 bits in the kernel's entries, up to 6.12. */
#define N_BLOCKS_LIMIT ((uint64_t)1 << 47)

/* Bytes of an entry in the kernel's memory, up to 6.12; mode s keeps the
 * one on media beside it. */
#define KERNEL_ENTRY 72U

PMK_EXPORT void pmk_wc_superblock_decode(const void *raw,
					 struct pmk_wc_superblock *sb)
{
	const unsigned char *p = raw;

	sb->magic = pmk_get_le32(p + SB_MAGIC);
	sb->version = pmk_get_le32(p + SB_VERSION);
	sb->block_size = pmk_get_le32(p + SB_BLOCK_SIZE);
	sb->pad = pmk_get_le32(p + SB_PAD);
	sb->n_blocks = pmk_get_le64(p + SB_N_BLOCKS);
	sb->seq_count = pmk_get_le64(p + SB_SEQ_COUNT);
	memcpy(sb->reserved, p + SB_RESERVED, sizeof(sb->reserved));
}

PMK_EXPORT void pmk_wc_superblock_encode(const struct pmk_wc_superblock *sb,
					 void *raw)
{
	unsigned char *p = raw;

	pmk_put_le32(p + SB_MAGIC, sb->magic);
	pmk_put_le32(p + SB_VERSION, sb->version);
	pmk_put_le32(p + SB_BLOCK_SIZE, sb->block_size);
	pmk_put_le32(p + SB_PAD, sb->pad);
	pmk_put_le64(p + SB_N_BLOCKS, sb->n_blocks);
	pmk_put_le64(p + SB_SEQ_COUNT, sb->seq_count);
	memcpy(p + SB_RESERVED, sb->reserved, sizeof(sb->reserved));
}

PMK_EXPORT struct pmk_wc_entry pmk_wc_entry_decode(const void *raw)
{
	const unsigned char *p = raw;

	return (struct pmk_wc_entry){
		.original_sector = pmk_get_le64(p),
		.seq_count = pmk_get_le64(p + 8),
	};
}

PMK_EXPORT void pmk_wc_entry_encode(struct pmk_wc_entry e, void *raw)
{
	unsigned char *p = raw;

	pmk_put_le64(p, e.original_sector);
	pmk_put_le64(p + 8, e.seq_count);
}

PMK_EXPORT enum pmk_wc_entry_state pmk_wc_entry_state(struct pmk_wc_entry e,
						      uint64_t seq_count)
{
	if (e.seq_count == PMK_WC_FREE)
		return PMK_WC_ENTRY_FREE;
	return e.seq_count < seq_count ? PMK_WC_ENTRY_COMMITTED
				       : PMK_WC_ENTRY_UNCOMMITTED;
}

bool pmk_wc_block_size_ok(uint32_t block_size)
{
	return block_size >= 512 && block_size <= 65536 &&
	       !(block_size & (block_size - 1));
}

int pmk_wc_layout_of(uint64_t n, uint32_t bs, struct pmk_wc_geometry *geo_ret)
{
	uint64_t meta, off, data, end;

	if (__builtin_mul_overflow(n, (uint64_t)PMK_WC_ENTRY_BYTES, &meta) ||
	    __builtin_add_overflow(meta, (uint64_t)PMK_WC_SUPERBLOCK_BYTES,
				   &meta))
		return -EOVERFLOW;
	off = pmk_align_up(meta, bs);
	/* where the rounding would wrap, the data have long since */
	if (__builtin_mul_overflow(n, (uint64_t)bs, &data) ||
	    __builtin_add_overflow(off, data, &end))
		return -EOVERFLOW;
	*geo_ret = (struct pmk_wc_geometry){
		.block_size = bs,
		.n_blocks = n,
		.data_off = off,
		.metadata_sectors = off / PMK_WC_SECTOR,
		.end = end,
	};
	return 0;
}

int pmk_wc_layout_for(uint64_t bytes, uint32_t bs,
		      struct pmk_wc_geometry *geo_ret)
{
	uint64_t n = bytes / (bs + PMK_WC_ENTRY_BYTES);
	struct pmk_wc_geometry geo = { .end = UINT64_MAX };

	if (n >= N_BLOCKS_LIMIT)
		return -EFBIG;
	/* the superblock and the rounding take one or two of them */
	for (; n; n--)
		if (!pmk_wc_layout_of(n, bs, &geo) && geo.end <= bytes)
			break;
	if (!n)
		return -ENOSPC;
	*geo_ret = geo;
	return 0;
}

static int bad_block_size(uint32_t block_size)
{
	return pmk_fail(-EINVAL,
			"block size %" PRIu32 " is not a power of two from 512 "
			"to 65536",
			block_size);
}

PMK_EXPORT int pmk_wc_geometry_of(uint64_t n_blocks, uint32_t block_size,
				  struct pmk_wc_geometry *geo_ret)
{
	int rc;

	if (!pmk_wc_block_size_ok(block_size))
		return bad_block_size(block_size);
	rc = pmk_wc_layout_of(n_blocks, block_size, geo_ret);
	if (rc)
		return pmk_fail(rc,
				"%" PRIu64 " blocks of %" PRIu32 " bytes do "
				"not fit into 64 bits",
				n_blocks, block_size);
	return 0;
}

PMK_EXPORT int pmk_wc_geometry_for(uint64_t bytes, uint32_t block_size,
				   struct pmk_wc_geometry *geo_ret)
{
	int rc;

	if (!pmk_wc_block_size_ok(block_size))
		return bad_block_size(block_size);
	rc = pmk_wc_layout_for(bytes, block_size, geo_ret);
	if (rc == -ENOSPC)
		return pmk_fail(rc,
				"%" PRIu64 " bytes have no room for a block of "
				"%" PRIu32,
				bytes, block_size);
	if (rc)
		return pmk_fail(rc, "%" PRIu64 " bytes are 2^47 blocks or more",
				bytes);
	return 0;
}

PMK_EXPORT uint64_t pmk_wc_kernel_bytes(uint64_t n_blocks, char mode)
{
	uint64_t each = KERNEL_ENTRY + (mode == 's' ? PMK_WC_ENTRY_BYTES : 0);
	uint64_t bytes;

	if (__builtin_mul_overflow(n_blocks, each, &bytes))
		return UINT64_MAX;
	return bytes;
}
