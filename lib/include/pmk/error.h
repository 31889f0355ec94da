/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error codes.  A function of libpmk that can fail returns 0 (or a count) or a
 * negative code: -errno where an errno says it, one of the codes below
 * otherwise.  errno itself is never part of the contract.
 */
#ifndef PMK_ERROR_H
#define PMK_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* A result that must not be dropped. */
#define PMK_MUST_CHECK __attribute__((warn_unused_result))

/* Outside the range of errno values, so that the two never meet. */
enum pmk_error {
	PMK_E_CPU_FEATURE = -5001,   /* no CPU feature has this name */
	PMK_E_FILE_TYPE = -5002,     /* neither regular file nor fit device */
	PMK_E_RANGE = -5003,         /* range not inside the mapping */
	PMK_E_GRANULARITY = -5004,   /* the demanded one cannot be had */
	PMK_E_ALIGNMENT = -5005,     /* against the device's alignment */
	PMK_E_DEVDAX_MODE = -5006,   /* devdax is not in devdax mode */
	PMK_E_SYSFS = -5007,         /* sysfs attribute missing or odd */
	PMK_E_NOT_PERMITTED = -5008, /* deep flush: sysfs refuses it */
	PMK_E_NOT_A_LOG = -5009,     /* no record log here */
	PMK_E_LOG_VERSION = -5010,   /* a record log of a newer format */
	PMK_E_LOG_TRUNCATED = -5011, /* file shorter than its log */
	PMK_E_LOG_DAMAGED = -5012,   /* checksum or structure is wrong */
	PMK_E_LOG_FULL = -5013,      /* no room for this record */
	PMK_E_RECORD_SIZE = -5014,   /* record larger than the log */
	PMK_E_LOG_LOCKED = -5015,    /* another writer has the log open */
	PMK_E_LOG_EXISTS = -5016,    /* file holds data already */
	PMK_E_LOG_BROKEN = -5017,    /* an earlier append failed */
	PMK_E_READ_ONLY = -5018,     /* handle was opened for reading */
	PMK_E_TUNING = -5019,        /* no such medium, threshold, size */
	PMK_E_WC_SAME = -5024,       /* cache and origin are one device */
	PMK_E_WC_NONE = -5025,       /* no cache that can be read */
	PMK_E_WC_UNDO = -5026,       /* no undo file, or of another cache */
	PMK_E_WC_DOUBT = -5027,      /* its superblock, or sizes, are wrong */
	PMK_E_WC_MISFIT = -5028,     /* blocks that the origin cannot have */
	PMK_E_WC_CHANGED = -5029,    /* the cache was changed meanwhile */
};

/**
 * pmk_strerror() - what an error code means
 * @code: what a function of libpmk returned; 0 is "success"
 *
 * Thread and signal safe for PMK_E_* codes; for -errno codes as safe as
 * strerrordesc_np(3), which is both.
 *
 * Return: a static string, never NULL; "unknown error" for other numbers.
 */
const char *pmk_strerror(int code);

/**
 * pmk_error_name() - the symbol of an error code
 * @code: what a function of libpmk returned
 *
 * Thread and signal safe.
 *
 * Return: a static string such as "PMK_E_RANGE" or "ENOSPC", never NULL; "?"
 * for numbers that are neither.
 */
const char *pmk_error_name(int code);

#ifdef __cplusplus
}
#endif

#endif /* PMK_ERROR_H */
