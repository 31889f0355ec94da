/* SPDX-License-Identifier: BSD-3-Clause */
/* Write the struct pages of a simulation. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "memmap/sim_dump.h"
#include "memmap/sim_run.h"
#include "out.h"
#include "pmk.h"
#include "progress.h"
#include "replace.h"

static bool write_window(FILE *f, struct pmk_memmap *map,
			 unsigned int page_bytes, uint64_t first, uint64_t end,
			 const char *buf)
{
	for (uint64_t frame = first; frame < end; frame++)
		if (fwrite(pmk_memmap_page(map, first, buf, frame), page_bytes,
			   1, f) != 1)
			return false;
	return true;
}

/* 0 or -errno. */
static int write_all(FILE *f, struct pmk_memmap *map, unsigned int engine,
		     unsigned int page_bytes, char *buf, size_t len)
{
	uint64_t frames = pmk_memmap_frames(map), end;
	struct progress bar;
	bool ok = true;

	progress_start(&bar, "writing", frames * page_bytes);
	for (uint64_t first = 0; first < frames && ok; first = end) {
		end = sim_window_end(map, first, len);
		memset(buf, 0, pmk_memmap_bytes(map, first, end - first));
		pmk_memmap_build_altmap(map, first, end - first, buf);
		ok = pmk_memmap_build(map, engine, first, end - first, buf) >=
			     0 &&
		     write_window(f, map, page_bytes, first, end, buf);
		progress_update(&bar, end * page_bytes);
	}
	progress_end(&bar);
	if (!ok || fflush(f) || fsync(fileno(f)))
		return errno ? -errno : -EIO;
	return 0;
}

int sim_dump_check(const char *path)
{
	struct stat st;
	struct replace r;
	int rc;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return out_error("%s: not a regular file", out_path(path));
	rc = replace_begin(&r, path);
	if (rc)
		return out_fail(path, rc, NULL);
	/* where it will be: a directory that is not there, or not to write to
	 */
	rc = open(r.temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (rc >= 0) {
		close(rc);
		unlink(r.temp);
		rc = 0;
	} else {
		rc = -errno;
	}
	replace_end(&r);
	return rc ? out_fail(path, rc, NULL) : EXIT_OK;
}

/* As the file that it takes the place of. */
static void keep_mode(FILE *f, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return;
	/* not for everybody: then it stays with who has written it */
	(void)!fchown(fileno(f), st.st_uid, st.st_gid);
	(void)!fchmod(fileno(f), st.st_mode & 07777);
}

int sim_dump(struct pmk_memmap *map, unsigned int engine,
	     unsigned int page_bytes, char *buf, size_t len, const char *path)
{
	struct replace r;
	FILE *f;
	int rc = replace_begin(&r, path);

	if (rc)
		return out_fail(path, rc, NULL);
	f = fopen(r.temp, "wxe");
	if (f)
		keep_mode(f, r.target);
	rc = f ? write_all(f, map, engine, page_bytes, buf, len) : -errno;
	if (f && fclose(f) && !rc)
		rc = -errno;
	if (!rc)
		rc = replace_commit(&r, true);
	replace_end(&r);
	return rc ? out_fail(path, rc, NULL) : EXIT_OK;
}
