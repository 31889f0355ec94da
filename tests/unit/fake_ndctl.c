/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of libndctl.so.6: one bus with nmem0 (critical, 5 dirty shutdowns),
 * nmem1 (no SMART command), nmem2 (the command is refused) and nmem3 (SMART
 * data without anything valid).  Dies where the real one would print.
 */
#include <errno.h>
#include <stdlib.h>

#include <ndctl/libndctl.h>

#define DIMMS 4

struct ndctl_ctx {
	int quiet;
};

struct ndctl_bus {
	int unused;
};

struct ndctl_dimm {
	const char *name;
	int number;
};

struct ndctl_cmd {
	struct ndctl_dimm *dimm;
	int submitted;
};

static struct ndctl_ctx the_ctx;
static struct ndctl_bus the_bus;
static struct ndctl_dimm dimms[DIMMS] = {
	{ "nmem0", 0 },
	{ "nmem1", 1 },
	{ "nmem2", 2 },
	{ "nmem3", 3 },
};

int ndctl_new(struct ndctl_ctx **ctx)
{
	*ctx = &the_ctx;
	return 0;
}

struct ndctl_ctx *ndctl_unref(struct ndctl_ctx *ctx)
{
	ctx->quiet = 0;
	return NULL;
}

void ndctl_set_log_fn(struct ndctl_ctx *ctx,
		      void (*log_fn)(struct ndctl_ctx *ctx, int priority,
				     const char *file, int line, const char *fn,
				     const char *format, va_list args))
{
	ctx->quiet = log_fn != NULL;
}

struct daxctl_ctx *ndctl_get_daxctl_ctx(struct ndctl_ctx *ctx)
{
	(void)ctx;
	return NULL;
}

struct ndctl_bus *ndctl_bus_get_first(struct ndctl_ctx *ctx)
{
	if (!ctx->quiet)
		abort();
	return &the_bus;
}

struct ndctl_bus *ndctl_bus_get_next(struct ndctl_bus *bus)
{
	(void)bus;
	return NULL;
}

struct ndctl_dimm *ndctl_dimm_get_first(struct ndctl_bus *bus)
{
	(void)bus;
	return &dimms[0];
}

struct ndctl_dimm *ndctl_dimm_get_next(struct ndctl_dimm *dimm)
{
	return dimm + 1 < dimms + DIMMS ? dimm + 1 : NULL;
}

const char *ndctl_dimm_get_devname(struct ndctl_dimm *dimm)
{
	return dimm->name;
}

struct ndctl_cmd *ndctl_dimm_cmd_new_smart(struct ndctl_dimm *dimm)
{
	struct ndctl_cmd *cmd;

	if (dimm->number == 1)
		return NULL;
	cmd = calloc(1, sizeof(*cmd));
	if (!cmd)
		abort();
	cmd->dimm = dimm;
	return cmd;
}

int ndctl_cmd_submit(struct ndctl_cmd *cmd)
{
	cmd->submitted = 1;
	return cmd->dimm->number == 2 ? -EACCES : 0;
}

void ndctl_cmd_unref(struct ndctl_cmd *cmd)
{
	free(cmd);
}

unsigned int ndctl_cmd_smart_get_flags(struct ndctl_cmd *cmd)
{
	if (!cmd->submitted || cmd->dimm->number == 2)
		abort();
	return cmd->dimm->number
		       ? 0
		       : ND_SMART_HEALTH_VALID | ND_SMART_SHUTDOWN_COUNT_VALID;
}

unsigned int ndctl_cmd_smart_get_health(struct ndctl_cmd *cmd)
{
	(void)cmd;
	return ND_SMART_NON_CRITICAL_HEALTH | ND_SMART_CRITICAL_HEALTH;
}

unsigned int ndctl_cmd_smart_get_shutdown_count(struct ndctl_cmd *cmd)
{
	(void)cmd;
	return 5;
}
