/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One mapping of persistent memory, whatever is behind it: a file on an fsdax
 * file system, a devdax node, an ordinary file, anonymous memory, or a file
 * that is treated as persistent memory without being it.
 *
 * A struct pmk_map does not change after pmk_map_open(): any number of threads
 * may use it at once, and none may once pmk_map_close() has begun.  A forked
 * child may use the mapping; each process closes its own copy.
 */
#ifndef PMK_MAP_H
#define PMK_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/domain.h>
#include <pmk/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_map;

/* What is behind a mapping. */
enum pmk_map_kind {
	PMK_MAP_KIND_NONE = 0,     /* nothing that can be mapped */
	PMK_MAP_KIND_FILE = 1,     /* regular file, durable by msync(2) */
	PMK_MAP_KIND_FSDAX = 2,    /* regular file, mapped with MAP_SYNC */
	PMK_MAP_KIND_DEVDAX = 3,   /* /dev/daxX.Y */
	PMK_MAP_KIND_ANON = 4,     /* memfd without emulation */
	PMK_MAP_KIND_EMULATED = 5, /* file or memfd treated as pmem */
};

/*
 * How much must be written to make one changed byte durable.  A smaller value
 * is the better one.
 */
enum pmk_granularity {
	PMK_GRANULARITY_ANY = 0,        /* in a demand: whatever there is */
	PMK_GRANULARITY_BYTE = 1,       /* caches persist: drain is enough */
	PMK_GRANULARITY_CACHE_LINE = 2, /* flush lines, then drain */
	PMK_GRANULARITY_PAGE = 3,       /* msync(2) */
};

/* Flags of struct pmk_map_params. */
#define PMK_MAP_CREATE    (1U << 0) /* make the file if it is not there */
#define PMK_MAP_EXCLUSIVE (1U << 1) /* with CREATE: it must not be there */
#define PMK_MAP_SPARSE    (1U << 2) /* with CREATE: reserve no blocks */
#define PMK_MAP_READ_ONLY (1U << 3) /* a store of the caller's faults */
#define PMK_MAP_EMULATED  (1U << 4) /* treat as pmem: see emulated_domain */

/*
 * How to map.  All zero maps an existing file or device whole, for reading and
 * writing, at whatever granularity it has.
 */
struct pmk_map_params {
	/* Bytes to map; 0 is all from @off on.  Without CREATE it must not
	 * reach past the end.  With CREATE a shorter file is made that long
	 * and a longer one keeps its size.  On devdax a multiple of the
	 * device's alignment. */
	uint64_t len;
	/* Where in the file or device to start: a multiple of the page size,
	 * on devdax of the device's alignment. */
	uint64_t off;
	/* PMK_MAP_* */
	uint32_t flags;
	/* Permission bits of a file that CREATE makes; 0 is 0600. */
	uint32_t mode;
	/* The coarsest granularity the caller can live with. */
	enum pmk_granularity granularity;
	/* With EMULATED: the domain to emulate, CPU_CACHE (byte granularity)
	 * or MEMORY_CONTROLLER (cache line); UNKNOWN is MEMORY_CONTROLLER.
	 * Nothing is written to a disk then: data survives the process, not
	 * the machine. */
	enum pmk_domain emulated_domain;
	/* Where sysfs is mounted; NULL is "/sys".  For tests. */
	const char *sysfs_root;
	/* Must be zero. */
	uint64_t reserved[4];
};

/**
 * pmk_map_open() - map a file or device
 * @path: regular file or devdax node; NULL is a new memfd of @params->len
 *	bytes
 * @params: how; NULL is all zero
 * @map_ret: the mapping, to be closed with pmk_map_close(); untouched on error
 *
 * The address is aligned so that 2 MiB pages can be used: it equals @off
 * modulo the larger of 2 MiB and the device's alignment.  On failure nothing
 * is left behind: a file that the call created is removed, one that it made
 * longer gets its old length back, and no existing file is ever made shorter.
 * No device is enumerated: all facts come from the file and its own sysfs
 * nodes.
 *
 * CREATE makes no devdax node, and follows no symbolic link to a file that is
 * not there (-ENOENT).  Several processes may create one path at the same time,
 * but one that fails takes an empty file that it made away again, and with
 * SPARSE, or where the file system has no fallocate(2), the file may end up as
 * long as the shortest asked: then let one do it, with EXCLUSIVE.  Beyond
 * RLIMIT_FSIZE the kernel sends SIGXFSZ; a process that ignores it gets -EFBIG.
 *
 * Thread safe.  Not signal safe.
 *
 * Return: 0, or
 * * -EINVAL: unknown flag or value, reserved field not zero, flags that
 *   contradict each other, @params->off not page aligned, length 0 for a memfd
 *   or of an empty file;
 * * what open(2), fallocate(2), ftruncate(2), fsync(2) or mmap(2) failed with:
 *   -ENOENT, -EACCES, -EEXIST, -ENOSPC, -EFBIG (an end past 2^63 as well),
 *   -ENOMEM, ...; -EAGAIN if no aligned address was found;
 * * PMK_E_FILE_TYPE: a directory, fifo, socket, block device or a character
 *   device that is not devdax;
 * * PMK_E_RANGE: @off + @len passes the end and CREATE was not given, or on a
 *   device;
 * * PMK_E_ALIGNMENT: @off or @len against the device's alignment;
 * * PMK_E_DEVDAX_MODE: the device is in system-ram mode or disabled;
 * * PMK_E_SYSFS: a devdax node whose sysfs attributes cannot be read;
 * * PMK_E_GRANULARITY: the mapping would be coarser than @granularity; the log
 *   callback and pmk_map_explain() say why.  Also a devdax node on virtio-pmem,
 *   whatever @granularity: nothing makes a store durable there.
 */
int pmk_map_open(const char *path, const struct pmk_map_params *params,
		 struct pmk_map **map_ret) PMK_MUST_CHECK;

/**
 * pmk_map_close() - unmap and free
 * @map: the mapping, or NULL
 *
 * Makes nothing durable.  Not signal safe.
 */
void pmk_map_close(struct pmk_map *map);

/**
 * pmk_map_addr() - address of the first byte
 * @map: the mapping
 *
 * Thread and signal safe, like all getters of a mapping.
 *
 * Return: never NULL.
 */
void *pmk_map_addr(const struct pmk_map *map);

/**
 * pmk_map_size() - length of the mapping in bytes
 * @map: the mapping
 *
 * Return: what was asked for, or all there was; not rounded to pages.
 */
size_t pmk_map_size(const struct pmk_map *map);

/**
 * pmk_map_kind() - what is behind the mapping
 * @map: the mapping
 *
 * Return: enum pmk_map_kind, never KIND_NONE.
 */
enum pmk_map_kind pmk_map_kind(const struct pmk_map *map);

/**
 * pmk_map_granularity() - unit of durability
 * @map: the mapping
 *
 * Return: enum pmk_granularity, never ANY.
 */
enum pmk_granularity pmk_map_granularity(const struct pmk_map *map);

/**
 * pmk_map_domain() - what survives a loss of power
 * @map: the mapping
 *
 * Of an emulated mapping this is the domain that is emulated.
 *
 * Return: enum pmk_domain.
 */
enum pmk_domain pmk_map_domain(const struct pmk_map *map);

/**
 * pmk_map_align() - alignment that the file or device asks of ranges
 * @map: the mapping
 *
 * Return: bytes; the page size, or the alignment of a devdax device.
 */
size_t pmk_map_align(const struct pmk_map *map);

/**
 * pmk_map_fd() - the file descriptor behind the mapping
 * @map: the mapping, which goes on owning it
 *
 * Return: a descriptor, opened for writing unless READ_ONLY.
 */
int pmk_map_fd(const struct pmk_map *map);

/**
 * pmk_map_flush() - start to make a range durable
 * @map: the mapping
 * @addr: first byte, inside the mapping; no alignment needed
 * @len: bytes; 0 does nothing
 *
 * Durable after pmk_map_drain() of the same range by the same thread.  Cache
 * line granularity: write-back of the lines.  Byte and page: nothing.
 *
 * Thread safe.  Signal safe.
 *
 * Return: 0, or PMK_E_RANGE if the range wraps or leaves the mapping.
 */
int pmk_map_flush(struct pmk_map *map, const void *addr, size_t len)
	PMK_MUST_CHECK;

/**
 * pmk_map_drain() - wait until what was flushed is durable
 * @map: the mapping
 * @addr: first byte of what must be durable; no alignment needed
 * @len: bytes; 0 on a page-granular mapping waits for nothing
 *
 * Byte and cache-line granularity: one SFENCE, which covers all flushes and
 * non-temporal stores of this thread, whatever the range.  Page granularity:
 * msync(2) with MS_SYNC of the pages of the range.
 *
 * Thread safe.  Signal safe.
 *
 * Return: 0, PMK_E_RANGE, or -errno of msync(2); after -EIO the kernel may
 * have dropped the data, and a second call may succeed without writing it.
 */
int pmk_map_drain(struct pmk_map *map, const void *addr, size_t len)
	PMK_MUST_CHECK;

/**
 * pmk_map_persist() - pmk_map_flush() and pmk_map_drain() of one range
 * @map: the mapping
 * @addr: first byte; no alignment needed
 * @len: bytes
 *
 * On return 0 the range, as this thread last saw it, is durable.
 *
 * Thread safe.  Signal safe.
 *
 * Return: as pmk_map_drain().
 */
int pmk_map_persist(struct pmk_map *map, const void *addr, size_t len)
	PMK_MUST_CHECK;

/**
 * pmk_map_memmove() - copy into the mapping and make the copy durable
 * @map: the mapping
 * @dst: destination, inside the mapping; no alignment needed
 * @src: source, anywhere; may overlap @dst
 * @len: bytes
 * @flags: PMK_F_* of <pmk/copy.h>
 *
 * With flags 0 the copy is durable on return 0.  With PMK_F_NODRAIN it is
 * after pmk_map_drain() of the range by this thread; with PMK_F_NOFLUSH after
 * pmk_map_persist().  Store widths are those of pmk_memmove().
 *
 * Thread safe.  Signal safe.
 *
 * Return: 0; PMK_E_RANGE or PMK_E_READ_ONLY, and nothing was copied; -errno of
 * msync(2).
 */
int pmk_map_memmove(struct pmk_map *map, void *dst, const void *src, size_t len,
		    unsigned int flags) PMK_MUST_CHECK;

/**
 * pmk_map_memcpy() - pmk_map_memmove() by the name of its commoner use
 * @map: see pmk_map_memmove()
 * @dst: see pmk_map_memmove()
 * @src: see pmk_map_memmove(); overlap is allowed
 * @len: see pmk_map_memmove()
 * @flags: see pmk_map_memmove()
 *
 * Return: as pmk_map_memmove().
 */
int pmk_map_memcpy(struct pmk_map *map, void *dst, const void *src, size_t len,
		   unsigned int flags) PMK_MUST_CHECK;

/**
 * pmk_map_memset() - fill part of the mapping and make it durable
 * @map: the mapping
 * @dst: destination, inside the mapping; no alignment needed
 * @c: the byte
 * @len: bytes
 * @flags: PMK_F_*
 *
 * Durability and safety are those of pmk_map_memmove().
 *
 * Return: as pmk_map_memmove().
 */
int pmk_map_memset(struct pmk_map *map, void *dst, int c, size_t len,
		   unsigned int flags) PMK_MUST_CHECK;

/**
 * pmk_map_deep_sync() - durable against the failure of the domain itself
 * @map: the mapping
 * @addr: first byte; no alignment needed
 * @len: bytes
 *
 * pmk_map_persist(), then what the platform offers beyond its persistence
 * domain: msync(2) on files, a write to the region's deep_flush attribute on
 * devdax (Documentation/ABI/testing/sysfs-bus-nfit), nothing when emulated.
 *
 * Thread safe.  Not signal safe.
 *
 * Return: 0 done; 1 durable, and the platform has nothing deeper to flush;
 * PMK_E_RANGE; PMK_E_NOT_PERMITTED if deep_flush cannot be written; PMK_E_SYSFS
 * if it cannot be found; -errno of msync(2) or write(2).
 */
int pmk_map_deep_sync(struct pmk_map *map, const void *addr, size_t len)
	PMK_MUST_CHECK;

/* Why a path gives the granularity it gives; lib/map/reason.def has texts. */
enum pmk_map_reason {
	/* it is persistent memory */
	PMK_REASON_DAX = 0,    /* a DAX file: MAP_SYNC was granted */
	PMK_REASON_DEVDAX = 1, /* a devdax node on an nvdimm region */
	/* memory, but nothing says that it keeps its content */
	PMK_REASON_VOLATILE_REGION = 2, /* nvdimm region of volatile memory */
	PMK_REASON_DEVDAX_NOT_PMEM = 3, /* devdax outside of nvdimm regions */
	PMK_REASON_VOLATILE_FS = 4,     /* tmpfs, ramfs, hugetlbfs */
	/* the file system */
	PMK_REASON_OVERLAYFS = 5,           /* never passes MAP_SYNC on */
	PMK_REASON_FUSE = 6,                /* nor does FUSE, with virtiofs */
	PMK_REASON_FS_WITHOUT_DAX = 7,      /* has no DAX */
	PMK_REASON_FS_WITHOUT_MAP_SYNC = 8, /* has DAX, but no MAP_SYNC */
	PMK_REASON_BLOCK_SIZE = 9,          /* blocks are not pages */
	PMK_REASON_DAX_NEVER = 10,          /* mounted dax=never */
	PMK_REASON_NO_DAX_ATTRIBUTE = 11,   /* dax=inode, and not this one */
	PMK_REASON_DAX_PENDING = 12,        /* attribute not in effect yet */
	PMK_REASON_INODE_EXCLUDED = 13,     /* encrypted, verity, ... */
	PMK_REASON_NEW_FILE_DAX = 14,       /* directory: DAX for new files */
	/* what is below it */
	PMK_REASON_BLOCK_NOT_PMEM = 15,      /* another kind of device */
	PMK_REASON_SECTOR_MODE = 16,         /* namespace in btt mode */
	PMK_REASON_RAW_MODE = 17,            /* namespace in raw mode */
	PMK_REASON_PARTITION_ALIGNMENT = 18, /* not in whole pages */
	PMK_REASON_STACKED_MIXED = 19,       /* dm, md: partly not pmem */
	PMK_REASON_STACKED_NOT_DAX = 20,     /* dm, md: a target without DAX */
	PMK_REASON_LOOP = 21,                /* loop device */
	PMK_REASON_ASYNC_FLUSH = 22,         /* virtio-pmem: no MAP_SYNC */
	PMK_REASON_PMEM_BLOCK_DEVICE = 23,   /* the path is the device itself */
	/* devices, the kernel, the path */
	PMK_REASON_SYSTEM_RAM = 24, /* devdax used as ordinary memory */
	PMK_REASON_DEVICE_OFF = 25, /* devdax without a driver */
	PMK_REASON_NO_SYSFS = 26,   /* sysfs does not show the device */
	PMK_REASON_OLD_KERNEL = 27, /* MAP_SYNC unknown (before 4.15) */
	PMK_REASON_FILE_TYPE = 28,  /* cannot be mapped at all */
	PMK_REASON_NO_ACCESS = 29,  /* cannot be opened */
	PMK_REASON_UNKNOWN = 30,    /* nothing here proves why */
};

/* Why one fact of a report is unknown, or is "no"; lib/map/why.def has texts.
 */
enum pmk_map_why {
	PMK_WHY_NONE = 0,           /* the fact is known */
	PMK_WHY_NOT_APPLICABLE = 1, /* there is no such fact here */
	/* a domain, or anything from sysfs */
	PMK_WHY_NO_SYSFS = 2,     /* sysfs does not show the device */
	PMK_WHY_NO_REGION = 3,    /* no nvdimm region above the device */
	PMK_WHY_NOT_REPORTED = 4, /* the region has no persistence_domain */
	PMK_WHY_ODD_VALUE = 5,    /* sysfs has something unexpected */
	PMK_WHY_HIDDEN = 6,       /* the device cannot be seen from here */
	PMK_WHY_REALTIME = 7,     /* a file on xfs's realtime device */
	PMK_WHY_NO_ACCESS = 8,    /* may not be read */
	PMK_WHY_STACKED = 9,      /* dm, md: which part is used is not told */
	/* 2 MiB page faults */
	PMK_WHY_NO_FULL_RANGE = 10,       /* no written, aligned 2 MiB */
	PMK_WHY_UNSTEADY = 11,            /* measurements disagree */
	PMK_WHY_PREFAULTED = 12,          /* mlockall(2): no faults at all */
	PMK_WHY_BAD_BLOCK = 13,           /* what is to be touched is bad */
	PMK_WHY_EXTENT_SMALL = 14,        /* the file's pieces are too small */
	PMK_WHY_EXTENT_ALIGNMENT = 15,    /* pieces not at 2 MiB of device */
	PMK_WHY_PARTITION_ALIGNMENT = 16, /* partition not at 2 MiB */
	PMK_WHY_NAMESPACE_ALIGNMENT = 17, /* namespace data not at 2 MiB */
	PMK_WHY_DEVICE_ALIGNMENT = 18,    /* devdax of smaller alignment */
	PMK_WHY_LAYOUT_FITS = 19,         /* small though all fits */
	/* bad blocks */
	PMK_WHY_LIST_CUT = 20,      /* sysfs shows a part of the list only */
	PMK_WHY_NO_LIST = 21,       /* the device keeps no list */
	PMK_WHY_NO_EXTENT_MAP = 22, /* FIEMAP does not tell, or too much */
	PMK_WHY_MEMMAP = 23,        /* legacy memory, real or by memmap= */
};

/* A question to which "unknown" is an answer. */
enum pmk_answer {
	PMK_ANSWER_UNKNOWN = 0,
	PMK_ANSWER_NO = 1,
	PMK_ANSWER_YES = 2,
	PMK_ANSWER_PARTLY = 3, /* for some of it */
};

/* What a path names. */
enum pmk_map_object {
	PMK_MAP_OBJECT_UNKNOWN = 0, /* not there, or not to be reached */
	PMK_MAP_OBJECT_FILE = 1,    /* regular file */
	PMK_MAP_OBJECT_DIRECTORY = 2,
	PMK_MAP_OBJECT_BLOCK = 3,  /* block device */
	PMK_MAP_OBJECT_DEVDAX = 4, /* devdax node */
	PMK_MAP_OBJECT_CHAR = 5,   /* another character device */
	PMK_MAP_OBJECT_FIFO = 6,
	PMK_MAP_OBJECT_SOCKET = 7,
};

/*
 * What pmk_map_explain() found.  Strings are empty where they do not apply or
 * are unknown.  An empty file is judged as if it had a size.  Of a directory,
 * reason and domain are those of a new file in it, of a block device those of a
 * file on it; neither can be mapped itself.
 */
struct pmk_map_report {
	enum pmk_map_object object;
	enum pmk_answer pmem; /* is a mapping of it persistent memory? */
	enum pmk_map_kind kind;
	enum pmk_granularity granularity; /* ANY: it cannot be mapped */
	enum pmk_domain domain;
	enum pmk_map_why domain_why; /* NONE unless the domain is UNKNOWN */
	enum pmk_map_reason reason;
	int error; /* why it cannot be opened or mapped; 0 if it can */

	/* Do page faults of the mapping get 2 MiB or more at once?  Measured on
	 * huge_tested ranges of 2 MiB, of which huge_hits did. */
	enum pmk_answer huge_faults;
	enum pmk_map_why huge_why; /* NONE only if it is YES */
	uint32_t huge_tested;
	uint32_t huge_hits;

	/* What sysfs knows to be unreadable of the device (of a partition, of
	 * that) and of this file.  The number holds only if the reason beside
	 * it is NONE; with LIST_CUT it is the least possible. */
	uint64_t device_bad_bytes;
	uint64_t file_bad_bytes;
	enum pmk_map_why device_bad_why;
	enum pmk_map_why file_bad_why;

	uint64_t size_bytes; /* of the file or device */
	uint64_t align_bytes;
	char fs_type[32];     /* "ext4", "tmpfs", ... */
	char mount[256];      /* mount point */
	char options[256];    /* of the mount, by comma */
	char fs_options[256]; /* of the file system, in all its mounts */
	char device[64];      /* block or dax device: "pmem0", "dax1.0" */
	char region[32];      /* nvdimm region: "region0" */
	char detail[256];     /* one sentence with this path's particulars */
	uint64_t reserved[8];
};

/**
 * pmk_map_explain() - say what a path is and why
 * @path: anything
 * @report_ret: filled in whenever 0 is returned
 *
 * Asks the kernel by trial mappings, and reads sysfs and /proc for the reason.
 * Of a file or device that is persistent memory it reads some bytes, to see how
 * large the page faults are.  Writes nothing, not even a time of access, if the
 * caller may prevent that (O_NOATIME).  Says UNKNOWN rather than guess.
 *
 * Takes milliseconds.  Thread safe.  Not signal safe; for the first time it
 * installs the handlers that pmk_copy_mc() describes.
 *
 * Return: 0, also for a path that cannot be opened or mapped: then
 * @report_ret->error and @report_ret->reason tell.  -EINVAL if an argument is
 * NULL.
 */
int pmk_map_explain(const char *path, struct pmk_map_report *report_ret)
	PMK_MUST_CHECK;

/**
 * pmk_map_reason_text() - a reason in words
 * @reason: enum pmk_map_reason
 *
 * Thread and signal safe, as the functions below.
 *
 * Return: a static sentence, never NULL.
 */
const char *pmk_map_reason_text(enum pmk_map_reason reason);

/**
 * pmk_map_reason_remedy() - what to change
 * @reason: enum pmk_map_reason
 *
 * Return: a static sentence; empty if nothing needs changing.
 */
const char *pmk_map_reason_remedy(enum pmk_map_reason reason);

/**
 * pmk_map_reason_name() - the symbol of a reason
 * @reason: enum pmk_map_reason
 *
 * Return: a static lower-case name such as "dax_never", never NULL.
 */
const char *pmk_map_reason_name(enum pmk_map_reason reason);

/**
 * pmk_map_why_text() - why a fact is unknown, in words
 * @why: enum pmk_map_why
 *
 * Return: a static sentence; empty for PMK_WHY_NONE; never NULL.
 */
const char *pmk_map_why_text(enum pmk_map_why why);

/**
 * pmk_map_why_remedy() - what to change so that the fact is known, or "yes"
 * @why: enum pmk_map_why
 *
 * Return: a static sentence; empty if there is no general advice; never NULL.
 */
const char *pmk_map_why_remedy(enum pmk_map_why why);

/**
 * pmk_map_why_name() - the symbol of such a reason
 * @why: enum pmk_map_why
 *
 * Return: a static lower-case name such as "not_reported", never NULL.
 */
const char *pmk_map_why_name(enum pmk_map_why why);

/**
 * pmk_map_object_name() - the name of what a path names
 * @object: enum pmk_map_object
 *
 * Return: a static string such as "directory", never NULL.
 */
const char *pmk_map_object_name(enum pmk_map_object object);

/**
 * pmk_map_kind_name() - the name of a kind
 * @kind: enum pmk_map_kind
 *
 * Return: a static string such as "fsdax", never NULL.
 */
const char *pmk_map_kind_name(enum pmk_map_kind kind);

/**
 * pmk_granularity_name() - the name of a granularity
 * @granularity: enum pmk_granularity
 *
 * Return: "byte", "cache line", "page" or "none", never NULL.
 */
const char *pmk_granularity_name(enum pmk_granularity granularity);

#ifdef __cplusplus
}
#endif

#endif /* PMK_MAP_H */
