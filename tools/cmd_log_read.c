/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk log read: the records, raw or as JSON.  Nothing is gathered in memory
 * but the damaged ranges: a log may be larger than that.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/copy.h>
#include <pmk/rlog.h>

#include "log_file.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"
#include "utf8.h"

enum {
	KEY_FORMAT = 0x100,
	KEY_SKIP,
};

struct args {
	const char *path;
	const char *format; /* as given, or NULL */
	bool json;
	bool null;
	bool skip;
};

struct run {
	const struct args *args;
	uint64_t printed;
	char *buf; /* of the record to print */
	size_t room;
	struct pmk_rlog_record *damaged;
	size_t damaged_n;
	int rc;         /* exit code so far */
	bool truncated; /* there may have been records behind the end */
};

static const struct argp_option options[] = {
	{ "format", KEY_FORMAT, "FORMAT", 0,
	  "raw (default): each record and a newline; json: one document", 0 },
	{ "null", 'z', NULL, 0, "raw: a NUL behind each record, not a newline",
	  0 },
	{ "skip-damaged", KEY_SKIP, NULL, 0,
	  "Go on behind damaged records instead of stopping there", 0 },
	OPT_JSON,
	OPT_END,
};

static void check_args(struct args *a, struct argp_state *state)
{
	bool raw = a->format && !strcmp(a->format, "raw");

	if (a->json && raw)
		argp_error(state, "--json and --format raw exclude each other");
	if (a->format && !raw)
		a->json = true;
	if (a->json && a->null)
		argp_error(state, "--null is for the raw format only");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "FILE" };
	struct args *a = state->input;

	switch (key) {
	case KEY_FORMAT:
		a->format = arg;
		if (strcmp(arg, "json") && strcmp(arg, "raw"))
			argp_error(state,
				   "--format: '%s' is neither raw nor json",
				   arg);
		return 0;
	case 'z':
		a->null = true;
		return 0;
	case KEY_SKIP:
		a->skip = true;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case ARGP_KEY_END:
		check_args(a, state);
		break;
	default:
		break;
	}
	return opt_positional(key, arg, state, &a->path, names, 1);
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Print the records of the record log FILE.",
};

static void print_record_json(const struct run *r,
			      const struct pmk_rlog_record *rec)
{
	bool text = utf8_is_valid(rec->data, rec->len) &&
		    !memchr(rec->data, '\0', rec->len);

	printf("%s\n    {\"number\": %" PRIu64 ", \"offset_bytes\": %" PRIu64
	       ", \"size_bytes\": %" PRIu64 ", \"encoding\": \"%s\", "
	       "\"data\": ",
	       r->printed ? "," : "", rec->number, rec->off, rec->len,
	       text ? "utf-8" : "hex");
	if (text)
		out_json_text(stdout, rec->data, rec->len);
	else
		out_json_hex(stdout, rec->data, rec->len);
	putchar('}');
}

/* A record is printed from a copy: while standard output makes it wait, its
 * storage may fail, or the file be cut off.  False if that has happened. */
static bool take_record(struct run *r, struct pmk_rlog_record *rec)
{
	if (!rec->len)
		return true;
	if (r->room < rec->len) {
		free(r->buf);
		r->room = rec->len;
		r->buf = malloc(r->room);
		if (!r->buf)
			out_of_memory();
	}
	if (pmk_copy_mc(r->buf, rec->data, rec->len))
		return false;
	rec->data = r->buf;
	return true;
}

static void print_record(struct run *r, const struct pmk_rlog_record *rec)
{
	if (r->args->json) {
		print_record_json(r, rec);
	} else {
		fwrite(rec->data, 1, rec->len, stdout);
		putchar(r->args->null ? '\0' : '\n');
	}
	r->printed++;
}

static void note_damaged(struct run *r, const struct pmk_rlog_record *rec)
{
	size_t n = r->damaged_n;

	/* doubles at powers of two */
	if (!(n & (n - 1))) {
		r->damaged = reallocarray(r->damaged, n ? 2 * n : 1,
					  sizeof(*r->damaged));
		if (!r->damaged)
			out_of_memory();
	}
	r->damaged[r->damaged_n++] = *rec;
}

/* Says where the damage is; returns true to go on behind it. */
static bool damage(struct run *r, const struct pmk_rlog_record *rec)
{
	const struct args *a = r->args;

	r->rc = EXIT_BAD;
	if (a->json)
		note_damaged(r, rec);
	/* in the document it is not repeated on stderr */
	if (a->skip && a->json)
		return true;
	/* what was read so far comes first where both go to one terminal */
	fflush(stdout);
	out_error("%s: damaged: %" PRIu64 " bytes at offset %" PRIu64
		  ", from record %" PRIu64 " on%s",
		  a->path, rec->len, rec->off, rec->number,
		  a->skip ? "; skipped" : "; --skip-damaged goes on behind it");
	return a->skip;
}

static int read_all(struct run *r, struct pmk_rlog *log)
{
	struct pmk_rlog_cursor cursor, before;
	struct pmk_rlog_record rec;
	int rc;

	pmk_rlog_rewind(&cursor);
	for (;;) {
		before = cursor;
		rc = pmk_rlog_next(log, &cursor, &rec);
		if (!rc)
			break;
		if (rc == 1 && take_record(r, &rec))
			print_record(r, &rec);
		else if (rc == 1) /* the log says what is the matter there */
			cursor = before;
		else if (rc == PMK_E_LOG_TRUNCATED)
			r->truncated = true;
		else if (rc != PMK_E_LOG_DAMAGED)
			return out_fail(r->args->path, rc, NULL);
		else if (!damage(r, &rec))
			break;
		if (ferror(stdout))
			return out_flush();
	}
	if (!r->truncated)
		return r->rc;
	fflush(stdout);
	out_fail(r->args->path, PMK_E_LOG_TRUNCATED,
		 "records behind its end may be lost");
	return EXIT_BAD;
}

static void print_tail_json(const struct run *r)
{
	printf("%s],\n  \"damaged\": [", r->printed ? "\n  " : "");
	for (size_t i = 0; i < r->damaged_n; i++) {
		const struct pmk_rlog_record *d = &r->damaged[i];

		printf("%s\n    {\"offset_bytes\": %" PRIu64
		       ", \"size_bytes\": %" PRIu64
		       ", \"lost_records\": %" PRIu64 "}",
		       i ? "," : "", d->off, d->len, d->lost);
	}
	printf("%s],\n  \"truncated\": %s,\n  \"complete\": %s\n}\n",
	       r->damaged_n ? "\n  " : "", r->truncated ? "true" : "false",
	       r->rc == EXIT_OK ? "true" : "false");
}

static void print_head_json(void)
{
	fputs("{\n  \"schema\": 1,\n  \"records\": [", stdout);
}

/* There is a log, and nothing of it can be read: a document says so, too. */
static int unreadable(struct run *r, int code)
{
	r->rc = log_file_unreadable(r->args->path, code);
	if (r->args->json && r->rc == EXIT_BAD) {
		r->truncated = code == PMK_E_LOG_TRUNCATED;
		print_head_json();
		print_tail_json(r);
	}
	return r->rc;
}

int cmd_log_read(int argc, char **argv)
{
	struct args a = { NULL, NULL, false, false, false };
	struct run r = { .args = &a };
	struct pmk_rlog *log;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	signals_mapped(a.path);
	rc = pmk_rlog_open(a.path, 0, &log);
	if (rc)
		return unreadable(&r, rc);
	if (a.json)
		print_head_json();
	r.rc = read_all(&r, log);
	if (a.json)
		print_tail_json(&r);
	free(r.buf);
	free(r.damaged);
	pmk_rlog_close(log);
	return r.rc;
}
