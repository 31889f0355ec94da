/* SPDX-License-Identifier: BSD-3-Clause */
/* Parse and print sizes. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"

static const char units[] = "kmgtp";

/* The shift of a suffix, or -1 if it is none. */
static int suffix_shift(const char *s)
{
	const char *u;

	if (!*s || !strcmp(s, "B"))
		return 0;
	u = strchr(units, tolower((unsigned char)*s));
	if (!u)
		return -1;
	s++;
	if (*s && strcmp(s, "B") && strcmp(s, "iB"))
		return -1;
	return (int)(u - units + 1) * 10;
}

int pmk_size_parse(const char *text, uint64_t *bytes_ret)
{
	unsigned long long v;
	char *end;
	int shift, base;

	/* strtoull would accept signs, blanks and octal */
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	errno = 0;
	v = strtoull(text, &end, base);
	if (errno)
		return -errno;
	shift = suffix_shift(end);
	if (shift < 0)
		return -EINVAL;
	if (v > UINT64_MAX >> shift)
		return -ERANGE;
	*bytes_ret = (uint64_t)v << shift;
	return 0;
}

char *pmk_size_format(uint64_t bytes, char *buf, size_t len)
{
	int i = -1;
	uint64_t unit = 1;

	/* 1023.95 would be printed as 1024.0 */
	while (i < (int)strlen(units) - 1 &&
	       (double)bytes / (double)unit >= 1023.95) {
		unit *= 1024;
		i++;
	}
	if (i < 0)
		snprintf(buf, len, "%" PRIu64 " B", bytes);
	else if (bytes % unit == 0)
		snprintf(buf, len, "%" PRIu64 " %ciB", bytes / unit,
			 toupper((unsigned char)units[i]));
	else
		snprintf(buf, len, "%.1f %ciB", (double)bytes / (double)unit,
			 toupper((unsigned char)units[i]));
	return buf;
}
