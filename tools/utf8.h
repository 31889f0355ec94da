/* SPDX-License-Identifier: BSD-3-Clause */
/* Is it UTF-8? */
#ifndef TOOLS_UTF8_H
#define TOOLS_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* True for well-formed UTF-8 (RFC 3629: nothing overlong, no surrogates,
 * nothing above U+10FFFF).  NUL is well-formed. */
bool utf8_is_valid(const void *data, size_t len);

#endif /* TOOLS_UTF8_H */
