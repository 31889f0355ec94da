/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From which sizes on a copy or a fill works in another way.  The library has
 * measured values for each kind of memory and takes them by itself; this is for
 * who measures, or knows the memory better.
 */
#ifndef PMK_TUNE_H
#define PMK_TUNE_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What copies go to. */
enum pmk_medium {
	PMK_MEDIUM_DRAM = 0,     /* memory of the process */
	PMK_MEDIUM_EMULATED = 1, /* DRAM behind a file: PMK_MAP_EMULATED */
	PMK_MEDIUM_PMEM = 2,     /* fsdax and devdax */
};

/*
 * All are bytes, from which on; SIZE_MAX is never.  They decide how fast a
 * copy is, never whether it is durable.
 */
struct pmk_tuning {
	/* Copies that are drained at once and consist of whole lines bypass the
	 * cache; shorter ones are stored and written back. */
	size_t nt_lines;
	/* The same for copies that begin or end inside a line; with
	 * PMK_F_NODRAIN for those whose destination or length is no multiple
	 * of 4. */
	size_t nt_edges;
	/* The copy is cut into two, four or eight pieces that proceed side by
	 * side, as each waits for memory on its own. */
	size_t two_streams;
	size_t four_streams;
	size_t eight_streams;
	/* Two streams, for copies with PMK_F_NODRAIN. */
	size_t two_streams_nodrain;
	/* pmk_clear() of memory that is used next bypasses the cache. */
	size_t nt_clear;
	size_t reserved[5]; /* 0 */
};

/**
 * pmk_medium_name() - the name of a medium
 * @medium: enum pmk_medium; counting from 0 lists them all
 *
 * Thread and signal safe.
 *
 * Return: a static string such as "pmem"; NULL past the last medium.
 */
const char *pmk_medium_name(unsigned int medium);

/**
 * pmk_tuning_get() - what the library uses for a medium
 * @medium: enum pmk_medium; pmk_memcpy() and other calls without a mapping use
 *	PMK_MEDIUM_DRAM, those with one the medium of that mapping
 * @tuning_ret: filled in; untouched on error
 *
 * These are the measured values of docs/design/0007-engines.md, less what the
 * environment variable PMK_TUNING says, which pmk_tuning_parse() reads; it is
 * ignored in set-user-ID programs, and one that does not parse is explained
 * through the log callback and changes nothing.
 *
 * Thread safe; signal safe once pmk_cpu_features() has been called.
 *
 * Return: 0; PMK_E_TUNING if there is no such medium.
 */
int pmk_tuning_get(unsigned int medium, struct pmk_tuning *tuning_ret)
	PMK_MUST_CHECK;

/**
 * pmk_tuning_parse() - change values by name
 * @text: for example "nt_edges=512,two_streams=4k,eight_streams=off"; names
 *	are those of struct pmk_tuning, sizes have the suffixes k, M, G; empty
 *	changes nothing
 * @tuning: changed; untouched on error
 *
 * Thread and signal safe (it logs on error: see pmk_log_set()).
 *
 * Return: 0; PMK_E_TUNING if a name is not known or a size does not parse (the
 * log says which).
 */
int pmk_tuning_parse(const char *text, struct pmk_tuning *tuning)
	PMK_MUST_CHECK;

/**
 * pmk_memmove_tuned() - pmk_memmove() with thresholds of the caller's
 * @dst: see pmk_memmove()
 * @src: see pmk_memmove()
 * @len: see pmk_memmove()
 * @flags: see pmk_memmove()
 * @tuning: thresholds; begin with pmk_tuning_get()
 *
 * Ordering, alignment and safety are those of pmk_memmove().
 *
 * Return: @dst.
 */
void *pmk_memmove_tuned(void *dst, const void *src, size_t len,
			unsigned int flags, const struct pmk_tuning *tuning);

/**
 * pmk_memset_tuned() - pmk_memset() with thresholds of the caller's
 * @dst: see pmk_memset()
 * @c: see pmk_memset()
 * @len: see pmk_memset()
 * @flags: see pmk_memset()
 * @tuning: thresholds; begin with pmk_tuning_get()
 *
 * Ordering, alignment and safety are those of pmk_memset().
 *
 * Return: @dst.
 */
void *pmk_memset_tuned(void *dst, int c, size_t len, unsigned int flags,
		       const struct pmk_tuning *tuning);

#ifdef __cplusplus
}
#endif

#endif /* PMK_TUNE_H */
