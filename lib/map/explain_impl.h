/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of pmk_map_explain(). */
#ifndef LIB_MAP_EXPLAIN_IMPL_H
#define LIB_MAP_EXPLAIN_IMPL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <pmk/map.h>

#include "map/block.h"
#include "map/fs.h"
#include "map/mount.h"

/* One call, and where its answers go. */
struct pmk_explain {
	const char *root; /* of sysfs; NULL is "/sys" */
	bool quick;       /* the reason only: no measurements, no lists */
	struct pmk_map_report *r;
};

/*
 * What is known of a file, or of a directory, to which MAP_SYNC was refused.
 * Answers are UNKNOWN where the kernel does not tell.
 */
struct pmk_file_facts {
	int sync_error;      /* of mmap(2) with MAP_SYNC */
	bool validate_works; /* MAP_SHARED_VALIDATE alone was granted */
	bool directory;
	struct pmk_fs fs;
	bool maybe_ext2;         /* perhaps not the ext4 driver */
	uint64_t fs_block_bytes; /* 0: unknown */
	uint64_t page_bytes;
	enum pmk_dax_option option;
	enum pmk_answer inode_dax; /* STATX_ATTR_DAX: in effect */
	enum pmk_answer attribute; /* FS_XFLAG_DAX: asked for */
	enum pmk_answer shared;    /* has extents in common with other files */
	const char *excluded;      /* what keeps DAX off this inode, or NULL */
	bool realtime;             /* FS_XFLAG_REALTIME */
	bool block_known;
	struct pmk_block_facts block;
	/* of all that the block device is made of, or of itself */
	enum pmk_answer stack_dax;
	bool stack_pmem; /* some of it is on an nvdimm region */
	/* what all of it is, OTHER if that differs */
	enum pmk_block_kind stack_kind;
	bool stack_async; /* some of it needs a flush command */
};

/* explain.c: pmk_map_explain() with a sysfs and a depth of one's own. */
int pmk_map_explain_at(const char *sysfs_root, const char *path, bool quick,
		       struct pmk_map_report *report_ret);

/* explain_reason.c: the reason, and in @what_ret a clause with particulars, or
 * NULL.  Pure. */
enum pmk_map_reason pmk_explain_reason(const struct pmk_file_facts *f,
				       const char **what_ret);
/* The same for a block device itself. */
enum pmk_map_reason pmk_explain_block_reason(const struct pmk_file_facts *f,
					     const char **what_ret);

/* explain_facts.c: of a descriptor, perhaps one of O_PATH. */
void pmk_explain_facts(const char *root, int fd, dev_t dev,
		       const struct pmk_mount *m, struct pmk_file_facts *f);
/* explain_facts.c: of the block device in f->block. */
void pmk_explain_stack(struct pmk_file_facts *f);

/* explain_file.c, explain_device.c: one kind of path each. */
void pmk_explain_file(struct pmk_explain *e, const char *path,
		      const struct stat *st);
void pmk_explain_directory(struct pmk_explain *e, const char *path,
			   const struct stat *st);
void pmk_explain_char(struct pmk_explain *e, const char *path,
		      const struct stat *st);
void pmk_explain_block(struct pmk_explain *e, const struct stat *st);

/* explain.c: set the reason together with what follows from it. */
void pmk_explain_error(struct pmk_map_report *r, int error,
		       enum pmk_map_reason reason);
void pmk_explain_domain(struct pmk_map_report *r, struct pmk_domain_fact f);
enum pmk_answer pmk_explain_is_pmem(struct pmk_domain_fact f);
/* What the memory of a region is, if it is legacy memory. */
void pmk_explain_legacy(struct pmk_map_report *r, const char *region);
/* explain.c: add a sentence to the detail, which is cut if it gets too long. */
__attribute__((format(printf, 2, 3))) void pmk_explain_say(
	struct pmk_map_report *r, const char *fmt, ...);
/* explain.c: name the device, and the regions that are below it. */
void pmk_explain_device(struct pmk_map_report *r,
			const struct pmk_block_facts *b);

/* explain_huge.c: measure the page faults. */
void pmk_explain_huge_file(struct pmk_map_report *r, int fd,
			   const struct pmk_file_facts *f);
void pmk_explain_huge_devdax(struct pmk_map_report *r, int fd,
			     const struct pmk_devdax_facts *f);

/* explain_bad.c: count bad blocks; @fd is -1 if there is no file. */
void pmk_explain_bad_file(struct pmk_map_report *r, int fd,
			  const struct pmk_file_facts *f);
void pmk_explain_bad_devdax(struct pmk_map_report *r, const char *region,
			    const struct pmk_devdax_facts *f);

#endif /* LIB_MAP_EXPLAIN_IMPL_H */
