/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of bad blocks of sysfs. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/badblocks.h"
#include "base/cleanup.h"

#define SECTOR_BYTES 512

/* An attribute has at most one page of 4096 bytes, and the kernel's formatting
 * takes the last one: a text as long as that may have lost its rest, whether it
 * ends in the middle of a line or not. */
#define FULL_BYTES 4095

/* Nor does the kernel keep more ranges than a page holds, at 8 bytes each: a
 * list that is full may have had no room for the next one. */
#define FULL_RANGES 512

enum line_part {
	PART_SECTOR,
	PART_COUNT,
	PART_END
};

/* What has been read of the current line, and the end of the range before. */
struct parser {
	uint64_t number[2]; /* sector, count */
	enum line_part part;
	bool digits; /* of the current number there is one */
	uint64_t end_bytes;
	uint64_t ranges;
	pmk_badblocks_fn fn;
	void *arg;
};

static int take_digit(struct parser *p, char c)
{
	uint64_t *v;

	if (p->part == PART_END)
		return PMK_E_SYSFS;
	v = &p->number[p->part];
	if (__builtin_mul_overflow(*v, 10, v) ||
	    __builtin_add_overflow(*v, (uint64_t)(c - '0'), v))
		return PMK_E_SYSFS;
	p->digits = true;
	return 0;
}

static void end_number(struct parser *p)
{
	if (p->digits)
		p->part++;
	p->digits = false;
}

static int end_line(struct parser *p)
{
	uint64_t off, len, end;

	end_number(p);
	if (p->part == PART_SECTOR) /* an empty line says nothing */
		return 0;
	if (p->part != PART_END || !p->number[PART_COUNT] ||
	    __builtin_mul_overflow(p->number[PART_SECTOR], SECTOR_BYTES,
				   &off) ||
	    __builtin_mul_overflow(p->number[PART_COUNT], SECTOR_BYTES, &len) ||
	    __builtin_add_overflow(off, len, &end) || off < p->end_bytes)
		return PMK_E_SYSFS;
	p->number[PART_SECTOR] = p->number[PART_COUNT] = 0;
	p->part = PART_SECTOR;
	p->end_bytes = end;
	p->ranges++;
	return p->fn(off, len, p->arg);
}

static int take(struct parser *p, char c)
{
	if (isdigit((unsigned char)c))
		return take_digit(p, c);
	if (c == '\n')
		return end_line(p);
	if (c != ' ')
		return PMK_E_SYSFS;
	end_number(p);
	return 0;
}

int pmk_badblocks_parse(int fd, pmk_badblocks_fn fn, void *arg)
{
	struct parser p = { .fn = fn, .arg = arg };
	char text[512], last = '\n';
	uint64_t total = 0;

	for (;;) {
		ssize_t n = read(fd, text, sizeof(text));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return last != '\n' || total >= FULL_BYTES ||
			       p.ranges >= FULL_RANGES;
		for (ssize_t i = 0; i < n; i++) {
			int rc = take(&p, text[i]);

			if (rc)
				return rc;
		}
		last = text[n - 1];
		total += (uint64_t)n;
	}
}

int pmk_badblocks_read(const char *dir, pmk_badblocks_fn fn, void *arg)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_fd_ int fd = -1;

	if (asprintf(&path, "%s/badblocks", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : pmk_badblocks_parse(fd, fn, arg);
}
