/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk log append: a durable record per line of standard input. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <pmk/rlog.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "lines.h"
#include "log_file.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

#define BATCH_MAX ((uint64_t)1 << 20)

enum {
	KEY_ACK = 0x100,
	KEY_WHOLE,
};

struct args {
	const char *path;
	uint64_t batch;
	bool ack;
	bool null;
	bool whole;
	bool json;
};

/* One run: what was appended so far. */
struct run {
	const struct args *args;
	struct pmk_rlog *log;
	struct lines lines;
	struct pmk_rlog_iov *iov;
	uint64_t appended;
	uint64_t bytes;
	uint64_t first; /* number of the first record of this run */
};

static const struct argp_option options[] = {
	{ "batch", 'b', "N", 0,
	  "Let up to N records share one drain (default 1)", 0 },
	{ "ack", KEY_ACK, NULL, 0,
	  "Print the number of each record once it is durable", 0 },
	{ "null", 'z', NULL, 0, "Records end with NUL, not with newline", 0 },
	{ "whole", KEY_WHOLE, NULL, 0, "All of the input is one record", 0 },
	OPT_JSON,
	OPT_END,
};

static void check_args(const struct args *a, struct argp_state *state)
{
	if (a->json && a->ack)
		argp_error(state, "--json and --ack exclude each other");
	if (a->null && a->whole)
		argp_error(state, "--null and --whole exclude each other");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "FILE" };
	struct args *a = state->input;

	switch (key) {
	case 'b':
		a->batch = opt_count(state, "--batch", arg, 1, BATCH_MAX);
		return 0;
	case KEY_ACK:
		a->ack = true;
		return 0;
	case 'z':
		a->null = true;
		return 0;
	case KEY_WHOLE:
		a->whole = true;
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
	.doc = "Append a record per line of standard input to the record log "
	       "FILE.",
};

/* Complete records that are in the buffer, at most a batch. */
static size_t collect(struct run *r)
{
	const char *data;
	size_t n = 0, len;

	while (n < r->args->batch && lines_next(&r->lines, &data, &len)) {
		r->iov[n].data = data;
		r->iov[n].len = len;
		n++;
	}
	return n;
}

static const char *remedy(int code)
{
	switch (code) {
	case PMK_E_LOG_FULL:
	case PMK_E_RECORD_SIZE:
	case -EMSGSIZE:
		return "; use a larger log";
	case -ENOSPC:
	case -EDQUOT:
		return "; free some space and append the rest";
	default:
		return "";
	}
}

/* One line: why, what is safe, and where to go on. */
static int report(const struct run *r, const char *subject, int code)
{
	return out_error(
		"%s: %s: %" PRIu64 " record%s appended, input record %" PRIu64
		" was not%s",
		subject, out_explanation(code, subject), r->appended,
		r->appended == 1 ? "" : "s", r->appended + 1, remedy(code));
}

/* Numbers that cannot be printed: what they would say is said here. */
static int report_stdout(const struct run *r, int code)
{
	return out_error("standard output: %s: %" PRIu64 " record%s appended",
			 pmk_strerror(code), r->appended,
			 r->appended == 1 ? "" : "s");
}

/* Whoever reads the numbers relies on them, so they are not kept back. */
static int acknowledge(const struct run *r, uint64_t first, size_t n)
{
	int rc;

	for (size_t i = 0; i < n; i++)
		printf("%" PRIu64 "\n", first + i);
	rc = out_flush_quiet();
	return rc ? report_stdout(r, rc) : EXIT_OK;
}

/* Append all @n records, in as many calls as the log takes; an exit code. */
static int append(struct run *r, size_t n)
{
	size_t done = 0;

	while (done < n) {
		uint64_t first = 0;
		int64_t rc = pmk_rlog_append_batch(r->log, r->iov + done,
						   n - done, &first);

		if (rc < 0)
			return report(r, r->args->path, (int)rc);
		signals_appended(first + (uint64_t)rc - 1);
		if (!r->appended)
			r->first = first;
		r->appended += (uint64_t)rc;
		for (size_t i = done; i < done + (size_t)rc; i++)
			r->bytes += r->iov[i].len;
		done += (size_t)rc;
		if (r->args->ack && acknowledge(r, first, (size_t)rc))
			return EXIT_FAIL;
	}
	return EXIT_OK;
}

static int fill_failed(const struct run *r, int rc)
{
	if (rc == -EMSGSIZE)
		return report(r, r->args->path, PMK_E_RECORD_SIZE);
	return report(r, "standard input", rc);
}

static int append_input(struct run *r)
{
	for (;;) {
		size_t n = collect(r);
		int rc;

		if (n) {
			rc = append(r, n);
			if (rc)
				return rc;
			continue;
		}
		rc = lines_fill(&r->lines);
		if (rc < 0)
			return fill_failed(r, rc);
		if (rc == 0)
			return EXIT_OK;
	}
}

static void print_json(const struct run *r)
{
	struct json_object *o = out_json();

	out_json_path(o, "path", r->args->path);
	out_json_u64(o, "appended", r->appended);
	if (r->appended) {
		out_json_u64(o, "first_number", r->first);
		out_json_u64(o, "last_number", r->first + r->appended - 1);
	}
	out_json_u64(o, "size_bytes", r->bytes);
	out_json_end(o);
}

static int run_on(struct run *r)
{
	const struct args *a = r->args;
	struct pmk_rlog_info info;
	int delimiter = a->whole ? LINES_WHOLE : a->null ? '\0' : '\n';
	int rc, close_rc;

	/* an input without delimiters must not fill the memory */
	pmk_rlog_get_info(r->log, &info);
	lines_init(&r->lines, STDIN_FILENO, delimiter,
		   pmk_min_size(info.size_bytes, PMK_RLOG_RECORD_MAX));
	rc = append_input(r);
	lines_fini(&r->lines);
	close_rc = pmk_rlog_close(r->log);
	if (close_rc && rc == EXIT_OK)
		rc = out_fail(a->path, close_rc, NULL);
	if (a->json)
		print_json(r);
	return rc;
}

int cmd_log_append(int argc, char **argv)
{
	struct args a = { .batch = 1 };
	struct run r = { .args = &a };
	_cleanup_free_ struct pmk_rlog_iov *iov = NULL;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	iov = calloc(a.batch, sizeof(*iov));
	if (!iov)
		out_of_memory();
	r.iov = iov;
	/* a reader of --ack that goes away is an error, not a death: the log is
	 * closed and the message tells how far it came */
	signal(SIGPIPE, SIG_IGN);
	signals_mapped(a.path);
	signals_appended(0);
	rc = pmk_rlog_open(a.path, PMK_RLOG_WRITE, &r.log);
	if (rc)
		return log_file_fail(a.path, rc, NULL);
	return run_on(&r);
}
