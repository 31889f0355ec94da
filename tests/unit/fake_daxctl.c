/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of libdaxctl.so.1: one region with dax0.0, of whose 7 memory blocks
 * 3 are online, dax0.1 without memory, and dax0.2, which gives errors.  Dies
 * where the real one would print.
 */
#include <errno.h>
#include <stdlib.h>

#include <daxctl/libdaxctl.h>

#define DEVS 3

struct daxctl_ctx {
	int quiet;
};

struct daxctl_region {
	int unused;
};

struct daxctl_dev {
	const char *name;
};

struct daxctl_memory {
	int total;
	int online;
};

static struct daxctl_ctx the_ctx;
static struct daxctl_region the_region;
static struct daxctl_dev devs[DEVS] = {
	{ "dax0.0" },
	{ "dax0.1" },
	{ "dax0.2" },
};
static struct daxctl_memory good = { 7, 3 }, bad = { -ENXIO, -ENXIO };

int daxctl_new(struct daxctl_ctx **ctx)
{
	*ctx = &the_ctx;
	return 0;
}

void daxctl_unref(struct daxctl_ctx *ctx)
{
	ctx->quiet = 0;
}

void daxctl_set_log_fn(struct daxctl_ctx *ctx,
		       void (*log_fn)(struct daxctl_ctx *ctx, int priority,
				      const char *file, int line,
				      const char *fn, const char *format,
				      va_list args))
{
	/* that of the fake libndctl is NULL */
	if (ctx)
		ctx->quiet = log_fn != NULL;
}

struct daxctl_region *daxctl_region_get_first(struct daxctl_ctx *ctx)
{
	if (!ctx->quiet)
		abort();
	return &the_region;
}

struct daxctl_region *daxctl_region_get_next(struct daxctl_region *region)
{
	(void)region;
	return NULL;
}

struct daxctl_dev *daxctl_dev_get_first(struct daxctl_region *region)
{
	(void)region;
	return &devs[0];
}

struct daxctl_dev *daxctl_dev_get_next(struct daxctl_dev *dev)
{
	return dev + 1 < devs + DEVS ? dev + 1 : NULL;
}

const char *daxctl_dev_get_devname(struct daxctl_dev *dev)
{
	return dev->name;
}

struct daxctl_memory *daxctl_dev_get_memory(struct daxctl_dev *dev)
{
	return dev == &devs[0] ? &good : dev == &devs[2] ? &bad : NULL;
}

int daxctl_memory_num_sections(struct daxctl_memory *mem)
{
	return mem->total;
}

int daxctl_memory_is_online(struct daxctl_memory *mem)
{
	return mem->online;
}
