/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap inspect: what an info block says, and what a kernel says to it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "base/uuid.h"
#include "memmap/inspect.h"
#include "memmap/ns_opt.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"

/* Keys of the options that have no letter. */
enum {
	OPT_OFFSET = 256,
	OPT_SIZE,
	OPT_UUID,
	OPT_PARENT_UUID,
	OPT_TRANSLATE,
	OPT_WRITE,
};

/* What no option can set. */
#define NOT_GIVEN UINT64_MAX
#define NO_MAP    ((enum pmk_memmap_map)99)

/* Of a namespace that is made: as for pmk memmap predict. */
#define SIZE_MIN ((uint64_t)4 << 20)

static const struct argp_option options[] = {
	OPT_JSON,
	{ "offset", OPT_OFFSET, "N", 0,
	  "Where the namespace begins in PATH (0); its info block is 4096 bytes "
	  "behind that",
	  0 },
	{ "size", OPT_SIZE, "SIZE", 0,
	  "Raw size of the namespace (from there to the end of PATH)", 0 },
	{ "uuid", OPT_UUID, "UUID", 0,
	  "The UUID of the block: that the device was given before it is "
	  "enabled (not checked); with --write, that it gets (random)",
	  0 },
	{ "parent-uuid", OPT_PARENT_UUID, "UUID", 0,
	  "The UUID of the namespace, from its label; 0 is none (not checked; "
	  "with --write, none)",
	  0 },
	{ "translate", OPT_TRANSLATE, "WHAT:OFFSET", 0,
	  "Say where a byte is seen; WHAT is device (PATH), namespace, data or "
	  "dax (the device that comes of it), or physical (an address)",
	  0 },
	{ "write", OPT_WRITE, NULL, 0,
	  "Write the info block of a new namespace into a regular file, which "
	  "is made if it is not there",
	  0 },
	{ "force", 'f', NULL, 0, "With --write: over what is there, too", 0 },
	OPT_END,
};

struct input {
	struct infoblock_look look;
	struct pmk_memmap_params ns; /* of options, NOT_GIVEN and the like */
	uint64_t size;
	bool json;
	bool write;
	bool force;
};

static void parse_uuid(struct argp_state *state, const char *option,
		       const char *arg, uint8_t uuid[16], bool *known)
{
	if (!strcmp(arg, "0"))
		memset(uuid, 0, 16);
	else if (pmk_uuid_parse(arg, uuid))
		argp_error(state,
			   "%s: '%s' is not a UUID such as "
			   "00010203-0405-0607-0809-0a0b0c0d0e0f",
			   option, arg);
	*known = true;
}

static void parse_translate(struct argp_state *state, const char *arg,
			    struct infoblock_look *l)
{
	static const struct {
		const char *name;
		enum infoblock_in in;
	} words[] = {
		{ "device:", INFOBLOCK_IN_DEVICE },
		{ "namespace:", INFOBLOCK_IN_NAMESPACE },
		{ "data:", INFOBLOCK_IN_DATA },
		{ "dax:", INFOBLOCK_IN_DATA },
		{ "physical:", INFOBLOCK_IN_PHYSICAL },
		{ NULL, INFOBLOCK_IN_DEVICE },
	};

	for (int i = 0; words[i].name; i++) {
		size_t n = strlen(words[i].name);

		if (strncmp(arg, words[i].name, n))
			continue;
		l->translate = true;
		l->in = words[i].in;
		l->off = opt_size(state, "--translate", arg + n, 0);
		return;
	}
	argp_error(state,
		   "--translate: '%s' does not begin with device:, namespace:, "
		   "data:, dax: or physical:",
		   arg);
}

static void check_write(const struct input *in, struct argp_state *state)
{
	if (in->look.translate)
		argp_error(state, "--write and --translate exclude each other");
	if (in->look.offset % 512)
		argp_error(state, "--offset: not a multiple of 512");
	if (in->size == NOT_GIVEN)
		return;
	if (in->size < SIZE_MIN)
		argp_error(state, "--size: below 4M, which is the least");
	if (in->size % 4096)
		argp_error(state, "--size: not a multiple of 4096");
}

static void check_read(const struct input *in, struct argp_state *state)
{
	if (in->force)
		argp_error(state, "--force goes with --write only");
	if (in->ns.map != NO_MAP && !in->look.ns.uuid_known)
		argp_error(state, "--map goes with --write, or with --uuid");
	if (in->ns.align && !in->look.ns.uuid_known)
		argp_error(state, "--align goes with --write, or with --uuid");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "PATH" };
	struct input *in = state->input;
	struct infoblock_look *l = &in->look;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &in->ns;
		return 0;
	case 'j':
		in->json = true;
		return 0;
	case 'f':
		in->force = true;
		return 0;
	case OPT_WRITE:
		in->write = true;
		return 0;
	case OPT_OFFSET:
		l->offset = opt_size(state, "--offset", arg, 0);
		return 0;
	case OPT_SIZE:
		in->size = opt_size(state, "--size", arg, 1);
		if (in->size == NOT_GIVEN)
			argp_error(state, "--size: '%s' is too large", arg);
		return 0;
	case OPT_UUID:
		parse_uuid(state, "--uuid", arg, l->ns.uuid, &l->ns.uuid_known);
		return 0;
	case OPT_PARENT_UUID:
		parse_uuid(state, "--parent-uuid", arg, l->ns.parent_uuid,
			   &l->ns.parent_uuid_known);
		return 0;
	case OPT_TRANSLATE:
		parse_translate(state, arg, l);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (in->write)
			check_write(in, state);
		else
			check_read(in, state);
		return 0;
	default:
		return opt_positional(key, arg, state, &l->path, names, 1);
	}
}

static const struct argp_child children[] = {
	{ &memmap_opt_argp, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "PATH",
	.doc = "Say what the info block of a namespace says, and what a kernel "
	       "says to it, check by check.  PATH is a raw namespace, or an "
	       "image of one.\v"
	       "Without --write, --mode is that of the driver that looks (any), "
	       "--start is not known unless given, and --struct-page is what "
	       "the kernel has.  --map and --align are those that the device was "
	       "given with --uuid.",
};

static int write_block(struct input *in)
{
	struct infoblock_new n = {
		.path = in->look.path,
		.offset = in->look.offset,
		.size_given = in->size != NOT_GIVEN,
		.uuid_given = in->look.ns.uuid_known,
		.force = in->force,
	};

	memmap_opt_defaults(&n.ns);
	if (n.size_given)
		n.ns.size = in->size;
	if (in->ns.start != NOT_GIVEN)
		n.ns.start = in->ns.start;
	if (in->ns.align)
		n.ns.align = in->ns.align;
	if (in->ns.map != NO_MAP)
		n.ns.map = in->ns.map;
	if (in->ns.mode != PMK_MODE_UNKNOWN)
		n.ns.mode = in->ns.mode;
	n.ns.struct_page = in->ns.struct_page;
	n.ns.kernel = in->ns.kernel;
	in->ns.start = n.ns.start;
	memcpy(n.uuid, in->look.ns.uuid, sizeof(n.uuid));
	memcpy(n.parent_uuid, in->look.ns.parent_uuid, sizeof(n.parent_uuid));
	return infoblock_write(&n);
}

static int inspect(struct input *in)
{
	struct infoblock_look *l = &in->look;
	int rc;

	l->ns.kernel = in->ns.kernel;
	l->ns.struct_page = in->ns.struct_page;
	l->ns.mode = in->ns.mode;
	if (in->size != NOT_GIVEN) {
		l->ns.size_known = true;
		l->ns.size = in->size;
		l->size_from = "--size";
	}
	if (in->ns.start != NOT_GIVEN) {
		l->ns.start_known = true;
		l->ns.start = in->ns.start;
		l->start_from = "--start";
	}
	l->ns.align = in->ns.align;
	if (in->ns.map != NO_MAP)
		l->ns.map_mode = in->ns.map == PMK_MEMMAP_DEV
					 ? PMK_INFOBLOCK_MODE_DEV
					 : PMK_INFOBLOCK_MODE_MEM;
	if (l->ns.parent_uuid_known)
		l->parent_from = "--parent-uuid";
	rc = infoblock_read(l);
	if (rc)
		return rc;
	rc = pmk_infoblock_check(l->block, &l->ns, &l->rep);
	if (rc)
		return out_fail(l->path, rc, NULL);
	if (l->translate)
		rc = infoblock_translate(l);
	if (rc)
		return rc;
	if (in->json)
		infoblock_print_json(l);
	else
		infoblock_print_table(l);
	return l->rep.error ? EXIT_BAD : EXIT_OK;
}

int cmd_memmap_inspect(int argc, char **argv)
{
	struct input in = { .size = NOT_GIVEN };
	int rc = EXIT_OK;

	memmap_opt_defaults(&in.ns);
	in.ns.start = NOT_GIVEN;
	in.ns.align = 0;
	in.ns.map = NO_MAP;
	in.ns.mode = PMK_MODE_UNKNOWN;
	argp_parse(&argp, argc, argv, 0, NULL, &in);
	if (in.write)
		rc = write_block(&in);
	/* what was written is read back, where the block is said to be */
	if (in.write && !rc && in.json)
		return inspect(&in);
	return in.write ? rc : inspect(&in);
}
