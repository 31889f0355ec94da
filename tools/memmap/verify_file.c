/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap verify FILE: struct pages that a kernel, or anybody, wrote. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/endian.h"
#include "base/io.h"
#include "memmap/faults.h"
#include "memmap/verify.h"
#include "out.h"
#include "pmk.h"
#include "progress.h"

/* Frames that are read at once: 2 to 3 MiB. */
#define CHUNK 32768U

static bool is_dev(const struct memmap_verify *v)
{
	return v->opt.sim.ns.map == PMK_MEMMAP_DEV;
}

/* A regular file with just these struct pages; EXIT_OK, or after a message. */
static int open_dump(const struct memmap_verify *v, int *fd_ret)
{
	uint64_t frames = memmap_verify_frames(v);
	uint64_t bytes = frames * v->opt.sim.page_bytes;
	struct stat st;

	/* a FIFO must not block before it is refused */
	*fd_ret = open(v->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd_ret < 0 || fstat(*fd_ret, &st))
		return out_fail(v->path, -errno, NULL);
	if (!S_ISREG(st.st_mode))
		return out_error("%s: not a regular file", out_path(v->path));
	if ((uint64_t)st.st_size != bytes)
		return out_error("%s: %" PRIu64 " bytes; the %" PRIu64
				 " struct pages of this namespace are %" PRIu64,
				 out_path(v->path), (uint64_t)st.st_size,
				 frames, bytes);
	return EXIT_OK;
}

static int read_all(const struct memmap_verify *v, int fd, void *buf,
		    size_t len, uint64_t off)
{
	ssize_t n = pmk_pread_full(fd, buf, len, off);

	if (n < 0)
		return out_fail(v->path, (int)n, NULL);
	if ((size_t)n < len)
		return out_error("%s: became shorter", out_path(v->path));
	return EXIT_OK;
}

/* Frames between compounds, or between pages of data where there are none. */
static uint64_t step(const struct pmk_memmap_params *ns)
{
	return ns->mode == PMK_MODE_DEVDAX ? ns->align / 4096 : 1;
}

/* --pgmap auto: all pages of data, or heads of compounds, have the same one.
 * Of the first, one in the middle and the last, two that agree tell. */
static int find_pgmap(struct memmap_verify *v, int fd)
{
	uint64_t first = is_dev(v) ? v->layout.dataoff / 4096 : 0;
	uint64_t heads =
		(memmap_verify_frames(v) - first - 1) / step(&v->opt.sim.ns);
	uint64_t pgmap[3];
	int rc = EXIT_OK;

	if (!v->opt.pgmap_auto)
		return EXIT_OK;
	for (unsigned int i = 0; i < 3 && !rc; i++) {
		uint64_t frame = first + heads * i / 2 * step(&v->opt.sim.ns);
		unsigned char word[8];

		rc = read_all(v, fd, word, sizeof(word),
			      frame * v->opt.sim.page_bytes + 8);
		if (!rc)
			pgmap[i] = pmk_get_le64(word);
	}
	if (!rc)
		v->opt.sim.pgmap = pgmap[1] == pgmap[2] ? pgmap[1] : pgmap[0];
	return rc;
}

static int check(const struct memmap_verify *v, int fd,
		 struct memmap_faults *faults)
{
	uint64_t frames = memmap_verify_frames(v);
	size_t bytes = v->opt.sim.page_bytes;
	_cleanup_free_ char *buf = malloc(CHUNK * bytes);
	struct progress p;
	int rc = EXIT_OK;

	if (!buf)
		out_of_memory();
	progress_start(&p, "verify", frames * bytes);
	for (uint64_t first = 0; first < frames && rc == EXIT_OK;
	     first += CHUNK) {
		uint64_t n = frames - first < CHUNK ? frames - first : CHUNK;
		int64_t found;

		rc = read_all(v, fd, buf, n * bytes, first * bytes);
		if (rc != EXIT_OK)
			break;
		found = pmk_memmap_verify(&v->opt.sim, first, n, buf,
					  v->untouched, memmap_faults_hear,
					  faults);
		if (found < 0)
			rc = out_fail(v->path, (int)found, NULL);
		progress_update(&p, (first + n) * bytes);
	}
	progress_end(&p);
	return rc;
}

/* Struct pages of the info block's frames hold anything at all. */
static uint64_t unchecked(const struct memmap_verify *v)
{
	return v->untouched < 0 ? v->layout.altmap_reserve : 0;
}

static void print_table(const struct memmap_verify *v,
			const struct memmap_faults *faults)
{
	struct libscols_table *tb = out_table("", "", NULL);
	char pgmap[24];

	snprintf(pgmap, sizeof(pgmap), "0x%" PRIx64, v->opt.sim.pgmap);
	out_row(tb, "verdict", faults->count ? "wrong" : "good", NULL);
	out_row(tb, "kernel", pmk_memmap_kernel_name(v->opt.sim.ns.kernel),
		NULL);
	out_row_u64(tb, "struct pages", memmap_verify_frames(v));
	out_row_u64(tb, "not checked, as nobody initialises them",
		    unchecked(v));
	out_row(tb, "pgmap", pgmap, NULL);
	out_row_u64(tb, "faults", faults->count);
	out_table_end(tb);
	memmap_faults_print(faults, memmap_verify_pfn(v));
}

static void print_json(const struct memmap_verify *v,
		       const struct memmap_faults *faults)
{
	struct json_object *o = out_json();

	out_json_path(o, "path", v->path);
	out_json_bool(o, "good", !faults->count);
	out_json_str(o, "kernel", pmk_memmap_kernel_name(v->opt.sim.ns.kernel));
	out_json_u64(o, "struct_pages", memmap_verify_frames(v));
	out_json_u64(o, "unchecked_struct_pages", unchecked(v));
	out_json_u64(o, "pgmap", v->opt.sim.pgmap);
	memmap_faults_json(faults, memmap_verify_pfn(v), o);
	out_json_end(o);
}

int memmap_verify_file(struct memmap_verify *v)
{
	struct memmap_faults faults = { 0 };
	_cleanup_fd_ int fd = -1;
	int rc;

	rc = open_dump(v, &fd);
	if (rc == EXIT_OK)
		rc = find_pgmap(v, fd);
	if (rc == EXIT_OK)
		rc = check(v, fd, &faults);
	if (rc != EXIT_OK)
		return rc;
	if (v->json)
		print_json(v, &faults);
	else
		print_table(v, &faults);
	return faults.count ? EXIT_BAD : EXIT_OK;
}
