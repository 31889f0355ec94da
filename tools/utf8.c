/* SPDX-License-Identifier: BSD-3-Clause */
/* Is it UTF-8? */
#include "utf8.h"

/* Bytes of the sequence that begins with @b, and the range of its second
 * byte, which is where RFC 3629 excludes what must not be; 0 is no beginning.
 */
static size_t sequence(unsigned char b, unsigned char *lo, unsigned char *hi)
{
	*lo = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
	*hi = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
	if (b < 0x80)
		return 1;
	if (b >= 0xc2 && b <= 0xdf)
		return 2;
	if (b >= 0xe0 && b <= 0xef)
		return 3;
	if (b >= 0xf0 && b <= 0xf4)
		return 4;
	return 0;
}

bool utf8_is_valid(const void *data, size_t len)
{
	const unsigned char *p = data, *end = p + len;

	while (p < end) {
		unsigned char lo, hi;
		size_t n = sequence(*p, &lo, &hi);

		if (!n || n > (size_t)(end - p))
			return false;
		if (n > 1 && (p[1] < lo || p[1] > hi))
			return false;
		for (size_t i = 2; i < n; i++)
			if ((p[i] & 0xc0) != 0x80)
				return false;
		p += n;
	}
	return true;
}
