/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for the enumerations of <pmk/map.h>. */
#include <pmk/map.h>

#include "base/export.h"
#include "base/util.h"

#define PMK_REASON(symbol, number, name, text, remedy) \
	_Static_assert(PMK_REASON_##symbol == (number), #symbol);
#include "map/reason.def"
#undef PMK_REASON
#define PMK_WHY(symbol, number, name, text, remedy) \
	_Static_assert(PMK_WHY_##symbol == (number), #symbol);
#include "map/why.def"
#undef PMK_WHY

struct words {
	const char *name;
	const char *text;
	const char *remedy;
};

static const struct words reasons[] = {
#define PMK_REASON(symbol, number, name, text, remedy) \
	[number] = { name, text, remedy },
#include "map/reason.def"
#undef PMK_REASON
};

static const struct words whys[] = {
#define PMK_WHY(symbol, number, name, text, remedy) \
	[number] = { name, text, remedy },
#include "map/why.def"
#undef PMK_WHY
};

static const struct words *reason_words(enum pmk_map_reason reason)
{
	return (unsigned int)reason < ARRAY_SIZE(reasons)
		       ? &reasons[reason]
		       : &reasons[PMK_REASON_UNKNOWN];
}

static const struct words *why_words(enum pmk_map_why why)
{
	static const struct words none = { "?", "", "" };

	return (unsigned int)why < ARRAY_SIZE(whys) ? &whys[why] : &none;
}

PMK_EXPORT const char *pmk_map_reason_text(enum pmk_map_reason reason)
{
	return reason_words(reason)->text;
}

PMK_EXPORT const char *pmk_map_reason_remedy(enum pmk_map_reason reason)
{
	return reason_words(reason)->remedy;
}

PMK_EXPORT const char *pmk_map_reason_name(enum pmk_map_reason reason)
{
	return reason_words(reason)->name;
}

PMK_EXPORT const char *pmk_map_why_text(enum pmk_map_why why)
{
	return why_words(why)->text;
}

PMK_EXPORT const char *pmk_map_why_remedy(enum pmk_map_why why)
{
	return why_words(why)->remedy;
}

PMK_EXPORT const char *pmk_map_why_name(enum pmk_map_why why)
{
	return why_words(why)->name;
}

PMK_EXPORT const char *pmk_map_object_name(enum pmk_map_object object)
{
	static const char *const names[] = {
		[PMK_MAP_OBJECT_UNKNOWN] = "unknown",
		[PMK_MAP_OBJECT_FILE] = "file",
		[PMK_MAP_OBJECT_DIRECTORY] = "directory",
		[PMK_MAP_OBJECT_BLOCK] = "block device",
		[PMK_MAP_OBJECT_DEVDAX] = "devdax",
		[PMK_MAP_OBJECT_CHAR] = "character device",
		[PMK_MAP_OBJECT_FIFO] = "fifo",
		[PMK_MAP_OBJECT_SOCKET] = "socket",
	};

	return (unsigned int)object < ARRAY_SIZE(names) ? names[object] : "?";
}

PMK_EXPORT const char *pmk_map_kind_name(enum pmk_map_kind kind)
{
	static const char *const names[] = {
		[PMK_MAP_KIND_NONE] = "none",
		[PMK_MAP_KIND_FILE] = "file",
		[PMK_MAP_KIND_FSDAX] = "fsdax",
		[PMK_MAP_KIND_DEVDAX] = "devdax",
		[PMK_MAP_KIND_ANON] = "anonymous",
		[PMK_MAP_KIND_EMULATED] = "emulated",
	};

	return (unsigned int)kind < ARRAY_SIZE(names) ? names[kind] : "?";
}

PMK_EXPORT const char *pmk_granularity_name(enum pmk_granularity granularity)
{
	static const char *const names[] = {
		[PMK_GRANULARITY_ANY] = "none",
		[PMK_GRANULARITY_BYTE] = "byte",
		[PMK_GRANULARITY_CACHE_LINE] = "cache line",
		[PMK_GRANULARITY_PAGE] = "page",
	};

	return (unsigned int)granularity < ARRAY_SIZE(names)
		       ? names[granularity]
		       : "?";
}
