/* SPDX-License-Identifier: BSD-3-Clause */
/* A small good cache, and edits of it, for the fuzz targets of the writecache.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/wc_format.h>

#include "base/endian.h"
#include "fuzz.h"
#include "wc_edits.h"

#define BLOCK  512U
#define BLOCKS WC_EDIT_BLOCKS
#define EDIT   20U
/* Metadata of 60 blocks take 1024 bytes. */
#define SIZE (1024U + BLOCKS * BLOCK)

static unsigned char good[SIZE];

static void make_good(void)
{
	const struct pmk_wc_superblock sb = {
		.magic = PMK_WC_MAGIC,
		.version = PMK_WC_VERSION,
		.block_size = BLOCK,
		.n_blocks = BLOCKS,
		.seq_count = 9,
	};

	pmk_wc_superblock_encode(&sb, good);
	memset(good + 64, 0xff, (size_t)BLOCKS * 16);
	for (uint64_t i = 0; i < BLOCKS / 2; i++)
		pmk_wc_entry_encode((struct pmk_wc_entry){ i, i % 9 },
				    good + 64 + 16 * i);
}

int wc_edits_open(char *path, size_t path_size)
{
	static int fd = -1;

	if (fd < 0) {
		make_good();
		fd = memfd_create("wc", MFD_CLOEXEC);
		FUZZ_CHECK(fd >= 0);
	}
	snprintf(path, path_size, "/proc/self/fd/%d", fd);
	FUZZ_CHECK(!ftruncate(fd, 0));
	FUZZ_CHECK(pwrite(fd, good, SIZE, 0) == (ssize_t)SIZE);
	return fd;
}

/* Where fields of the superblock are, and how many bytes they have. */
static const struct {
	unsigned char off, len;
} fields[] = {
	{ 0, 4 },  { 4, 4 },  { 8, 4 },  { 12, 4 },
	{ 16, 8 }, { 24, 8 }, { 32, 8 },
};

static void put_le(int fd, uint64_t off, uint64_t v, size_t len)
{
	unsigned char b[8];

	pmk_put_le64(b, v);
	FUZZ_CHECK(pwrite(fd, b, len, (off_t)off) == (ssize_t)len);
}

/* A kind, a place and two numbers. */
static void edit(int fd, const uint8_t *e)
{
	uint64_t place = pmk_get_le16(e + 2);
	uint64_t v = pmk_get_le64(e + 4), w = pmk_get_le64(e + 12);
	size_t field = place % (sizeof(fields) / sizeof(fields[0]));

	switch (e[0] % 4) {
	case 0:
		put_le(fd, fields[field].off, v, fields[field].len);
		break;
	case 1:
		put_le(fd, 64 + 16 * (place % BLOCKS), v, 8);
		put_le(fd, 64 + 16 * (place % BLOCKS) + 8, w, 8);
		break;
	case 2:
		put_le(fd, place % (SIZE - 8), v, 1 + e[1] % 8);
		break;
	default:
		/* as a device that is cut off, or a sparse one of up to 4 MiB,
		 * whose entries are all read: 2^18 of them at most */
		FUZZ_CHECK(
			!ftruncate(fd, (off_t)(v % (e[1] ? SIZE : 1U << 22))));
	}
}

void wc_edits_apply(int fd, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + EDIT <= size; i += EDIT)
		edit(fd, data + i);
}
