/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of pmk_wc_check() share. */
#ifndef LIB_WC_CHECK_H
#define LIB_WC_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/wc_check.h>

/* Bytes that are read at once: whole entries. */
#define WC_CHECK_CHUNK 65536U

struct wc_check {
	const struct pmk_wc_image *img;
	const struct pmk_wc_superblock *sb;
	const struct pmk_wc_geometry *geo; /* NULL: there is none */
	const struct pmk_wc_table *table;
	enum pmk_wc_layout layout;
	uint64_t bytes;          /* of the device, from the superblock on */
	uint64_t origin_sectors; /* 0: not known */
	pmk_wc_met_fn *met;
	void *arg;
	struct pmk_wc_check_report *report;
	int rc;             /* not 0: end */
	unsigned char *buf; /* WC_CHECK_CHUNK */
};

/* Meet a problem that belongs to no entry, and one that does. */
void pmk_wc_check_meet(struct wc_check *c, enum pmk_wc_problem_code code,
		       uint64_t value, uint64_t limit);
void pmk_wc_check_meet_entry(struct wc_check *c, enum pmk_wc_problem_code code,
			     uint64_t entry, uint64_t other);

/* Superblock and device. */
void pmk_wc_check_device(struct wc_check *c);
/* All entries; there is a geometry. */
void pmk_wc_check_entries(struct wc_check *c);

/*
 * What the bytes say where the superblock does not, of a device of @bytes.  A
 * part that cannot be read says nothing.
 */

/* Entries in use from byte 4096 on, up to what is no entry. */
uint64_t pmk_wc_count_behind_wipe(const struct pmk_wc_image *img,
				  uint64_t bytes);

/* Whether entries from @first up to @n, as far as there are bytes, are more
 * likely entries than anything else.  Ones are taken for free ones. */
bool pmk_wc_entries_likely(const struct pmk_wc_image *img, uint64_t bytes,
			   uint64_t first, uint64_t n, uint64_t seq_count);

/* Whether an array that is thought to have @n entries may have more: at once
 * behind them, or on the whole. */
bool pmk_wc_array_goes_on(const struct pmk_wc_image *img, uint64_t bytes,
			  uint64_t n);

/*
 * Whether it is certain that the device was cut off, and has room for @most
 * blocks only since then: then the superblock's entries from there on are
 * entries, every one, and what is behind them is none.  Else its number of
 * blocks may be wrong, and with that the place of each block.  Ones may be free
 * entries, or erased blocks: they prove nothing.
 */
bool pmk_wc_is_cut_off(const struct pmk_wc_image *img, uint64_t bytes,
		       uint64_t most);

/* Entries of a device laid out with blocks of @bs that are neither ones, as
 * formatted, nor zeros, as a new disk; those that cannot be read count. */
uint64_t pmk_wc_count_in_use(const struct pmk_wc_image *img, uint64_t bytes,
			     uint32_t bs);

#endif /* LIB_WC_CHECK_H */
