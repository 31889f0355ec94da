/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc info: what a cache is, and how much of it is dirty. */
#include <stdbool.h>

#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "wc/info_out.h"
#include "wc/wc_opt.h"

enum {
	OPT_DIRTY = 0x100,
};

struct input {
	struct wc_opt opt;
	const char *path;
	bool dirty;
};

static const struct argp_option options[] = {
	{ "dirty", OPT_DIRTY, NULL, 0,
	  "Exit with 3 if anything is dirty, or may be; with 0 if nothing is",
	  0 },
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "CACHE" };
	struct input *in = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &in->opt;
		return 0;
	case OPT_DIRTY:
		in->dirty = true;
		return 0;
	default:
		return opt_positional(key, arg, state, &in->path, names, 1);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = wc_opt_children,
	.args_doc = "CACHE",
	.doc = "Say what a dm-writecache device, or an image of one, is: how "
	       "much of it is dirty, and what the kernel does with it.",
};

/* Highest sequence of an entry in use; 0 if there is none. */
static uint64_t newest(const struct pmk_wc_image *img, uint64_t n)
{
	uint64_t max = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t seq = pmk_wc_image_entry(img, i).seq_count;

		if (seq != PMK_WC_FREE && seq > max)
			max = seq;
	}
	return max;
}

/* Everything of @img; what is said of another seq_count is read later. */
static void look(struct wc_info *info, const struct pmk_wc_image *img)
{
	const struct pmk_wc_geometry *geo = pmk_wc_image_geometry(img);

	info->sb = *pmk_wc_image_superblock(img);
	info->layout = pmk_wc_image_layout(img);
	info->load = *pmk_wc_image_load(img);
	pmk_wc_image_counts(img, &info->counts);
	info->has_geo = geo;
	if (!geo)
		return;
	info->geo = *geo;
	info->newest = newest(img, geo->n_blocks);
	/* what is written anew has the superblock's: no entry can have more */
	info->seq_lost = info->newest > info->sb.seq_count;
}

static int look_again(struct wc_info *info, const struct input *in,
		      uint64_t seq_count, struct wc_reading *reading)
{
	struct wc_opt opt = in->opt;
	struct pmk_wc_image *img;
	int rc;

	reading->seq_count = seq_count;
	opt.params.seq_count = seq_count;
	rc = wc_opt_open(in->path, &opt, 0, &img);
	if (rc)
		return rc;
	pmk_wc_image_counts(img, &reading->counts);
	info->n_readings++;
	pmk_wc_image_close(img);
	return EXIT_OK;
}

/*
 * If entries are newer than the superblock, its seq_count is not the right one:
 * either the newest generation had been committed, or it had not.
 */
static int add_readings(struct wc_info *info, const struct input *in)
{
	int rc;

	if (!info->seq_lost)
		return EXIT_OK;
	rc = look_again(info, in, info->newest, &info->readings[0]);
	if (!rc && info->newest + 1 != PMK_WC_FREE)
		rc = look_again(info, in, info->newest + 1, &info->readings[1]);
	return rc;
}

/* Is something dirty, or can it not be told? */
static bool may_be_dirty(const struct wc_info *info)
{
	if (!info->has_geo)
		return info->layout != PMK_WC_LAYOUT_BLANK;
	return info->counts.committed || info->counts.unreadable ||
	       info->seq_lost;
}

static int answer(const struct wc_info *info, bool dirty)
{
	if (dirty)
		return may_be_dirty(info) ? EXIT_BAD : EXIT_OK;
	return info->load.verdict == PMK_WC_LOADS ? EXIT_OK : EXIT_BAD;
}

int cmd_wc_info(int argc, char **argv)
{
	struct input in = { .path = NULL };
	struct wc_info info = { .path = NULL };
	struct pmk_wc_image *img;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	rc = wc_opt_open(in.path, &in.opt, 0, &img);
	if (rc)
		return rc;
	info.path = in.path;
	info.params = &in.opt.params;
	look(&info, img);
	pmk_wc_image_close(img);
	rc = add_readings(&info, &in);
	if (!rc)
		rc = in.opt.json ? info_print_json(&info)
				 : info_print_table(&info);
	return rc ? rc : answer(&info, in.dirty);
}
