/* SPDX-License-Identifier: BSD-3-Clause */
/* UUIDs as text. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/uuid.h"

/* Is there a '-' before byte @i? */
static bool dash_before(int i)
{
	return i == 4 || i == 6 || i == 8 || i == 10;
}

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0'
					 : tolower((unsigned char)c) - 'a' + 10;
}

int pmk_uuid_parse(const char *text, uint8_t uuid_ret[PMK_UUID_BYTES])
{
	uint8_t uuid[PMK_UUID_BYTES];
	const char *p = text;

	for (int i = 0; i < PMK_UUID_BYTES; i++) {
		if (dash_before(i) && *p++ != '-')
			return -EINVAL;
		if (!isxdigit((unsigned char)p[0]) ||
		    !isxdigit((unsigned char)p[1]))
			return -EINVAL;
		uuid[i] = (uint8_t)(digit(p[0]) << 4 | digit(p[1]));
		p += 2;
	}
	if (*p)
		return -EINVAL;
	memcpy(uuid_ret, uuid, sizeof(uuid));
	return 0;
}

char *pmk_uuid_format(const uint8_t uuid[PMK_UUID_BYTES],
		      char buf[PMK_UUID_TEXT])
{
	char *p = buf;

	for (int i = 0; i < PMK_UUID_BYTES; i++)
		p += sprintf(p, "%s%02x", dash_before(i) ? "-" : "", uuid[i]);
	return buf;
}
