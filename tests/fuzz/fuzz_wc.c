/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz the reader, the check, the repair and the export of a writecache.
 *
 * The input is a table line, then edits of a small good cache (wc_edits.h).
 * Whatever they are, nothing crashes, nothing behind the device is read or
 * written, the check ends, what it says agrees with the verdict that is made
 * elsewhere, and counts add up.  A repair leaves what it said that it would, a
 * second one does nothing, and it can be undone to the byte.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/wc_check.h>
#include <pmk/wc_repair.h>
#include <pmk/wc_writeback.h>

#include "base/io.h"
#include "fuzz.h"
#include "wc/image.h"
#include "wc_edits.h"

#define HEADER 4U

/* Bytes behind the device, which are another's. */
#define GUARD 4096U

static int fd;
static char path[64];
static uint64_t device_end;

/* Nothing behind the device is read. */
static ssize_t read_inside(int from, void *buf, size_t len, uint64_t off)
{
	FUZZ_CHECK(off <= device_end && len <= device_end - off);
	return pmk_pread_full(from, buf, len, off);
}

static int open_image(const struct pmk_wc_open_params *params,
		      struct pmk_wc_image **img)
{
	return pmk_wc_image_open_with(path, params, read_inside, img);
}

/* The device becomes a part of a larger file.  Returns its size, or 0 if there
 * is nothing of it. */
static uint64_t put_guard(void)
{
	static unsigned char guard[GUARD];
	off_t size = lseek(fd, 0, SEEK_END);

	FUZZ_CHECK(size >= 0);
	device_end = (uint64_t)size;
	memset(guard, 0x5a, sizeof(guard));
	FUZZ_CHECK(!size ||
		   pwrite(fd, guard, sizeof(guard), size) == sizeof(guard));
	return device_end;
}

/* Nothing was written there either. */
static void check_guard(void)
{
	unsigned char now[GUARD];
	ssize_t n = pread(fd, now, sizeof(now), (off_t)device_end);

	FUZZ_CHECK(n == (device_end ? (ssize_t)GUARD : 0));
	for (ssize_t i = 0; i < n; i++)
		FUZZ_CHECK(now[i] == 0x5a);
}

/* What the problems that were met say together. */
static enum pmk_wc_verdict verdict_of(const struct pmk_wc_check_report *rep)
{
	bool any[4] = { false };

	for (unsigned int code = 0; code < PMK_WC_PROBLEMS; code++)
		if (rep->found[code])
			any[pmk_wc_problem_info(code)->verdict] = true;
	if (any[PMK_WC_REFUSED])
		return PMK_WC_REFUSED;
	if (any[PMK_WC_FORMATS])
		return PMK_WC_FORMATS;
	return any[PMK_WC_LOADS_WITH_ERROR] ? PMK_WC_LOADS_WITH_ERROR
					    : PMK_WC_LOADS;
}

static int meet(const struct pmk_wc_problem *p, void *arg)
{
	const struct pmk_wc_image *img = arg;
	char detail[160];

	if (p->entry != PMK_WC_NO_ENTRY)
		FUZZ_CHECK(p->entry < pmk_wc_image_geometry(img)->n_blocks);
	pmk_wc_problem_detail(p, detail, sizeof(detail));
	return 0;
}

/* As a dump does: each entry, and each block. */
static void read_all(const struct pmk_wc_image *img)
{
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(img);
	static unsigned char buf[65536];
	uint64_t blocks = 0;

	for (uint64_t k = 0; k < pmk_wc_image_committed(img); k++)
		FUZZ_CHECK(pmk_wc_image_nth(img, k) < geo->n_blocks);
	for (uint64_t i = 0; i < geo->n_blocks; i++) {
		(void)pmk_wc_image_entry(img, i);
		/* those of a large device are all alike */
		if (blocks++ < 2 * WC_EDIT_BLOCKS) {
			int rc = pmk_wc_image_read(img, i, buf);

			(void)rc;
		}
	}
}

static void look(const struct pmk_wc_open_params *params, uint64_t origin)
{
	const struct pmk_wc_check_params cp = { .origin_bytes = origin };
	struct pmk_wc_check_report rep;
	struct pmk_wc_image *img;

	if (open_image(params, &img))
		return;
	FUZZ_CHECK(!pmk_wc_check(img, &cp, meet, img, &rep));
	FUZZ_CHECK(verdict_of(&rep) == rep.load.verdict);
	FUZZ_CHECK((rep.load.verdict == PMK_WC_LOADS) == !rep.load.error ||
		   rep.load.verdict == PMK_WC_FORMATS);
	if (pmk_wc_image_geometry(img)) {
		FUZZ_CHECK(rep.counts.free + rep.counts.committed +
				   rep.counts.uncommitted +
				   rep.counts.unreadable ==
			   pmk_wc_image_geometry(img)->n_blocks);
		read_all(img);
	}
	pmk_wc_image_close(img);
}

static void export(const struct pmk_wc_open_params *params, uint64_t size)
{
	int from = memfd_create("origin", MFD_CLOEXEC);
	int to = memfd_create("view", MFD_CLOEXEC);
	struct pmk_wc_copy_params one = { .threads = 1 };
	struct pmk_wc_copy_result res;
	struct pmk_wc_origin *origin;
	struct pmk_wc_image *img;
	char name[64];
	int rc;

	FUZZ_CHECK(from >= 0 && to >= 0 && !ftruncate(from, (off_t)size));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", from);
	if (!open_image(params, &img)) {
		FUZZ_CHECK(!pmk_wc_origin_open(name, img, false, &origin));
		rc = pmk_wc_export(img, origin, to, &one, &res);
		FUZZ_CHECK(rc == pmk_wc_doubt(img, NULL));
		FUZZ_CHECK(res.dirty == res.copied + res.failed && !res.left);
		pmk_wc_origin_close(origin);
		pmk_wc_image_close(img);
	}
	close(from);
	close(to);
}

/* Bytes of the image, so that it can be seen whether they are the same: a sum
 * that knows their places, and the size.  Holes are zeros. */
static uint64_t sum_of_image(void)
{
	static unsigned char buf[65536];
	uint64_t sum = 0;
	off_t at = 0;

	while ((at = lseek(fd, at, SEEK_DATA)) >= 0) {
		ssize_t n = pread(fd, buf, sizeof(buf), at);

		FUZZ_CHECK(n > 0);
		for (ssize_t i = 0; i < n; i++)
			sum += buf[i] * (2 * (uint64_t)(at + i) + 1);
		at += n;
	}
	return sum + (uint64_t)lseek(fd, 0, SEEK_END);
}

static struct pmk_wc_repair *plan(struct pmk_wc_open_params params,
				  const struct pmk_wc_repair_params *rp,
				  struct pmk_wc_image **img)
{
	struct pmk_wc_repair *r;

	params.flags = PMK_WC_WRITE;
	if (open_image(&params, img))
		return NULL;
	FUZZ_CHECK(!pmk_wc_repair_plan(*img, rp, &r));
	return r;
}

static void undo(int undo_fd)
{
	const struct pmk_wc_open_params params = { .flags = PMK_WC_WRITE };
	struct pmk_wc_image *img;

	FUZZ_CHECK(!pmk_wc_image_open(path, &params, &img));
	FUZZ_CHECK(!lseek(undo_fd, 0, SEEK_SET));
	FUZZ_CHECK(!pmk_wc_undo(img, undo_fd, false));
	pmk_wc_image_close(img);
}

static void repair(const struct pmk_wc_open_params *params,
		   const struct pmk_wc_repair_params *rp)
{
	int undo_fd = memfd_create("undo", MFD_CLOEXEC);
	struct pmk_wc_repair *first, *second;
	struct pmk_wc_image *img[2];
	uint64_t before = sum_of_image();

	first = plan(*params, rp, &img[0]);
	FUZZ_CHECK(undo_fd >= 0);
	if (first) {
		FUZZ_CHECK(sum_of_image() == before);
		FUZZ_CHECK(!pmk_wc_repair_undo_write(first, undo_fd));
		FUZZ_CHECK(!pmk_wc_repair_apply(first));
		check_guard();
		pmk_wc_image_close(img[0]);
		second = plan(*params, rp, &img[1]);
		FUZZ_CHECK(second && !pmk_wc_repair_changes(second));
		FUZZ_CHECK(!memcmp(pmk_wc_repair_after(first)->found,
				   pmk_wc_repair_before(second)->found,
				   sizeof(pmk_wc_repair_after(first)->found)));
		pmk_wc_repair_free(second);
		pmk_wc_image_close(img[1]);
		pmk_wc_repair_free(first);
		undo(undo_fd);
		FUZZ_CHECK(sum_of_image() == before);
	}
	close(undo_fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_wc_open_params params = { .offset = 0 };
	struct pmk_wc_repair_params rp = { .origin_bytes = 0 };

	if (size < HEADER)
		return 0;
	fd = wc_edits_open(path, sizeof(path));
	params.table.mode = "\0ps"[data[0] % 3];
	/* 0: that of the superblock; 3 is none */
	params.table.block_size = data[1] % 10 ? 128U << data[1] % 10 : 0;
	params.table.start_sector = data[2] > 250 ? data[2] - 250 : 0;
	params.table.page_size = data[0] & 0x80 ? 65536 : 0;
	wc_edits_apply(fd, data + HEADER, size - HEADER);
	params.size = put_guard();
	look(&params, (uint64_t)data[3] * 1000);
	export(&params, (uint64_t)data[3] * 1000);
	rp.origin_bytes = (uint64_t)data[3] * 1000;
	rp.seq_count = data[0] & 0x40 ? data[3] : 0;
	rp.free_uncommitted = data[0] & 0x20;
	repair(&params, &rp);
	return 0;
}
