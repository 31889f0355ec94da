/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Load every vector with the running kernel, and compare what it does with
 * what is known and with what pmk wc check said before.
 * Usage: vectors MODE MEDIUM PMK [hang]
 *   MODE    p or s; MEDIUM the device for caches of up to 16 MiB: DAX for p
 *   hang    only what leaves a hanging process behind
 * The cache is a dm-linear device on the medium, of exactly the vector's size.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dm.h"
#include "rig.h"
#include "vectors.h"

#define MOST_BYTES (16U << 20)

static const char *medium, *pmk, *origin;
static char cache[32];
static const char *cache_name = "cache", *wc_name = "wc";
static uint64_t wc_bytes = ORIGIN_BYTES;
static unsigned char *image, *before; /* of MOST_BYTES */

const char *cache_path(void)
{
	return cache;
}

const char *origin_path(void)
{
	return origin;
}

const char *wc_device(void)
{
	return wc_name;
}

void leave(const char *next_cache, const char *next_wc, const char *next_origin,
	   uint64_t next_bytes)
{
	wc_bytes = next_bytes;
	cache_name = next_cache;
	wc_name = next_wc;
	origin = next_origin;
}

/* --- making a vector */

static uint64_t size_of(const struct vector *v)
{
	return v->bytes ? v->bytes : CACHE_BYTES;
}

static const char *params_of(const struct vector *v)
{
	return v->params ? v->params : "4096 0";
}

static uint64_t n_of(const struct vector *v)
{
	return v->n ? v->n : N_BLOCKS;
}

static uint64_t data_off(const struct vector *v)
{
	uint64_t bs = v->sb_bs == 65536 ? 65536 : BLOCK;

	return (64 + 16 * n_of(v) + bs - 1) / bs * bs;
}

/* The block of entry @i is full of this. */
static int letter(uint64_t i)
{
	return 'A' + (int)(i % 26);
}

static void make_superblock(const struct vector *v, unsigned char *p)
{
	put_le(p, 0x23489321, 4);
	put_le(p + 4, 1, 4);
	put_le(p + 8, v->sb_bs ? v->sb_bs : BLOCK, 4);
	put_le(p + 16, n_of(v), 8);
	put_le(p + 24, v->seq ? v->seq : 10, 8);
	memset(p + 64, 0xff, 16 * n_of(v));
}

static void make_entry(const struct vector *v, const struct entry *e,
		       unsigned char *p)
{
	put_le(p + 64 + 16 * e->i, e->sector, 8);
	put_le(p + 72 + 16 * e->i, e->seq, 8);
	if (data_off(v) + (e->i + 1) * BLOCK <= MOST_BYTES)
		memset(p + data_off(v) + e->i * BLOCK, letter(e->i), BLOCK);
}

static bool is_entry(const struct vector *v, size_t k)
{
	const struct entry *e = &v->entry[k];

	return k < 4 && (e->i || e->sector || e->seq);
}

/* The bytes, whatever the size of the device is. */
static void make(const struct vector *v)
{
	unsigned char *p = image + v->at;

	memset(image, 0, MOST_BYTES);
	if (v->blank)
		return;
	make_superblock(v, p);
	for (size_t k = 0; is_entry(v, k); k++)
		make_entry(v, &v->entry[k], p);
	for (size_t k = 0; k < 4 && v->patch[k].len; k++)
		put_le(p + v->patch[k].off, v->patch[k].value, v->patch[k].len);
}

void place(const struct vector *v)
{
	int minor;

	make(v);
	minor = dm_make_one(cache_name, "linear", size_of(v) / SECTOR, "%s 0",
			    medium);
	if (minor < 0)
		die("linear: %s", strerror(-minor));
	snprintf(cache, sizeof(cache), "/dev/dm-%d", minor);
	if (dev_write(cache, 0, image, size_of(v)))
		die("cannot write to %s", cache);
}

/* --- the kernel */

void fill_origin(void)
{
	memset(before, 'o', ORIGIN_BYTES);
	if (dev_write(origin, 0, before, ORIGIN_BYTES))
		die("cannot write to %s", origin);
}

int map(char mode, const char *params)
{
	klog_mark();
	return dm_make_one(wc_name, "writecache", wc_bytes / SECTOR,
			   "%c %s %s %s", mode, origin, cache, params);
}

void unmap(void)
{
	int rc = dm_remove(cache_name);

	if (rc)
		die("cache stays: %s", strerror(-rc));
}

unsigned long status_field(unsigned int i)
{
	char line[256], *p = line;

	if (dm_status(wc_name, line, sizeof(line)))
		return ULONG_MAX;
	while (--i && p)
		p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL;
	return p ? strtoul(p, NULL, 10) : ULONG_MAX;
}

uint64_t medium_seq(void)
{
	unsigned char *sector = buffer(SECTOR);
	uint64_t seq;

	if (dev_read(cache, 0, sector, SECTOR))
		die("cannot read %s", cache);
	seq = get_le(sector + 24, 8);
	free(sector);
	return seq;
}

struct entry medium_entry(uint64_t i)
{
	unsigned char *head = buffer(DATA_OFF);
	struct entry e = { .i = i };

	if (dev_read(cache, 0, head, DATA_OFF))
		die("cannot read %s", cache);
	e.sector = get_le(head + 64 + 16 * i, 8);
	e.seq = get_le(head + 72 + 16 * i, 8);
	free(head);
	return e;
}

/* --- pmk */

struct said {
	char verdict[32], error[32], message[128], codes[256];
	unsigned long dirty; /* blocks */
};

/* The value of a line "  "KEY": VALUE,", without quotes; null is "". */
static bool value(const char *line, const char *key, char *buf, size_t size)
{
	const char *at = strstr(line, key);

	if (line[0] != ' ' || line[2] != '"' || at != line + 3 ||
	    line[3 + strlen(key)] != '"')
		return false;
	at += strlen(key) + 3;
	snprintf(buf, size, "%s", at + (*at == '"'));
	buf[strcspn(buf, "\",\n")] = '\0';
	if (!strcmp(buf, "null"))
		buf[0] = '\0';
	return true;
}

/* A line of "found": its code, behind the others. */
static void add_code(const char *line, char *codes, size_t size)
{
	size_t n = strlen(codes);

	line += strspn(line, " \"");
	snprintf(codes + n, size - n, "%s%.*s", n ? " " : "",
		 (int)strcspn(line, "\""), line);
}

static void parse(FILE *f, struct said *s)
{
	char line[512], number[32] = "";
	bool found = false;

	memset(s, 0, sizeof(*s));
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "  }", 3) == 0)
			found = false;
		if (found)
			add_code(line, s->codes, sizeof(s->codes));
		if (strncmp(line, "  \"found\"", 9) == 0)
			found = true;
		if (value(line, "verdict", s->verdict, sizeof(s->verdict)) ||
		    value(line, "errno", s->error, sizeof(s->error)) ||
		    value(line, "dirty_bytes", number, sizeof(number)))
			continue;
		value(line, "kernel_message", s->message, sizeof(s->message));
	}
	s->dirty = strtoul(number, NULL, 10) / BLOCK;
}

/* What pmk says of a device, or an image of one. */
static void ask_of(const char *path, const char *options, struct said *s)
{
	char command[512];
	FILE *f;

	snprintf(command, sizeof(command),
		 "%s wc check --json %s %s 2>/tmp/stderr", pmk, options, path);
	f = popen(command, "r");
	if (!f)
		die("popen");
	parse(f, s);
	pclose(f);
}

static void ask(const struct vector *v, char mode, struct said *s)
{
	const char *start = strstr(params_of(v), "start_sector ");
	char options[256];

	file_put("/tmp/image", image, size_of(v));
	snprintf(options, sizeof(options),
		 "--mode %c --block-size %u --start-sector %lu "
		 "--length %" PRIu64 " --origin %s",
		 mode, (unsigned int)atoi(params_of(v)),
		 start ? strtoul(start + 13, NULL, 10) : 0, size_of(v), origin);
	ask_of("/tmp/image", options, s);
}

void check_predicted(const char *device, const char *verdict, const char *codes)
{
	struct said s;

	ask_of(device, "--mode s", &s);
	check(!strcmp(s.verdict, verdict) && !strcmp(s.codes, codes),
	      "%s: pmk: want %s (%s), have %s (%s)", device, verdict, codes,
	      s.verdict, s.codes);
}

static void check_said(const struct vector *v, char mode, const struct said *s)
{
	const char *verdict = v->verdict ? v->verdict
			      : v->error ? "refused"
					 : "loads";

	check(strcmp(s->verdict, verdict) == 0,
	      "%c, %s: pmk's verdict: want %s, have %s", mode, v->name, verdict,
	      s->verdict);
	if (v->codes)
		check(strcmp(s->codes, v->codes) == 0,
		      "%c, %s: pmk's codes: want '%s', have '%s'", mode,
		      v->name, v->codes, s->codes);
}

/* --- the two compared */

static const char *error_name(int error)
{
	return error == EINVAL   ? "EINVAL"
	       : error == ENOMEM ? "ENOMEM"
	       : error == ENOSPC ? "ENOSPC"
				 : strerrorname_np(error);
}

static void check_unchanged(const struct vector *v, char mode)
{
	if (dev_read(cache, 0, before, size_of(v)))
		die("cannot read %s", cache);
	check(memcmp(image, before, size_of(v)) == 0,
	      "%c, %s: the kernel wrote to a device that it refused", mode,
	      v->name);
}

static void check_refused(const struct vector *v, char mode, int error,
			  const struct said *s)
{
	const char *line = klog_find("writecache: ");

	check(error == v->error, "%c, %s: kernel: want %s, have %s (%s)", mode,
	      v->name, error_name(v->error), error_name(error), line);
	check(strstr(line, v->message), "%c, %s: kernel: want '%s', have '%s'",
	      mode, v->name, v->message, line);
	check_unchanged(v, mode);
	if (strcmp(s->verdict, "refused") != 0)
		return;
	check(strcmp(s->error, error_name(error)) == 0,
	      "%c, %s: pmk said %s, the kernel %s", mode, v->name, s->error,
	      error_name(error));
	check(s->message[0] && strstr(line, s->message),
	      "%c, %s: pmk said '%s', the kernel '%s'", mode, v->name,
	      s->message, line);
}

/* What a read of block @b gives; 0 if it fails. */
static int served(const struct vector *v, size_t b)
{
	for (size_t k = 0; is_entry(v, k); k++) {
		const struct entry *e = &v->entry[k];

		if (e->sector / (BLOCK / SECTOR) != b)
			continue;
		if (e->fate == SERVED || e->fate == FAULTY)
			return e->fate == SERVED ? letter(e->i) : 0;
	}
	return 'o';
}

static bool all_of(const unsigned char *p, int c)
{
	return p[0] == c && !memcmp(p, p + 1, BLOCK - 1);
}

/* All of the origin's range as the kernel serves it.  Entries are in the first
 * blocks, the rest is read at once. */
static void check_reads(const struct vector *v, char mode, int minor)
{
	unsigned char *have = buffer(ORIGIN_BYTES);
	const char *path = dm_path(minor);
	size_t first = 24, b;
	int want, rc;

	for (b = 0; b < first; b++) {
		want = served(v, b);
		rc = dev_read(path, b * BLOCK, have, BLOCK);
		check(want ? !rc && all_of(have, want) : rc == -EIO,
		      "%c, %s: read block %zu: want '%c', have '%c': %s", mode,
		      v->name, b, want, have[0], strerror(-rc));
	}
	rc = dev_read(path, b * BLOCK, have, ORIGIN_BYTES - b * BLOCK);
	for (; b < ORIGIN_BYTES / BLOCK && !rc; b++)
		rc = all_of(have + (b - first) * BLOCK, 'o') ? 0 : -EILSEQ;
	check(!rc, "%c, %s: read up to block %zu: %s", mode, v->name, b,
	      strerror(-rc));
	free(have);
}

/* Only sequences of entries that are erased have changed. */
static void check_metadata(const struct vector *v, char mode)
{
	uint64_t head = v->at + 64 + 16 * n_of(v), i = 0;

	for (size_t k = 0; is_entry(v, k); k++)
		if (v->entry[k].fate == ERASED)
			put_le(image + v->at + 72 + 16 * v->entry[k].i,
			       FREE_SEQ, 8);
	if (dev_read(cache, 0, before, size_of(v)))
		die("cannot read %s", cache);
	while (i < head && image[i] == before[i])
		i++;
	check(i == head, "%c, %s: metadata differ at byte %" PRIu64, mode,
	      v->name, i);
}

/* What the kernel formats is as the fact page has it. */
static void check_formatted(const struct vector *v, char mode)
{
	static const char golden[] =
		"\x21\x93\x48\x23\1\0\0\0\0\x10\0\0\0\0\0\0";
	uint64_t n = v->bytes == 2U << 20 ? 509 : 254, i = 64;

	if (dev_read(cache, 0, before, size_of(v)))
		die("cannot read %s", cache);
	while (i < 64 + 16 * n && before[i] == 0xff)
		i++;
	check(!memcmp(before, golden, 16) && get_le(before + 16, 8) == n &&
		      !get_le(before + 24, 8) && i == 64 + 16 * n,
	      "%c, %s: formatted: %" PRIu64 " blocks, sequence %" PRIu64
	      ", differs at byte %" PRIu64,
	      mode, v->name, get_le(before + 16, 8), get_le(before + 24, 8), i);
}

static uint64_t kept(const struct vector *v)
{
	uint64_t n = 0;

	for (size_t k = 0; is_entry(v, k); k++)
		n += v->entry[k].fate == SERVED || v->entry[k].fate == FAULTY ||
		     (v->entry[k].fate == UNSEEN &&
		      v->entry[k].seq != FREE_SEQ);
	return n;
}

static void check_loaded(const struct vector *v, char mode, int minor,
			 const struct said *s)
{
	bool formats = v->verdict && !strcmp(v->verdict, "formats");
	bool bad = v->verdict && !strcmp(v->verdict, "loads_with_error");
	uint64_t n = status_field(2), used = n - status_field(3);

	check(status_field(1) == bad, "%c, %s: kernel's error flag", mode,
	      v->name);
	check(used == (formats ? 0 : kept(v)),
	      "%c, %s: kernel: %" PRIu64 " blocks in use", mode, v->name, used);
	check(formats || s->dirty == used,
	      "%c, %s: pmk said %lu blocks are dirty, the kernel %" PRIu64,
	      mode, v->name, s->dirty, used);
	if (v->message)
		check(*klog_find(s->message[0] ? s->message : v->message),
		      "%c, %s: kernel did not say '%s'", mode, v->name,
		      s->message);
	check_reads(v, mode, minor);
	check(!dm_remove(wc_name), "%c, %s: remove", mode, v->name);
	if (formats)
		check_formatted(v, mode);
	else
		check_metadata(v, mode);
}

static void run_vector(const struct vector *v, char mode)
{
	struct said s;
	int minor;

	place(v);
	ask(v, mode, &s);
	check_said(v, mode, &s);
	fill_origin();
	minor = map(mode, params_of(v));
	if (minor < 0)
		check_refused(v, mode, -minor, &s);
	else if (check(!v->error, "%c, %s: kernel: it is loaded", mode,
		       v->name))
		check_loaded(v, mode, minor, &s);
	else
		dm_remove(wc_name);
	unmap();
}

int main(int argc, char **argv)
{
	char mode;

	if (argc < 4)
		return 2;
	mode = argv[1][0];
	medium = argv[2];
	pmk = argv[3];
	image = buffer(MOST_BYTES);
	before = buffer(MOST_BYTES);
	origin = loop_on("/tmp/origin", ORIGIN_BYTES);
	if (argc > 4) {
		run_hangs(mode, pmk);
		return finish("vectors that hang");
	}
	for (size_t i = 0; i < n_vectors; i++)
		if (!vectors[i].mode || vectors[i].mode == mode)
			run_vector(&vectors[i], mode);
	run_acts(mode);
	return finish(mode == 'p' ? "vectors, mode p" : "vectors, mode s");
}
