/* SPDX-License-Identifier: BSD-3-Clause */
/* What a mapping is inside the library. */
#ifndef LIB_MAP_MAP_IMPL_H
#define LIB_MAP_MAP_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <pmk/map.h>

/*
 * What differs between granularities.  Ranges have been checked.  A recorder
 * (the power-failure emulator) puts a table of its own in front of another.
 */
struct pmk_map_ops {
	/* start to make a range durable */
	void (*flush)(struct pmk_map *map, const void *addr, size_t len);
	/* wait until it is; 0 or -errno */
	int (*drain)(struct pmk_map *map, const void *addr, size_t len);
	/* copy and fill; durable after drain with PMK_F_NODRAIN, after flush
	 * and drain with PMK_F_NOFLUSH, else on return; 0 or -errno */
	int (*memmove)(struct pmk_map *map, void *dst, const void *src,
		       size_t len, unsigned int flags);
	int (*memset)(struct pmk_map *map, void *dst, int c, size_t len,
		      unsigned int flags);
	/* store whole aligned lines, durable after drain */
	void (*store_lines)(struct pmk_map *map, void *dst, const void *src,
			    size_t lines);
};

struct pmk_map {
	unsigned char *addr;
	size_t len;
	size_t align;
	const struct pmk_map_ops *ops;
	int fd;
	enum pmk_map_kind kind;
	enum pmk_granularity granularity;
	enum pmk_domain domain;
	bool read_only;
	char *region; /* sysfs directory of the nvdimm region, or NULL */
};

/* What map_file.c has done to a file, so that a failure can undo it. */
struct pmk_file_undo {
	const char *path;
	bool created;
	bool extended;
	uint64_t old_size;
};

/* map_file.c, map_devdax.c, map_anon.c: fill in @map, whose fd (for anon: not
 * yet) is open.  0 or a negative code; the caller closes the map on error. */
int pmk_map_init_file(struct pmk_map *map, const struct pmk_map_params *p,
		      const struct stat *st, const char *path);
int pmk_map_init_devdax(struct pmk_map *map, const struct pmk_map_params *p,
			const struct stat *st, const char *path);
int pmk_map_init_anon(struct pmk_map *map, const struct pmk_map_params *p);

/* map_devdax.c: explain why a dax device is not to be mapped; 0 if it is, or is
 * none, or sysfs does not tell. */
int pmk_map_check_devdax(const struct pmk_map_params *p, dev_t rdev,
			 const char *path);

/* map_file.c: reserve the blocks of a mapping that CREATE made, and make its
 * file long enough.  On failure the file has its old length. */
int pmk_map_make_room(struct pmk_map *map, const struct pmk_map_params *p,
		      const struct stat *st, const struct pmk_file_undo *undo);
/* map_file.c: make the size, and the name of a created file, durable. */
int pmk_file_sync(int fd, const struct pmk_file_undo *undo);
/* map_file.c: take back what was done to a file. */
void pmk_file_undo(const struct pmk_file_undo *undo, int fd);

/* map_ops.c: the table for a granularity. */
const struct pmk_map_ops *pmk_map_ops_for(enum pmk_granularity granularity);

/* Addresses are congruent to offsets modulo this, for 2 MiB pages. */
#define PMK_VMA_ALIGN ((size_t)2 << 20)

/* vma.c: map @len bytes of @fd at @off, at an address that equals @off modulo
 * @align.  0 or -errno. */
int pmk_vma_map(int fd, uint64_t off, size_t len, size_t align, int prot,
		int flags, unsigned char **addr_ret);
/* vma.c: unmap what pmk_vma_map() mapped. */
void pmk_vma_unmap(unsigned char *addr, size_t len);

/* Protection of a mapping's pages. */
int pmk_map_prot(const struct pmk_map_params *p);

#endif /* LIB_MAP_MAP_IMPL_H */
