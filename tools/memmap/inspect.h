/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap inspect: what its parts share. */
#ifndef TOOLS_MEMMAP_INSPECT_H
#define TOOLS_MEMMAP_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/infoblock.h>

/* What an offset is counted in. */
enum infoblock_in {
	INFOBLOCK_IN_DEVICE,    /* the file or device that was named */
	INFOBLOCK_IN_NAMESPACE, /* from its start */
	INFOBLOCK_IN_DATA,      /* the device that comes of it */
	INFOBLOCK_IN_PHYSICAL,  /* an address */
};

struct infoblock_look {
	const char *path;
	uint64_t offset; /* of the namespace in it */
	/* The kernel and the namespace.  Where a fact of it comes from, or why
	 * it is not known, is in the texts. */
	struct pmk_infoblock_ns ns;
	const char *start_from;
	const char *size_from;
	const char *parent_from;
	/* What the device is instead of a raw namespace, or empty. */
	char holder[64];
	unsigned char block[PMK_INFOBLOCK_BYTES];
	uint64_t block_off; /* in the namespace */
	struct pmk_infoblock ib;
	struct pmk_infoblock_report rep;
	/* --translate */
	bool translate;
	enum infoblock_in in;
	uint64_t off;
	struct pmk_infoblock_place place;
};

/* Read the block, and what is not known yet of the namespace and can be found
 * out.  Returns an exit code. */
int infoblock_read(struct infoblock_look *l);

/* Answer --translate; an exit code. */
int infoblock_translate(struct infoblock_look *l);

/* Print all of it. */
void infoblock_print_table(const struct infoblock_look *l);
void infoblock_print_json(const struct infoblock_look *l);

/* What is to be written. */
struct infoblock_new {
	const char *path;
	uint64_t offset; /* of the namespace in it */
	struct pmk_memmap_params ns;
	bool size_given; /* else all of an existing file */
	bool uuid_given; /* else a random one */
	bool force;      /* also over what is there */
	uint8_t uuid[16];
	uint8_t parent_uuid[16];
};

/* Make the block, and the file if it is not there.  Returns an exit code. */
int infoblock_write(struct infoblock_new *n);

#endif /* TOOLS_MEMMAP_INSPECT_H */
