/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine inside: what its files share.
 *
 *	engine_open.c, engine_create.c, engine_close.c, engine_target.c
 *	                 begin and end
 *	engine_read.c, engine_write.c, engine_commit.c,
 *	engine_discard.c, engine_writeback.c             what it does
 *	engine_media.c   how metadata get onto the medium, in both modes
 *	engine_table.c   blocks in memory: found by sector, and in order
 *	engine_ops.c     the instructions and system calls
 */
#ifndef LIB_WC_ENGINE_H
#define LIB_WC_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wc.h>

/* What each fence (mode p), or sync of the cache (mode s), is for. */
enum wc_barrier {
	WC_BARRIER_UNMAKE,       /* create: no magic, before all else */
	WC_BARRIER_BODY,         /* create: the entries, before the magic */
	WC_BARRIER_MAGIC,        /* create: the magic */
	WC_BARRIER_RESUME,       /* open: what was erased */
	WC_BARRIER_DATA,         /* commit: data and entries */
	WC_BARRIER_SEQ,          /* commit: the sequence */
	WC_BARRIER_SUPERSEDED,   /* commit: what it superseded is free */
	WC_BARRIER_WRITTEN_SOME, /* writeback: each 16 blocks that are free */
	WC_BARRIER_WRITTEN,      /* writeback: the last of them */
	WC_BARRIER_DISCARD,      /* discard: what is free */
	WC_BARRIER_OVERWRITTEN,  /* commit, mode s: data in place */
	WC_BARRIER_AROUND, /* commit, mode s: data that went to the origin */
	WC_BARRIER_ORIGIN, /* writeback: sync of the origin */
	WC_BARRIERS,
};

enum wc_file {
	WC_CACHE, /* mode s */
	WC_ORIGIN,
};

/*
 * All that reaches a medium, so that a recorder can stand in between; off is
 * from the start of the file.  The calls of files return 0 or -errno, and a
 * read behind the end is -EIO.
 */
struct wc_ops {
	void (*store4)(void *ctx, void *dst, const void *src);
	void (*store8)(void *ctx, void *dst, const void *src);
	void (*store16)(void *ctx, void *dst, const void *src);
	void (*data)(void *ctx, void *dst, const void *src, size_t len);
	void (*fence)(void *ctx, enum wc_barrier which);
	int (*read)(void *ctx, enum wc_file file, void *buf, size_t len,
		    uint64_t off);
	int (*write)(void *ctx, enum wc_file file, const void *buf, size_t len,
		     uint64_t off);
	int (*sync)(void *ctx, enum wc_file file, enum wc_barrier which);
	/* of the origin; that it cannot is no error */
	int (*discard)(void *ctx, uint64_t off, uint64_t len);
};

/* What the usual ops work on. */
struct wc_files {
	int fd[2]; /* by enum wc_file; -1: none */
};

/* What a cache is made or opened on. */
struct wc_target {
	char mode;
	unsigned char *base; /* mode p: of the mapping */
	uint64_t bytes;      /* of the mapping, or of the cache's file */
	bool has_origin;
	uint64_t origin_bytes;
	const struct wc_ops *ops; /* NULL: as the parameters say */
	void *ctx;                /* of the ops; NULL: the files */
	struct wc_files files;
};

#define WC_NONE UINT32_MAX

/* A block in memory.  It is on the free list or on the list of those in use. */
struct wc_block {
	uint64_t sector;
	uint64_t seq;
	uint32_t chain; /* next of the same bucket, older */
	uint32_t newer; /* neighbours on its list */
	uint32_t older;
	bool used;
};

struct wc_list {
	uint32_t newest;
	uint32_t oldest;
	uint32_t n;
};

struct wc_table {
	struct wc_block *block;
	uint32_t *bucket;
	uint32_t n;
	unsigned int shift;  /* of the hash */
	struct wc_list used; /* the uncommitted are the newest of it */
	struct wc_list free; /* taken from the old end */
};

struct pmk_wc {
	struct wc_target target;
	struct pmk_wc_geometry geo;
	uint64_t offset; /* of the superblock in its file or mapping */
	/* the superblock and all entries, data_off bytes: the medium itself
	 * (p), or a copy of it (s) */
	unsigned char *meta;
	unsigned char *dirty; /* s: of each granule */
	uint64_t seq;
	struct wc_table table;
	uint32_t uncommitted;
	uint32_t autocommit;
	uint32_t high_free; /* thresholds */
	uint32_t low_free;
	bool overwrote;    /* s: committed blocks, since the last sync */
	bool wrote_around; /* s: to the origin, since its last sync */
	int error;         /* the first failure */
	struct pmk_wc_stats stats;
};

/* Where the fields of a superblock are that are stored one by one. */
enum {
	WC_OFF_MAGIC = 0,
	WC_OFF_VERSION = 4,
	WC_OFF_BLOCK_SIZE = 8,
	WC_OFF_N_BLOCKS = 16,
	WC_OFF_SEQ_COUNT = 24,
};

/* RAM copies go to the medium in pieces of this many bytes. */
#define WC_GRANULE ((uint64_t)65536)

/* engine_ops.c: the table for a way to store; NULL if the CPU has it not. */
const struct wc_ops *pmk_wc_ops_for(enum pmk_wc_store store,
				    uint32_t block_size);

/* engine_table.c */
int pmk_wc_table_init(struct wc_table *t, uint32_t n);
void pmk_wc_table_fini(struct wc_table *t);
/* The newest block of a sector, or of those older than @i; or WC_NONE. */
uint32_t pmk_wc_table_find(const struct wc_table *t, uint64_t sector);
uint32_t pmk_wc_table_older(const struct wc_table *t, uint32_t i);
/* The block that has been free longest, which goes on being free; WC_NONE. */
uint32_t pmk_wc_table_next_free(const struct wc_table *t);
/* A free block becomes the newest in use. */
void pmk_wc_table_use(struct wc_table *t, uint32_t i, uint64_t sector,
		      uint64_t seq);
void pmk_wc_table_release(struct wc_table *t, uint32_t i);
/* Of a new table, where no block is on a list. */
void pmk_wc_table_add_free(struct wc_table *t, uint32_t i);
void pmk_wc_table_add_used(struct wc_table *t, uint32_t i, uint64_t sector,
			   uint64_t seq);

/* engine_media.c: changes of metadata.  What they store is durable after a
 * barrier, and in any order before. */
void pmk_wc_put4(struct pmk_wc *wc, uint64_t off, uint32_t v);
void pmk_wc_put8(struct pmk_wc *wc, uint64_t off, uint64_t v);
void pmk_wc_put_entry(struct pmk_wc *wc, uint32_t i, uint64_t sector,
		      uint64_t seq);
/* The entry is free on the medium, after a barrier. */
void pmk_wc_put_free(struct pmk_wc *wc, uint32_t i);
/* Wait until all of it is durable: a fence (p); the dirty granules and a sync
 * (s). */
int pmk_wc_barrier(struct pmk_wc *wc, enum wc_barrier which);
/* The same of the superblock, which alone has changed. */
int pmk_wc_barrier_super(struct pmk_wc *wc, enum wc_barrier which);
/* As much as the kernel writes of the superblock (s): max(4096, block_size),
 * but no data. */
uint64_t pmk_wc_super_len(const struct pmk_wc *wc);
/* Sync the cache's file (s). */
int pmk_wc_sync_cache(struct pmk_wc *wc, enum wc_barrier which);
int pmk_wc_sync_origin(struct pmk_wc *wc, enum wc_barrier which);
/* A RAM copy of the metadata (s): all zero, and no granule dirty. */
int pmk_wc_meta_alloc(struct pmk_wc *wc);

/* engine_open.c */
/* What both kinds of open share; keeps a copy of @target. */
int pmk_wc_open_target(const struct wc_target *target,
		       const struct pmk_wc_params *params,
		       struct pmk_wc **wc_ret);
/* engine_close.c: as a crash does it: nothing reaches the medium. */
void pmk_wc_abandon(struct pmk_wc *wc);

/* engine_create.c */
int pmk_wc_create_target(const struct wc_target *target,
			 const struct pmk_wc_params *params);

/* engine_target.c: a mapping, or files; checks them and the parameters. */
int pmk_wc_target_map(struct wc_target *t, struct pmk_map *map, int origin_fd,
		      const struct pmk_wc_params *p);
int pmk_wc_target_fd(struct wc_target *t, int fd, int origin_fd,
		     const struct pmk_wc_params *p);
/* A copy of @from whose ops and context are there. */
void pmk_wc_target_ready(struct wc_target *t, const struct wc_target *from,
			 enum pmk_wc_store store, uint32_t block_size);
/* The bytes of the cache, from the superblock on; or PMK_E_RANGE, -EINVAL. */
int pmk_wc_target_size(const struct wc_target *t, const struct pmk_wc_params *p,
		       uint64_t *bytes_ret);

/* engine_commit.c: the first failure is remembered; returns @rc. */
int pmk_wc_fail(struct pmk_wc *wc, int rc);

/* engine_read.c: 0, or -EINVAL for a range that is none. */
int pmk_wc_check_range(const struct pmk_wc *wc, uint64_t off, uint64_t len);

/* engine_writeback.c: write back the oldest @max blocks.  Their number, or a
 * negative code. */
int64_t pmk_wc_write_back(struct pmk_wc *wc, uint32_t max);

static inline unsigned char *pmk_wc_data(const struct pmk_wc *wc, uint32_t i)
{
	return wc->meta + pmk_wc_block_off(&wc->geo, i); /* mode p */
}

/* Where block @i is in the cache's file. */
static inline uint64_t pmk_wc_file_off(const struct pmk_wc *wc, uint32_t i)
{
	return wc->offset + pmk_wc_block_off(&wc->geo, i);
}

static inline bool pmk_wc_is_committed(const struct pmk_wc *wc, uint32_t i)
{
	return wc->table.block[i].seq < wc->seq;
}

#endif /* LIB_WC_ENGINE_H */
