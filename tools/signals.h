/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals that would end the command: what it leaves behind, and what it says
 * when a mapped file breaks.
 */
#ifndef TOOLS_SIGNALS_H
#define TOOLS_SIGNALS_H

#include <stdint.h>

/* Once, at the start. */
void signals_init(void);

/* Remove @path if a signal ends the process, until signals_keep() of the same
 * pointer, which must stay valid.  Two at once, no more. */
void signals_remove(const char *path);
void signals_keep(const char *path);

/* From hold to release, signals that end the process wait: what lies between
 * is done whole, or undone by itself if it fails. */
void signals_hold(void);
void signals_release(void);

/* The mapped file that a message about SIGBUS is to name. */
void signals_mapped(const char *path);

/* That message also says that @number is the last record appended, or that
 * there is none (0). */
void signals_appended(uint64_t number);

#endif /* TOOLS_SIGNALS_H */
