/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Record log: an append-only sequence of binary records on any mapping.
 *
 * An append is durable or absent, never torn: each record carries a checksum,
 * and one drain makes it durable.  Records are numbered from 1.  One writer at
 * a time, held off by flock(2); any number of readers in this and other
 * processes, also while the writer appends.  The format is in
 * docs/rlog-format.md.
 *
 * Storage that cannot be read (a bad block under a DAX file, poisoned memory, a
 * file that was cut off behind its mapping) is damage, not the end of the
 * process: what reads a log here is guarded as pmk_copy_mc() is.  The first
 * open installs handlers for SIGBUS and SIGSEGV that pass on what is not
 * theirs, as described there; opening a log, and reading its first record, put
 * them back in front of others.  A thread that reads must not block these
 * signals.  Stores are not guarded: an append to such a place raises SIGBUS.
 *
 * A struct pmk_rlog is for one thread at a time.  Different handles, also of
 * one file, are independent.  A forked child must not use its parent's writer.
 * No function here is signal safe.
 */
#ifndef PMK_RLOG_H
#define PMK_RLOG_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>
#include <pmk/map.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_rlog;

/* The smallest log: header page and room for one line. */
#define PMK_RLOG_MIN_SIZE 4160
/* The largest record in bytes; a log's size bounds it further. */
#define PMK_RLOG_RECORD_MAX 0xffffff00U

/* Flags of pmk_rlog_create() and pmk_rlog_format(). */
#define PMK_RLOG_EMULATED (1U << 0) /* treat the file as pmem, for ever */
#define PMK_RLOG_SPARSE   (1U << 1) /* reserve blocks as the log grows */
#define PMK_RLOG_FORCE    (1U << 2) /* overwrite whatever is there */

/* Flags of pmk_rlog_open() and pmk_rlog_attach(). */
#define PMK_RLOG_WRITE (1U << 0) /* append; without it only read */

/**
 * pmk_rlog_create() - make a new, empty log in a file or on a devdax node
 * @path: a file that is not there, or one without data, or a devdax node
 * @size: bytes of the whole log, at least PMK_RLOG_MIN_SIZE; rounded down to
 *	lines of 64; 0 is all of an existing file or device
 * @flags: PMK_RLOG_EMULATED, PMK_RLOG_SPARSE, PMK_RLOG_FORCE
 *
 * A file counts as without data if all its bytes are zero, a devdax node if
 * its first 4096 are.  The log is durable on return 0.  On failure a file that
 * the call created is removed and an existing one has its old length and, if
 * PMK_RLOG_FORCE was not given, its old content.
 *
 * Of several processes that create one path at the same time one succeeds.
 *
 * Return: 0; -EINVAL for unknown flags or a size below the minimum; -ENOENT for
 * a symbolic link to nothing, or without a size; PMK_E_LOG_EXISTS if there is
 * data and PMK_RLOG_FORCE was not given; PMK_E_LOG_LOCKED if a writer has it
 * open; any error of pmk_map_open(), pmk_map_persist() or flock(2).
 */
int pmk_rlog_create(const char *path, uint64_t size, uint32_t flags)
	PMK_MUST_CHECK;

/**
 * pmk_rlog_format() - make a new, empty log on a mapping
 * @map: a writable mapping of at least PMK_RLOG_MIN_SIZE bytes, at offset 0
 * @flags: PMK_RLOG_FORCE; PMK_RLOG_EMULATED is taken from the mapping
 *
 * As pmk_rlog_create(), for mappings without a path.
 *
 * The first 4096 bytes are what counts as data here.  The lock is taken on
 * /proc/self/fd, which must be there.
 *
 * Return: as pmk_rlog_create(); -EIO if the first 4096 bytes cannot be read;
 * PMK_E_READ_ONLY for a read-only mapping.
 */
int pmk_rlog_format(struct pmk_map *map, uint32_t flags) PMK_MUST_CHECK;

/**
 * pmk_rlog_open() - open a log
 * @path: the file or device
 * @flags: PMK_RLOG_WRITE or 0
 * @log_ret: the log, to be closed with pmk_rlog_close(); untouched on error
 *
 * A writer finds the end of the log: a record that a crash left incomplete is
 * not part of it, and what is part of it is made durable once more.  A log that
 * was created as emulated is mapped so again.
 *
 * A reader opens a truncated or damaged log as far as there is one; the
 * cursor and pmk_rlog_check() tell what is wrong.  A writer refuses a
 * truncated log, one whose two state lines are both damaged, and one of which
 * it cannot read what it has to make durable, or the place where it would go
 * on.
 *
 * Return: 0; -EINVAL; PMK_E_NOT_A_LOG; PMK_E_LOG_VERSION;
 * PMK_E_LOG_TRUNCATED; PMK_E_LOG_DAMAGED; PMK_E_LOG_LOCKED; -EOVERFLOW for the
 * 2^32nd writer; any error of pmk_map_open(), and for a writer of msync(2).
 */
int pmk_rlog_open(const char *path, uint32_t flags, struct pmk_rlog **log_ret)
	PMK_MUST_CHECK;

/**
 * pmk_rlog_attach() - open a log that lies on a mapping
 * @map: the mapping, at offset 0; must outlive the log and stays the caller's
 * @flags: PMK_RLOG_WRITE or 0
 * @log_ret: the log; untouched on error
 *
 * A writer's lock is taken on /proc/self/fd, which must be there.
 *
 * Return: as pmk_rlog_open(); PMK_E_READ_ONLY for a writer on a read-only
 * mapping; -EINVAL for a writer of a log that is not emulated on a mapping that
 * is: what makes its records durable would not be done.
 */
int pmk_rlog_attach(struct pmk_map *map, uint32_t flags,
		    struct pmk_rlog **log_ret) PMK_MUST_CHECK;

/**
 * pmk_rlog_close() - close a log
 * @log: the log, or NULL
 *
 * A writer records where the log ends, so that the next open need not look
 * for it and later damage to the last records cannot pass for a crash.  Records
 * are durable with or without it.
 *
 * Return: 0, or the first error of making that durable; @log is gone anyway.
 */
int pmk_rlog_close(struct pmk_rlog *log);

/**
 * pmk_rlog_append() - append one record
 * @log: a writer
 * @data: the record; any bytes
 * @len: its bytes; 0 is a record too
 * @number_ret: the number of the record, or NULL; untouched on error
 *
 * Durable on return 0, with one drain (one more when the record alone is
 * larger than half a window of 1 MiB).  A record of at most 32 bytes fits one
 * line, which is stored with one MOVDIR64B where the CPU has it.  A crash
 * before the return leaves the record whole or absent.
 *
 * Return: 0; PMK_E_LOG_FULL if it does not fit any more; PMK_E_RECORD_SIZE if
 * it would not fit an empty log; PMK_E_READ_ONLY; PMK_E_LOG_BROKEN after a
 * failure to make an earlier append durable; -EOVERFLOW after 2^64 records;
 * -ENOSPC, -EDQUOT or another
 * error of fallocate(2) if the file is sparse and the file system is full;
 * -errno of msync(2).  Whatever the error, earlier records stay and, except
 * after PMK_E_LOG_BROKEN and msync errors, the log can go on.
 */
int pmk_rlog_append(struct pmk_rlog *log, const void *data, size_t len,
		    uint64_t *number_ret) PMK_MUST_CHECK;

/* One record of a batch. */
struct pmk_rlog_iov {
	const void *data;
	size_t len;
};

/**
 * pmk_rlog_append_batch() - append several records with one drain
 * @log: a writer
 * @iov: the records
 * @n: how many
 * @first_ret: the number of the first, or NULL; untouched unless a record was
 *	appended
 *
 * All records that are appended are durable on return.  A crash before it
 * leaves any number of the first ones: each is whole or absent, and none
 * without those before it.
 *
 * Return: how many were appended, from the first on, which is less than @n if
 * the next one does not fit; or, if that is none, an error of
 * pmk_rlog_append().
 */
int64_t pmk_rlog_append_batch(struct pmk_rlog *log,
			      const struct pmk_rlog_iov *iov, size_t n,
			      uint64_t *first_ret) PMK_MUST_CHECK;

/* A place in a log; the caller's memory, no need to free. */
struct pmk_rlog_cursor {
	uint64_t off;    /* of the next record, in bytes from the log's start */
	uint64_t number; /* that it will have */
	uint64_t durable; /* before this offset, as was found on the way, ... */
	uint64_t durable_number; /* ... and the number of the record there */
	uint32_t epoch;          /* of the next record, at least */
	uint32_t reserved;
};

/* A record, or a damaged range, that pmk_rlog_next() met. */
struct pmk_rlog_record {
	const void *data; /* in the mapping; checked, and never changed later,
			     but its storage may still fail later: see
			     pmk_copy_mc() */
	uint64_t len;     /* bytes */
	uint64_t number;  /* of a damaged range: the number of the first lost */
	uint64_t off;     /* of its header, or of the damaged range */
	uint64_t lost;    /* damaged range: records lost, 0 if not known */
};

/**
 * pmk_rlog_rewind() - set a cursor to the first record
 * @cursor: any memory
 */
void pmk_rlog_rewind(struct pmk_rlog_cursor *cursor);

/**
 * pmk_rlog_next() - the next record
 * @log: the log; the cursor does not belong to it
 * @cursor: moves on
 * @rec_ret: the record, valid while the log is open
 *
 * A reader in another process may see a record a moment before it is durable.
 *
 * Return: 1 a record; 0 the end, for now: a later call may find more;
 * PMK_E_LOG_DAMAGED if records that were durable are damaged, or what may be
 * records cannot be read: @rec_ret->off and @rec_ret->len tell the range, and
 * the next call goes on behind it, with the next record that is sound;
 * PMK_E_LOG_TRUNCATED once, at the end of a file that is shorter than its log
 * and may have held more.
 */
int pmk_rlog_next(struct pmk_rlog *log, struct pmk_rlog_cursor *cursor,
		  struct pmk_rlog_record *rec_ret) PMK_MUST_CHECK;

/* What is known of a log without reading its records. */
struct pmk_rlog_info {
	uint64_t size_bytes; /* as created */
	uint64_t file_bytes; /* that there are */
	uint64_t id;         /* random, part of every checksum */
	uint32_t version;    /* of the format */
	uint32_t emulated;   /* 1 if created with PMK_RLOG_EMULATED */
	uint32_t clean;      /* 1 if the last writer closed it */
	uint32_t opens;      /* by writers, so far */
	uint64_t reserved[4];
};

/**
 * pmk_rlog_get_info() - facts from the header
 * @log: the log
 * @info_ret: filled in
 */
void pmk_rlog_get_info(const struct pmk_rlog *log,
		       struct pmk_rlog_info *info_ret);

/**
 * pmk_rlog_map() - the mapping under a log
 * @log: the log
 *
 * Return: never NULL; owned by the log, or by the caller of pmk_rlog_attach().
 */
struct pmk_map *pmk_rlog_map(const struct pmk_rlog *log);

/* What is wrong with a log. */
#define PMK_RLOG_BAD_HEADER (1U << 0) /* one of two super blocks damaged */
#define PMK_RLOG_BAD_STATE  (1U << 1) /* both state lines are damaged */
#define PMK_RLOG_BAD_RECORD (1U << 2) /* damaged records before the end */
#define PMK_RLOG_SHORT_FILE (1U << 3) /* file shorter than the log */

/* The verdict on a whole log. */
struct pmk_rlog_report {
	uint32_t problems;     /* PMK_RLOG_BAD_* ; 0 is a good log */
	uint32_t torn_state;   /* 1: one state line is not valid (harmless) */
	uint64_t records;      /* good ones */
	uint64_t record_bytes; /* their payload */
	uint64_t damaged;      /* damaged ranges */
	uint64_t damaged_bytes;
	uint64_t first_damaged_off;
	uint64_t lost;       /* records lost to damage, as far as known */
	uint64_t end_off;    /* where the next append goes */
	uint64_t free_bytes; /* behind it, headers and padding included */
	uint64_t torn_bytes; /* incomplete append at the end, not counted */
	uint64_t reserved[4];
};

/**
 * pmk_rlog_check() - read and verify a whole log
 * @log: the log
 * @report_ret: filled in on 0
 *
 * Writes nothing.  An append that a crash cut short, and that nobody was told
 * is durable, is not a problem; the last batch before a crash cannot be told
 * from it (docs/rlog-format.md, "What cannot be told").
 *
 * Return: 0, whatever the verdict.
 */
int pmk_rlog_check(struct pmk_rlog *log, struct pmk_rlog_report *report_ret)
	PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_RLOG_H */
