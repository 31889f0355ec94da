/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lot: as many dirty blocks as one thread moves at a time, ascending by
 * sector.  What lies together, in the cache or on the origin, moves together;
 * what fails then is tried block by block.
 */
#ifndef LIB_WC_LOT_H
#define LIB_WC_LOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wc_writeback.h>

/* A write that a disk takes at its full speed; a multiple of any block. */
#define WC_LOT_BYTES ((size_t)1 << 20)

/* What became of a position of the index. */
enum wc_fate {
	WC_FATE_NONE = 0, /* superseded */
	WC_FATE_WANTED,
	WC_FATE_WRITTEN,
	WC_FATE_DONE,
	/* WC_FATE_FAILED plus enum pmk_wc_why */
	WC_FATE_FAILED = 16,
};

/* All of one index. */
struct wc_fates {
	const struct pmk_wc_image *img;
	uint32_t block_size;
	unsigned int retries;
	uint64_t n;    /* positions */
	uint8_t *fate; /* enum wc_fate; one thread at a time for each */
	uint8_t *error;
};

/* Finds the winners that fit an origin of so many bytes; fills in the
 * @result's dirty and unknown.  0 or a negative code. */
int pmk_wc_fates_init(struct wc_fates *f, const struct pmk_wc_image *img,
		      uint64_t origin_bytes,
		      const struct pmk_wc_copy_params *params,
		      struct pmk_wc_copy_result *result);
void pmk_wc_fates_fini(struct wc_fates *f);

/* Call @failed (may be NULL) for the failures from position @first to before
 * @end; returns how many they are. */
uint64_t pmk_wc_fates_report(const struct wc_fates *f, uint64_t first,
			     uint64_t end, pmk_wc_failure_fn *failed,
			     void *arg);

/* The first position whose sector is not below @sector. */
uint64_t pmk_wc_fates_find(const struct wc_fates *f, uint64_t sector);

struct wc_block {
	uint64_t k; /* position in the index */
	uint64_t entry;
	uint64_t off; /* on the origin, bytes */
};

struct wc_lot {
	struct wc_fates *fates;
	char *data; /* of block i at i * block_size */
	unsigned int n;
	struct wc_block *blocks;
};

/* The positions from @first to before @end whose fate is @fate, at most as many
 * as fit. */
void pmk_wc_lot_gather(struct wc_lot *lot, uint64_t first, uint64_t end,
		       enum wc_fate fate);

/* The blocks' data, from the cache.  Those that cannot be read get that fate,
 * and drop out of the lot's moves below. */
void pmk_wc_lot_read(struct wc_lot *lot);

/* To @fd, with the flags of pwritev2(2). */
void pmk_wc_lot_write(struct wc_lot *lot, int fd, int flags);

/* From @fd, into @back, which is as large as the lot's data.  What is the same
 * is done. */
void pmk_wc_lot_compare(struct wc_lot *lot, int fd, char *back);

/* Blocks that a lot can have. */
static inline unsigned int pmk_wc_lot_max(uint32_t block_size)
{
	return (unsigned int)(WC_LOT_BYTES / block_size);
}

#endif /* LIB_WC_LOT_H */
