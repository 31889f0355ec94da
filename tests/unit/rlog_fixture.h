/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logs on memfds, whose bytes a test may copy, change and open again, as after
 * a crash.
 */
#ifndef TESTS_UNIT_RLOG_FIXTURE_H
#define TESTS_UNIT_RLOG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pmk/map.h>
#include <pmk/rlog.h>

/* A new emulated mapping of @size bytes, all zero. */
struct pmk_map *fixture_map(uint64_t size);
/* The same with an empty log in it. */
struct pmk_map *fixture_log_map(uint64_t size);
/* A new mapping that holds a copy of @image. */
struct pmk_map *fixture_image_map(const void *image, size_t size);
/* Open for writing, or fail the test. */
struct pmk_rlog *fixture_writer(struct pmk_map *map);
struct pmk_rlog *fixture_reader(struct pmk_map *map);

/*
 * Record number @n of every test that does not say otherwise: its length and
 * bytes follow from @n alone, so that a reader can tell a wrong record.
 */
size_t fixture_record(uint64_t n, unsigned char *buf, size_t room);
/* Append records [@first, @first + @n) one by one; their numbers must agree. */
void fixture_append(struct pmk_rlog *log, uint64_t first, size_t n);
/* True if @rec is record number @rec->number of fixture_record(). */
int fixture_is_right(const struct pmk_rlog_record *rec);
/*
 * Read the log to its end.  Every record must be right and in order.  Returns
 * how many there are; fails the test on damage.
 */
uint64_t fixture_count(struct pmk_rlog *log);

/* The largest length that fixture_record() gives. */
#define FIXTURE_MAX_LEN 200

#endif /* TESTS_UNIT_RLOG_FIXTURE_H */
