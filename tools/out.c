/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages, tables and JSON. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>
#include <libsmartcols.h>

#include <pmk/error.h>
#include <pmk/log.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "out.h"
#include "pmk.h"
#include "utf8.h"
#include "wrap.h"

static char command_name[64];
/* The library explains while it fails, the command reports afterwards: the
 * explanation is kept so that one failure is one line. */
static char explanation[1024];
static bool stdout_reported;

void out_set_name(const char *name)
{
	snprintf(command_name, sizeof(command_name), "%s", name);
}

static void hear(enum pmk_log_level level, const char *text, void *arg)
{
	(void)arg;
	if (level == PMK_LOG_WARNING)
		fprintf(stderr, "%s: warning: %s\n", command_name, text);
	else
		snprintf(explanation, sizeof(explanation), "%s", text);
}

const char *out_name(void)
{
	return command_name;
}

/* 0 or -errno.  Of a write that failed earlier, what is in the buffer still is
 * written again and so says why; if nothing is, errno is the best guess, and
 * else it is -EIO. */
static int flush_stdout(void)
{
	bool bad = ferror(stdout);
	int earlier = errno;

	errno = 0;
	if (!fflush(stdout)) {
		if (!bad)
			return 0;
		errno = earlier;
	}
	return errno ? -errno : -EIO;
}

int out_flush_quiet(void)
{
	int rc = flush_stdout();

	if (rc)
		stdout_reported = true;
	return rc;
}

int out_flush(void)
{
	int rc = flush_stdout();

	if (!rc)
		return EXIT_OK;
	if (!stdout_reported)
		out_error("standard output: %s", pmk_strerror(rc));
	stdout_reported = true;
	return EXIT_FAIL;
}

static void check_stdout(void)
{
	/* exit(3) must not be called again from here */
	if (out_flush() != EXIT_OK)
		_exit(EXIT_FAIL);
}

void out_init(const char *name)
{
	out_set_name(name);
	pmk_log_set(hear, NULL);
	atexit(check_stdout);
}

int out_error(const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	/* a path may have anything in it, and a message is one line */
	for (char *p = text; p && *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	fprintf(stderr, "%s: %s\n", command_name, text ? text : fmt);
	return EXIT_FAIL;
}

void out_of_memory(void)
{
	exit(out_error("out of memory"));
}

/* Errors whose text says all: the explanation only says it in other words. */
static bool says_all(int code)
{
	return code == PMK_E_LOG_EXISTS || code == PMK_E_LOG_LOCKED ||
	       code == PMK_E_READ_ONLY;
}

const char *out_explanation(int code, const char *path)
{
	static char text[2 * sizeof(explanation)];
	const char *what = pmk_strerror(code), *why = explanation;
	size_t n = path ? strlen(path) : 0;

	if (path && !strncmp(why, path, n) && !strncmp(why + n, ": ", 2))
		why += n + 2;
	/* some explanations say what the error is, some only add to it */
	if (!*why || says_all(code))
		snprintf(text, sizeof(text), "%s", what);
	else if (strstr(why, what))
		snprintf(text, sizeof(text), "%s", why);
	else
		snprintf(text, sizeof(text), "%s (%s)", what, why);
	explanation[0] = '\0';
	return text;
}

const char *out_path(const char *path)
{
	return *path ? path : "''";
}

static bool is_symlink(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

int out_fail(const char *path, int code, const char *remedy)
{
	const char *text = out_explanation(code, path);

	/* the name is there, and whoever looks at it wonders */
	if (code == -ENOENT && is_symlink(path))
		text = "a symbolic link to nothing";
	return out_error("%s: %s%s%s", out_path(path), text, remedy ? "; " : "",
			 remedy ? remedy : "");
}

struct libscols_table *out_table(const char *heading, ...)
{
	struct libscols_table *tb = scols_new_table();
	const char *h = heading;
	va_list ap;

	if (!tb)
		out_of_memory();
	va_start(ap, heading);
	while (h) {
		const char *next = va_arg(ap, const char *);

		/* the last column is the one with sentences */
		if (!scols_table_new_column(tb, h, 0, next ? 0 : SCOLS_FL_WRAP))
			out_of_memory();
		h = next;
	}
	va_end(ap);
	scols_table_enable_noheadings(tb, !*heading);
	return tb;
}

void out_row(struct libscols_table *tb, const char *cell, ...)
{
	struct libscols_line *line = scols_table_new_line(tb, NULL);
	va_list ap;
	size_t i = 0;

	if (!line)
		out_of_memory();
	va_start(ap, cell);
	for (; cell; cell = va_arg(ap, const char *))
		if (scols_line_set_data(line, i++, cell))
			out_of_memory();
	va_end(ap);
}

void out_row_u64(struct libscols_table *tb, const char *name, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	out_row(tb, name, text, NULL);
}

void out_row_size(struct libscols_table *tb, const char *name, uint64_t bytes)
{
	char iec[32], text[64];

	pmk_size_format(bytes, iec, sizeof(iec));
	if (bytes < 1024)
		snprintf(text, sizeof(text), "%s", iec);
	else
		snprintf(text, sizeof(text), "%s (%" PRIu64 " B)", iec, bytes);
	out_row(tb, name, text, NULL);
}

int out_table_end(struct libscols_table *tb)
{
	int rc;

	if (isatty(STDOUT_FILENO))
		wrap_last_column(tb);
	rc = scols_print_table(tb);
	scols_unref_table(tb);
	return rc ? out_error("cannot print the table: %s", pmk_strerror(rc))
		  : EXIT_OK;
}

struct json_object *out_json(void)
{
	struct json_object *o = json_object_new_object();

	out_json_u64(o, "schema", 1);
	return o;
}

void out_json_add(struct json_object *o, const char *key,
		  struct json_object *value)
{
	if (!o || !value || json_object_object_add(o, key, value))
		out_of_memory();
}

void out_json_str(struct json_object *o, const char *key, const char *s)
{
	out_json_add(o, key, json_object_new_string(s));
}

void out_json_name(struct json_object *o, const char *key, const char *name)
{
	_cleanup_free_ char *copy = strdup(name);

	if (!copy)
		out_of_memory();
	for (char *p = copy; *p; p++)
		if (*p == ' ')
			*p = '_';
	out_json_str(o, key, copy);
}

void out_json_path(struct json_object *o, const char *key, const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		out_of_memory();
	if (!utf8_is_valid(copy, strlen(copy)))
		for (char *p = copy; *p; p++)
			if ((unsigned char)*p >= 0x80)
				*p = '?';
	out_json_str(o, key, copy);
}

void out_json_u64(struct json_object *o, const char *key, uint64_t v)
{
	out_json_add(o, key, json_object_new_uint64(v));
}

void out_json_bool(struct json_object *o, const char *key, bool v)
{
	out_json_add(o, key, json_object_new_boolean(v));
}

void out_json_null(struct json_object *o, const char *key)
{
	if (!o || json_object_object_add(o, key, NULL))
		out_of_memory();
}

int out_json_end(struct json_object *o)
{
	const char *s = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			   JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!s)
		out_of_memory();
	puts(s);
	json_object_put(o);
	return EXIT_OK;
}

/* What JSON does not allow in a string as it is (RFC 8259, 7). */
static bool needs_escape(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

void out_json_text(FILE *f, const char *data, size_t len)
{
	const char *end = data + len;

	fputc('"', f);
	while (data < end) {
		const char *p = data;

		while (p < end && !needs_escape((unsigned char)*p))
			p++;
		fwrite(data, 1, (size_t)(p - data), f);
		if (p < end && (*p == '"' || *p == '\\'))
			fprintf(f, "\\%c", *p);
		else if (p < end)
			fprintf(f, "\\u%04x", (unsigned int)*p);
		data = p + 1;
	}
	fputc('"', f);
}

void out_json_hex(FILE *f, const unsigned char *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	fputc('"', f);
	for (size_t i = 0; i < len; i++) {
		fputc(digits[data[i] >> 4], f);
		fputc(digits[data[i] & 15], f);
	}
	fputc('"', f);
}
