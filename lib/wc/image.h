/* SPDX-License-Identifier: BSD-3-Clause */
/* An opened cache, for the files of this layer. */
#ifndef LIB_WC_IMAGE_H
#define LIB_WC_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/wc_image.h>

/* How a file is read: as pmk_pread_media(), of which this is a seam. */
typedef ssize_t pmk_wc_read_fn(int fd, void *buf, size_t len, uint64_t off);

struct pmk_wc_image {
	int fd;
	bool writable;
	pmk_wc_read_fn *read;
	uint64_t base; /* of the superblock in the file */
	uint64_t room; /* bytes from there to the end of the device */
	struct pmk_wc_table table;
	uint64_t seq_given; /* 0: none */
	void (*progress)(uint64_t done, uint64_t total, void *arg);
	void *arg; /* of progress, which is NULL after opening */

	unsigned char raw[PMK_WC_SUPERBLOCK_BYTES];
	int raw_error; /* of reading it, or 0 */
	struct pmk_wc_superblock sb;
	enum pmk_wc_layout layout;
	bool has_geo;
	struct pmk_wc_geometry geo;
	struct pmk_wc_load load;

	/* as on media; what could not be read is all ones */
	unsigned char *entries;
	unsigned char *bad; /* a bit for an entry; NULL: all were read */
	/* the first byte between entries and data that is bad; 0: none */
	uint64_t tail_bad;

	uint32_t *order; /* the index: numbers of entries */
	uint64_t n_order;
	bool identical; /* the kernel meets two alike */
	struct pmk_wc_counts counts;
};

/* pmk_wc_image_open() that reads with @read. */
int pmk_wc_image_open_with(const char *path,
			   const struct pmk_wc_open_params *params,
			   pmk_wc_read_fn *read, struct pmk_wc_image **img_ret)
	PMK_MUST_CHECK;

/* Take @raw for the superblock, in memory only, and read the entries that it
 * says there are; 0 or -errno. */
int pmk_wc_image_adopt(struct pmk_wc_image *img, const unsigned char *raw)
	PMK_MUST_CHECK;

/* What the kernel does with it, again after entries were changed. */
void pmk_wc_image_judge(struct pmk_wc_image *img);

/* Reads all entries of an image that has a geometry; 0 or -errno.  To be freed
 * by pmk_wc_entries_free() also when it fails. */
int pmk_wc_entries_read(struct pmk_wc_image *img) PMK_MUST_CHECK;
void pmk_wc_entries_free(struct pmk_wc_image *img);

/* Tells who opens the image that @done bytes of entries were read or put in
 * order, of all bytes twice. */
void pmk_wc_image_step(const struct pmk_wc_image *img, uint64_t done);

/* Counts the entries and builds the index; 0 or -ENOMEM. */
int pmk_wc_index_build(struct pmk_wc_image *img) PMK_MUST_CHECK;

#endif /* LIB_WC_IMAGE_H */
