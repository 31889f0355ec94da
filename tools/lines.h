/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records from a file descriptor: what lies between delimiters, and behind the
 * last one.  Never reads while a complete record is waiting, so that a record
 * is handed on as soon as its delimiter has come through a pipe.
 */
#ifndef TOOLS_LINES_H
#define TOOLS_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* In place of a delimiter: the whole input is one record. */
#define LINES_WHOLE -1

struct lines {
	int fd;
	int delimiter; /* a byte, or LINES_WHOLE */
	size_t max;    /* the longest record to accept */
	char *buf;
	size_t cap;
	size_t start; /* of the first record not yet handed on */
	size_t scan;  /* no delimiter from start to here */
	size_t end;   /* of what was read */
	bool eof;
	bool done; /* the record behind the last delimiter was handed on */
};

void lines_init(struct lines *l, int fd, int delimiter, size_t max);
void lines_fini(struct lines *l);

/* The next record in the buffer, valid until lines_fill(); false: there is
 * none, lines_fill() may bring some. */
bool lines_next(struct lines *l, const char **data_ret, size_t *len_ret);

/*
 * One read(2).  Returns 1: look again; 0: the input has ended and all records
 * were handed on; -EMSGSIZE: the next record is longer than max; -ENOMEM;
 * -errno of read(2).
 */
int lines_fill(struct lines *l);

#endif /* TOOLS_LINES_H */
