/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmk wc writeback and export share. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <json-c/json.h>

#include <pmk/wc_check.h>

#include "base/util.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "wc/dest.h"
#include "wc/wc_opt.h"

/* A terminal shows as many and what came before. */
#define MAX_MESSAGES 20U
/* A cache of which nothing can be read has millions. */
#define MAX_KEPT 100000U

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
static atomic_bool stop_asked;

enum {
	KEY_RETRIES = 0x300,
	KEY_THREADS,
};

static const struct argp_option options[] = {
	{ "retries", KEY_RETRIES, "N", 0,
	  "Try N times more to read or write a block that fails (2)", 0 },
	{ "threads", KEY_THREADS, "N", 0, "Blocks are moved by N threads (4)",
	  0 },
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct pmk_wc_copy_params *p = state->input;

	switch (key) {
	case KEY_RETRIES:
		p->retries = (unsigned int)opt_count(state, "--retries", arg, 0,
						     1000);
		return 0;
	case KEY_THREADS:
		p->threads =
			(unsigned int)opt_count(state, "--threads", arg, 1, 64);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { .options = options, .parser = parse };

const struct argp_child dest_opt_children[] = {
	{ &wc_opt_argp, 0, NULL, 0 },
	{ &argp, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 },
};

void dest_list_add(const struct pmk_wc_failure *f, void *arg)
{
	struct dest_list *l = arg;

	l->total++;
	if (l->n == MAX_KEPT)
		return;
	/* doubles at powers of two */
	if (!(l->n & (l->n - 1))) {
		l->first = reallocarray(l->first, l->n ? 2 * l->n : 1,
					sizeof(*l->first));
		if (!l->first)
			out_of_memory();
	}
	l->first[l->n++] = *f;
}

void dest_list_free(struct dest_list *l)
{
	free(l->first);
	*l = (struct dest_list){ NULL, 0, 0 };
}

/* Of the whole origin: no room, read-only, not allowed.  Else of the block. */
static bool is_general(const struct pmk_wc_failure *f)
{
	static const int errors[] = { ENOSPC, EDQUOT, EFBIG,
				      EROFS,  EPERM,  EACCES };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (f->error == -errors[i])
			return true;
	return false;
}

static void report_one(const struct pmk_wc_failure *f, const char *path)
{
	out_error("%s: block %" PRIu64 ", sector %" PRIu64
		  " of the origin: %s%s%s",
		  path, f->entry, f->sector, pmk_wc_why_text(f->why),
		  f->error ? ": " : "", f->error ? pmk_strerror(f->error) : "");
}

/* One line for all of them: what is said of one is true of each. */
static void report_general(const struct pmk_wc_failure *f, uint64_t n,
			   const char *path)
{
	if (n == 1)
		report_one(f, path);
	else if (n)
		out_error("%s: %" PRIu64 " blocks, the first is block %" PRIu64
			  ", sector %" PRIu64 " of the origin: %s: %s",
			  path, n, f->entry, f->sector, pmk_wc_why_text(f->why),
			  pmk_strerror(f->error));
}

void dest_list_report(const struct dest_list *l, const char *path)
{
	const struct pmk_wc_failure *general = NULL;
	uint64_t n_general = 0, n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct pmk_wc_failure *f = &l->first[i];

		if (is_general(f)) {
			general = general ? general : f;
			n_general++;
		} else if (++n <= MAX_MESSAGES) {
			report_one(f, path);
		}
	}
	report_general(general, n_general, path);
	n = l->total - n_general;
	if (n > MAX_MESSAGES)
		out_error("%s: ... and %" PRIu64 " more blocks", path,
			  n - MAX_MESSAGES);
}

static void on_signal(int sig)
{
	(void)sig;
	atomic_store(&stop_asked, true);
}

void dest_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = (int)SA_RESETHAND | SA_RESTART };
	struct sigaction old;

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		/* nohup(1) has its reasons */
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}

static bool go_on(uint64_t done_bytes, void *arg)
{
	struct dest *d = arg;

	progress_update(&d->progress, done_bytes);
	return !atomic_load(&stop_asked);
}

static void add_failed(const struct pmk_wc_failure *f, void *arg)
{
	struct dest *d = arg;

	dest_list_add(f, &d->failed);
}

void dest_begin(struct dest *d, const char *what, uint64_t bytes)
{
	progress_start(&d->progress, what, bytes);
	d->params.go_on = go_on;
	d->params.failed = add_failed;
	d->params.arg = d;
}

void dest_end(struct dest *d)
{
	progress_end(&d->progress);
}

int dest_refusal(const struct pmk_wc_image *img, const char *path, int rc)
{
	enum pmk_wc_layout layout = pmk_wc_image_layout(img);
	const struct pmk_wc_problem_info *info;
	struct pmk_wc_problem p;

	if (rc == PMK_E_WC_NONE)
		return out_error("%s: no cache that blocks can be taken from: "
				 "%s; pmk wc check says more",
				 out_path(path), pmk_wc_layout_name(layout));
	if (rc != PMK_E_WC_DOUBT || pmk_wc_doubt(img, &p) != PMK_E_WC_DOUBT)
		return EXIT_OK;
	info = pmk_wc_problem_info(p.code);
	return out_error("%s: no block is taken: %s: %s; pmk wc check says "
			 "more, pmk wc repair a copy first",
			 out_path(path), info->name, info->text);
}

static struct json_object *failures_json(const struct dest_list *l)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct pmk_wc_failure *f = &l->first[i];
		struct json_object *o = json_object_new_object();

		out_json_u64(o, "entry", f->entry);
		out_json_u64(o, "sector", f->sector);
		out_json_str(o, "why", pmk_wc_why_name(f->why));
		if (f->error)
			out_json_str(o, "error", pmk_error_name(f->error));
		else
			out_json_null(o, "error");
		if (json_object_array_add(list, o))
			out_of_memory();
	}
	return list;
}

void dest_json(struct json_object *o, const struct dest *d)
{
	const struct pmk_wc_copy_result *r = &d->result;

	out_json_u64(o, "dirty_blocks", r->dirty);
	out_json_u64(o, "copied_blocks", r->copied);
	out_json_u64(o, "failed_blocks", r->failed);
	out_json_u64(o, "left_blocks", r->left);
	out_json_u64(o, "unreadable_entries", r->unknown);
	out_json_bool(o, "stopped", r->stopped);
	out_json_add(o, "failed", failures_json(&d->failed));
}
