/* SPDX-License-Identifier: BSD-3-Clause */
/* UUIDs as text (RFC 9562): 16 bytes in the order in which they are written. */
#ifndef LIB_BASE_UUID_H
#define LIB_BASE_UUID_H

#include <stdint.h>

#define PMK_UUID_BYTES 16
/* With the NUL. */
#define PMK_UUID_TEXT 37

/* Read 8-4-4-4-12 hexadecimal digits of either case.  Returns 0, or -EINVAL if
 * it is anything else; then @uuid_ret is as it was. */
int pmk_uuid_parse(const char *text, uint8_t uuid_ret[PMK_UUID_BYTES]);

/* Returns @buf. */
char *pmk_uuid_format(const uint8_t uuid[PMK_UUID_BYTES],
		      char buf[PMK_UUID_TEXT]);

#endif /* LIB_BASE_UUID_H */
