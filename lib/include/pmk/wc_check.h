/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong with a dm-writecache device, what the kernel does about it, and
 * what a person can do.
 *
 * Every problem has a code that does not change, such as WC_EQUAL_SEQ, and a
 * row in one table: lib/wc/problem.def.
 */
#ifndef PMK_WC_CHECK_H
#define PMK_WC_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>
#include <pmk/wc_format.h>
#include <pmk/wc_image.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pmk_wc_severity {
	PMK_WC_INFO = 0,    /* ordinary, after a crash for example */
	PMK_WC_WARNING = 1, /* somebody must look before the kernel does */
	PMK_WC_ERROR = 2,   /* it is refused, or data is lost or damaged */
};

enum pmk_wc_problem_code {
	/* there is no superblock that the kernel takes */
	PMK_WC_PROBLEM_BLANK = 0,
	PMK_WC_PROBLEM_ZEROED = 1, /* only the first 8 bytes are 0 */
	PMK_WC_PROBLEM_WIPED = 2,  /* 4096 bytes are 0, entries behind them */
	PMK_WC_PROBLEM_INTERRUPTED = 3,
	PMK_WC_PROBLEM_MAGIC_DAMAGED = 4, /* all but the magic is good */
	PMK_WC_PROBLEM_BAD_MAGIC = 5,
	PMK_WC_PROBLEM_BIG_ENDIAN = 6,
	PMK_WC_PROBLEM_LAYOUT_2016 = 7,
	PMK_WC_PROBLEM_LAYOUT_PETASAN = 8,
	PMK_WC_PROBLEM_BAD_VERSION = 9,
	/* the block size, of the superblock and of the table */
	PMK_WC_PROBLEM_BAD_BLOCK_SIZE = 10,
	PMK_WC_PROBLEM_BLOCK_SIZE_OVER_PAGE = 11,
	PMK_WC_PROBLEM_BLOCK_SIZE_MISMATCH = 12,
	PMK_WC_PROBLEM_TABLE_BLOCK_SIZE = 13,
	PMK_WC_PROBLEM_TABLE_LOGICAL_BLOCK = 14,
	PMK_WC_PROBLEM_TABLE_START_SECTOR = 15,
	/* the device and the number of blocks */
	PMK_WC_PROBLEM_DEVICE_TOO_SMALL = 16,
	PMK_WC_PROBLEM_N_BLOCKS_ZERO = 17,
	PMK_WC_PROBLEM_N_BLOCKS_OVERFLOW = 18,
	PMK_WC_PROBLEM_N_BLOCKS_TOO_LARGE = 19,
	PMK_WC_PROBLEM_TRUNCATED = 20,
	PMK_WC_PROBLEM_UNUSED_ROOM = 21,
	/* bytes that nobody reads */
	PMK_WC_PROBLEM_JUNK_PAD = 22,
	PMK_WC_PROBLEM_JUNK_RESERVED = 23,
	PMK_WC_PROBLEM_TAIL_GARBAGE = 24,
	/* the superblock's sequence */
	PMK_WC_PROBLEM_SEQ_WRAP = 25,
	PMK_WC_PROBLEM_SEQ_NEAR_WRAP = 26,
	/* entries */
	PMK_WC_PROBLEM_UNREADABLE_ENTRY = 27,
	PMK_WC_PROBLEM_UNCOMMITTED = 28,
	PMK_WC_PROBLEM_SEQ_AHEAD = 29,
	PMK_WC_PROBLEM_SUPERSEDED = 30,
	PMK_WC_PROBLEM_EQUAL_SEQ = 31,
	PMK_WC_PROBLEM_UNALIGNED = 32,
	PMK_WC_PROBLEM_SECTOR_OVERFLOW = 33,
	PMK_WC_PROBLEM_PAST_ORIGIN = 34,
	PMK_WC_PROBLEM_ACROSS_ORIGIN_END = 35,
	/* later ones */
	PMK_WC_PROBLEM_DEVICE_TOO_LARGE = 36,
	PMK_WC_PROBLEM_UNREADABLE_SUPERBLOCK = 37,
	PMK_WC_PROBLEM_N_BLOCKS_TOO_SMALL = 38,
	PMK_WC_PROBLEM_UNREADABLE_TAIL = 39, /* between entries and data */
	PMK_WC_PROBLEM_UNREAD_TAIL = 40,     /* the same, and mode p */
};

/* How many there are. */
#define PMK_WC_PROBLEMS 41U

/* What is known of a problem, wherever it is met.  Static strings. */
struct pmk_wc_problem_info {
	const char *name; /* "WC_EQUAL_SEQ" */
	enum pmk_wc_severity severity;
	/* What the kernel does with a device that has no other problem; of
	 * several, refused wins, then formats, then loads with error. */
	enum pmk_wc_verdict verdict;
	const char *text;   /* what it is */
	const char *kernel; /* what the kernel does with it */
	const char *remedy; /* what a person can do */
};

/**
 * pmk_wc_problem_info() - the row of a problem
 * @code: enum pmk_wc_problem_code
 *
 * Thread and signal safe.
 *
 * Return: the row; NULL for numbers that are no code.
 */
const struct pmk_wc_problem_info *pmk_wc_problem_info(
	enum pmk_wc_problem_code code);

/* In place of an entry's number. */
#define PMK_WC_NO_ENTRY UINT64_MAX

/* A problem that was met. */
struct pmk_wc_problem {
	enum pmk_wc_problem_code code;
	uint64_t entry;       /* its number; PMK_WC_NO_ENTRY */
	uint64_t other_entry; /* the one that wins; PMK_WC_NO_ENTRY */
	uint64_t sector;      /* of the entry, 0 if there is none */
	uint64_t seq_count;   /* of the entry, 0 if there is none */
	uint64_t value;       /* what is wrong, of problems without an entry */
	uint64_t limit;       /* what it should be compared with */
};

/**
 * pmk_wc_problem_detail() - the numbers of a problem in words
 * @problem: the problem
 * @buf: gets the text, such as "entry 0, sector 0, sequence 5; wins: entry 1";
 *	 empty if there are no numbers; cut off if @size is too small
 * @size: bytes of @buf, at least 1; 160 is enough
 *
 * Thread safe.
 */
void pmk_wc_problem_detail(const struct pmk_wc_problem *problem, char *buf,
			   size_t size);

struct pmk_wc_check_params {
	uint64_t origin_bytes; /* size of the origin; 0: not known */
};

struct pmk_wc_check_report {
	struct pmk_wc_load load;         /* pmk_wc_image_load() */
	struct pmk_wc_counts counts;     /* pmk_wc_image_counts() */
	enum pmk_wc_severity worst;      /* PMK_WC_INFO also if nothing is */
	uint64_t found[PMK_WC_PROBLEMS]; /* how often, by code */
};

/* Hears of a problem; returns 0 to go on, anything else to end. */
typedef int pmk_wc_met_fn(const struct pmk_wc_problem *problem, void *arg);

/**
 * pmk_wc_check() - find all problems of a cache
 * @img: the image
 * @params: what is known; NULL: nothing
 * @met: called for each problem: those of the device first, then those of
 *	 entries, in their order or in that of their sectors; NULL is none
 * @arg: for @met
 * @report_ret: filled in; of what was met so far, if @met ended it
 *
 * Looks at everything but the data of blocks.  What the kernel does with the
 * device is judged by the table line that the image was opened with.  Takes
 * 64 KiB of memory.
 *
 * An image is for one thread at a time.
 *
 * Return: 0, whatever is found, and whatever cannot be read.  What @met
 * returned, if not 0.  -ENOMEM.
 */
int pmk_wc_check(const struct pmk_wc_image *img,
		 const struct pmk_wc_check_params *params, pmk_wc_met_fn *met,
		 void *arg, struct pmk_wc_check_report *report_ret)
	PMK_MUST_CHECK;

/**
 * pmk_wc_doubt() - may blocks be taken from a cache?
 * @img: the image
 * @problem_ret: NULL, or filled in with what forbids it (PMK_E_WC_DOUBT)
 *
 * Where blocks are, which entries count, and which of two is the newer one, is
 * only as certain as the superblock.  It is in doubt with any problem of the
 * device (not of an entry) that is an error, is refused or is formatted, and
 * with entries of a higher sequence than the superblock's, or one that is
 * higher than commits can have made it.  These are no doubt: a device that was
 * cut off, whose blocks are where they were; a table, or a kernel, that cannot
 * have blocks of that size; and bytes between entries and data that cannot be
 * read.
 *
 * pmk_wc_writeback() and pmk_wc_export() ask this themselves.
 *
 * An image is for one thread at a time.
 *
 * Return: 0: nothing is in doubt.  PMK_E_WC_NONE: no cache of version 1.
 * PMK_E_WC_DOUBT.  -ENOMEM.
 */
int pmk_wc_doubt(const struct pmk_wc_image *img,
		 struct pmk_wc_problem *problem_ret) PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_WC_CHECK_H */
