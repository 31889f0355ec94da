/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz the text form of a writecache: pmk wc dump and pmk wc restore.
 *
 * The first byte says what the rest is.  Edits of a small good cache
 * (wc_edits.h): whatever they are, its text and data make it again to the byte.
 * Or text: restore takes it, or says in one line why not, within the room that
 * it has.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/wc_image.h>

#include "fuzz.h"
#include "out.h"
#include "pmk.h"
#include "wc/dump.h"
#include "wc/restore.h"
#include "wc_edits.h"

/* Of a larger one, nothing is seen that a small one does not have. */
#define IMAGE_MAX ((off_t)1 << 20)
/* Room for what text makes. */
#define ROOM ((rlim_t)1 << 20)

static int new_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0);
	return fd;
}

/* What the commands say to stderr goes to a file, from here on. */
static FILE *hear(void)
{
	FILE *heard = tmpfile(), *real = stderr;

	FUZZ_CHECK(heard);
	stderr = heard;
	return real;
}

/* Returns how many lines were said. */
static int heard(FILE *real)
{
	FILE *said = stderr;
	int c, lines = 0, last = '\n';

	stderr = real;
	rewind(said);
	while ((c = getc(said)) != EOF) {
		lines += c == '\n';
		last = c;
	}
	fclose(said);
	FUZZ_CHECK(last == '\n');
	return lines;
}

static int restore(int text, int data, int to, bool force)
{
	struct wc_restore r = {
		.input = "text",
		.in = text,
		.output = "image",
		.out = to,
		.data_path = "data",
		.data = data,
		.force = force,
	};
	FILE *real = hear();
	int rc, lines;

	FUZZ_CHECK(!lseek(text, 0, SEEK_SET));
	rc = wc_restore_read(&r);
	lines = heard(real);
	FUZZ_CHECK(rc == EXIT_OK || rc == EXIT_FAIL);
	FUZZ_CHECK(lines == (rc == EXIT_FAIL));
	return rc;
}

static void same_bytes(int a, uint64_t a_off, int b, uint64_t b_off)
{
	static unsigned char x[65536], y[65536];
	ssize_t n, m;

	do {
		n = pread(a, x, sizeof(x), (off_t)a_off);
		m = pread(b, y, sizeof(y), (off_t)b_off);
		FUZZ_CHECK(n >= 0 && n == m && !memcmp(x, y, (size_t)n));
		a_off += (uint64_t)n;
		b_off += (uint64_t)n;
	} while (n);
}

static void dump(struct wc_dump *d, int text)
{
	FILE *real = hear();
	int rc;

	d->f = fdopen(dup(text), "w");
	FUZZ_CHECK(d->f);
	rc = wc_dump_write(d);
	FUZZ_CHECK(!fclose(d->f));
	/* a device that was cut off before a dirty block: one line */
	FUZZ_CHECK(rc == EXIT_OK || rc == EXIT_BAD);
	FUZZ_CHECK(heard(real) == (rc == EXIT_BAD));
}

static void there_and_back(int fd, const struct pmk_wc_image *img)
{
	int text = new_file("text"), data = new_file("data");
	int to = new_file("image");
	uint64_t start = pmk_wc_image_table(img)->start_sector * PMK_WC_SECTOR;
	struct wc_dump d = { .path = "cache",
			     .img = img,
			     .all = true,
			     .data_fd = data,
			     .data_path = "data" };

	dump(&d, text);
	FUZZ_CHECK(restore(text, data, to, false) == EXIT_OK);
	same_bytes(fd, start, to, start);
	close(text);
	close(data);
	close(to);
}

static void fuzz_image(const uint8_t *data, size_t size)
{
	struct pmk_wc_open_params params = { .offset = 0 };
	struct pmk_wc_image *img;
	struct stat st;
	char path[64];
	int fd = wc_edits_open(path, sizeof(path));

	params.table.start_sector = data[0] > 125 ? data[0] - 125U : 0;
	wc_edits_apply(fd, data + 1, size - 1);
	FUZZ_CHECK(!fstat(fd, &st));
	if (st.st_size > IMAGE_MAX || pmk_wc_image_open(path, &params, &img))
		return;
	if (pmk_wc_image_geometry(img))
		there_and_back(fd, img);
	pmk_wc_image_close(img);
}

static void fuzz_text(const uint8_t *data, size_t size)
{
	int text = new_file("text"), bytes = new_file("data");
	int to = new_file("image"), rc;
	struct stat st;

	FUZZ_CHECK(write(text, data + 1, size - 1) == (ssize_t)(size - 1));
	FUZZ_CHECK(write(bytes, data, size) == (ssize_t)size);
	rc = restore(text, bytes, to, data[0] & 1);
	FUZZ_CHECK(!fstat(to, &st));
	FUZZ_CHECK((rlim_t)st.st_size <= ROOM);
	FUZZ_CHECK(rc || st.st_size);
	close(text);
	close(bytes);
	close(to);
}

/* A disk that is full after ROOM. */
static void limit_room(void)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	FUZZ_CHECK(!getrlimit(RLIMIT_FSIZE, &limit));
	limit.rlim_cur = ROOM;
	FUZZ_CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
}

static void unlimit_room(void)
{
	struct rlimit limit;

	FUZZ_CHECK(!getrlimit(RLIMIT_FSIZE, &limit));
	limit.rlim_cur = limit.rlim_max;
	FUZZ_CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;

	if (!begun)
		out_init("fuzz");
	begun = true;
	if (!size)
		return 0;
	if (data[0] < 128) {
		fuzz_image(data, size);
		return 0;
	}
	limit_room();
	fuzz_text(data, size);
	unlimit_room();
	return 0;
}
