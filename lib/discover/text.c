/* SPDX-License-Identifier: BSD-3-Clause */
/* What sysfs attributes hold.  Nothing is accepted that is only nearly right.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "discover/impl.h"

int pmk_text_u64(const char **text, uint64_t *value_ret)
{
	const char *p = *text;
	uint64_t v = 0;

	if (!isdigit((unsigned char)*p))
		return PMK_E_SYSFS;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return PMK_E_SYSFS;
	*text = p;
	*value_ret = v;
	return 0;
}

int pmk_text_node(const char *text, uint64_t *value_ret)
{
	uint64_t v;

	if (!strcmp(text, "-1"))
		return -ENODEV;
	/* the kernel's type is int */
	if (pmk_text_u64(&text, &v) || *text || v > INT32_MAX)
		return PMK_E_SYSFS;
	*value_ret = v;
	return 0;
}

/* "512 [4096] " */
int pmk_text_selected(const char *text, uint64_t *value_ret)
{
	bool found = false;

	while (*text) {
		bool chosen = *text == '[';
		uint64_t v;

		text += chosen;
		if (pmk_text_u64(&text, &v) || (chosen && *text++ != ']') ||
		    (chosen && found))
			return PMK_E_SYSFS;
		if (chosen) {
			*value_ret = v;
			found = true;
		}
		if (*text && *text++ != ' ')
			return PMK_E_SYSFS;
	}
	return found ? 0 : -ENODATA;
}

/* "nmem1,0,1073741824,0"; kernels before 4.14 have no position */
int pmk_text_mapping(const char *text, size_t *name_len_ret,
		     struct pmk_mapping *mapping_ret)
{
	struct pmk_mapping m = { .position = UINT64_MAX };
	size_t name_len = strcspn(text, ",");
	const char *p = text + name_len;

	if (*p++ != ',' || pmk_text_u64(&p, &m.off) || *p++ != ',' ||
	    pmk_text_u64(&p, &m.len))
		return PMK_E_SYSFS;
	if (*p && (*p++ != ',' || pmk_text_u64(&p, &m.position) || *p))
		return PMK_E_SYSFS;
	*name_len_ret = name_len;
	*mapping_ret = m;
	return 0;
}

bool pmk_text_is_word(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

bool pmk_text_is_uuid(const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof(form); i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)text[i])
				   : text[i] != form[i])
			return false;
	return true;
}
