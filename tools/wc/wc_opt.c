/* SPDX-License-Identifier: BSD-3-Clause */
/* Parse which cache is meant, and open it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "progress.h"
#include "wc/wc_opt.h"

/* Far from the keys that commands begin with. */
enum {
	OPT_OFFSET = 0x1000,
	OPT_LENGTH,
	OPT_START_SECTOR,
	OPT_BLOCK_SIZE,
	OPT_MODE,
	OPT_PAGE_SIZE,
};

static const struct argp_option options[] = {
	OPT_JSON,
	{ "offset", OPT_OFFSET, "BYTES", 0,
	  "Where the cache device begins in CACHE (0)", 0 },
	{ "length", OPT_LENGTH, "BYTES", 0,
	  "Size of the cache device (up to the end of CACHE)", 0 },
	{ "start-sector", OPT_START_SECTOR, "N", 0,
	  "The table's start_sector: 512-byte sectors before the superblock (0)",
	  0 },
	{ "block-size", OPT_BLOCK_SIZE, "BYTES", 0,
	  "The table's block size (that of the superblock)", 0 },
	{ "mode", OPT_MODE, "p|s", 0,
	  "The table's mode: p on persistent memory, s on a disk (default)",
	  0 },
	{ "page-size", OPT_PAGE_SIZE, "BYTES", 0,
	  "Of the kernel that is asked: blocks are no larger (this one's)", 0 },
	OPT_END,
};

static char parse_mode(struct argp_state *state, const char *arg)
{
	if (strcmp(arg, "p") && strcmp(arg, "s"))
		argp_error(state, "--mode: '%s' is not p or s", arg);
	return arg[0];
}

static uint32_t parse_page(struct argp_state *state, const char *arg)
{
	uint64_t page = opt_size(state, "--page-size", arg, 4096);

	if (page > 65536 || (page & (page - 1)))
		argp_error(state, "--page-size: no power of two from 4096 to "
				  "65536");
	return (uint32_t)page;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct wc_opt *opt = state->input;
	struct pmk_wc_open_params *p = &opt->params;

	switch (key) {
	case 'j':
		opt->json = true;
		return 0;
	case OPT_OFFSET:
		p->offset = opt_size(state, "--offset", arg, 0);
		return 0;
	case OPT_LENGTH:
		p->size = opt_size(state, "--length", arg, 1);
		return 0;
	case OPT_START_SECTOR:
		p->table.start_sector = opt_count(state, "--start-sector", arg,
						  0, UINT64_MAX / 512);
		return 0;
	case OPT_BLOCK_SIZE:
		/* also one that the kernel refuses: it is asked what it says */
		p->table.block_size = (uint32_t)opt_count(state, "--block-size",
							  arg, 1, UINT32_MAX);
		return 0;
	case OPT_MODE:
		p->table.mode = parse_mode(state, arg);
		return 0;
	case OPT_PAGE_SIZE:
		p->table.page_size = parse_page(state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp wc_opt_argp = {
	.options = options,
	.parser = parse,
};

const struct argp_child wc_opt_children[] = {
	{ &wc_opt_argp, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 },
};

static const char *remedy(int code)
{
	return code == -EBUSY
		       ? "it is mounted, mapped, a loop device or open elsewhere"
		       : NULL;
}

/* How much there is, is known once the superblock is read. */
static void on_progress(uint64_t done, uint64_t total, void *arg)
{
	struct progress *bar = arg;

	bar->total = total;
	progress_update(bar, done);
}

int wc_opt_open(const char *path, const struct wc_opt *opt, unsigned int flags,
		struct pmk_wc_image **img_ret)
{
	struct pmk_wc_open_params params = opt->params;
	struct progress bar;
	int rc;

	params.flags = flags;
	if (!params.table.page_size)
		params.table.page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	params.progress = on_progress;
	params.arg = &bar;
	progress_start(&bar, "reading", 1);
	rc = pmk_wc_image_open(path, &params, img_ret);
	progress_end(&bar);
	return rc ? out_fail(path, rc, remedy(rc)) : EXIT_OK;
}

const char *wc_verdict_name(enum pmk_wc_verdict verdict)
{
	static const char *const names[] = {
		[PMK_WC_LOADS] = "loads",
		[PMK_WC_LOADS_WITH_ERROR] = "loads_with_error",
		[PMK_WC_REFUSED] = "refused",
		[PMK_WC_FORMATS] = "formats",
	};

	return (unsigned int)verdict < ARRAY_SIZE(names) ? names[verdict] : "?";
}
