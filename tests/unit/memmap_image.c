/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct pages that a kernel wrote; facts from the README beside them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "memmap_image.h"

/* What all have in common; the kernel is set when they are loaded. */
#define IMAGE(at, what, map_at)                             \
	{                                                   \
		.ns = {                                   \
			.start = (at),                    \
			.size = 1U << 30,                 \
			.align = 2U << 20,                \
			.mode = (what),                   \
			.map = PMK_MEMMAP_DEV,            \
		},                                        \
		.zone = 4,                                \
		.vmemmap_base = 0xffffea0000000000,       \
		.page_bytes = 64,                         \
		.pgmap = (map_at), \
	}

struct memmap_image images[IMAGE_COUNT] = {
	[IMAGE_DEVDAX] = {
		.file = "memmap-6.1-devdax2M-mapdev-start4G-1G.bin.xz",
		.kernel = "6.1.192",
		.sim = IMAGE(0x100000000, PMK_MODE_DEVDAX, 0xffff88803ff6f180),
	},
	[IMAGE_FSDAX] = {
		.file = "memmap-6.1-fsdax-mapdev-start5G-1G.bin.xz",
		.kernel = "6.1.192",
		.sim = IMAGE(0x140000000, PMK_MODE_FSDAX, 0xffff8880045386b0),
	},
	[IMAGE_6_16_DEVDAX] = {
		.file = "memmap-6.16.3-devdax2M-mapdev-start8G-1G.bin.xz",
		.kernel = "6.15",
		.sim = IMAGE(0x200000000, PMK_MODE_DEVDAX, 0xffff888006d7e540),
	},
	[IMAGE_6_16_FSDAX] = {
		.file = "memmap-6.16.3-fsdax-mapdev-start6G-1G.bin.xz",
		.kernel = "6.15",
		.sim = IMAGE(0x180000000, PMK_MODE_FSDAX, 0xffff888004c6ecb0),
	},
	[IMAGE_6_18_DEVDAX] = {
		.file = "memmap-6.18.15-devdax2M-mapdev-start8G-1G.bin.xz",
		.kernel = "6.18",
		.sim = IMAGE(0x200000000, PMK_MODE_DEVDAX, 0xffff888007cb20c0),
	},
	[IMAGE_6_18_FSDAX] = {
		.file = "memmap-6.18.15-fsdax-mapdev-start6G-1G.bin.xz",
		.kernel = "6.18",
		.sim = IMAGE(0x180000000, PMK_MODE_FSDAX, 0xffff88800565f8a8),
	},
	[IMAGE_7_2_DEVDAX] = {
		.file = "memmap-7.2.12-devdax2M-mapdev-start8G-1G.bin.xz",
		.kernel = "7.2",
		.sim = IMAGE(0x200000000, PMK_MODE_DEVDAX, 0xffff888005bbda80),
	},
	[IMAGE_7_2_FSDAX] = {
		.file = "memmap-7.2.12-fsdax-mapdev-start6G-1G.bin.xz",
		.kernel = "7.2",
		.sim = IMAGE(0x180000000, PMK_MODE_FSDAX, 0xffff8880058eecb8),
	},
};

static int load(struct memmap_image *im)
{
	char command[4096];
	size_t n;
	FILE *f;
	int end;

	im->sim.ns.kernel = (unsigned int)pmk_memmap_kernel(im->kernel);
	im->pages = malloc(IMAGE_BYTES);
	snprintf(command, sizeof(command), "xz -dc '%s/%s'",
		 PMK_TEST_GOLDEN_MEMMAP, im->file);
	f = popen(command, "r");
	if (!im->pages || !f)
		return -1;
	n = fread(im->pages, 1, IMAGE_BYTES, f);
	end = fgetc(f);
	if (pclose(f) || n != IMAGE_BYTES || end != EOF) {
		fprintf(stderr, "%s: %zu bytes\n", command, n);
		return -1;
	}
	return 0;
}

int images_load(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		if (load(&images[i]))
			return -1;
	return 0;
}

int images_free(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		free(images[i].pages);
	return 0;
}
