/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes as people write them: 4k, 2M, 100G, 0x1000. */
#ifndef LIB_BASE_SIZE_H
#define LIB_BASE_SIZE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes from text: digits, decimal or 0x hexadecimal, then one of k m g t p
 * (either case, powers of 1024, optionally followed by iB or B) or nothing.
 * Returns 0, -EINVAL if it is anything else (also a sign or a blank), -ERANGE
 * past 2^64 - 1.
 */
int pmk_size_parse(const char *text, uint64_t *bytes_ret);

/*
 * Text from bytes: "0 B", "512 B", "4 KiB", "1.5 GiB": at most one decimal,
 * and none where it is exact.  Returns @buf.
 */
char *pmk_size_format(uint64_t bytes, char *buf, size_t len);

#endif /* LIB_BASE_SIZE_H */
