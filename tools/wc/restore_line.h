/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the text form of a cache, parsed and checked one by one. */
#ifndef TOOLS_WC_RESTORE_LINE_H
#define TOOLS_WC_RESTORE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wc_format.h>

/* The longest line: a tail of 64 KiB in hexadecimal, and room. */
#define WC_LINE_MAX ((size_t)256 << 10)

enum wc_line_kind {
	WC_LINE_SUPERBLOCK,
	WC_LINE_TAIL, /* bytes between the last entry and the data */
	WC_LINE_ENTRY,
	WC_LINE_BYTES, /* bytes of no block */
	WC_LINE_END,
};

struct wc_line {
	enum wc_line_kind kind;
	/* superblock */
	struct pmk_wc_superblock sb;
	uint64_t device_bytes;
	uint64_t start_sector;
	bool with_data; /* lines have offsets in a data file */
	/* tail: decoded in place of its text */
	unsigned char *tail; /* malloc(3)ed; the caller's */
	size_t tail_len;
	/* entry; end: how many lines are before it */
	uint64_t number;
	struct pmk_wc_entry entry;
	bool zero;       /* data are zeros */
	bool data_error; /* data could not be read */
	bool superseded; /* by its state: data are not needed */
	bool unreadable; /* by its state */
	/* bytes: from the superblock */
	uint64_t at;
	uint64_t bytes;
	/* entry, bytes */
	bool has_data;
	uint64_t data; /* offset in the data file */
};

/* Parse @len bytes at @text.  NULL, or what is wrong with them: valid until the
 * next call. */
const char *wc_line_parse(const char *text, size_t len, struct wc_line *line);

#endif /* TOOLS_WC_RESTORE_LINE_H */
