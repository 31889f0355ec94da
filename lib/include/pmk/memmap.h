/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a kernel makes of a namespace of persistent memory: how much of it can
 * be used, where its struct pages go, and what is in them.
 *
 * Nothing here looks at a device or needs one: all results follow from the
 * parameters.  docs/memmap.md has the rules, and where they were checked.
 */
#ifndef PMK_MEMMAP_H
#define PMK_MEMMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/discover.h>
#include <pmk/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the struct pages of a namespace are. */
enum pmk_memmap_map {
	PMK_MEMMAP_DEV = 0, /* in the namespace itself: ndctl's default */
	PMK_MEMMAP_MEM = 1, /* in ordinary memory */
};

/* Physical memory, in bytes; @end is the first byte behind it. */
struct pmk_memmap_range {
	uint64_t start;
	uint64_t end;
};

/**
 * pmk_memmap_kernel_name() - the kernels whose rules are known
 * @kernel: counting from 0 lists them all, oldest first
 *
 * A name is the version from which on a set of rules holds: "6.1", "6.1.192",
 * "6.12", "6.12.117", "6.15", "6.18", "7.1", "7.2".
 *
 * Thread and signal safe.
 *
 * Return: a static string, or NULL past the last kernel.
 */
const char *pmk_memmap_kernel_name(unsigned int kernel);

/**
 * pmk_memmap_kernel() - find a kernel by its name
 * @name: one of pmk_memmap_kernel_name(), or NULL for the newest
 *
 * Thread and signal safe.
 *
 * Return: the number of the kernel.  -ENOENT: no kernel of that name.
 */
int pmk_memmap_kernel(const char *name) PMK_MUST_CHECK;

/* A namespace, as it is asked for. */
struct pmk_memmap_params {
	uint64_t start;     /* physical address, bytes */
	uint64_t size;      /* raw size, bytes */
	uint64_t align;     /* 4096, 2 MiB or 1 GiB */
	enum pmk_mode mode; /* PMK_MODE_FSDAX or PMK_MODE_DEVDAX */
	enum pmk_memmap_map map;
	unsigned int kernel; /* see pmk_memmap_kernel() */
	/* bytes that are kept free for each struct page with PMK_MEMMAP_DEV:
	 * 64 (also as 0), which every kernel keeps whose struct pages are not
	 * larger; 80 or 96, which one keeps whose struct pages are, with either
	 * map, of that size; or 128, as some of 2022 did for struct pages of 64
	 */
	unsigned int struct_page;
	/* Ordinary memory of the machine, ascending, or NULL: a section of 128
	 * MiB that it shares with the namespace has a memmap already. */
	const struct pmk_memmap_range *ram;
	size_t n_ram;
};

/* The same, as the kernel makes it.  Pages are of 4096 bytes. */
struct pmk_memmap_layout {
	uint64_t dataoff;   /* bytes from the start to the first data page */
	uint64_t npfns;     /* data pages */
	uint64_t usable;    /* bytes of them: the size of the device */
	uint64_t end_trunc; /* bytes at the end that are left out */
	/* pages at the front that hold struct pages (all 0 with
	 * PMK_MEMMAP_MEM): the reserved ones are skipped, the used ones of the
	 * free ones taken.  @altmap_used is 0, as it is not known, with struct
	 * pages of 80 or 96 bytes */
	uint64_t altmap_reserve;
	uint64_t altmap_free;
	uint64_t altmap_used;
	/* what memmap_init_zone_device() prints: the pages it goes over */
	uint64_t init_pages;
	/* what it writes, less with compounds whose tails share memory */
	uint64_t struct_pages_written;
	/* memory for struct pages, less those in shared sections, which have
	 * some already */
	uint64_t memmap_bytes;
	uint64_t memmap_pmem_bytes; /* of it, in the namespace */
	uint64_t memmap_dram_bytes; /* of it, in ordinary memory */
	/* sections of 128 MiB that are shared with @ram */
	uint64_t shared_sections;
	/* why there is no layout, in the words of the kernel if it has any; a
	 * static string, NULL if there is one */
	const char *reason;
	/* worth knowing although it works; a static string or NULL */
	const char *warning;
};

/**
 * pmk_memmap_predict() - what a namespace will be
 * @params: the namespace
 * @layout_ret: filled in; on error only @reason is, and the rest is 0
 *
 * The rules are those by which Linux sets up a new namespace (nd_pfn_init and
 * memremap_pages of 5.x to 7.x); they were compared with ndctl write-infoblock
 * and with what kernels print.
 *
 * Thread and signal safe, but for the log.
 *
 * Return: 0.  -EINVAL: the kernel says EINVAL, or @params are none that a
 * kernel could see.  -ENXIO: the kernel says ENXIO: nothing is left for data.
 * -EEXIST: the namespace overlaps @ram.  -EOVERFLOW: it ends behind 2^63.
 * -ENOENT: no such kernel.
 */
int pmk_memmap_predict(const struct pmk_memmap_params *params,
		       struct pmk_memmap_layout *layout_ret) PMK_MUST_CHECK;

/**
 * pmk_memmap_size_for() - the smallest namespace that has room
 * @params: the namespace; its size is not looked at
 * @usable: bytes that must be usable, at least
 * @granule: the size is to be a multiple of this, bytes; a power of two times
 *	the ways that a region interleaves; at least 4096
 * @size_ret: set to the raw size, bytes
 *
 * Thread and signal safe, but for the log.
 *
 * Return: 0, or an error of pmk_memmap_predict(); also -EINVAL for @granule.
 */
int pmk_memmap_size_for(const struct pmk_memmap_params *params, uint64_t usable,
			uint64_t granule, uint64_t *size_ret) PMK_MUST_CHECK;

/*
 * A simulated memmap: the struct pages of a namespace, built in memory of the
 * caller's as a kernel builds them when it binds the namespace.
 */
struct pmk_memmap;

/* How struct pages are written. */
enum pmk_memmap_engine {
	PMK_MEMMAP_SLOW = 0,     /* field by field: Linux up to 7.2 */
	PMK_MEMMAP_TEMPLATE = 1, /* memcpy() of a finished one */
	PMK_MEMMAP_CALL = 2,     /* the same by MOVNTI, a call for each */
	PMK_MEMMAP_INLINE = 3,   /* by MOVNTI in line: the series of 2026 */
	PMK_MEMMAP_STREAM = 4,   /* the best that this library can do */
};

/* What is simulated. */
struct pmk_memmap_sim {
	struct pmk_memmap_params ns;
	unsigned int page_bytes; /* of a struct page: 64, 80 or 96; 0 is 64 */
	unsigned int nid;        /* NUMA node, below 1024 */
	unsigned int zone;       /* below 8; ZONE_DEVICE is 4 */
	/* the number of its section is in the flags of a page, as with a memmap
	 * that is not mapped to one virtual range (classic SPARSEMEM); the node
	 * then is not */
	bool section_in_flags;
	/* address of the struct page of frame 0, a multiple of 4096 */
	uint64_t vmemmap_base;
	/* address of the struct dev_pagemap, a multiple of 8 */
	uint64_t pgmap;
};

/* Where x86-64 has struct pages if it does not move them at random. */
#define PMK_MEMMAP_VMEMMAP_BASE 0xffffea0000000000U
#define PMK_MEMMAP_ZONE_DEVICE  4

/**
 * pmk_memmap_engine_name() - the ways to write struct pages, by name
 * @engine: counting from 0 lists them all
 *
 * Thread and signal safe.
 *
 * Return: "slow", "template", "call", "inline" or "stream", a static string, or
 * NULL past the last.
 */
const char *pmk_memmap_engine_name(unsigned int engine);

/**
 * pmk_memmap_new() - begin a simulation
 * @sim: what is simulated
 * @map_ret: set to the simulation on success; pmk_memmap_free() frees it
 *
 * Thread safe.  @sim is not needed afterwards, nor is what it points to.  A
 * simulation may be used by many threads at once if they build different
 * frames; all that is told of it may be asked meanwhile.
 *
 * Return: 0.  An error of pmk_memmap_predict().  -ENXIO also: the kernel makes
 * a device without a page.  -EINVAL: @sim has a value that the comments there
 * do not allow, the namespace ends behind 4 PiB, or, with section_in_flags,
 * behind 64 TiB.  -EOPNOTSUPP: compounds of 1 GiB whose tails share memory, in
 * a section that is shared with RAM: what is in their struct pages has not been
 * seen.  -ENOMEM.
 */
int pmk_memmap_new(const struct pmk_memmap_sim *sim,
		   struct pmk_memmap **map_ret) PMK_MUST_CHECK;

/**
 * pmk_memmap_free() - end a simulation
 * @map: from pmk_memmap_new(), or NULL
 */
void pmk_memmap_free(struct pmk_memmap *map);

/**
 * pmk_memmap_layout() - what the namespace of a simulation is like
 * @map: the simulation
 *
 * Return: the result of pmk_memmap_predict(), valid as long as @map.
 */
const struct pmk_memmap_layout *pmk_memmap_layout(const struct pmk_memmap *map);

/*
 * Page frames are counted from the first of the namespace.  Those with
 * struct pages are 0 to pmk_memmap_frames(); in memory the struct pages follow
 * one another in that order, but those of deduplicated tails, whose memory is
 * that of others, are not there again.
 */

/**
 * pmk_memmap_frames() - the page frames that have a struct page
 * @map: the simulation
 *
 * Return: pages of 4096 bytes.
 */
uint64_t pmk_memmap_frames(const struct pmk_memmap *map);

/**
 * pmk_memmap_cut() - where a memmap may be cut into pieces
 * @map: the simulation
 * @frame: a frame
 *
 * Windows, or threads, work on pieces.  A compound is never cut.
 *
 * Return: the last frame up to @frame that a piece may begin with.
 */
uint64_t pmk_memmap_cut(const struct pmk_memmap *map, uint64_t frame);

/**
 * pmk_memmap_bytes() - the memory that struct pages take
 * @map: the simulation
 * @first: a frame at which pmk_memmap_cut() cuts
 * @n: frames, up to another such or to the last
 *
 * Return: bytes.
 */
uint64_t pmk_memmap_bytes(const struct pmk_memmap *map, uint64_t first,
			  uint64_t n);

/**
 * pmk_memmap_build_altmap() - the struct pages that hold struct pages
 * @map: the simulation
 * @first: see pmk_memmap_bytes()
 * @n: see pmk_memmap_bytes()
 * @buf: memory for the struct pages of these frames; aligned to 64
 *
 * What Linux does under the lock of memory hotplug, before
 * memmap_init_zone_device() (memmap_init_range): ordinary reserved pages, by
 * ordinary stores, for the frames that hold the memmap itself.  Nothing for
 * others, nor with PMK_MEMMAP_MEM.
 */
void pmk_memmap_build_altmap(struct pmk_memmap *map, uint64_t first, uint64_t n,
			     void *buf);

/**
 * pmk_memmap_build() - the struct pages of data, as memmap_init_zone_device()
 * @map: the simulation
 * @engine: how
 * @first: see pmk_memmap_bytes()
 * @n: see pmk_memmap_bytes()
 * @buf: memory for the struct pages of these frames; aligned to 64
 *
 * In the order of work of the kernel that is simulated, with fences where it
 * has them.  All engines write the same; all but PMK_MEMMAP_SLOW and
 * PMK_MEMMAP_TEMPLATE leave most of it out of the cache and have drained it on
 * return.  Frames of the info block are left as they are.
 *
 * Return: the struct pages written.  -ENOENT: no such engine.
 */
int64_t pmk_memmap_build(struct pmk_memmap *map, unsigned int engine,
			 uint64_t first, uint64_t n, void *buf) PMK_MUST_CHECK;

/**
 * pmk_memmap_page() - where the struct page of a frame is
 * @map: the simulation
 * @first: the frame that @buf begins with, as in pmk_memmap_build()
 * @buf: the memory that was built
 * @frame: the frame, in what was built
 *
 * Return: its address in @buf: the same for tails that share one.
 */
const void *pmk_memmap_page(const struct pmk_memmap *map, uint64_t first,
			    const void *buf, uint64_t frame);

/**
 * pmk_memmap_pageblocks() - the migration types of the page blocks
 * @map: the simulation
 *
 * Return: one byte for each 512 frames: 1 (movable) if it was set, else 0;
 * valid as long as @map.
 */
const uint8_t *pmk_memmap_pageblocks(const struct pmk_memmap *map);

/* A wrong field of a struct page. */
struct pmk_memmap_fault {
	uint64_t frame;    /* counted from the first of the namespace */
	const char *field; /* "flags", "refcount", ...; a static string */
	uint64_t expected;
	uint64_t found;
};

/* Called for each fault; another value than 0 ends the check. */
typedef int pmk_memmap_fault_fn(void *arg, const struct pmk_memmap_fault *f);

/**
 * pmk_memmap_verify() - check every field of every struct page
 * @sim: what is simulated, or what a kernel is said to have done
 * @first: a frame; any
 * @n: frames from there, in @pages
 * @pages: struct pages of frames @first to @first + @n, one for each frame
 *	also where memory is shared
 * @untouched: the byte that frames hold which nobody initialises, or -1 if
 *	those are not to be checked
 * @fn: called for each wrong field; may be NULL
 * @arg: for @fn
 *
 * Written apart from what builds them, so that the two can be compared: what a
 * kernel wrote can be checked in the same way.
 *
 * Thread and signal safe, but for the log.
 *
 * Return: how many faults were found.  An error of pmk_memmap_new() but
 * -ENOMEM.  -EINVAL also: frames that the namespace does not have.
 */
int64_t pmk_memmap_verify(const struct pmk_memmap_sim *sim, uint64_t first,
			  uint64_t n, const void *pages, int untouched,
			  pmk_memmap_fault_fn *fn, void *arg) PMK_MUST_CHECK;

/**
 * pmk_memmap_verify_pageblocks() - check the migration types
 * @sim: what is simulated
 * @types: as from pmk_memmap_pageblocks(), of the whole namespace
 * @n: how many there are
 * @fn: called for each wrong one, as field "pageblock" of its first frame; may
 *	be NULL
 * @arg: for @fn
 *
 * Thread and signal safe, but for the log.
 *
 * Return: how many faults were found.  An error of pmk_memmap_new() but
 * -ENOMEM.  -EINVAL also: @n is not the number of page blocks.
 */
int64_t pmk_memmap_verify_pageblocks(const struct pmk_memmap_sim *sim,
				     const uint8_t *types, uint64_t n,
				     pmk_memmap_fault_fn *fn, void *arg)
	PMK_MUST_CHECK;

/* What a struct page says of itself. */
struct pmk_memmap_page_info {
	uint64_t flags; /* all of the word */
	unsigned int nid;
	unsigned int zone;
	unsigned int section; /* 0 unless it is in the flags */
	bool reserved;
	bool head;          /* of a compound */
	bool tail;          /* of a compound */
	uint64_t link;      /* word at 8: pgmap, head or list */
	uint64_t head_page; /* of a tail: the address of its head */
	int32_t mapcount;
	int32_t refcount;
	uint64_t word[12]; /* as it is in memory; page_bytes / 8 of them */
};

/**
 * pmk_memmap_decode() - read a struct page
 * @sim: what wrote it; only the kernel, @page_bytes, @section_in_flags and
 *	@vmemmap_base are looked at
 * @pfn: its page frame, counted from physical address 0
 * @page: the struct page; no alignment needed
 * @info_ret: filled in
 *
 * Thread and signal safe, but for the log.
 *
 * Return: 0.  -EINVAL: @page_bytes.  -ENOENT: no such kernel.
 */
int pmk_memmap_decode(const struct pmk_memmap_sim *sim, uint64_t pfn,
		      const void *page, struct pmk_memmap_page_info *info_ret)
	PMK_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif /* PMK_MEMMAP_H */
