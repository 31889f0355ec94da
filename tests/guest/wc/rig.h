/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this directory share: checks that are said as lib.sh
 * says them, devices read and written past the page cache, and the bytes of a
 * cache made without the library.
 */
#ifndef TESTS_GUEST_WC_RIG_H
#define TESTS_GUEST_WC_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTOR   512U
#define FREE_SEQ UINT64_MAX

/* "not ok N - TEXT"; a good one is only counted, as there are thousands. */
bool check(bool good, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "ok N - TEXT", N being how many were checked; 1 if any was not, for exit. */
int finish(const char *text);
/* Something that has to work did not. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Zeroed memory, aligned to a page; ends the program if there is none. */
unsigned char *buffer(size_t len);

/* A device or file, past the page cache: all in multiples of 512, and memory
 * aligned so.  0 or -errno, or -EIO of a short one. */
int dev_read(const char *path, uint64_t off, void *buf, size_t len);
/* That in pieces: 6.1.192 in mode p, where one request finds blocks in the
 * cache at several places, says that all was read and leaves the last ones of
 * the buffer alone, as many as there are places behind the first. */
int dev_read_by(size_t piece, const char *path, uint64_t off, void *buf,
		size_t len);
int dev_write(const char *path, uint64_t off, const void *buf, size_t len);
int dev_sync(const char *path);
int dev_discard(const char *path, uint64_t off, uint64_t len);
/* A new file of these bytes. */
void file_put(const char *path, const void *buf, size_t len);
/* "/dev/dm-MINOR", in one of four places that take turns */
const char *dm_path(int minor);
/* A new file, and a loop device on it: its path. */
const char *loop_on(const char *file, uint64_t size);

/* Little endian. */
uint64_t get_le(const unsigned char *p, size_t len);
void put_le(unsigned char *p, uint64_t v, size_t len);

#endif /* TESTS_GUEST_WC_RIG_H */
