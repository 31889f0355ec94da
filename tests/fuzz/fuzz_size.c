/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes, against a parser that is written the slow way, in 128 bits.
 *
 * APIs covered: pmk_size_parse(), pmk_size_format().
 */
#include <errno.h>
#include <string.h>

#include "base/size.h"
#include "fuzz.h"

__extension__ typedef unsigned __int128 u128;

static int digit(char c, unsigned int base)
{
	static const char digits[] = "0123456789abcdef";
	const char *p;

	if (c >= 'A' && c <= 'F')
		c = (char)(c - 'A' + 'a');
	p = c ? strchr(digits, c) : NULL;
	return p && p - digits < base ? (int)(p - digits) : -1;
}

/* Powers of 1024 of a suffix, -1 if it is none. */
static int suffix(const char *s)
{
	static const char *const tails[] = { "", "B", "iB" };
	static const char units[] = "kmgtp", upper[] = "KMGTP";

	if (!strcmp(s, "") || !strcmp(s, "B"))
		return 0;
	for (int u = 0; u < 5; u++)
		for (int t = 0; t < 3; t++)
			if ((*s == units[u] || *s == upper[u]) &&
			    !strcmp(s + 1, tails[t]))
				return u + 1;
	return -1;
}

static int reference(const char *s, uint64_t *ret)
{
	const u128 limit = (u128)UINT64_MAX;
	unsigned int base = 10;
	int over = 0, power;
	u128 v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (digit(*s, base) < 0)
		return -EINVAL;
	for (; digit(*s, base) >= 0; s++) {
		v = v * base + (u128)digit(*s, base);
		if (v > limit) {
			over = 1;
			v = limit;
		}
	}
	power = suffix(s);
	/* a number that is out of range is so whatever follows */
	if (over)
		return -ERANGE;
	if (power < 0)
		return -EINVAL;
	v <<= 10 * power;
	if (v > limit)
		return -ERANGE;
	*ret = (uint64_t)v;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t untouched = 0x5a5a5a5a5a5a5a5aU;
	uint64_t got = untouched, want = untouched, again = 0;
	char *text = malloc(size + 1), *unit, formatted[32];
	int rc;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	rc = pmk_size_parse(text, &got);
	FUZZ_CHECK(rc == reference(text, &want));
	FUZZ_CHECK(got == want);
	free(text);
	if (rc)
		return 0;
	pmk_size_format(got, formatted, sizeof(formatted));
	unit = strchr(formatted, ' ');
	FUZZ_CHECK(unit);
	if (memchr(formatted, '.', (size_t)(unit - formatted)))
		return 0;
	/* without a decimal it is exact, and reads back without the blank */
	memmove(unit, unit + 1, strlen(unit));
	FUZZ_CHECK(pmk_size_parse(formatted, &again) == 0 && again == got);
	return 0;
}
