/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The info block of a namespace: the 4096 bytes, 4096 bytes behind its start,
 * that say that it is fsdax or devdax, where its struct pages are and where
 * its data begins; and what a kernel says to them when it looks.
 *
 * Nothing here reads a device: the caller does.  docs/memmap.md has the format
 * and the checks, and where they were compared with kernels.
 */
#ifndef PMK_INFOBLOCK_H
#define PMK_INFOBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/discover.h>
#include <pmk/error.h>
#include <pmk/memmap.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_INFOBLOCK_BYTES 4096U
/* From the start of the namespace. */
#define PMK_INFOBLOCK_OFF 4096U

/* Whose signature an info block bears. */
enum pmk_infoblock_type {
	PMK_INFOBLOCK_NONE = 0, /* none that is known */
	PMK_INFOBLOCK_PFN = 1,  /* NVDIMM_PFN_INFO: fsdax */
	PMK_INFOBLOCK_DAX = 2,  /* NVDIMM_DAX_INFO: devdax */
	PMK_INFOBLOCK_BTT = 3,  /* BTT_ARENA_INFO: sector */
};

/* Where struct pages are, as a block says it. */
#define PMK_INFOBLOCK_MODE_MEM 1U /* in ordinary memory */
#define PMK_INFOBLOCK_MODE_DEV 2U /* in the namespace */

/*
 * The fields of a block.  A BTT has other ones from @dataoff on: they are 0
 * here.  UUIDs are in the order in which they are written as text.
 */
struct pmk_infoblock {
	enum pmk_infoblock_type type;
	uint8_t uuid[16];
	uint8_t parent_uuid[16]; /* of the namespace's label; 0 without one */
	uint32_t flags;
	uint16_t version_major;
	uint16_t version_minor;
	uint64_t dataoff;   /* bytes, from the start + @start_pad */
	uint64_t npfns;     /* data pages */
	uint32_t mode;      /* PMK_INFOBLOCK_MODE_* */
	uint32_t start_pad; /* bytes at the start that are left out */
	uint32_t end_trunc; /* bytes at the end that are left out */
	uint64_t align;     /* 32 bits, unless it is a kernel's guess */
	uint32_t page_size;
	uint16_t page_struct_size;  /* bytes that were kept for each */
	uint64_t checksum;          /* as it is stored */
	uint64_t checksum_computed; /* as it should be */
};

/**
 * pmk_infoblock_signature() - the signature of a type
 * @type: enum pmk_infoblock_type
 *
 * Thread and signal safe.
 *
 * Return: a static string, "NVDIMM_PFN_INFO"; empty for PMK_INFOBLOCK_NONE
 * and numbers that are no type.
 */
const char *pmk_infoblock_signature(enum pmk_infoblock_type type);

/**
 * pmk_infoblock_decode() - read the fields of a block
 * @block: PMK_INFOBLOCK_BYTES; no alignment needed
 * @ib_ret: filled in, whatever @block holds
 *
 * Nothing is judged: pmk_infoblock_check() does that.  Without a known
 * signature the fields mean nothing, though they are filled in.
 *
 * Thread and signal safe.
 */
void pmk_infoblock_decode(const void *block, struct pmk_infoblock *ib_ret);

/**
 * pmk_infoblock_encode() - write the fields of a block
 * @ib: the fields; its checksums are not looked at
 * @block_ret: PMK_INFOBLOCK_BYTES; no alignment needed
 *
 * The checksum is the right one; nothing else is judged, so that blocks can be
 * made that a kernel refuses.
 *
 * Thread and signal safe, but for the log.
 *
 * Return: 0.  -EINVAL: the type is neither PMK_INFOBLOCK_PFN nor
 * PMK_INFOBLOCK_DAX, or the alignment does not fit its 32 bits.
 */
int pmk_infoblock_encode(const struct pmk_infoblock *ib, void *block_ret)
	PMK_MUST_CHECK;

/**
 * pmk_infoblock_predict() - the block that a kernel makes for a new namespace
 * @params: the namespace, as for pmk_memmap_predict()
 * @ib_ret: filled in, version 1.4; its UUIDs and checksums are 0
 *
 * Thread and signal safe, but for the log.
 *
 * Return: 0, or an error of pmk_memmap_predict().
 */
int pmk_infoblock_predict(const struct pmk_memmap_params *params,
			  struct pmk_infoblock *ib_ret) PMK_MUST_CHECK;

/*
 * The namespace that a block is in, and the kernel that looks at it.  All zero
 * is the oldest kernel that is known, and a namespace of which nothing is.
 */
struct pmk_infoblock_ns {
	unsigned int kernel; /* see pmk_memmap_kernel() */
	/* sizeof(struct page) of that kernel, bytes; 0 is 64 */
	unsigned int struct_page;
	/* The driver that looks: PMK_MODE_FSDAX or PMK_MODE_DEVDAX.
	 * PMK_MODE_UNKNOWN: each of them, and btt, as at boot. */
	enum pmk_mode mode;
	/* What is not known is not checked. */
	bool start_known;
	bool size_known;
	bool uuid_known;
	bool parent_uuid_known;
	uint64_t start; /* physical address, bytes */
	uint64_t size;  /* raw size, bytes */
	/* of the block, if the device was given one before it is enabled; and
	 * what else it was given with that: an alignment in bytes and
	 * PMK_INFOBLOCK_MODE_*, each 0 if it is not known */
	uint8_t uuid[16];
	uint64_t align;
	uint32_t map_mode;
	/* of the namespace; all 0 if it has no label */
	uint8_t parent_uuid[16];
};

/* How a check ended. */
enum pmk_infoblock_result {
	PMK_INFOBLOCK_NOT_REACHED = 0,    /* an earlier one failed */
	PMK_INFOBLOCK_PASSED = 1,         /* the kernel goes on */
	PMK_INFOBLOCK_FAILED = 2,         /* the kernel refuses the block */
	PMK_INFOBLOCK_SKIPPED = 3,        /* something is not known */
	PMK_INFOBLOCK_NOT_APPLICABLE = 4, /* not of this kernel or block */
};

#define PMK_INFOBLOCK_MAX_CHECKS 24U
#define PMK_INFOBLOCK_MAX_NOTES  12U

/* What a kernel makes of a block. */
struct pmk_infoblock_report {
	/* 0: no check failed.  Else what the kernel returns, -errno. */
	int error;
	/* The first check that failed, a number as for
	 * pmk_infoblock_check_name(); -1: none did. */
	int failed;
	const char *reason; /* what is wrong; NULL if nothing is */
	/* What the kernel logs, or the fixed part of it; empty if it is silent
	 * or says so only if it is told to debug. */
	const char *says;
	const char *remedy; /* NULL if nothing failed */
	char detail[160];   /* the numbers of it; empty if nothing failed */
	/* Of each check. */
	enum pmk_infoblock_result results[PMK_INFOBLOCK_MAX_CHECKS];
	/* Worth knowing, whether it is loaded or not; NULL ends the list. */
	const char *notes[PMK_INFOBLOCK_MAX_NOTES];
	/* The fields as the kernel takes them: with what older versions of the
	 * format do not have, and an alignment. */
	struct pmk_infoblock effective;
	/* Bytes of the device that comes of it, and pages; 0 if the block is
	 * not loaded, is a BTT, or the size is not known. */
	uint64_t usable;
	uint64_t npfns;
};

/**
 * pmk_infoblock_check_name() - the checks, in the kernel's order
 * @check: counting from 0 lists them all
 *
 * Thread and signal safe.
 *
 * Return: a static string of letters and '_', such as "parent_uuid", or NULL
 * past the last.
 */
const char *pmk_infoblock_check_name(unsigned int check);

/**
 * pmk_infoblock_check_text() - what a check demands
 * @check: as for pmk_infoblock_check_name()
 *
 * Thread and signal safe.
 *
 * Return: a static string, or NULL past the last.
 */
const char *pmk_infoblock_check_text(unsigned int check);

/**
 * pmk_infoblock_check() - would a kernel load this block?
 * @block: PMK_INFOBLOCK_BYTES; no alignment needed
 * @ns: where it is, and who looks
 * @report_ret: filled in
 *
 * The checks of Linux (nd_pfn_validate, and what follows it until the device is
 * there), in its order, for x86-64 with pages of 4096 bytes, and huge pages of
 * 2 MiB and 1 GiB.  Arithmetic wraps where the kernel's does.  A check that
 * needs what is not known is passed over, so that no failure is proof only if
 * everything is known.
 *
 * Thread safe.
 *
 * Return: 0, whether it would be loaded or not.  -ENOENT: no such kernel.
 * -EINVAL: @ns has a mode that no driver here is for.
 */
int pmk_infoblock_check(const void *block, const struct pmk_infoblock_ns *ns,
			struct pmk_infoblock_report *report_ret) PMK_MUST_CHECK;

/* What is kept in a part of a namespace. */
enum pmk_infoblock_area {
	PMK_INFOBLOCK_AREA_HEADER = 0, /* info block, and what nobody uses */
	PMK_INFOBLOCK_AREA_MEMMAP = 1, /* struct pages, and room for them */
	PMK_INFOBLOCK_AREA_DATA = 2,   /* what the device shows */
	PMK_INFOBLOCK_AREA_TAIL = 3,   /* left out at the end */
};

/* A byte of a namespace, seen from everywhere.  Offsets are in bytes. */
struct pmk_infoblock_place {
	enum pmk_infoblock_area area;
	uint64_t namespace_off;
	uint64_t data_off; /* in the device; 0 outside of the data */
	uint64_t physical; /* address; 0 if the start is not known */
	/* Offset in the namespace of the struct page that describes the byte;
	 * 0 if it is in ordinary memory, has none or cannot be told: it can be
	 * if the start is known and a struct page has 64 bytes. */
	uint64_t struct_page_off;
};

/**
 * pmk_infoblock_area_name() - the name of a part of a namespace
 * @area: enum pmk_infoblock_area
 *
 * Thread and signal safe.
 *
 * Return: "header", "memmap", "data" or "tail", a static string; NULL for other
 * numbers.
 */
const char *pmk_infoblock_area_name(enum pmk_infoblock_area area);

/**
 * pmk_infoblock_translate() - where a byte of a namespace is seen
 * @ib: the fields as the kernel takes them: @effective of a report without
 *	error
 * @ns: the namespace; its size must be known
 * @namespace_off: bytes from its start
 * @place_ret: filled in
 *
 * The offset in the namespace of a byte of the device is @start_pad + @dataoff
 * of @ib more than the offset in the device.
 *
 * Thread and signal safe, but for the log.
 *
 * Return: 0.  PMK_E_RANGE: the offset is not inside the namespace.  -EINVAL:
 * the size is not known, or the parts of the block do not fit into it.
 */
int pmk_infoblock_translate(const struct pmk_infoblock *ib,
			    const struct pmk_infoblock_ns *ns,
			    uint64_t namespace_off,
			    struct pmk_infoblock_place *place_ret)
	PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_INFOBLOCK_H */
