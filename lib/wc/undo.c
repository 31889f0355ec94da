/* SPDX-License-Identifier: BSD-3-Clause */
/* Undo files: read whole, judged, and only then stored. */
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/cleanup.h"
#include "base/export.h"
#include "base/log.h"
#include "wc/image.h"
#include "wc/media.h"
#include "wc/repair.h"
#include "wc/undo.h"

struct undo {
	struct pmk_wc_image *img;
	struct pmk_wc_repair list; /* changes, as a repair has them */
	bool ended;
};

/* FNV-1a, of 64 bits: against an accident, not an adversary. */
static uint64_t hash(uint64_t sum, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ p[i]) * 0x100000001b3U;
	return sum;
}

uint64_t pmk_wc_undo_sum(const struct pmk_wc_repair *list, uint64_t base)
{
	uint64_t sum = 0xcbf29ce484222325U;
	uint64_t kept[3] = { htole64(base + list->kept_off),
			     htole64(list->kept_len), htole64(list->kept_sum) };

	sum = hash(sum, kept, sizeof(kept));
	for (size_t i = 0; i < list->n; i++) {
		const struct wc_change *c = &list->changes[i];
		uint64_t numbers[2] = { htole64(base + c->off),
					htole64(c->len) };

		sum = hash(sum, numbers, sizeof(numbers));
		sum = hash(sum, list->bytes + c->bytes, 2 * (size_t)c->len);
	}
	return sum;
}

static int bad(unsigned int line, const char *what)
{
	return pmk_fail(PMK_E_WC_UNDO, "line %u: %s", line, what);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal digits up to a blank or the end; returns how many bytes, or -1.
 * In place: two digits become one byte. */
static long parse_hex(char *s, char **end_ret)
{
	unsigned char *out = (unsigned char *)s;
	long n = 0;

	while (*s && *s != ' ') {
		int high = digit(s[0]), low = high < 0 ? -1 : digit(s[1]);

		if (low < 0)
			return -1;
		out[n++] = (unsigned char)(high << 4 | low);
		s += 2;
	}
	*end_ret = s;
	return n;
}

/* "at OFFSET OLD NEW", behind "at ". */
static int parse_at(struct undo *u, char *s, unsigned int line)
{
	struct pmk_wc_repair *l = &u->list;
	char *old_hex, *new_hex, *end;
	long n, m;
	uint64_t off;
	int rc;

	errno = 0;
	if (!isdigit((unsigned char)*s))
		return bad(line, "no offset");
	off = strtoull(s, &old_hex, 10);
	if (errno || *old_hex++ != ' ')
		return bad(line, "no offset");
	n = parse_hex(old_hex, &new_hex);
	if (n <= 0 || *new_hex++ != ' ')
		return bad(line, "no old bytes");
	m = parse_hex(new_hex, &end);
	if (m != n || *end)
		return bad(line, "no new bytes, or not as many");
	rc = pmk_wc_repair_grow(l, (size_t)n);
	if (rc)
		return rc;
	memcpy(l->bytes + l->n_bytes, old_hex, (size_t)n);
	memcpy(l->bytes + l->n_bytes + n, new_hex, (size_t)n);
	l->changes[l->n].off = off;
	l->changes[l->n].bytes = l->n_bytes;
	l->changes[l->n].len = (uint32_t)n;
	l->changes[l->n].stage = (uint16_t)l->stage;
	l->n_bytes += 2 * (size_t)n;
	l->n++;
	return 0;
}

/* "kept OFFSET LENGTH SUM", behind "kept ". */
static int parse_kept(struct pmk_wc_repair *l, const char *s, unsigned int line)
{
	if (sscanf(s, "%" SCNu64 " %" SCNu64 " %" SCNx64, &l->kept_off,
		   &l->kept_len, &l->kept_sum) != 3 ||
	    l->kept_len > UINT64_MAX - l->kept_off)
		return bad(line, "not understood");
	return 0;
}

static int parse_line(struct undo *u, char *s, unsigned int line)
{
	struct pmk_wc_repair *l = &u->list;
	char end[64];

	if (line == 1)
		return strcmp(s, WC_UNDO_HEAD) ? bad(line, "no undo file") : 0;
	if (u->ended)
		return bad(line, "more behind the end");
	if (!strcmp(s, "sync")) {
		l->stage++;
		return 0;
	}
	if (!strncmp(s, "at ", 3))
		return parse_at(u, s + 3, line);
	if (!strncmp(s, "kept ", 5))
		return parse_kept(l, s + 5, line);
	snprintf(end, sizeof(end), "end %zu %016" PRIx64, l->n,
		 pmk_wc_undo_sum(l, 0));
	if (strcmp(s, end))
		return bad(line, "not understood");
	u->ended = true;
	return 0;
}

static int parse(struct undo *u, int fd)
{
	int copy = dup(fd), rc = 0;
	_cleanup_file_ FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
	_cleanup_free_ char *line = NULL;
	unsigned int number = 0;
	size_t size = 0;
	ssize_t n;

	if (!f)
		return -errno;
	while (!rc && (n = getline(&line, &size, f)) > 0) {
		if (line[n - 1] != '\n')
			return bad(number + 1, "cut off");
		line[n - 1] = '\0';
		rc = parse_line(u, line, ++number);
	}
	if (rc)
		return rc;
	if (ferror(f))
		return -EIO;
	return u->ended ? 0 : bad(number, "it has no end");
}

/* Is it what the repair found, or left? */
static int check_place(const struct undo *u, const struct wc_change *c)
{
	const unsigned char *old = u->list.bytes + c->bytes;
	_cleanup_free_ unsigned char *now = malloc(c->len);
	ssize_t got;

	if (!now)
		return -ENOMEM;
	got = pmk_wc_image_pread(u->img, c->off, now, c->len);
	if (got < 0)
		return (int)got;
	if ((size_t)got < c->len)
		return PMK_E_RANGE;
	if (!memcmp(now, old, c->len) || !memcmp(now, old + c->len, c->len))
		return 0;
	return pmk_fail(PMK_E_WC_UNDO,
			"byte %" PRIu64 " and the next are neither what they "
			"were before the repair nor what it made them",
			c->off);
}

/* Was it used since?  Then what the repair freed may be out of date. */
static int check_kept(const struct undo *u)
{
	const struct pmk_wc_repair *l = &u->list;

	if (pmk_wc_undo_kept(u->img, l, l->kept_off, l->kept_len) ==
	    l->kept_sum)
		return 0;
	return pmk_fail(PMK_E_WC_UNDO,
			"the metadata were changed since the repair: by a "
			"writeback, or by the kernel");
}

static int store_all(const struct undo *u)
{
	const struct pmk_wc_repair *l = &u->list;
	int rc = 0;

	for (size_t i = l->n; i-- && !rc;) {
		const struct wc_change *c = &l->changes[i];

		/* fence: back through the stages of the repair */
		if (i + 1 < l->n && c->stage != l->changes[i + 1].stage)
			rc = pmk_wc_image_sync(u->img);
		if (!rc)
			rc = pmk_wc_image_store(u->img, c->off,
						l->bytes + c->bytes, c->len);
	}
	return rc ? rc : pmk_wc_image_sync(u->img);
}

PMK_EXPORT int pmk_wc_undo(struct pmk_wc_image *img, int fd, bool force)
{
	struct undo u = { .img = img };
	int rc = img->writable ? pmk_claim(img->fd)
			       : pmk_fail(PMK_E_READ_ONLY, "the cache");

	/* those of the file are offsets in the whole of what was opened */
	if (!rc && img->base)
		rc = pmk_fail(PMK_E_RANGE, "the cache was opened at an offset");
	if (!rc)
		rc = parse(&u, fd);
	for (size_t i = 0; i < u.list.n && !rc && !force; i++)
		rc = check_place(&u, &u.list.changes[i]);
	if (!rc && !force)
		rc = check_kept(&u);
	if (!rc)
		rc = store_all(&u);
	free(u.list.changes);
	free(u.list.bytes);
	return rc;
}
