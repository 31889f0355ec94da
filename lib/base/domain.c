/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for persistence domains. */
#include <pmk/domain.h>

#include "base/export.h"
#include "base/util.h"

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
