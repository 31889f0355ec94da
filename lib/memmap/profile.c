/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels that are known.
 *
 * What they write was compared bit for bit with the struct pages of real ones:
 * 6.1.192, 6.12.117, 6.16.3, 6.17.8, 6.18.15, 6.19.6, 7.0.4, 7.1.3, 7.1.13,
 * 7.2.12 and 7.3.4 of Debian; docs/memmap.md says how, and what cannot be seen
 * there: when page blocks become movable, and sections shared with RAM.
 */
#include <errno.h>
#include <string.h>

#include <pmk/memmap.h>

#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "memmap/profile.h"

/* What rows have in common, by the first kernel that has it. */
#define OF_6_1                                             \
	.pg_reserved = 12, .pg_head = 16, .fsdax_refs = 1, \
	.tail1 = MEMMAP_TAIL1_DTOR, .head = MEMMAP_HEAD_AFTER_TAIL2
#define OF_6_12                                                       \
	.pg_reserved = 13, .pg_head = 6, .fsdax_refs = 1,             \
	.tail1 = MEMMAP_TAIL1_LARGE, .head = MEMMAP_HEAD_AFTER_TAIL1, \
	.refuses_truncated = true
#define OF_6_15                                           \
	.pg_reserved = 13, .pg_head = 6, .fsdax_refs = 0, \
	.tail1 = MEMMAP_TAIL1_MM_ID, .refuses_truncated = true
#define OF_6_18 OF_6_15, .head = MEMMAP_HEAD_LAST, .tail2_list = true
#define OF_2026 .pageblock_pass = true, .early_sections = true

static const struct memmap_profile profiles[] = {
	{ .name = "6.1", OF_6_1 },
	{ .name = "6.1.192", OF_6_1, OF_2026 },
	{ .name = "6.12", OF_6_12 },
	{ .name = "6.12.117", OF_6_12, OF_2026 },
	{ .name = "6.15", OF_6_15, .head = MEMMAP_HEAD_AFTER_TAIL1 },
	{ .name = "6.18", OF_6_18 },
	{ .name = "7.1", OF_6_18, OF_2026, .compound_mask = true },
	/* writes what 7.1 does */
	{ .name = "7.2", OF_6_18, OF_2026, .compound_mask = true },
};

const struct memmap_profile *pmk_memmap_profile(unsigned int kernel)
{
	return kernel < ARRAY_SIZE(profiles) ? &profiles[kernel] : NULL;
}

PMK_EXPORT const char *pmk_memmap_kernel_name(unsigned int kernel)
{
	return kernel < ARRAY_SIZE(profiles) ? profiles[kernel].name : NULL;
}

PMK_EXPORT int pmk_memmap_kernel(const char *name)
{
	if (!name)
		return (int)ARRAY_SIZE(profiles) - 1;
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!strcmp(name, profiles[i].name))
			return (int)i;
	return pmk_fail(-ENOENT, "%s: no such kernel", name);
}
