/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the command prints: one-line messages on stderr, tables and JSON on
 * stdout.  When memory runs out while a document is built, the process ends
 * with a message and EXIT_FAIL.
 */
#ifndef TOOLS_OUT_H
#define TOOLS_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;
struct libscols_table;

/* Before anything else: hears the library's explanations, and makes exit(3)
 * fail if standard output could not be written. */
void out_init(const char *name);

/* The name that messages begin with, such as "pmk log read"; kept. */
void out_set_name(const char *name);
const char *out_name(void);

/* One line on stderr, "NAME: ..."; returns EXIT_FAIL. */
__attribute__((format(printf, 1, 2))) int out_error(const char *fmt, ...);

/* The text of @code with what the library said about its last failure, less
 * a "@path: " at its beginning (@path may be NULL).  Said once: an explanation
 * that nobody asked for is dropped by asking.  Valid until the next call. */
const char *out_explanation(int code, const char *path);

/* How messages name @path: an empty one is shown as two quotes. */
const char *out_path(const char *path);

/* The failure of a library call on @path, in one line, with @remedy (or NULL)
 * behind it; returns EXIT_FAIL. */
int out_fail(const char *path, int code, const char *remedy);

/* "NAME: out of memory", and exit. */
_Noreturn void out_of_memory(void);

/* Has all of standard output been written?  EXIT_OK, or EXIT_FAIL after a
 * message, which comes once. */
int out_flush(void);
/* The same for a caller that reports it with what else it knows: 0 or -errno,
 * and no message, then or later. */
int out_flush_quiet(void);

/* A table with these column headings, ended by NULL; none are shown if the
 * first is empty. */
struct libscols_table *out_table(const char *heading, ...)
	__attribute__((sentinel));
/* As many cells as there are columns, ended by NULL. */
void out_row(struct libscols_table *tb, const char *cell, ...)
	__attribute__((sentinel));
/* Rows "name value" of a table of two columns. */
void out_row_u64(struct libscols_table *tb, const char *name, uint64_t v);
void out_row_size(struct libscols_table *tb, const char *name, uint64_t bytes);
/* Prints and frees; returns an exit code. */
int out_table_end(struct libscols_table *tb);

/* A document {"schema": 1}, to be completed by the calls below. */
struct json_object *out_json(void);
void out_json_add(struct json_object *o, const char *key,
		  struct json_object *value);
void out_json_str(struct json_object *o, const char *key, const char *s);
/* A name of one or more words, joined by '_' as in keys. */
void out_json_name(struct json_object *o, const char *key, const char *name);
/* A path need not be UTF-8, JSON must be: other bytes become '?'. */
void out_json_path(struct json_object *o, const char *key, const char *path);
void out_json_u64(struct json_object *o, const char *key, uint64_t v);
void out_json_bool(struct json_object *o, const char *key, bool v);
/* What is not known. */
void out_json_null(struct json_object *o, const char *key);
/* Prints and frees; returns EXIT_OK: a write error shows at exit. */
int out_json_end(struct json_object *o);

/* Parts of a document that is too large to be built first. */
void out_json_text(FILE *f, const char *data, size_t len); /* valid UTF-8 */
void out_json_hex(FILE *f, const unsigned char *data, size_t len);

#endif /* TOOLS_OUT_H */
