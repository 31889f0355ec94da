/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files on info blocks share. */
#ifndef LIB_MEMMAP_INFOBLOCK_H
#define LIB_MEMMAP_INFOBLOCK_H

#include <stdbool.h>

#include <pmk/infoblock.h>

#include "memmap/units.h"

/* x86-64. */
#define INFOBLOCK_PAGE        4096U
#define INFOBLOCK_STRUCT_PAGE 64U
/* What the ends of a namespace must be aligned to: a subsection of a memmap. */
#define INFOBLOCK_COMPAT MEMMAP_2M

/* The checks, in the kernel's order. */
enum {
	INFOBLOCK_CHECK_SIGNATURE,
	INFOBLOCK_CHECK_CHECKSUM,
	INFOBLOCK_CHECK_PARENT_UUID,
	INFOBLOCK_CHECK_MODE,
	INFOBLOCK_CHECK_PAGE_SIZE,
	INFOBLOCK_CHECK_PAGE_STRUCT_SIZE,
	INFOBLOCK_CHECK_ALIGN,
	INFOBLOCK_CHECK_UUID,
	INFOBLOCK_CHECK_SETTINGS,
	INFOBLOCK_CHECK_ALIGN_FITS,
	INFOBLOCK_CHECK_DATAOFF_FITS,
	INFOBLOCK_CHECK_OFFSET,
	INFOBLOCK_CHECK_START,
	INFOBLOCK_CHECK_END,
	INFOBLOCK_CHECK_ROOM,
	INFOBLOCK_CHECK_RESERVE,
	INFOBLOCK_CHECK_PADS,
	INFOBLOCK_CHECK_ALTMAP,
	INFOBLOCK_CHECK_MEMMAP,
	INFOBLOCK_CHECKS,
};

/* What is said of one. */
struct infoblock_check {
	const char *name;
	const char *text;
	int error;
	bool btt; /* made of a BTT, too */
	const char *reason;
	const char *says;
	const char *remedy;
};

extern const struct infoblock_check pmk_infoblock_checks[];

/* Are the bytes behind the last field 0, as they should be? */
bool pmk_infoblock_padding_is_zero(const void *block);

/* Adds what is worth knowing to a report that is complete but for that. */
void pmk_infoblock_notes(const void *block, const struct pmk_infoblock_ns *ns,
			 struct pmk_infoblock_report *rep);

#endif /* LIB_MEMMAP_INFOBLOCK_H */
