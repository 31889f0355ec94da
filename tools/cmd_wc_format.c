/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc format: make an empty cache, as the kernel makes one. */
#include <stdbool.h>

#include <json-c/json.h>

#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"
#include "wc/format_file.h"

enum {
	OPT_SIZE = 0x100,
	OPT_OFFSET,
	OPT_START_SECTOR,
	OPT_BLOCK_SIZE,
};

struct input {
	struct format_file file;
	bool json;
};

static const struct argp_option options[] = {
	OPT_JSON,
	{ "size", OPT_SIZE, "SIZE", 0, "Make a new file of that size", 0 },
	{ "offset", OPT_OFFSET, "BYTES", 0,
	  "Where the cache device begins in FILE (0)", 0 },
	{ "start-sector", OPT_START_SECTOR, "N", 0,
	  "512-byte sectors before the superblock (0)", 0 },
	{ "block-size", OPT_BLOCK_SIZE, "BYTES", 0,
	  "512 to 65536 (4096); x86 loads no more than 4096", 0 },
	{ "force", 'f', NULL, 0, "Overwrite what is there", 0 },
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "FILE" };
	struct input *in = state->input;
	struct format_file *f = &in->file;

	switch (key) {
	case 'j':
		in->json = true;
		return 0;
	case 'f':
		f->force = true;
		return 0;
	case OPT_SIZE:
		f->create_size = opt_size(state, "--size", arg, 1);
		return 0;
	case OPT_OFFSET:
		f->offset = opt_size(state, "--offset", arg, 0);
		return 0;
	case OPT_START_SECTOR:
		f->start_sector = opt_count(state, "--start-sector", arg, 0,
					    INT64_MAX / PMK_WC_SECTOR);
		return 0;
	case OPT_BLOCK_SIZE:
		f->block_size = (uint32_t)opt_count(state, "--block-size", arg,
						    512, 65536);
		if (f->block_size & (f->block_size - 1))
			argp_error(state, "--block-size: not a power of two");
		return 0;
	default:
		return opt_positional(key, arg, state, &f->path, names, 1);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Make an empty dm-writecache device: the bytes that the kernel "
	       "writes into one whose first bytes are zero.  FILE is a regular "
	       "file or a block device that nobody uses.",
};

static int print_json(const struct format_file *f)
{
	struct json_object *o = out_json();

	out_json_path(o, "path", f->path);
	out_json_u64(o, "offset_bytes", f->offset);
	out_json_u64(o, "start_sector", f->start_sector);
	out_json_u64(o, "block_size_bytes", f->geo.block_size);
	out_json_u64(o, "n_blocks", f->geo.n_blocks);
	out_json_u64(o, "data_offset_bytes", f->geo.data_off);
	return out_json_end(o);
}

int cmd_wc_format(int argc, char **argv)
{
	struct input in = { .file = { .block_size = 4096, .fd = -1 } };
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	/* half a cache is nothing to leave behind in a new file */
	signals_hold();
	rc = format_file(&in.file);
	signals_release();
	if (rc)
		return rc;
	return in.json ? print_json(&in.file) : EXIT_OK;
}
