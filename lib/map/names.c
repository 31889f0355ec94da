/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for the enumerations of <pmk/map.h>. */
#include <pmk/map.h>

#include "base/export.h"
#include "base/util.h"

#define PMK_REASON(symbol, number, name, text, remedy) \
	_Static_assert(PMK_REASON_##symbol == (number), #symbol);
#include "map/reason.def"
#undef PMK_REASON

struct reason {
	const char *name;
	const char *text;
	const char *remedy;
};

static const struct reason reasons[] = {
#define PMK_REASON(symbol, number, name, text, remedy) \
	[number] = { name, text, remedy },
#include "map/reason.def"
#undef PMK_REASON
};

static const struct reason *reason_of(enum pmk_map_reason reason)
{
	return (unsigned int)reason < ARRAY_SIZE(reasons)
		       ? &reasons[reason]
		       : &reasons[PMK_REASON_UNKNOWN];
}

PMK_EXPORT const char *pmk_map_reason_text(enum pmk_map_reason reason)
{
	return reason_of(reason)->text;
}

PMK_EXPORT const char *pmk_map_reason_remedy(enum pmk_map_reason reason)
{
	return reason_of(reason)->remedy;
}

PMK_EXPORT const char *pmk_map_reason_name(enum pmk_map_reason reason)
{
	return reason_of(reason)->name;
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

PMK_EXPORT const char *pmk_domain_name(enum pmk_domain domain)
{
	static const char *const names[] = {
		[PMK_DOMAIN_UNKNOWN] = "unknown",
		[PMK_DOMAIN_CPU_CACHE] = "cpu_cache",
		[PMK_DOMAIN_MEMORY_CONTROLLER] = "memory_controller",
		[PMK_DOMAIN_DEVICE] = "device",
		[PMK_DOMAIN_VOLATILE] = "volatile",
	};

	return (unsigned int)domain < ARRAY_SIZE(names) ? names[domain] : "?";
}
