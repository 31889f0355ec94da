/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct pages that a kernel wrote, of tests/golden/memmap. */
#ifndef TESTS_UNIT_MEMMAP_IMAGE_H
#define TESTS_UNIT_MEMMAP_IMAGE_H

#include <pmk/memmap.h>

#define IMAGE_FRAMES 262144U
#define IMAGE_BYTES  (IMAGE_FRAMES * 64U)

struct memmap_image {
	const char *file;
	const char *kernel;        /* whose rules it has */
	struct pmk_memmap_sim sim; /* what the kernel did */
	unsigned char *pages;      /* IMAGE_BYTES, after image_load() */
};

enum {
	IMAGE_DEVDAX, /* 6.1 */
	IMAGE_FSDAX,
	IMAGE_6_16_DEVDAX,
	IMAGE_6_16_FSDAX,
	IMAGE_6_18_DEVDAX,
	IMAGE_6_18_FSDAX,
	IMAGE_7_2_DEVDAX,
	IMAGE_7_2_FSDAX,
	IMAGE_COUNT
};

extern struct memmap_image images[IMAGE_COUNT];

/* cmocka's setup and teardown of a group: unpack all images with xz(1). */
int images_load(void **state);
int images_free(void **state);

#endif /* TESTS_UNIT_MEMMAP_IMAGE_H */
