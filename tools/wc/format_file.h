/* SPDX-License-Identifier: BSD-3-Clause */
/* An empty cache in a file or on a block device. */
#ifndef TOOLS_WC_FORMAT_FILE_H
#define TOOLS_WC_FORMAT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/wc_format.h>

struct format_file {
	const char *path;
	uint64_t create_size; /* bytes of a new file; 0: it is there */
	uint64_t offset;      /* bytes before the device */
	uint64_t start_sector;
	uint32_t block_size;
	bool force; /* overwrite what is there */

	struct pmk_wc_geometry geo; /* set when it is done */
	int fd;                     /* for the functions in between */
	uint64_t base;
	uint64_t room;
};

/* EXIT_OK once it is durable, or EXIT_FAIL after one line; then a new file is
 * removed. */
int format_file(struct format_file *f);

#endif /* TOOLS_WC_FORMAT_FILE_H */
