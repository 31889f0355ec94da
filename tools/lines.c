/* SPDX-License-Identifier: BSD-3-Clause */
/* Records from a file descriptor. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lines.h"

/* Twice what a pipe holds by default, so that one read empties it. */
#define FIRST_CAP ((size_t)128 << 10)

void lines_init(struct lines *l, int fd, int delimiter, size_t max)
{
	*l = (struct lines){ .fd = fd, .delimiter = delimiter, .max = max };
}

void lines_fini(struct lines *l)
{
	free(l->buf);
}

/* What is behind the last delimiter; an input that ends with a delimiter has
 * nothing there, a whole input is a record even if it is empty. */
static bool last(struct lines *l, const char **data_ret, size_t *len_ret)
{
	if (!l->eof || l->done)
		return false;
	l->done = true;
	if (l->start == l->end && l->delimiter != LINES_WHOLE)
		return false;
	*data_ret = l->buf + l->start;
	*len_ret = l->end - l->start;
	l->start = l->scan = l->end;
	return true;
}

bool lines_next(struct lines *l, const char **data_ret, size_t *len_ret)
{
	char *p = NULL;

	if (l->delimiter != LINES_WHOLE && l->scan < l->end)
		p = memchr(l->buf + l->scan, l->delimiter, l->end - l->scan);
	if (!p) {
		l->scan = l->end;
		return last(l, data_ret, len_ret);
	}
	*data_ret = l->buf + l->start;
	*len_ret = (size_t)(p - l->buf) - l->start;
	l->start = l->scan = (size_t)(p - l->buf) + 1;
	return true;
}

/* Room behind the data for at least one byte. */
static int make_room(struct lines *l)
{
	size_t used = l->end - l->start;
	size_t cap = l->cap ? l->cap : FIRST_CAP;
	char *buf;

	if (used && l->start)
		memmove(l->buf, l->buf + l->start, used);
	l->start = 0;
	l->scan = l->end = used;
	if (used == cap)
		cap *= 2;
	if (cap == l->cap)
		return 0;
	buf = realloc(l->buf, cap);
	if (!buf)
		return -ENOMEM;
	l->buf = buf;
	l->cap = cap;
	return 0;
}

/* Whoever shares the descriptor may have set O_NONBLOCK.  True: read again;
 * false: errno tells why not. */
static bool wait_for_input(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return errno == EAGAIN && (poll(&p, 1, -1) > 0 || errno == EINTR);
}

int lines_fill(struct lines *l)
{
	ssize_t n;
	int rc;

	if (l->eof)
		return 0;
	if (l->end - l->start > l->max)
		return -EMSGSIZE;
	rc = make_room(l);
	if (rc)
		return rc;
	do
		n = read(l->fd, l->buf + l->end, l->cap - l->end);
	while (n < 0 && (errno == EINTR || wait_for_input(l->fd)));
	if (n < 0)
		return -errno;
	l->end += (size_t)n;
	l->eof = !n;
	return 1;
}
