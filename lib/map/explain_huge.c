/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Do page faults map 2 MiB at once?  Measured where that proves something: on
 * ranges whose data have been written, since holes and unwritten extents map
 * pages of zeros.  What the layout of the file says serves for the reason only.
 */
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sysfs.h"
#include "base/util.h"
#include "map/explain_impl.h"
#include "map/extents.h"
#include "map/hugefault.h"

/* Ranges to be measured; a file has so many that these stand for all. */
#define MAX_SAMPLES 16

/* Extents of which FIEMAP does not say that data lie at fe_physical. */
#define NOT_DATA                                               \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC |      \
	 FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_NOT_ALIGNED |   \
	 FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL | \
	 FIEMAP_EXTENT_UNWRITTEN)

struct sample {
	uint64_t off;
	uint64_t shift; /* of the data on the device against @off, mod 2 MiB */
	bool whole;     /* it lies in one extent */
};

/* Samples at even distances, of however many ranges there are: when the room
 * is full, every second one goes. */
struct samples {
	struct sample room[MAX_SAMPLES];
	size_t n;
	uint64_t seen, stride;
	/* written data without a gap, so far */
	uint64_t run_start, run_end;
	uint64_t size; /* of the file */
};

static void add(struct samples *s, struct sample one)
{
	if (s->seen++ % s->stride)
		return;
	if (s->n == MAX_SAMPLES) {
		for (size_t i = 0; i < MAX_SAMPLES / 2; i++)
			s->room[i] = s->room[2 * i];
		s->n = MAX_SAMPLES / 2;
		s->stride *= 2;
	}
	s->room[s->n++] = one;
}

/* Add the first and the last of the ranges that end in this extent. */
static int take_extent(const struct pmk_file_extent *e, void *arg)
{
	struct samples *s = arg;
	uint64_t end = e->off + e->len, first, last;
	uint64_t shift = (e->physical - e->off) & (PMK_HUGE_BYTES - 1);

	if (end > s->size)
		end = s->size;
	if (e->flags & NOT_DATA || e->off >= end) {
		s->run_start = s->run_end = end;
		return 0;
	}
	if (e->off != s->run_end)
		s->run_start = e->off;
	s->run_end = end;
	first = pmk_align_down(e->off, PMK_HUGE_BYTES);
	if (first < e->off && first >= s->run_start &&
	    first + PMK_HUGE_BYTES <= end)
		add(s, (struct sample){ first, 0, false });
	first = pmk_align_up(e->off, PMK_HUGE_BYTES);
	last = pmk_align_down(end, PMK_HUGE_BYTES);
	if (last <= first)
		return 0;
	last -= PMK_HUGE_BYTES;
	add(s, (struct sample){ first, shift, true });
	if (last > first)
		add(s, (struct sample){ last, shift, true });
	return 0;
}

/* Where the data of a namespace begin in memory, modulo 2 MiB. */
static bool namespace_shift(const struct pmk_block_facts *b, uint64_t *ret)
{
	_cleanup_free_ char *dir = strdup(b->disk);
	char *block = dir ? strstr(dir, "/block/") : NULL;
	uint64_t value;

	if (!block)
		return false;
	*block = '\0';
	/* for root only; some kernels show 0 to others */
	if (!pmk_sysfs_u64(dir, "resource", &value) && value) {
		*ret = value & (PMK_HUGE_BYTES - 1);
		return true;
	}
	if (pmk_sysfs_u64(dir, "align", &value) || value < PMK_HUGE_BYTES)
		return false;
	*ret = 0;
	return true;
}

/* Why a range took small faults, as far as the layout proves it. */
static enum pmk_map_why layout(const struct sample *s,
			       const struct pmk_file_facts *f)
{
	const uint64_t mask = PMK_HUGE_BYTES - 1;
	uint64_t base, start = f->block.start_bytes & mask;

	if (!s->whole)
		return PMK_WHY_EXTENT_SMALL;
	if (f->realtime)
		return PMK_WHY_REALTIME;
	if (!f->block_known)
		return PMK_WHY_NO_SYSFS;
	if (f->block.kind == PMK_BLOCK_STACKED)
		return PMK_WHY_STACKED;
	if (!namespace_shift(&f->block, &base))
		return access(f->block.disk, F_OK) ? PMK_WHY_NO_SYSFS
						   : PMK_WHY_NO_ACCESS;
	if (!((s->shift + start + base) & mask))
		return PMK_WHY_LAYOUT_FITS;
	/* from the bottom: what is wrong there cannot be mended above */
	if (base)
		return PMK_WHY_NAMESPACE_ALIGNMENT;
	return start ? PMK_WHY_PARTITION_ALIGNMENT : PMK_WHY_EXTENT_ALIGNMENT;
}

/* Measure one range more; @why is of a "no" on it.  An unknown result counts
 * only if there is nothing else. */
static void measure(struct pmk_map_report *r, int fd, uint64_t off,
		    size_t align, enum pmk_map_why why)
{
	enum pmk_map_why unknown;
	enum pmk_answer a = pmk_hugefault(fd, off, align, &unknown);

	if (a == PMK_ANSWER_UNKNOWN) {
		if (!r->huge_tested)
			r->huge_why = unknown;
		return;
	}
	/* of several reasons the one that holds for the largest pieces */
	if (a == PMK_ANSWER_NO && (r->huge_hits == r->huge_tested ||
				   r->huge_why == PMK_WHY_EXTENT_SMALL))
		r->huge_why = why;
	r->huge_tested++;
	r->huge_hits += a == PMK_ANSWER_YES;
}

static void conclude(struct pmk_map_report *r)
{
	if (!r->huge_tested)
		return;
	if (r->huge_hits == r->huge_tested) {
		r->huge_faults = PMK_ANSWER_YES;
		r->huge_why = PMK_WHY_NONE;
	} else {
		r->huge_faults =
			r->huge_hits ? PMK_ANSWER_PARTLY : PMK_ANSWER_NO;
	}
}

void pmk_explain_huge_file(struct pmk_map_report *r, int fd,
			   const struct pmk_file_facts *f)
{
	struct samples s = { .stride = 1, .size = r->size_bytes };
	int rc = pmk_file_extents(fd, take_extent, &s);

	r->huge_why = PMK_WHY_NO_FULL_RANGE;
	/* what has been seen of an endless list serves as well */
	if (rc && !s.n)
		r->huge_why = PMK_WHY_NO_EXTENT_MAP;
	for (size_t i = 0; i < s.n; i++)
		measure(r, fd, s.room[i].off, 0, layout(&s.room[i], f));
	conclude(r);
}

/* A dax device is one piece; some places are enough. */
void pmk_explain_huge_devdax(struct pmk_map_report *r, int fd,
			     const struct pmk_devdax_facts *f)
{
	uint64_t unit = f->align > PMK_HUGE_BYTES ? f->align : PMK_HUGE_BYTES;
	uint64_t units = f->size / unit, last = UINT64_MAX;

	for (uint64_t i = 0; i < 4 && units; i++) {
		uint64_t off = units * i / 4 * unit;

		if (off != last)
			measure(r, fd, off, f->align,
				f->align < PMK_HUGE_BYTES
					? PMK_WHY_DEVICE_ALIGNMENT
					: PMK_WHY_LAYOUT_FITS);
		last = off;
	}
	conclude(r);
}
