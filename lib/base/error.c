/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and texts of error codes. */
#include <string.h>

#include <pmk/error.h>
#include <pmk/version.h>

#include "base/export.h"
#include "base/util.h"

#define PMK_ERROR(symbol, code, text) \
	_Static_assert(PMK_E_##symbol == (code), #symbol);
#include "base/error.def"
#undef PMK_ERROR

struct error_entry {
	int code;
	const char *name;
	const char *text;
};

static const struct error_entry entries[] = {
#define PMK_ERROR(symbol, code, text) { code, "PMK_E_" #symbol, text },
#include "base/error.def"
#undef PMK_ERROR
};

static const struct error_entry *find(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (entries[i].code == code)
			return &entries[i];
	return NULL;
}

PMK_EXPORT const char *pmk_strerror(int code)
{
	const struct error_entry *e = find(code);
	const char *text;

	if (e)
		return e->text;
	if (code == 0)
		return "success";
	/* -4095 is the last errno the kernel can return */
	text = code < 0 && code >= -4095 ? strerrordesc_np(-code) : NULL;
	return text ? text : "unknown error";
}

PMK_EXPORT const char *pmk_error_name(int code)
{
	const struct error_entry *e = find(code);
	const char *name;

	if (e)
		return e->name;
	name = code < 0 && code >= -4095 ? strerrorname_np(-code) : NULL;
	return name ? name : "?";
}

#define STR_(x) #x
#define STR(x)  STR_(x)

PMK_EXPORT const char *pmk_version(void)
{
	return STR(PMK_VERSION_MAJOR) "." STR(PMK_VERSION_MINOR) "." STR(
		PMK_VERSION_PATCH);
}
