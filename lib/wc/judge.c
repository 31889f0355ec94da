/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a superblock is taken for: a layout by name, and what the constructor of
 * the kernel's target says, check by check in its order.  Messages and errors
 * are those that kernels 6.1 and 6.12 give.
 */
#include <errno.h>

#include <pmk/wc_format.h>

#include "base/export.h"
#include "base/util.h"
#include "wc/format.h"

#define DEFAULT_PAGE 4096U

/* The prototype of 2016 has the block size where the version is today. */
static bool is_2016(const struct pmk_wc_superblock *sb)
{
	return pmk_wc_block_size_ok(sb->version);
}

static enum pmk_wc_layout layout_of(const struct pmk_wc_superblock *sb)
{
	if (!sb->magic && sb->version <= 1)
		return sb->version ? PMK_WC_LAYOUT_INTERRUPTED
				   : PMK_WC_LAYOUT_BLANK;
	if (sb->magic == __builtin_bswap32(PMK_WC_MAGIC))
		return PMK_WC_LAYOUT_BIG_ENDIAN;
	if (sb->magic != PMK_WC_MAGIC)
		return PMK_WC_LAYOUT_UNKNOWN;
	if (sb->version == PMK_WC_VERSION)
		return PMK_WC_LAYOUT_V1;
	if (sb->version == 2)
		return PMK_WC_LAYOUT_PETASAN;
	return is_2016(sb) ? PMK_WC_LAYOUT_2016 : PMK_WC_LAYOUT_VERSION;
}

PMK_EXPORT enum pmk_wc_layout pmk_wc_layout(const void *raw)
{
	struct pmk_wc_superblock sb;

	pmk_wc_superblock_decode(raw, &sb);
	return layout_of(&sb);
}

PMK_EXPORT const char *pmk_wc_layout_name(enum pmk_wc_layout layout)
{
	static const char *const names[] = {
		[PMK_WC_LAYOUT_UNKNOWN] = "not a dm-writecache superblock",
		[PMK_WC_LAYOUT_V1] = "dm-writecache, version 1",
		[PMK_WC_LAYOUT_BLANK] = "blank: the kernel formats it",
		[PMK_WC_LAYOUT_INTERRUPTED] =
			"dm-writecache, version 1, without its magic",
		[PMK_WC_LAYOUT_2016] =
			"dm-writecache, the prototype of 2016 (no version)",
		[PMK_WC_LAYOUT_PETASAN] =
			"dm-writecache, PetaSAN's proposal (version 2)",
		[PMK_WC_LAYOUT_BIG_ENDIAN] =
			"dm-writecache, written big endian",
		[PMK_WC_LAYOUT_VERSION] = "dm-writecache of an unknown version",
	};

	if ((unsigned int)layout >= ARRAY_SIZE(names))
		return names[PMK_WC_LAYOUT_UNKNOWN];
	return names[layout];
}

/* One question to the constructor. */
struct question {
	const struct pmk_wc_table *table;
	struct pmk_wc_superblock sb;
	uint32_t block_size; /* the argument */
	uint32_t page;
	uint64_t sectors; /* of the device: it has no half ones */
	uint64_t bytes;   /* from the superblock on */
};

static bool refuse(struct pmk_wc_load *load, int error, const char *message)
{
	*load = (struct pmk_wc_load){ PMK_WC_REFUSED, error, message };
	return true;
}

/* The argument that somebody who means this cache would give. */
uint32_t pmk_wc_block_size_asked(const struct pmk_wc_table *table,
				 enum pmk_wc_layout layout,
				 const struct pmk_wc_superblock *sb)
{
	if (table->block_size)
		return table->block_size;
	if (layout == PMK_WC_LAYOUT_V1 && pmk_wc_block_size_ok(sb->block_size))
		return sb->block_size;
	return WC_DEFAULT_BLOCK;
}

/* What is wrong with the table line itself. */
static bool table_refused(const struct question *q, struct pmk_wc_load *load)
{
	if (!pmk_wc_block_size_ok(q->block_size) || q->block_size > q->page)
		return refuse(load, -EINVAL, "Invalid block size");
	if (q->block_size < q->table->logical_block)
		return refuse(load, -EINVAL,
			      "Block size is smaller than device logical block "
			      "size");
	/* without the option, it is 0 and not looked at */
	if (q->table->start_sector && q->table->start_sector >= q->sectors)
		return refuse(load, -EINVAL, "Invalid optional argument");
	return false;
}

/* What is wrong with the device, whatever is on it. */
static bool device_refused(const struct question *q, struct pmk_wc_load *load)
{
	struct pmk_wc_geometry geo;
	int rc;

	if (q->table->mode == 'p') {
		if (q->sectors * PMK_WC_SECTOR < q->page)
			return refuse(load, -EINVAL,
				      "Unable to map persistent memory for "
				      "cache");
		return false;
	}
	rc = pmk_wc_layout_for(q->bytes, q->block_size, &geo);
	return rc ? refuse(load, rc, "Invalid device size") : false;
}

static void judge_blank(const struct question *q, struct pmk_wc_load *load)
{
	struct pmk_wc_geometry geo;
	int rc = pmk_wc_layout_for(q->bytes, q->block_size, &geo);

	if (rc)
		refuse(load, rc, "Unable to initialize device");
	else
		*load = (struct pmk_wc_load){ PMK_WC_FORMATS, 0, NULL };
}

static bool fields_refused(const struct question *q, struct pmk_wc_load *load)
{
	if (q->sb.magic != PMK_WC_MAGIC)
		return refuse(load, -EINVAL, "Invalid magic in the superblock");
	if (q->sb.version != PMK_WC_VERSION)
		return refuse(load, -EINVAL,
			      "Invalid version in the superblock");
	if (q->sb.block_size != q->block_size)
		return refuse(load, -EINVAL,
			      "Block size does not match superblock");
	return false;
}

static bool size_refused(const struct question *q, struct pmk_wc_load *load)
{
	struct pmk_wc_geometry geo;

	if (pmk_wc_layout_of(q->sb.n_blocks, q->block_size, &geo))
		return refuse(load, -EINVAL, "Overflow in size calculation");
	if (geo.end > q->bytes)
		return refuse(load, -EINVAL, "Memory area is too small");
	/* the kernel asks for an array of no bytes, and gets none */
	if (!q->sb.n_blocks)
		return refuse(load, -ENOMEM, "Cannot allocate memory");
	return false;
}

PMK_EXPORT void pmk_wc_judge(const void *raw, const struct pmk_wc_table *table,
			     struct pmk_wc_load *load_ret)
{
	struct question q = {
		.table = table,
		.page = table->page_size ? table->page_size : DEFAULT_PAGE,
		.sectors = table->device_bytes / PMK_WC_SECTOR,
	};

	pmk_wc_superblock_decode(raw, &q.sb);
	q.block_size = pmk_wc_block_size_asked(table, layout_of(&q.sb), &q.sb);
	if (q.sectors > table->start_sector)
		q.bytes = (q.sectors - table->start_sector) * PMK_WC_SECTOR;
	if (table_refused(&q, load_ret) || device_refused(&q, load_ret))
		return;
	if (!q.sb.magic && !q.sb.version) {
		judge_blank(&q, load_ret);
		return;
	}
	if (fields_refused(&q, load_ret) || size_refused(&q, load_ret))
		return;
	*load_ret = (struct pmk_wc_load){ PMK_WC_LOADS, 0, NULL };
}
