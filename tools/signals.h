/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that would end the command with a core file or leave a file behind.
 */
#ifndef TOOLS_SIGNALS_H
#define TOOLS_SIGNALS_H

/* Once, at the start. */
void signals_init(void);

/* Remove @path if a signal ends the process; NULL: no longer.  @path must stay
 * valid until then. */
void signals_remove(const char *path);

#endif /* TOOLS_SIGNALS_H */
