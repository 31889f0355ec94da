/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The persistent-memory devices of a machine: namespaces, dax devices, the
 * regions and DIMMs behind them, and their health.
 *
 * Facts come from sysfs (Documentation/ABI/testing/sysfs-bus-nvdimm,
 * sysfs-bus-nfit and sysfs-bus-dax of the kernel).  What sysfs does not have,
 * the SMART data of DIMMs and the state of memory blocks, libndctl and
 * libdaxctl are asked for, if they are installed; they are loaded when there is
 * a device that they can say something of, and not before.
 *
 * A fact that cannot be read or parsed, or does not apply, is never a number:
 * struct pmk_fact and struct pmk_text hold either a value or the reason why
 * there is none.
 */
#ifndef PMK_DISCOVER_H
#define PMK_DISCOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/domain.h>
#include <pmk/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number that may be unknown.  Look at @unknown first. */
struct pmk_fact {
	uint64_t value;      /* 0 if it is unknown */
	const char *unknown; /* NULL: @value is known; else why it is not */
};

/* The same for a word of the kernel. */
struct pmk_text {
	const char *value;   /* empty if it is unknown, never NULL */
	const char *unknown; /* NULL: @value is known; else why it is not */
};

/* What a device is used as. */
enum pmk_mode {
	PMK_MODE_UNKNOWN = 0,    /* see mode_unknown */
	PMK_MODE_FSDAX = 1,      /* block device, for a DAX file system */
	PMK_MODE_DEVDAX = 2,     /* character device to be mapped */
	PMK_MODE_SYSTEM_RAM = 3, /* ordinary memory of the kernel */
	PMK_MODE_SECTOR = 4,     /* block device whose sectors never tear */
	PMK_MODE_RAW = 5,        /* block device without DAX metadata */
};

/* Bytes of a device or region, counted from its beginning. */
struct pmk_extent {
	uint64_t off;
	uint64_t len;
};

/* Blocks of 512 bytes that cannot be read. */
struct pmk_badblocks {
	/* How many; also unknown if the kernel's list is incomplete. */
	struct pmk_fact count;
	/* Those that are known, ascending, even if the count is not. */
	const struct pmk_extent *extents;
	size_t n_extents;
};

/* A bus of NVDIMMs. */
struct pmk_bus {
	const char *name; /* "ndbus0" */
	struct pmk_text provider;
};

/* One DIMM. */
struct pmk_dimm {
	const char *name; /* "nmem0" */
	const char *bus;  /* "ndbus0"; empty if that is not found */
	bool enabled;     /* has a driver */
	struct pmk_text id;
	struct pmk_fact handle;
	struct pmk_fact phys_id;
	struct pmk_text state;    /* "active", "idle" */
	struct pmk_text flags;    /* "not_armed flush_fail", or empty: fine */
	struct pmk_text security; /* "disabled", "locked", ... */
	struct pmk_text health; /* "ok", "non-critical", "critical", "fatal" */
	/* How often data may have been lost with the power. */
	struct pmk_fact dirty_shutdowns;
};

/* The part of a DIMM that a region uses. */
struct pmk_mapping {
	const char *dimm;
	uint64_t off;
	uint64_t len;
	uint64_t position;
};

/* One region of NVDIMMs. */
struct pmk_region {
	const char *name; /* "region0" */
	const char *bus;
	bool enabled;
	struct pmk_text type; /* "pmem", "volatile", "blk" */
	struct pmk_fact size;
	/* for more namespaces; 0 without labels */
	struct pmk_fact available_size;
	struct pmk_fact align;
	struct pmk_fact numa_node;
	struct pmk_fact target_node;
	struct pmk_fact read_only; /* 0 or 1 */
	enum pmk_domain domain;
	const char *domain_unknown; /* NULL unless PMK_DOMAIN_UNKNOWN */
	struct pmk_badblocks badblocks;
	/* Interleaved over several DIMMs if there are several. */
	struct pmk_fact n_mappings;
	const struct pmk_mapping *mappings; /* as many, if that is known */
	/* Sum over the DIMMs. */
	struct pmk_fact dirty_shutdowns;
};

/* One pool of which dax devices are made. */
struct pmk_dax_region {
	const char *path;   /* in sysfs, below "devices" */
	const char *region; /* of NVDIMMs; empty if it is none of those */
	struct pmk_fact id;
	struct pmk_fact size;
	struct pmk_fact available_size;
	struct pmk_fact align;
};

/*
 * One device: a namespace with its block device or dax device, or a dax device
 * that no namespace stands behind.  A namespace that is divided into several
 * dax devices is as many entries.  Names are empty where there is none.
 */
struct pmk_dev {
	const char *bus;
	const char *region;
	const char *name_space; /* "namespace0.0" */
	const char *blockdev;   /* "pmem0": /dev/pmem0 */
	const char *chardev;    /* "dax1.0": /dev/dax1.0 */
	bool enabled;           /* has a driver: it can be used */
	/* Of a disabled namespace only what its label says is known. */
	enum pmk_mode mode;
	const char *mode_unknown; /* NULL unless PMK_MODE_UNKNOWN */
	struct pmk_text map;      /* of struct page: "mem" or "dev" */
	struct pmk_text uuid;
	struct pmk_text namespace_uuid;
	/* Usable bytes; of a disabled namespace all bytes. */
	struct pmk_fact size;
	struct pmk_fact namespace_size;
	struct pmk_fact align;
	struct pmk_fact sector_size;
	struct pmk_fact numa_node;
	struct pmk_fact target_node;
	enum pmk_domain domain;
	const char *domain_unknown; /* NULL unless PMK_DOMAIN_UNKNOWN */
	struct pmk_badblocks badblocks;
	struct pmk_fact dirty_shutdowns; /* of the region */
	/* System RAM: blocks of memory that are in use, and all of them. */
	struct pmk_fact online_blocks;
	struct pmk_fact total_blocks;
};

/* A bus of sysfs on which devices are looked for. */
enum pmk_bus_kind {
	PMK_BUS_ND = 0,  /* /sys/bus/nd: NVDIMMs and what is like them */
	PMK_BUS_DAX = 1, /* /sys/bus/dax: all dax devices */
};

/* Whether "no device" may be believed. */
enum pmk_view_state {
	PMK_VIEW_SEEN = 0,   /* what is not listed is not there */
	PMK_VIEW_NO_BUS = 1, /* the bus is not there: no driver for it */
	PMK_VIEW_HIDDEN = 2, /* it, or a device on it, cannot be looked at */
};

struct pmk_view {
	enum pmk_view_state state;
	const char *path;   /* that was looked at */
	const char *reason; /* one sentence; empty if SEEN */
};

/* Ask neither libndctl nor libdaxctl. */
#define PMK_DISCOVER_SYSFS_ONLY (1U << 0)

struct pmk_discover_params {
	/* Where sysfs is mounted, or a copy of it lies; NULL is "/sys".  With
	 * another one libndctl and libdaxctl are not asked: they know "/sys"
	 * only.  Links that lead out of it are not followed. */
	const char *sysfs_root;
	/* PMK_DISCOVER_* */
	uint32_t flags;
	/* Must be zero. */
	uint32_t reserved32;
	uint64_t reserved[6];
};

/* What was found.  Does not change; any number of threads may read it. */
struct pmk_inventory;

/**
 * pmk_discover() - look for all persistent-memory devices
 * @params: where and how; NULL is all zero
 * @inventory_ret: what was found, to be freed with pmk_inventory_free();
 *	untouched on error
 *
 * Nothing is cached: each call looks anew.  Devices that come or go meanwhile
 * may be missed.  Finding none is no error; pmk_inventory_view() says whether
 * that may be believed.  A device that can be seen but not examined (its link
 * leads in a circle, or out of the root) is left out and told to the log
 * callback as a warning.  Nothing is written.
 *
 * The root user sees more than others: addresses, and with them which bad
 * blocks of a region lie in which dax device, and SMART data.
 *
 * Thread safe.  Not signal safe.
 *
 * Return: 0, or
 * * -EINVAL: @inventory_ret is NULL, an unknown flag, a reserved field not
 *   zero;
 * * -ENOENT, -EACCES, ...: the root itself cannot be opened;
 * * -ENOMEM.
 */
int pmk_discover(const struct pmk_discover_params *params,
		 struct pmk_inventory **inventory_ret) PMK_MUST_CHECK;

/**
 * pmk_inventory_free() - free what pmk_discover() found
 * @inventory: what it found, or NULL; all strings and structs in it end, too
 *
 * Not signal safe.
 */
void pmk_inventory_free(struct pmk_inventory *inventory);

/**
 * pmk_inventory_bus() - the buses of NVDIMMs, one by one
 * @inventory: what was found
 * @i: from 0 on
 *
 * All lists are in the order of their names, in which numbers count as numbers:
 * region2 comes before region10.  Thread and signal safe, as all functions
 * below.
 *
 * Return: valid until pmk_inventory_free(); NULL behind the last.
 */
const struct pmk_bus *pmk_inventory_bus(const struct pmk_inventory *inventory,
					size_t i);

/**
 * pmk_inventory_dimm() - the DIMMs, one by one
 * @inventory: what was found
 * @i: from 0 on
 *
 * Return: as pmk_inventory_bus().
 */
const struct pmk_dimm *pmk_inventory_dimm(const struct pmk_inventory *inventory,
					  size_t i);

/**
 * pmk_inventory_region() - the regions of NVDIMMs, one by one
 * @inventory: what was found
 * @i: from 0 on
 *
 * Return: as pmk_inventory_bus().
 */
const struct pmk_region *pmk_inventory_region(
	const struct pmk_inventory *inventory, size_t i);

/**
 * pmk_inventory_dax_region() - the pools of dax devices, one by one
 * @inventory: what was found
 * @i: from 0 on
 *
 * Return: as pmk_inventory_bus().
 */
const struct pmk_dax_region *pmk_inventory_dax_region(
	const struct pmk_inventory *inventory, size_t i);

/**
 * pmk_inventory_dev() - the devices, one by one
 * @inventory: what was found
 * @i: from 0 on
 *
 * In the order of namespaces, and of dax devices in each; those without a
 * namespace come last.
 *
 * Return: as pmk_inventory_bus().
 */
const struct pmk_dev *pmk_inventory_dev(const struct pmk_inventory *inventory,
					size_t i);

/**
 * pmk_inventory_view() - could a bus be looked at?
 * @inventory: what was found
 * @kind: which bus
 *
 * HIDDEN is said where it is proved: the bus cannot be read, something else is
 * mounted over it, or its driver is loaded and the bus is missing.  That a bus
 * is missing and its driver too is NO_BUS; a sandbox that hides both looks the
 * same.
 *
 * Return: never NULL.
 */
const struct pmk_view *pmk_inventory_view(const struct pmk_inventory *inventory,
					  enum pmk_bus_kind kind);

/**
 * pmk_mode_name() - the name of a mode
 * @mode: enum pmk_mode
 *
 * Return: a static string, as ndctl(1) and daxctl(1) have it: "fsdax",
 * "devdax", "system-ram", "sector", "raw"; "unknown"; never NULL.
 */
const char *pmk_mode_name(enum pmk_mode mode);

#ifdef __cplusplus
}
#endif

#endif /* PMK_DISCOVER_H */
