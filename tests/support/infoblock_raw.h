/* SPDX-License-Identifier: BSD-3-Clause */
/* Info blocks byte by byte, without the library's own idea of them. */
#ifndef TESTS_SUPPORT_INFOBLOCK_RAW_H
#define TESTS_SUPPORT_INFOBLOCK_RAW_H

#include <stdint.h>

#define RAW_BYTES 4096

/* Offsets of the fields (struct nd_pfn_sb of Linux). */
enum {
	RAW_SIGNATURE = 0x00,
	RAW_UUID = 0x10,
	RAW_PARENT_UUID = 0x20,
	RAW_FLAGS = 0x30,
	RAW_VERSION_MAJOR = 0x34,
	RAW_VERSION_MINOR = 0x36,
	RAW_DATAOFF = 0x38,
	RAW_NPFNS = 0x40,
	RAW_MODE = 0x48,
	RAW_START_PAD = 0x4c,
	RAW_END_TRUNC = 0x50,
	RAW_ALIGN = 0x54,
	RAW_PAGE_SIZE = 0x58,
	RAW_PAGE_STRUCT_SIZE = 0x5c,
	RAW_PADDING = 0x5e,
	RAW_CHECKSUM = 0xff8,
};

/* @bytes little-endian bytes at @off. */
void raw_put(unsigned char *block, unsigned int off, unsigned int bytes,
	     uint64_t v);
uint64_t raw_get(const unsigned char *block, unsigned int off,
		 unsigned int bytes);

/* What the checksum has to be: Fletcher's sums in closed form, in which word i
 * of n counts n - i times. */
uint64_t raw_checksum(const unsigned char *block);

/* Store it. */
void raw_seal(unsigned char *block);

#endif /* TESTS_SUPPORT_INFOBLOCK_RAW_H */
