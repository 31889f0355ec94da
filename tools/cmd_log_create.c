/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk log create: a new, empty record log. */
#include <errno.h>
#include <stdbool.h>

#include <pmk/map.h>
#include <pmk/rlog.h>

#include "log_file.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

enum {
	KEY_EMULATED = 0x100,
	KEY_SPARSE,
};

struct args {
	const char *path;
	uint64_t size;
	uint32_t flags;
	bool json;
};

static const struct argp_option options[] = {
	{ "size", 's', "SIZE", 0,
	  "Bytes of the log: 4k, 2M, 1G (default: all of an existing file or "
	  "device)",
	  0 },
	{ "emulated", KEY_EMULATED, NULL, 0,
	  "Treat the file as persistent memory, whatever it lies on", 0 },
	{ "sparse", KEY_SPARSE, NULL, 0,
	  "Reserve blocks as the log grows, not now", 0 },
	{ "force", 'f', NULL, 0, "Overwrite data that is there", 0 },
	OPT_JSON,
	OPT_END,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "FILE" };
	struct args *a = state->input;

	switch (key) {
	case 's':
		a->size = opt_size(state, "--size", arg, PMK_RLOG_MIN_SIZE);
		return 0;
	case KEY_EMULATED:
		a->flags |= PMK_RLOG_EMULATED;
		return 0;
	case KEY_SPARSE:
		a->flags |= PMK_RLOG_SPARSE;
		return 0;
	case 'f':
		a->flags |= PMK_RLOG_FORCE;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	default:
		return opt_positional(key, arg, state, &a->path, names, 1);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Make a new, empty record log in FILE: a regular file, new or "
	       "without data, or a devdax node.",
};

static const char *remedy(const struct args *a, int code)
{
	switch (code) {
	case -ENOENT:
		return a->size ? NULL : "--size SIZE makes a new file";
	case PMK_E_LOG_EXISTS:
		return "--force overwrites it";
	default:
		return NULL;
	}
}

/* The facts are read back from the log itself. */
static int print_json(const char *path)
{
	struct pmk_rlog_info info;
	struct json_object *o;
	struct pmk_rlog *log;
	const struct pmk_map *map;
	int rc = pmk_rlog_open(path, 0, &log);

	if (rc)
		return out_fail(path, rc, NULL);
	pmk_rlog_get_info(log, &info);
	map = pmk_rlog_map(log);
	o = out_json();
	out_json_path(o, "path", path);
	out_json_u64(o, "size_bytes", info.size_bytes);
	out_json_u64(o, "format_version", info.version);
	out_json_bool(o, "emulated", info.emulated);
	out_json_str(o, "kind", pmk_map_kind_name(pmk_map_kind(map)));
	out_json_name(o, "granularity",
		      pmk_granularity_name(pmk_map_granularity(map)));
	out_json_str(o, "domain", pmk_domain_name(pmk_map_domain(map)));
	pmk_rlog_close(log);
	return out_json_end(o);
}

int cmd_log_create(int argc, char **argv)
{
	struct args a = { NULL, 0, 0, false };
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	signals_mapped(a.path);
	/* half a log is nothing to leave behind, nor to guess at and remove */
	signals_hold();
	rc = pmk_rlog_create(a.path, a.size, a.flags);
	signals_release();
	if (rc)
		return log_file_fail(a.path, rc, remedy(&a, rc));
	return a.json ? print_json(a.path) : EXIT_OK;
}
