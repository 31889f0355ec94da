/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each check of an info block demands, what the kernel returns and logs if
 * it fails, and what helps.  The messages are those of Linux 6.1 and 6.12, seen
 * in a guest.
 */
#include <errno.h>

#include "base/export.h"
#include "base/util.h"
#include "memmap/infoblock.h"

#define TAKEN_FOR_NONE                                                     \
	"the kernel takes it for no info block, says nothing, and writes " \
	"a new one over it as soon as an fsdax or devdax device is made "  \
	"of the namespace (ndctl create-namespace): do not do that while " \
	"the data is wanted; "
#define WRITE_ANEW                                                       \
	"write the block anew with its old parameters, in raw mode "     \
	"(ndctl write-infoblock, or pmk memmap inspect --write into an " \
	"image)"

const struct infoblock_check pmk_infoblock_checks[] = {
	[INFOBLOCK_CHECK_SIGNATURE] = {
		.name = "signature",
		.text = "the signature is that of the driver",
		.error = -ENODEV,
		.btt = true,
		.reason = "no info block that the driver is for",
		.says = "",
		.remedy =
			"the namespace is raw, is of another mode, or begins "
			"elsewhere; if it was fsdax or devdax, " TAKEN_FOR_NONE
				WRITE_ANEW,
	},
	[INFOBLOCK_CHECK_CHECKSUM] = {
		.name = "checksum",
		.text = "the checksum is right",
		.error = -ENODEV,
		.btt = true,
		.reason = "the checksum is wrong: something in the block was "
			  "changed",
		.says = "",
		.remedy = TAKEN_FOR_NONE WRITE_ANEW
		"; the data behind it is not touched by that",
	},
	[INFOBLOCK_CHECK_PARENT_UUID] = {
		.name = "parent_uuid",
		.text = "parent_uuid is the UUID of the namespace",
		.error = -ENODEV,
		.reason = "the block belongs to another namespace: its "
			  "parent_uuid is not that of the label",
		.says = "",
		.remedy = TAKEN_FOR_NONE
		"if the data is that of this namespace, write the "
		"block anew with the UUID of the label (ndctl "
		"write-infoblock --parent-uuid) and else as it is",
	},
	[INFOBLOCK_CHECK_MODE] = {
		.name = "mode",
		.text = "mode is 1 (map=mem) or 2 (map=dev)",
		.error = -ENXIO,
		.reason = "the block does not say where struct pages are",
		.says = "",
		.remedy = "the kernel says nothing, and the namespace comes up "
			  "raw; " WRITE_ANEW,
	},
	[INFOBLOCK_CHECK_PAGE_SIZE] = {
		.name = "page_size",
		.text = "map=dev: page_size is at most the kernel's",
		.error = -EOPNOTSUPP,
		.reason = "made by a kernel with larger pages",
		.says = "init failed, page size mismatch",
		.remedy = "boot a kernel with pages of that size, copy the "
			  "data away, and create the namespace anew; with "
			  "map=mem any kernel takes it",
	},
	[INFOBLOCK_CHECK_PAGE_STRUCT_SIZE] = {
		.name = "page_struct_size",
		.text = "map=dev: a struct page has room in what was kept",
		.error = -EOPNOTSUPP,
		.reason = "the struct pages of this kernel are larger than "
			  "what the namespace has room for",
		.says = "init failed, struct page size mismatch",
		.remedy = "boot a kernel whose struct page is no larger (not a "
			  "debugging kernel), or copy the data away and create "
			  "the namespace anew on this one; with map=mem any "
			  "kernel takes it",
	},
	[INFOBLOCK_CHECK_ALIGN] = {
		.name = "align",
		.text = "devdax: align is 4096, 2 MiB or 1 GiB",
		.error = -EOPNOTSUPP,
		.reason = "an alignment for which there are no pages",
		.says = "init failed, alignment mismatch",
		.remedy = "boot a kernel that has pages of that size, or write "
			  "the block anew with an alignment that data and size "
			  "are multiples of",
	},
	[INFOBLOCK_CHECK_UUID] = {
		.name = "uuid",
		.text = "uuid is that which the device was given",
		.error = -ENODEV,
		.reason = "the device was set up for another block",
		.says = "",
		.remedy = TAKEN_FOR_NONE
		"give the device the UUID of the block, or none",
	},
	[INFOBLOCK_CHECK_SETTINGS] = {
		.name = "settings",
		.text = "align and mode are those that the device was given",
		.error = -EOPNOTSUPP,
		.reason = "the device was set up with another alignment or map",
		.says = "settings mismatch",
		.remedy = "give the device what the block has, or nothing at "
			  "all",
	},
	[INFOBLOCK_CHECK_ALIGN_FITS] = {
		.name = "align_fits",
		.text = "align is at most the size of the namespace",
		.error = -EOPNOTSUPP,
		.reason = "the alignment is larger than the namespace",
		.says = "exceeds capacity",
		.remedy = "the namespace was larger when the block was "
			  "written, or the block is not its own; " WRITE_ANEW,
	},
	[INFOBLOCK_CHECK_DATAOFF_FITS] = {
		.name = "dataoff_fits",
		.text = "dataoff is inside the namespace",
		.error = -EOPNOTSUPP,
		.reason = "the data begins behind the end of the namespace",
		.says = "pfn array size exceeds capacity",
		.remedy = "the namespace was larger when the block was "
			  "written, or the block is not its own; " WRITE_ANEW,
	},
	[INFOBLOCK_CHECK_OFFSET] = {
		.name = "offset",
		.text = "the data begins at a multiple of align, and dataoff "
			"is one of 4096",
		.error = -EOPNOTSUPP,
		.reason = "the data is not aligned",
		.says = "bad offset",
		.remedy = "the namespace has moved, by another order of DIMMs "
			  "or another firmware, or the block was written for "
			  "another address: put it where it was, or copy the "
			  "data away in raw mode, from the offset of the data "
			  "on, and create the namespace anew",
	},
	[INFOBLOCK_CHECK_START] = {
		.name = "start",
		.text = "the namespace begins at a multiple of 2 MiB",
		.error = -EOPNOTSUPP,
		.reason = "the start is not aligned to 2 MiB",
		.says = "resource start misaligned",
		.remedy = "copy the data away in raw mode and create the "
			  "namespace anew at an aligned address",
	},
	[INFOBLOCK_CHECK_END] = {
		.name = "end",
		.text = "the namespace ends at a multiple of 2 MiB",
		.error = -EOPNOTSUPP,
		.reason = "the end is not aligned to 2 MiB",
		.says = "resource end misaligned",
		.remedy = "write the block anew with an end_trunc that makes "
			  "up for it, if the file system or what else is in "
			  "the data does not reach so far; else copy the data "
			  "away in raw mode and create the namespace anew",
	},
	[INFOBLOCK_CHECK_ROOM] = {
		.name = "room",
		.text = "something is left between dataoff and what is left "
			"out at the end",
		.error = -EOPNOTSUPP,
		.reason = "nothing is left for data",
		.says = "bad offset with small namespace",
		.remedy = "there is no data in it; create the namespace anew, "
			  "larger, or with a smaller alignment",
	},
	[INFOBLOCK_CHECK_RESERVE] = {
		.name = "reserve",
		.text = "map=mem: the data begins behind the info block",
		.error = -EINVAL,
		.reason = "the data would begin inside the info block",
		.says = "",
		.remedy = WRITE_ANEW,
	},
	[INFOBLOCK_CHECK_PADS] = {
		.name = "pads",
		.text = "start_pad and end_trunc leave something of the "
			"namespace",
		.error = -EINVAL,
		.reason = "start_pad and end_trunc take all of the namespace",
		.says = "",
		.remedy = "the namespace was larger when the block was "
			  "written, or the block is not its own; " WRITE_ANEW,
	},
	[INFOBLOCK_CHECK_ALTMAP] = {
		.name = "altmap",
		.text = "map=dev: struct pages are kept behind the info block "
			"and inside the namespace",
		.error = -EINVAL,
		.reason = "there is no place for struct pages",
		.says = "memory add fail, invalid altmap",
		.remedy = WRITE_ANEW,
	},
	[INFOBLOCK_CHECK_MEMMAP] = {
		.name = "memmap",
		.text = "map=dev: the struct pages have room before the data",
		.error = -ENOMEM,
		.reason = "the struct pages need more room than is kept",
		.says = "a warning with a call trace",
		.remedy = "do not try again on this boot: the kernel may have "
			  "kept a part of it (later attempts end with EEXIST); "
			  "the namespace has grown since, or the block is not "
			  "its own; " WRITE_ANEW,
	},
};

_Static_assert(ARRAY_SIZE(pmk_infoblock_checks) == INFOBLOCK_CHECKS &&
		       INFOBLOCK_CHECKS <= PMK_INFOBLOCK_MAX_CHECKS,
	       "a report has a place for each");

PMK_EXPORT const char *pmk_infoblock_check_name(unsigned int check)
{
	return check < INFOBLOCK_CHECKS ? pmk_infoblock_checks[check].name
					: NULL;
}

PMK_EXPORT const char *pmk_infoblock_check_text(unsigned int check)
{
	return check < INFOBLOCK_CHECKS ? pmk_infoblock_checks[check].text
					: NULL;
}
