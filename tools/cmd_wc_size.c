/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk wc size: what a cache of a size will hold, and cost. */
#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include <pmk/wc_format.h>

#include "opt.h"
#include "out.h"
#include "pmk.h"

enum {
	OPT_SIZE = 0x100,
	OPT_BLOCK_SIZE,
	OPT_START_SECTOR,
};

/* What lvm2 takes for a file system of such blocks, or if it knows none that
 * needs 512. */
#define DEFAULT_BLOCK 4096U

struct input {
	uint64_t size;
	uint64_t start_sector;
	uint32_t block_size;
	bool json;
};

static const struct argp_option options[] = {
	OPT_JSON,
	{ "size", OPT_SIZE, "SIZE", 0, "Bytes of the cache device", 0 },
	{ "block-size", OPT_BLOCK_SIZE, "BYTES", 0,
	  "512 to 65536 (4096); x86 loads no more than 4096", 0 },
	{ "start-sector", OPT_START_SECTOR, "N", 0,
	  "512-byte sectors before the superblock (0)", 0 },
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input *in = state->input;

	switch (key) {
	case 'j':
		in->json = true;
		return 0;
	case OPT_SIZE:
		in->size = opt_size(state, "--size", arg, 1);
		return 0;
	case OPT_BLOCK_SIZE:
		in->block_size = (uint32_t)opt_count(state, "--block-size", arg,
						     512, 65536);
		if (in->block_size & (in->block_size - 1))
			argp_error(state, "--block-size: not a power of two");
		return 0;
	case OPT_START_SECTOR:
		in->start_sector = opt_count(state, "--start-sector", arg, 0,
					     UINT64_MAX / PMK_WC_SECTOR);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!in->size)
			argp_error(state, "--size is missing");
		else if (in->start_sector * PMK_WC_SECTOR >= in->size)
			argp_error(state, "--start-sector: behind the end");
		return 0;
	default:
		return opt_positional(key, arg, state, NULL, NULL, 0);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Say what a dm-writecache device of a size holds: its blocks, "
	       "its metadata, and the kernel's memory for them.",
};

static uint64_t slack(const struct input *in, const struct pmk_wc_geometry *geo)
{
	return in->size - in->start_sector * PMK_WC_SECTOR - geo->end;
}

static int print_table(const struct input *in,
		       const struct pmk_wc_geometry *geo)
{
	struct libscols_table *tb = out_table("", "", NULL);

	out_row_size(tb, "device", in->size);
	out_row_size(tb, "block size", geo->block_size);
	out_row_u64(tb, "blocks", geo->n_blocks);
	out_row_size(tb, "metadata", geo->data_off);
	out_row_size(tb, "data", geo->end - geo->data_off);
	out_row_size(tb, "unused", slack(in, geo));
	out_row_size(tb, "kernel memory, mode p",
		     pmk_wc_kernel_bytes(geo->n_blocks, 'p'));
	out_row_size(tb, "kernel memory, mode s",
		     pmk_wc_kernel_bytes(geo->n_blocks, 's'));
	return out_table_end(tb);
}

static int print_json(const struct input *in, const struct pmk_wc_geometry *geo)
{
	struct json_object *o = out_json();

	out_json_u64(o, "size_bytes", in->size);
	out_json_u64(o, "start_sector", in->start_sector);
	out_json_u64(o, "block_size_bytes", geo->block_size);
	out_json_u64(o, "n_blocks", geo->n_blocks);
	out_json_u64(o, "metadata_bytes", geo->data_off);
	out_json_u64(o, "data_offset_bytes", geo->data_off);
	out_json_u64(o, "data_bytes", geo->end - geo->data_off);
	out_json_u64(o, "unused_bytes", slack(in, geo));
	out_json_u64(o, "kernel_memory_p_bytes",
		     pmk_wc_kernel_bytes(geo->n_blocks, 'p'));
	out_json_u64(o, "kernel_memory_s_bytes",
		     pmk_wc_kernel_bytes(geo->n_blocks, 's'));
	return out_json_end(o);
}

int cmd_wc_size(int argc, char **argv)
{
	struct input in = { .block_size = DEFAULT_BLOCK };
	struct pmk_wc_geometry geo;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	rc = pmk_wc_geometry_for(in.size - in.start_sector * PMK_WC_SECTOR,
				 in.block_size, &geo);
	if (rc) {
		out_error("%s", out_explanation(rc, NULL));
		return EXIT_BAD; /* the answer: the kernel refuses it */
	}
	return in.json ? print_json(&in, &geo) : print_table(&in, &geo);
}
