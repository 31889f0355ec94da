/* SPDX-License-Identifier: BSD-3-Clause */
/* Info blocks byte by byte. */
#include "infoblock_raw.h"

void raw_put(unsigned char *block, unsigned int off, unsigned int bytes,
	     uint64_t v)
{
	for (unsigned int i = 0; i < bytes; i++)
		block[off + i] = (unsigned char)(v >> 8 * i);
}

uint64_t raw_get(const unsigned char *block, unsigned int off,
		 unsigned int bytes)
{
	uint64_t v = 0;

	for (unsigned int i = bytes; i-- > 0;)
		v = v << 8 | block[off + i];
	return v;
}

uint64_t raw_checksum(const unsigned char *block)
{
	const unsigned int n = RAW_BYTES / 4;
	uint32_t plain = 0;
	uint64_t weighted = 0;

	for (unsigned int i = 0; i < RAW_CHECKSUM / 4; i++) {
		uint32_t w = (uint32_t)raw_get(block, 4 * i, 4);

		/* the upper sum adds up lower ones that have wrapped: only its
		 * 32 bits are kept, which wraps of 2^32 do not change */
		plain += w;
		weighted += (uint64_t)w * (n - i);
	}
	return weighted << 32 | plain;
}

void raw_seal(unsigned char *block)
{
	raw_put(block, RAW_CHECKSUM, 8, raw_checksum(block));
}
