/* SPDX-License-Identifier: BSD-3-Clause */
/* Parse a line of the text form of a cache. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/util.h"
#include "out.h"
#include "wc/dump.h"
#include "wc/restore_line.h"

/* One line while it is taken apart: each member that was used is removed, so
 * that what is left is unknown. */
struct parse {
	struct json_object *o;
	const char *wrong; /* NULL: nothing so far */
};

static char wrong_text[128];

__attribute__((format(printf, 2, 3))) static void wrong(struct parse *p,
							const char *fmt, ...)
{
	va_list ap;

	if (p->wrong)
		return;
	va_start(ap, fmt);
	vsnprintf(wrong_text, sizeof(wrong_text), fmt, ap);
	va_end(ap);
	p->wrong = wrong_text;
}

/* A whole number up to @max, or the default if it may be missing. */
static uint64_t number(struct parse *p, const char *key, uint64_t max,
		       bool needed, uint64_t missing)
{
	struct json_object *v;
	uint64_t n;

	if (!json_object_object_get_ex(p->o, key, &v)) {
		if (needed)
			wrong(p, "no \"%s\"", key);
		return missing;
	}
	n = json_object_get_uint64(v);
	if (!json_object_is_type(v, json_type_int) ||
	    json_object_get_int64(v) < 0 || n > max)
		wrong(p, "\"%s\" is not a number from 0 to %llu", key,
		      (unsigned long long)max);
	json_object_object_del(p->o, key);
	return n;
}

static bool has(const struct parse *p, const char *key)
{
	return json_object_object_get_ex(p->o, key, NULL);
}

static bool flag(struct parse *p, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(p->o, key, &v))
		return false;
	if (!json_object_is_type(v, json_type_boolean) ||
	    !json_object_get_boolean(v))
		wrong(p, "\"%s\" is not true", key);
	json_object_object_del(p->o, key);
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal text of @key into at most @max bytes at @buf; returns how many.
 */
static size_t hex(struct parse *p, const char *key, unsigned char *buf,
		  size_t max)
{
	struct json_object *v = json_object_object_get(p->o, key);
	const char *text = json_object_is_type(v, json_type_string)
				   ? json_object_get_string(v)
				   : "x";
	size_t len = strlen(text);

	if (len % 2 || len / 2 > max) {
		wrong(p, "\"%s\" is not hexadecimal, or too long", key);
		return 0;
	}
	for (size_t i = 0; i < len; i += 2) {
		int high = digit(text[i]), low = digit(text[i + 1]);

		if (high < 0 || low < 0) {
			wrong(p, "\"%s\" is not hexadecimal", key);
			return 0;
		}
		buf[i / 2] = (unsigned char)(high << 4 | low);
	}
	json_object_object_del(p->o, key);
	return len / 2;
}

static void parse_superblock(struct parse *p, struct wc_line *line)
{
	struct pmk_wc_superblock *sb = &line->sb;
	uint64_t version = number(p, "pmk_wc_dump", UINT64_MAX, true, 0);

	line->kind = WC_LINE_SUPERBLOCK;
	if (version != WC_DUMP_VERSION)
		wrong(p, "version %llu of the text form is not known",
		      (unsigned long long)version);
	/* an offset in a file has 63 bits, with the start sector before it */
	line->device_bytes = number(p, "device_bytes", INT64_MAX / 2, true, 0);
	line->start_sector = number(p, "start_sector",
				    INT64_MAX / 2 / PMK_WC_SECTOR, false, 0);
	sb->magic = (uint32_t)number(p, "magic", UINT32_MAX, true, 0);
	sb->version = (uint32_t)number(p, "version", UINT32_MAX, true, 0);
	sb->block_size =
		(uint32_t)number(p, "block_size_bytes", UINT32_MAX, true, 0);
	sb->pad = (uint32_t)number(p, "pad", UINT32_MAX, false, 0);
	sb->n_blocks = number(p, "n_blocks", UINT64_MAX, true, 0);
	sb->seq_count = number(p, "seq_count", UINT64_MAX, true, 0);
	if (has(p, "reserved"))
		hex(p, "reserved", sb->reserved, sizeof(sb->reserved));
	line->with_data = has(p, "data");
	json_object_object_del(p->o, "data");
}

static void parse_tail(struct parse *p, struct wc_line *line)
{
	line->kind = WC_LINE_TAIL;
	line->tail = malloc(WC_DUMP_PIECE);
	if (!line->tail)
		out_of_memory();
	line->tail_len = hex(p, "tail", line->tail, WC_DUMP_PIECE);
}

static void parse_data(struct parse *p, struct wc_line *line)
{
	line->has_data = has(p, "data");
	line->data = number(p, "data", INT64_MAX / 2, false, 0);
}

static bool has_state(const struct parse *p, const char *name)
{
	struct json_object *v = json_object_object_get(p->o, "state");

	return json_object_is_type(v, json_type_string) &&
	       !strcmp(json_object_get_string(v), name);
}

static void parse_entry(struct parse *p, struct wc_line *line)
{
	line->kind = WC_LINE_ENTRY;
	line->number = number(p, "entry", UINT64_MAX, true, 0);
	line->entry.original_sector = number(p, "sector", UINT64_MAX, true, 0);
	line->entry.seq_count = number(p, "seq", UINT64_MAX, true, 0);
	parse_data(p, line);
	line->zero = flag(p, "zero");
	line->data_error = flag(p, "data_error");
	/* the sequence says the rest */
	line->superseded = has_state(p, "superseded");
	line->unreadable = has_state(p, "unreadable");
	json_object_object_del(p->o, "state");
}

static void parse_bytes(struct parse *p, struct wc_line *line)
{
	line->kind = WC_LINE_BYTES;
	line->at = number(p, "at", INT64_MAX / 2, true, 0);
	line->bytes = number(p, "bytes", WC_DUMP_PIECE, true, 0);
	parse_data(p, line);
	if (!line->has_data)
		wrong(p, "no \"data\"");
}

static void parse_end(struct parse *p, struct wc_line *line)
{
	line->kind = WC_LINE_END;
	line->number = number(p, "end", UINT64_MAX, true, 0);
}

/* Members that nobody took. */
static void refuse_rest(struct parse *p)
{
	struct json_object_iterator it = json_object_iter_begin(p->o);
	struct json_object_iterator end = json_object_iter_end(p->o);

	if (!json_object_iter_equal(&it, &end))
		wrong(p, "\"%.40s\" is not known here",
		      json_object_iter_peek_name(&it));
}

static void take_apart(struct parse *p, struct wc_line *line)
{
	if (has(p, "pmk_wc_dump"))
		parse_superblock(p, line);
	else if (has(p, "entry"))
		parse_entry(p, line);
	else if (has(p, "tail"))
		parse_tail(p, line);
	else if (has(p, "at"))
		parse_bytes(p, line);
	else if (has(p, "end"))
		parse_end(p, line);
	else
		wrong(p, "neither a superblock nor an entry");
	refuse_rest(p);
}

static struct json_object *parse_json(const char *text, size_t len)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o;

	if (!tok)
		out_of_memory();
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, text, (int)len);
	if (json_tokener_get_error(tok) != json_tokener_success ||
	    json_tokener_get_parse_end(tok) != len ||
	    !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(tok);
	return o;
}

/* Is there a number above 2^64-1?  json-c takes it for that. */
static bool has_huge(const char *text, size_t len)
{
	static const char most[] = "18446744073709551615";
	const size_t n_most = sizeof(most) - 1;

	for (const char *p = text, *end = text + len; p < end; p++) {
		size_t n = 0;

		if (*p != ':')
			continue;
		while (p + 1 + n < end && p[1 + n] >= '0' && p[1 + n] <= '9')
			n++;
		if (n > n_most || (n == n_most && memcmp(p + 1, most, n) > 0))
			return true;
	}
	return false;
}

const char *wc_line_parse(const char *text, size_t len, struct wc_line *line)
{
	struct parse p = { .o = parse_json(text, len) };

	*line = (struct wc_line){ .kind = WC_LINE_ENTRY };
	if (!p.o)
		return "not a JSON object";
	if (has_huge(text, len))
		wrong(&p, "a number above 2^64-1");
	take_apart(&p, line);
	json_object_put(p.o);
	if (p.wrong) {
		free(line->tail);
		line->tail = NULL;
	}
	return p.wrong;
}
