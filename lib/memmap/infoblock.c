/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info blocks: their bytes.  The only code that knows offsets in them; what a
 * kernel says to the values is in infoblock_check.c.
 */
#include <errno.h>
#include <string.h>

#include <pmk/infoblock.h>

#include "base/endian.h"
#include "base/export.h"
#include "base/log.h"
#include "base/util.h"
#include "memmap/infoblock.h"

/* struct nd_pfn_sb of Linux; a BTT has the first five of them (UEFI 2.7, "BTT
 * info block") and the checksum. */
#define OFF_SIGNATURE        0x00U
#define OFF_UUID             0x10U
#define OFF_PARENT_UUID      0x20U
#define OFF_FLAGS            0x30U
#define OFF_VERSION_MAJOR    0x34U
#define OFF_VERSION_MINOR    0x36U
#define OFF_DATAOFF          0x38U
#define OFF_NPFNS            0x40U
#define OFF_MODE             0x48U
#define OFF_START_PAD        0x4cU
#define OFF_END_TRUNC        0x50U
#define OFF_ALIGN            0x54U
#define OFF_PAGE_SIZE        0x58U
#define OFF_PAGE_STRUCT_SIZE 0x5cU
#define OFF_PADDING          0x5eU
#define OFF_CHECKSUM         0xff8U

#define SIGNATURE_BYTES 16U
#define UUID_BYTES      16U

_Static_assert(OFF_CHECKSUM + 8 == PMK_INFOBLOCK_BYTES, "checksum is last");

/* 15 characters and the NUL that ends the field. */
static const char *const signatures[] = {
	[PMK_INFOBLOCK_NONE] = "",
	[PMK_INFOBLOCK_PFN] = "NVDIMM_PFN_INFO",
	[PMK_INFOBLOCK_DAX] = "NVDIMM_DAX_INFO",
	[PMK_INFOBLOCK_BTT] = "BTT_ARENA_INFO\0",
};

PMK_EXPORT const char *pmk_infoblock_signature(enum pmk_infoblock_type type)
{
	return (size_t)type < ARRAY_SIZE(signatures) ? signatures[type] : "";
}

/*
 * Fletcher's checksum of the kernel's: over 32-bit words, the sum in the lower
 * half, the sum of the sums in the upper; the field itself counts as 0.
 */
static uint64_t fletcher64(const unsigned char *b)
{
	uint32_t lo = 0;
	uint64_t hi = 0;

	for (size_t i = 0; i < PMK_INFOBLOCK_BYTES; i += 4) {
		if (i < OFF_CHECKSUM)
			lo += pmk_get_le32(b + i);
		hi += lo;
	}
	return hi << 32 | lo;
}

static enum pmk_infoblock_type type_of(const unsigned char *b)
{
	for (int t = PMK_INFOBLOCK_PFN; t <= PMK_INFOBLOCK_BTT; t++)
		if (!memcmp(b + OFF_SIGNATURE, signatures[t], SIGNATURE_BYTES))
			return t;
	return PMK_INFOBLOCK_NONE;
}

/* What a BTT has other fields in the place of. */
static void decode_pfn(const unsigned char *b, struct pmk_infoblock *ib)
{
	ib->dataoff = pmk_get_le64(b + OFF_DATAOFF);
	ib->npfns = pmk_get_le64(b + OFF_NPFNS);
	ib->mode = pmk_get_le32(b + OFF_MODE);
	ib->start_pad = pmk_get_le32(b + OFF_START_PAD);
	ib->end_trunc = pmk_get_le32(b + OFF_END_TRUNC);
	ib->align = pmk_get_le32(b + OFF_ALIGN);
	ib->page_size = pmk_get_le32(b + OFF_PAGE_SIZE);
	ib->page_struct_size = pmk_get_le16(b + OFF_PAGE_STRUCT_SIZE);
}

PMK_EXPORT void pmk_infoblock_decode(const void *block,
				     struct pmk_infoblock *ib_ret)
{
	const unsigned char *b = block;
	struct pmk_infoblock ib = {
		.type = type_of(b),
		.flags = pmk_get_le32(b + OFF_FLAGS),
		.version_major = pmk_get_le16(b + OFF_VERSION_MAJOR),
		.version_minor = pmk_get_le16(b + OFF_VERSION_MINOR),
		.checksum = pmk_get_le64(b + OFF_CHECKSUM),
		.checksum_computed = fletcher64(b),
	};

	memcpy(ib.uuid, b + OFF_UUID, UUID_BYTES);
	memcpy(ib.parent_uuid, b + OFF_PARENT_UUID, UUID_BYTES);
	if (ib.type != PMK_INFOBLOCK_BTT)
		decode_pfn(b, &ib);
	*ib_ret = ib;
}

bool pmk_infoblock_padding_is_zero(const void *block)
{
	return pmk_is_zero((const unsigned char *)block + OFF_PADDING,
			   OFF_CHECKSUM - OFF_PADDING);
}

PMK_EXPORT int pmk_infoblock_encode(const struct pmk_infoblock *ib,
				    void *block_ret)
{
	unsigned char *b = block_ret;

	if (ib->type != PMK_INFOBLOCK_PFN && ib->type != PMK_INFOBLOCK_DAX)
		return pmk_fail(-EINVAL, "only info blocks of fsdax and devdax "
					 "can be made");
	if (ib->align > UINT32_MAX)
		return pmk_fail(-EINVAL, "an alignment of 4 GiB or more has no "
					 "room in the info block");
	memset(b, 0, PMK_INFOBLOCK_BYTES);
	memcpy(b + OFF_SIGNATURE, signatures[ib->type], SIGNATURE_BYTES);
	memcpy(b + OFF_UUID, ib->uuid, UUID_BYTES);
	memcpy(b + OFF_PARENT_UUID, ib->parent_uuid, UUID_BYTES);
	pmk_put_le32(b + OFF_FLAGS, ib->flags);
	pmk_put_le16(b + OFF_VERSION_MAJOR, ib->version_major);
	pmk_put_le16(b + OFF_VERSION_MINOR, ib->version_minor);
	pmk_put_le64(b + OFF_DATAOFF, ib->dataoff);
	pmk_put_le64(b + OFF_NPFNS, ib->npfns);
	pmk_put_le32(b + OFF_MODE, ib->mode);
	pmk_put_le32(b + OFF_START_PAD, ib->start_pad);
	pmk_put_le32(b + OFF_END_TRUNC, ib->end_trunc);
	pmk_put_le32(b + OFF_ALIGN, (uint32_t)ib->align);
	pmk_put_le32(b + OFF_PAGE_SIZE, ib->page_size);
	pmk_put_le16(b + OFF_PAGE_STRUCT_SIZE, ib->page_struct_size);
	pmk_put_le64(b + OFF_CHECKSUM, fletcher64(b));
	return 0;
}

PMK_EXPORT int pmk_infoblock_predict(const struct pmk_memmap_params *params,
				     struct pmk_infoblock *ib_ret)
{
	unsigned int kept = params->struct_page ? params->struct_page
						: INFOBLOCK_STRUCT_PAGE;
	struct pmk_memmap_layout l;
	int rc = pmk_memmap_predict(params, &l);

	if (rc)
		return rc;
	/* of what was predicted every number fits its field */
	*ib_ret = (struct pmk_infoblock){
		.type = params->mode == PMK_MODE_DEVDAX ? PMK_INFOBLOCK_DAX
							: PMK_INFOBLOCK_PFN,
		.version_major = 1,
		.version_minor = 4,
		.dataoff = l.dataoff,
		.npfns = l.npfns,
		.mode = params->map == PMK_MEMMAP_MEM ? PMK_INFOBLOCK_MODE_MEM
						      : PMK_INFOBLOCK_MODE_DEV,
		.end_trunc = (uint32_t)l.end_trunc,
		.align = params->align,
		.page_size = INFOBLOCK_PAGE,
		.page_struct_size = (uint16_t)kept,
	};
	return 0;
}
