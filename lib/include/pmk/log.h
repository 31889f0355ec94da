/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one way in which libpmk explains itself.  The library never prints; an
 * application that wants to know why a call failed gives it a function.
 */
#ifndef PMK_LOG_H
#define PMK_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

enum pmk_log_level {
	PMK_LOG_ERROR = 1,   /* something that was asked for is not done */
	PMK_LOG_WARNING = 2, /* the call goes on, but someone should know */
};

/* @text: one line without its newline, valid during the call. */
typedef void (*pmk_log_fn)(enum pmk_log_level level, const char *text,
			   void *arg);

/**
 * pmk_log_set() - choose who hears explanations
 * @fn: called in the thread of the call that has something to say, before that
 *	call returns; NULL (the default) is silence
 * @arg: handed to @fn
 *
 * @fn must not call back into libpmk.  If signal handlers use the library, it
 * must be signal safe: errors are explained there, too.  It may be called by
 * several threads at once.  Set it before other threads use the library: the
 * change of the pair (@fn, @arg) is not atomic.  Not signal safe.
 */
void pmk_log_set(pmk_log_fn fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif /* PMK_LOG_H */
